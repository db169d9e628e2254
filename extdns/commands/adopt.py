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
from extdns.commands.onepass import ensure_files, look, single_pass
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
    from collections.abc import Iterator, Mapping, Sequence

    from extdns.commands.onepass import Pass
    from extdns.config import Config
    from extdns.model.decision import Decision

HELP: Final = """\
Usage: extdns adopt [--yes] [flags] [--output=text|json]

Shows records that stand just as objects ask for them and that nobody owns: made by hand, or by a tool that left. With
--yes their ownership records are written, and nothing else: no record changes, and one that somebody changes in the
meantime is left alone. From then on extdns keeps them up to date, and removes them when nobody asks for them any more.

What stands otherwise than objects ask is not taken; `extdns plan` shows it. Flags and variables are those of extdns
itself. The exit code is 0 if there is nothing left to take, 2 if there is, and 1 if a flag is wrong, if something could
not be read, or if a record could not be taken.
"""


class AdoptionFacts(Facts, frozen=True):
    """Records that can be taken, or with --yes were, and those that were to be and could not, with the reason."""

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
    if yes:
        ensure_files(config, "extdns adopt --yes")
    if yes and config.control.dry_run:
        raise mistake("--yes writes, and --dry-run forbids it", "leave one of them out")
    made = look(config)
    found = tuple(one for one in made.decisions if _fits(one, config.registry.txt_owner_id))
    refused: tuple[Decision, ...] = ()
    if yes and found and not made.missing:
        refused = _take(config, found)
    taken = yes and not made.missing
    left = tuple(one for one in found if one.held and one.held.key not in {bad.held.key for bad in refused if bad.held})
    show_facts(_facts(made, left, refused, taken=taken), _lines(made, left, refused, taken=taken), output)
    if made.missing or refused:
        return FAILED
    return LEFT if left and not taken else DONE


def _fits(decision: Decision, owner: str) -> bool:
    """Whether just what is wanted stands, and nobody owns it."""
    if decision.reason is not Reason.FOREIGN_RECORD or decision.held is None or decision.wanted is None:
        return False
    return decision.held.owner is None and not differences(decision.held, decision.wanted, owner)


def _take(config: Config, found: Sequence[Decision]) -> tuple[Decision, ...]:
    """Take what was *found*; returns what could not be taken."""
    chosen = {one.held.key for one in found if one.held}
    config = replace(config, control=replace(config.control, dry_run=False))
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
    zones = {one.zone for one in found}
    return tuple(
        one
        for one in running.engine.decisions
        if one.zone in zones and one.held and one.held.key in chosen and one.reason is not Reason.PROGRAMMED
    )


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
    for zone, group in groupby((*standing, *refused), key=lambda one: one.zone):
        known = zone and (zone_facts(zone, held[zone]) if zone in held else zone_name(zone))
        yield heading(known, made.config.control.provider)
        yield ""
        yield from table(row(entry(one)) for one in group)
        yield ""
    yield from incomplete(made.missing)
    if refused:
        yield f"{count(len(refused), 'record')} could not be taken."
    if not left:
        yield "No record stands that objects ask for just so and nobody owns."
    elif taken:
        yield f"{count(len(left), 'record')} taken; only ownership records were written."
    else:
        yield f"{count(len(left), 'record')} can be taken. To write their ownership records: extdns adopt --yes [flags]"


if __name__ == "__main__":
    sys.stdout.write(schema_text(AdoptionFacts, "extdns adopt --output=json"))
