"""`extdns migrate`: what a switch from the reference would change, and why.

The schema of what it says to programs: `python -m extdns.commands.migrate > docs/reference/migrate.schema.json`.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from extdns.commands.forms import show_facts
from extdns.commands.migrationtext import migration_text
from extdns.commands.onepass import ensure_files, look, single_pass
from extdns.commands.options import output_of
from extdns.commands.pretended import PretendedState
from extdns.commands.storedzones import as_read
from extdns.controller.ending import DONE, FAILED, HELD, LEFT
from extdns.engine.decisions import CHANGING, held
from extdns.facts.document import VERSION, Facts, Version, schema_text
from extdns.facts.plan import Entry, entry
from extdns.flags import parser
from extdns.flags.mistakes import mistake
from extdns.model.saved import Saved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.commands.onepass import Pass
    from extdns.model.decision import Decision

HELP: Final = """\
Usage: extdns migrate [flags of external-dns] [--output=text|json]

Tells what a switch from external-dns would change: the flags and variables (EXTERNAL_DNS_*) with which that runs are
read, and one pass is made that writes nothing. Changes that external-dns would make by itself are told from those that
extdns makes because it differs on purpose.

To compare, a second pass follows the rules of external-dns (--compat) over the same zones, which are read once.

The exit code is 0 if the switch changes nothing, 2 if something is changed, 3 if deletes are held, and 1 if a flag is
wrong or something could not be read.
"""


class DifferingFacts(Facts, frozen=True):
    """A record set that both would change, and not to the same; beside is what else extdns decides about its name."""

    ours: Entry
    theirs: Entry
    beside: tuple[Entry, ...]


class MigrationFacts(Facts, frozen=True):
    """What would change: likewise what external-dns would do now, too; ours what extdns alone would do.

    differing is where both would make a change, and not the same; theirs is what extdns decides where external-dns
    would make a change now and extdns would not; flags are remarks on flags that mean nothing.
    """

    api_version: Version
    kind: Literal["Migration"]
    flags: tuple[str, ...]
    likewise: tuple[Entry, ...]
    differing: tuple[DifferingFacts, ...]
    ours: tuple[Entry, ...]
    theirs: tuple[Entry, ...]
    held: int
    missing: tuple[str, ...]


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Tell what the switch would change; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = output_of(arguments)
    config = single_pass(flags, environ)
    if config.control.compat:
        raise mistake("extdns migrate compares with --compat by itself", "leave it out")
    ensure_files(config, "extdns migrate")
    made = look(config)
    theirs = _theirs(made, flags, environ)
    found = _compared(made, theirs)
    show_facts(found, migration_text(found), output)
    if made.missing or theirs.missing:
        return FAILED
    if any(map(held, made.decisions)):
        return HELD
    return LEFT if found.likewise or found.differing or found.ours else DONE


def _theirs(made: Pass, flags: Sequence[str], environ: Mapping[str, str]) -> Pass:
    """A pass by the rules of the reference over the zones as they were read."""
    policy = () if "policy" in parser.read(flags, environ) else (f"--policy={made.config.control.policy}",)
    config = single_pass([*flags, *policy, "--compat"], environ)
    return look(config, partial(as_read, made.engine, lambda state: state.mirror.records()), PretendedState(Saved()))


def _compared(made: Pass, theirs: Pass) -> MigrationFacts:
    """What each of the two would change."""
    ours, others = ({one.key: one for one in found.decisions if one.verdict in CHANGING} for found in (made, theirs))
    decided = {one.key: one for one in made.decisions}
    both = {key: (one, others[key]) for key, one in ours.items() if key in others}
    alike = {key for key, (mine, other) in both.items() if _change(mine) == _change(other)}
    return MigrationFacts(
        api_version=VERSION,
        kind="Migration",
        flags=made.config.notices,
        likewise=tuple(entry(ours[key]) for key in both if key in alike),
        differing=tuple(_differing(made, *pair) for key, pair in both.items() if key not in alike),
        ours=tuple(entry(one) for key, one in ours.items() if key not in others),
        theirs=tuple(entry(decided.get(key, one)) for key, one in others.items() if key not in ours),
        held=sum(map(held, made.decisions)),
        missing=made.missing,
    )


def _differing(made: Pass, mine: Decision, other: Decision) -> DifferingFacts:
    about = (one for one in made.decisions if (one.zone, one.name) == (mine.zone, mine.name))
    beside = tuple(entry(one) for one in about if one.verdict not in CHANGING)
    return DifferingFacts(ours=entry(mine), theirs=entry(other), beside=beside)


def _change(one: Decision) -> tuple[object, ...]:
    wanted = one.wanted
    return (one.verdict, wanted and (wanted.targets, wanted.ttl_s, wanted.properties))


if __name__ == "__main__":
    sys.stdout.write(schema_text(MigrationFacts, "extdns migrate --output=json"))
