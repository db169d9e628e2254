"""`extdns adopt`: takes ownership of records that stand just as objects ask, and that nobody owns.

The schema of what it says to programs: `python -m extdns.commands.adopt > docs/reference/adopt.schema.json`.
"""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from extdns.app import assembly
from extdns.app.registries import registry
from extdns.app.services import service
from extdns.commands.adopting import Adopting
from extdns.commands.forms import show_facts
from extdns.commands.onepass import ensure_files, look, over, single_pass
from extdns.commands.options import output_of, switch_of
from extdns.commands.plantext import heading, row, table
from extdns.commands.pretended import PretendedState
from extdns.controller.ending import DONE, FAILED, LEFT
from extdns.controller.stopsignals import StopSignals
from extdns.facts.document import VERSION, Facts, Version, schema_text, zone_name
from extdns.facts.holding import holdings
from extdns.facts.plan import Entry, entry, zone_facts
from extdns.facts.words import incomplete
from extdns.flags.mistakes import mistake
from extdns.model.decision import Verdict
from extdns.model.quantity import count
from extdns.model.reason import Reason
from extdns.model.saved import Saved
from extdns.planner.compare import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from extdns.commands.onepass import Pass
    from extdns.config import Config
    from extdns.model.decision import Decision
    from extdns.model.name import DnsName

_Key = tuple[str, "DnsName", str, str]
HELP: Final = """\
Usage: extdns adopt [--yes] [flags] [--output=text|json]

Shows records that stand just as objects ask for them and that nobody owns: made by hand, or by a tool that left. With
--yes their ownership records are written, and nothing else: no record changes, and one that somebody changes in the
meantime is left alone. From then on extdns keeps them up to date, and removes them when nobody asks for them any more.
Nothing is written while something cannot be read.

What cannot be taken is shown with the reason, without --yes too. What stands otherwise than objects ask is not taken
either; `extdns plan` shows it. Flags and variables are those of extdns itself.

The exit code is 0 if there is nothing left to take, 2 if there is, and 1 if a flag is wrong, if something could not be
read, or if a record cannot be taken.
"""


class AdoptionFacts(Facts, frozen=True):
    """Records that can be taken, or were if taken is true, and those that cannot be, with the reason."""

    api_version: Version
    kind: Literal["Adoption"]
    owner: str
    taken: bool
    records: tuple[Entry, ...]
    refused: tuple[Entry, ...]
    missing: tuple[str, ...]


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Show what can be taken, and take it if that is wanted; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = output_of(arguments)
    yes, flags = switch_of(flags, "--yes")
    config = single_pass(flags, environ)
    if not config.registry.txt_owner_id or config.registry.name == "noop":
        raise mistake("without ownership records there is nothing to take", "give --registry=txt and --txt-owner-id")
    ensure_files(config, "extdns adopt")
    if yes and config.control.dry_run:
        raise mistake("--yes writes, and --dry-run forbids it", "leave one of them out")
    made = look(config)
    found = {one.key: one for one in made.decisions if _fits(one, config.registry.txt_owner_id)}
    taken = yes and not made.missing
    tried = _tried(config, found.values(), writes=taken) if found else made
    made = made._replace(missing=tuple(dict.fromkeys((*made.missing, *tried.missing))))
    refused = _refused(found, tried, Reason.PROGRAMMED if taken else Reason.MARK_MISSING)
    left = tuple(one for key, one in found.items() if key not in {other.key for other in refused})
    show_facts(_facts(made, left, refused, taken=taken), _lines(made, left, refused, taken=taken), output)
    if made.missing or refused:
        return FAILED
    return LEFT if left and not taken else DONE


def _fits(decision: Decision, owner: str) -> bool:
    """Whether just what is wanted stands, and nobody owns it."""
    if decision.reason is not Reason.FOREIGN_RECORD or decision.held is None or decision.wanted is None:
        return False
    return decision.held.owner is None and not differences(decision.held, decision.wanted, owner)


def _tried(config: Config, found: Iterable[Decision], *, writes: bool) -> Pass:
    """A pass that takes what was *found*; unless it *writes*, it has no writer, and shows what would come of it."""
    config = replace(config, control=replace(config.control, dry_run=not writes))
    chosen = {one.held.key for one in found if one.held}
    with StopSignals() as signals:
        running = assembly.assemble(
            config,
            service=service(config),
            state=PretendedState(Saved()),
            ledger=Adopting(registry(config), chosen),
            asks=True,
        )
        signals.deliver_to(running.controller.stop)
        running.controller.run(once=True, approve=lambda: None)
    return over(config, running)


def _refused(found: Mapping[_Key, Decision], tried: Pass, done: Reason) -> tuple[Decision, ...]:
    """What of *found* did not end as *done*, as it was decided when it was *tried*."""
    decided = {one.key: one for one in tried.engine.decisions if one.held}
    return tuple(now for key, one in found.items() if (now := decided.get(key, one)).reason is not done)


def _facts(made: Pass, left: Sequence[Decision], refused: Sequence[Decision], *, taken: bool) -> AdoptionFacts:
    return AdoptionFacts(
        api_version=VERSION,
        kind="Adoption",
        owner=made.config.registry.txt_owner_id,
        taken=taken,
        records=tuple(map(entry, left)),
        refused=tuple(map(entry, refused)),
        missing=made.missing,
    )


def _lines(made: Pass, left: Sequence[Decision], refused: Sequence[Decision], *, taken: bool) -> Iterator[str]:
    standing = [replace(one, verdict=Verdict.KEEP, reason=Reason.PROGRAMMED, detail="") for one in left]
    held = holdings(made.engine)
    for zone, group in groupby(sorted((*standing, *refused), key=lambda one: one.order), key=lambda one: one.zone):
        known = zone and (zone_facts(zone, held[zone]) if zone in held else zone_name(zone))
        yield heading(known, made.config.control.provider)
        yield ""
        yield from table(row(entry(one)) for one in group)
        yield ""
    yield from incomplete(made.missing)
    if refused:
        yield f"{count(len(refused), 'record')} {'could not' if taken else 'cannot'} be taken."
    if taken and left:
        yield f"{count(len(left), 'record')} taken; only ownership records were written."
    elif left and made.missing:
        yield f"{count(len(left), 'record')} can be taken once all can be read; nothing is written before."
    elif left:
        yield f"{count(len(left), 'record')} can be taken. To write their ownership records: extdns adopt --yes [flags]"
    elif not refused:
        yield "No record stands that objects ask for just so and nobody owns."


if __name__ == "__main__":
    sys.stdout.write(schema_text(AdoptionFacts, "extdns adopt --output=json"))
