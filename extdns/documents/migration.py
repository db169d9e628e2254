"""What a switch from external-dns would change, and records that can be adopted, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.documents.document import (
    UNKNOWN_PROCESS,
    Document,
    ProcessReference,
    RootDocument,
    ZoneDocument,
    format_command,
)
from extdns.documents.ownership import find_ownership_warning, measure_ownership
from extdns.documents.plan import PLAIN, PlanEntry, build_entry, build_plan_row, build_zone, format_table, group_by_zone
from extdns.documents.scope_warnings import ScopeWarning, find_scope_warnings
from extdns.documents.snapshot import count_records
from extdns.documents.text import describe_record, escape_line, finish_text, format_missing
from extdns.engine.decisions import CHANGING, is_held_decision
from extdns.engine.scope import measure_scope
from extdns.errors import escape_unprintable
from extdns.model.reason import REASONS, Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.documents.plan import PassResult, PlanRow
    from extdns.model.change import Decision


class DifferingDocument(Document, frozen=True):
    """A record that extdns and external-dns would change in different ways.

    `others` are the decisions of extdns to keep or not to publish other records at its name.
    """

    ours: PlanEntry
    theirs: PlanEntry
    others: tuple[PlanEntry, ...]


class MigrationDocument(RootDocument, frozen=True, tag="Migration"):
    """What a switch from external-dns would change.

    `likewise` are changes that external-dns would make now, too. `ours` are changes that only extdns would make.
    `differing` are records that both would change, in different ways. `theirs` are records that only external-dns would
    change, with what extdns decides about them. `flags` is a line for each given flag that extdns ignores or that
    should be renamed or removed. `requested` is the number of requested names, `others` that of records with another
    owner. `conclusive` is false if `warnings` say that nothing is in scope, or that records are not ours.
    """

    owner: str
    zones: tuple[ZoneDocument, ...]
    requested: int
    others: int
    warnings: tuple[ScopeWarning, ...]
    conclusive: bool
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
    ownership = measure_ownership(ours.engine)
    unowned = find_ownership_warning(ours.config, ownership)
    scope = find_scope_warnings(ours.config, measure_scope(ours.engine))
    warnings = (*scope, *filter(None, (unowned,)))
    alike = {key for key, (one, other) in both.items() if _identify_change(one) == _identify_change(other)}
    return MigrationDocument(
        owner=ours.config.registry.txt_owner_id,
        zones=_build_zones(ours),
        requested=ownership.requested,
        others=ownership.others,
        warnings=warnings,
        conclusive=not any(one.leaves_nothing for one in warnings) and not (unowned and not ownership.ours),
        flags=ours.config.notices,
        likewise=tuple(build_entry(mine[key]) for key in both if key in alike),
        differing=tuple(_build_differing(ours, *changes) for key, changes in both.items() if key not in alike),
        ours=tuple(build_entry(one) for key, one in mine.items() if key not in others),
        theirs=tuple(build_entry(decided.get(key, one)) for key, one in others.items() if key not in mine),
        held=sum(map(is_held_decision, ours.decisions)),
        missing=ours.missing,
    )


def _build_zones(result: PassResult) -> tuple[ZoneDocument, ...]:
    return tuple(build_zone(zone, counts) for zone, counts in sorted(count_records(result.engine).items()))


def _build_differing(ours: PassResult, mine: Decision, other: Decision) -> DifferingDocument:
    about = (one for one in ours.decisions if (one.zone, one.name) == (mine.zone, mine.name))
    others = tuple(build_entry(one) for one in about if one.action not in CHANGING)
    return DifferingDocument(ours=build_entry(mine), theirs=build_entry(other), others=others)


def _identify_change(one: Decision) -> tuple[object, ...]:
    desired = one.desired
    return (one.action, desired and (desired.targets, desired.ttl_s, desired.properties))


def format_migration(document: MigrationDocument, process: ProcessReference = UNKNOWN_PROCESS) -> Iterator[str]:
    """Yield the lines about a switch, without line ends, each safe for a terminal; the conclusion comes last.

    Commands in them have the flags of *process*.
    """
    yield "All flags are understood."
    yield from (f"  {escape_line(notice)}" for notice in document.flags)
    yield ""
    yield escape_line(_describe_scope(document))
    for one in document.warnings:
        yield from (escape_line(f"WARNING: {one.text}"), escape_line(f"  {one.next}"))
    yield ""
    yield from _format_entries("external-dns would make these changes now, too:", document.likewise)
    yield from _format_differing(document.differing)
    yield from _format_entries("Only extdns would make these:", document.ours)
    yield from _format_entries("Only external-dns would make changes here:", document.theirs)
    if document.held:
        command = escape_unprintable(format_command("plan --held", process))
        yield f"{format_count(document.held, 'delete')} held until a person approves them: {command}"
    yield from format_missing(document.missing)
    yield _summarize(document)
    if not document.conclusive:
        yield "Read the warnings first: with these flags, extdns does not see everything that it is to take over."


def _describe_scope(document: MigrationDocument) -> str:
    owner = f'owner "{document.owner}"' if document.owner else "no owner id"
    names = ", ".join(dict.fromkeys(zone.name for zone in document.zones)) or "no zone was read"
    records, ours = (sum(getattr(zone, field) for zone in document.zones) for field in ("records", "ours"))
    requested = format_count(document.requested, "requested name")
    counted = f"{format_count(records, 'record')}, {ours} ours, {document.others} of other owners"
    return f"Read: {owner}; {names}; {requested}; {counted}"


def _format_entries(title: str, entries: Sequence[PlanEntry]) -> Iterator[str]:
    return _format_section(title, map(build_plan_row, entries), {one.reason for one in entries})


def _format_differing(found: Sequence[DifferingDocument]) -> Iterator[str]:
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


class AdoptionDocument(RootDocument, frozen=True, tag="Adoption"):
    """Records that can be adopted; if `taken` is true, that were adopted.

    `refused` are records that cannot be adopted. If `re_encrypts` is true, all are records of ours, whose ownership
    records are encrypted again.
    """

    provider: str
    owner: str
    taken: bool
    re_encrypts: bool
    zones: tuple[ZoneDocument, ...]
    records: tuple[PlanEntry, ...]
    refused: tuple[PlanEntry, ...]
    missing: tuple[str, ...]


def build_adoption(
    result: PassResult, records: Sequence[Decision], refused: Sequence[Decision], *, taken: bool, re_encrypts: bool
) -> AdoptionDocument:
    """Describe *records* as adopted if *taken*, otherwise as candidates, and the *refused* ones with reasons.

    If *re_encrypts* is true, they are not adopted but re-encrypted.
    """
    return AdoptionDocument(
        provider=result.config.control.provider,
        owner=result.config.registry.txt_owner_id,
        taken=taken,
        re_encrypts=re_encrypts,
        zones=_build_zones(result),
        records=tuple(map(build_entry, records)),
        refused=tuple(map(build_entry, refused)),
        missing=result.missing,
    )


def format_adoption(document: AdoptionDocument, process: ProcessReference = UNKNOWN_PROCESS) -> Iterator[str]:
    """Yield the lines about an adoption: records by zone, what was done, and the next command with the flags."""
    text = Reason.PUBLISHED.row.text
    current = [replace(one, action="keep", reason=Reason.PUBLISHED.value, evidence=(text,)) for one in document.records]
    for title, rows in group_by_zone((*current, *document.refused), document.zones, document.provider):
        yield title
        yield ""
        yield from format_table(rows)
        yield ""
    yield from format_missing(document.missing)
    yield from _format_conclusion(document, process)


def _format_conclusion(document: AdoptionDocument, process: ProcessReference) -> Iterator[str]:
    records, refused = len(document.records), len(document.refused)
    verb, switch = ("re-encrypt", " --re-encrypt") if document.re_encrypts else ("adopt", "")
    if refused:
        yield f"{format_count(refused, 'record')} {'could not' if document.taken else 'cannot'} be {verb}ed."
    if records and document.taken:
        yield f"{format_count(records, 'record')} {verb}ed. Only ownership records were written."
    elif records and document.missing:
        yield f"{format_count(records, 'record')} can be {verb}ed; nothing is written until everything can be read."
    elif records:
        command = escape_unprintable(format_command(f"adopt{switch} --yes", process))
        yield f"{format_count(records, 'record')} can be {verb}ed. To {verb} them: {command}"
    elif document.re_encrypts and not refused:
        yield "Nothing to re-encrypt: all ownership records of ours are encrypted with the first key."
    elif not refused:
        yield "Nothing to adopt: no record without an owner is exactly as an object requests."
