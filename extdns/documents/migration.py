"""What a switch from external-dns would change, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from extdns.documents.document import VERSION, Document, Version
from extdns.documents.name_text import describe_record
from extdns.documents.plan import PlanEntry, build_entry
from extdns.documents.plan_text import PLAIN, build_plan_row, format_table
from extdns.documents.text import escape_line, finish_text, format_missing
from extdns.engine.decisions import CHANGING, is_held_decision
from extdns.model.reason import REASONS
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.documents.plan import PassResult
    from extdns.documents.plan_text import PlanRow
    from extdns.model.change import Decision


class DifferingDocument(Document, frozen=True):
    """A record that extdns and external-dns would change in different ways.

    `others` are the decisions of extdns to keep or not to publish other records at its name.
    """

    ours: PlanEntry
    theirs: PlanEntry
    others: tuple[PlanEntry, ...]


class MigrationDocument(Document, frozen=True):
    """What a switch from external-dns would change.

    `likewise` are changes that external-dns would make now, too. `ours` are changes that only extdns would make.
    `differing` are records that both would change, in different ways. `theirs` are records that only external-dns would
    change, with what extdns decides about them. `flags` is a line for each given flag that extdns ignores or that
    should be renamed or removed.
    """

    api_version: Version
    kind: Literal["Migration"]
    flags: tuple[str, ...]
    likewise: tuple[PlanEntry, ...]
    differing: tuple[DifferingDocument, ...]
    ours: tuple[PlanEntry, ...]
    theirs: tuple[PlanEntry, ...]
    held: int
    missing: tuple[str, ...]


def build_migration(ours: PassResult, theirs: PassResult) -> MigrationDocument:
    """Return the differences of the plans of extdns, *ours*, and of external-dns, *theirs*, for the same zones."""
    mine, others = ({one.key: one for one in found.decisions if one.action in CHANGING} for found in (ours, theirs))
    decided = {one.key: one for one in ours.decisions}
    both = {key: (one, others[key]) for key, one in mine.items() if key in others}
    alike = {key for key, (one, other) in both.items() if _identify_change(one) == _identify_change(other)}
    return MigrationDocument(
        api_version=VERSION,
        kind="Migration",
        flags=ours.config.notices,
        likewise=tuple(build_entry(mine[key]) for key in both if key in alike),
        differing=tuple(_build_differing(ours, *changes) for key, changes in both.items() if key not in alike),
        ours=tuple(build_entry(one) for key, one in mine.items() if key not in others),
        theirs=tuple(build_entry(decided.get(key, one)) for key, one in others.items() if key not in mine),
        held=sum(map(is_held_decision, ours.decisions)),
        missing=ours.missing,
    )


def _build_differing(ours: PassResult, mine: Decision, other: Decision) -> DifferingDocument:
    about = (one for one in ours.decisions if (one.zone, one.name) == (mine.zone, mine.name))
    others = tuple(build_entry(one) for one in about if one.action not in CHANGING)
    return DifferingDocument(ours=build_entry(mine), theirs=build_entry(other), others=others)


def _identify_change(one: Decision) -> tuple[object, ...]:
    desired = one.desired
    return (one.action, desired and (desired.targets, desired.ttl_s, desired.properties))


def format_migration(document: MigrationDocument) -> Iterator[str]:
    """Yield the lines about a switch, without line ends, each safe for a terminal; the conclusion comes last."""
    yield "All flags are understood."
    yield from (f"  {escape_line(notice)}" for notice in document.flags)
    yield ""
    yield from _format_entries("external-dns would make these changes now, too:", document.likewise)
    yield from _format_differing(document.differing)
    yield from _format_entries("Only extdns would make these:", document.ours)
    yield from _format_entries("Only external-dns would make changes here:", document.theirs)
    if document.held:
        yield f"{format_count(document.held, 'delete')} held until a person approves them: extdns plan --held [flags]"
    yield from format_missing(document.missing)
    yield _summarize(document)


def _format_entries(title: str, entries: Sequence[PlanEntry]) -> Iterator[str]:
    return _format_section(title, map(build_plan_row, entries), {one.reason for one in entries})


def _format_differing(found: Sequence[DifferingDocument]) -> Iterator[str]:
    """Format what extdns and external-dns would do, and once for each name the other decisions of extdns."""
    rows = dict.fromkeys(line for one in found for line in (_compare(one), *map(build_plan_row, one.others)))
    reasons = {entry.reason for one in found for entry in (one.ours, *one.others)}
    return _format_section("Both would make changes here, in different ways:", rows, reasons - PLAIN)


def _compare(one: DifferingDocument) -> PlanRow:
    ours = build_plan_row(one.ours)
    both = (f"external-dns: {_describe_change(one.theirs)}", f"extdns:       {_describe_change(one.ours)}")
    return ours._replace(below=(*ours.below, *both))


def _describe_change(one: PlanEntry) -> str:
    record = one.after or one.before
    return escape_line(f"{one.action} {describe_record(one.type, record)}") if record else one.action


def _format_section(title: str, rows: Iterable[PlanRow], reasons: Iterable[str]) -> Iterator[str]:
    if lines := tuple(format_table(rows)):
        yield title
        yield from lines
        yield from (f"  {reason}: {REASONS[reason].row.text}" for reason in sorted(reasons))
        yield ""


def _summarize(document: MigrationDocument) -> str:
    switch = (*document.ours, *(one.ours for one in document.differing))
    if not (document.likewise or switch):
        return finish_text("The first pass of extdns changes nothing", document.missing)
    deletes = sum(one.action == "delete" for one in switch)
    of_these = format_count(deletes, "delete") if deletes else "no delete"
    return finish_text(
        f"The first pass of extdns changes {format_count(len(document.likewise) + len(switch), 'record')}; "
        f"of these {len(switch)} because of the switch, with {of_these}",
        document.missing,
    )
