"""What a switch from the reference would change, as text for people: the answer last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from extdns.commands.plantext import PLAIN, row, table
from extdns.facts.nametext import data
from extdns.facts.printable import printable
from extdns.facts.words import as_known, incomplete
from extdns.model.quantity import count
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from extdns.commands.migrate import DifferingFacts, MigrationFacts
    from extdns.commands.plantext import Row
    from extdns.facts.plan import Entry


def migration_text(facts: MigrationFacts) -> Iterator[str]:
    """Lines about a switch, without line ends, each safe for a terminal."""
    yield "All flags are understood."
    yield from (f"  {printable(notice)}" for notice in facts.flags)
    yield ""
    yield from _entries("external-dns would make these changes now, too:", facts.likewise)
    yield from _differing(facts.differing)
    yield from _entries("Only extdns would make these:", facts.ours)
    yield from _entries("external-dns would make changes here now, and extdns does not:", facts.theirs)
    if facts.held:
        yield f"{count(facts.held, 'delete')} held until a person releases them: extdns plan --held [flags]"
    yield from incomplete(facts.missing)
    yield _verdict(facts)


def _entries(title: str, entries: Sequence[Entry]) -> Iterator[str]:
    return _section(title, map(row, entries), {one.reason for one in entries})


def _differing(found: Sequence[DifferingFacts]) -> Iterator[str]:
    """What both would do, and what else is decided about the name, once for all types of it."""
    rows = dict.fromkeys(line for one in found for line in (_both(one), *map(row, one.beside)))
    reasons = {told.reason for one in found for told in (one.ours, *one.beside)}
    return _section("Both would make changes here, and not the same:", rows, reasons - PLAIN)


def _both(one: DifferingFacts) -> Row:
    ours = row(one.ours)
    return ours._replace(below=(*ours.below, f"external-dns: {_does(one.theirs)}", f"extdns:       {_does(one.ours)}"))


def _does(one: Entry) -> str:
    record = one.after or one.before
    return printable(f"{one.action} {data(one.type, record)}") if record else one.action


def _section(title: str, rows: Iterable[Row], reasons: Iterable[str]) -> Iterator[str]:
    if lines := tuple(table(rows)):
        yield title
        yield from lines
        yield from (f"  {reason}: {MEANINGS[Reason(reason)]}" for reason in sorted(reasons))
        yield ""


def _verdict(facts: MigrationFacts) -> str:
    switch = (*facts.ours, *(one.ours for one in facts.differing))
    if not (facts.likewise or switch):
        return as_known("The first pass of extdns changes nothing", facts.missing)
    deletes = sum(one.action == "delete" for one in switch)
    among = count(deletes, "delete") if deletes else "no delete"
    return as_known(
        f"The first pass of extdns changes {count(len(facts.likewise) + len(switch), 'record')}; "
        f"of these {len(switch)} by the switch, {among} among them",
        facts.missing,
    )
