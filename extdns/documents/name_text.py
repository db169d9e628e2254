"""A name as text: the answer first, then the evidence, the next step last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extdns.documents.document import describe_process
from extdns.documents.name_findings import describe_excluded
from extdns.documents.next_step import suggest_next_step
from extdns.documents.text import (
    escape_line,
    format_age,
    format_age_of,
    format_duration,
    format_missing,
    format_time,
    shorten_field,
)
from extdns.documents.violations import describe_rule
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason, look_up_meaning
from extdns.model.rrtype import UNREADABLE
from extdns.model.value import format_count

if TYPE_CHECKING:
    from datetime import datetime

    from extdns.documents.changes import ChangeDocument
    from extdns.documents.current_records import CurrentRecordDocument, OutcomeDocument
    from extdns.documents.document import ObjectReference, ProblemDocument, RecordData, ZoneReference
    from extdns.documents.name import ClaimDocument, NameDocument


_LABEL_WIDTH: Final = 14
_MAX_TARGETS: Final = 10
_MAX_WRITES: Final = 3
_ACTION_CLAUSES: Final = {"create": "would be created", "update": "would be updated", "delete": "would be deleted"}
_PUBLISHED: Final = frozenset({Reason.PUBLISHED, Reason.REQUESTED, Reason.CHANGED})


def format_name(document: NameDocument) -> Iterator[str]:
    """Yield the lines about one name, without line ends, each safe for a terminal."""
    return map(escape_line, _build_lines(document))


def describe_object(one: ObjectReference | ProblemDocument) -> str:
    """Describe an object, as `Service shop/web`."""
    return f"{one.kind} {one.namespace}/{one.name}" if one.namespace else f"{one.kind} {one.name}"


def describe_record(rtype: str, record: RecordData) -> str:
    """Describe record data, as `A 192.0.2.1, TTL 300`."""
    if rtype == UNREADABLE:
        return f"cannot be read: {'; '.join(record.targets)}"
    more = len(record.targets) - _MAX_TARGETS
    targets = ", ".join(record.targets[:_MAX_TARGETS]) + (f" and {more} more" if more > 0 else "")
    ttl = f"TTL {record.ttl_seconds}" if record.ttl_seconds is not None else "default TTL"
    properties = "".join(f", {key}={value}" for key, value in sorted(record.properties.items()))
    return f"{rtype} {targets}, {ttl}{properties}"


def _build_lines(document: NameDocument) -> Iterator[str]:
    yield f"{document.answer}  [{document.reason}]" if document.reason else document.answer
    if explanation := look_up_meaning(document.reason or ""):
        yield explanation
    yield from format_missing(document.missing)
    yield ""
    for label, lines in build_sections(document):
        for index, line in enumerate(lines):
            yield f"  {'' if index else label:{_LABEL_WIDTH}}{line}"
    yield ""
    yield f"Next: {suggest_next_step(document)}"


def build_sections(document: NameDocument) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a label with its lines for each section that is not empty. The lines are not yet safe for a terminal."""
    return ((label, tuple(lines)) for label, lines in _build_sections(document) if lines)


def _build_sections(document: NameDocument) -> Iterator[tuple[str, Sequence[str]]]:
    for index, claim in enumerate(document.claims):
        yield "also by" if index else "requested by", _describe_claim(claim, document.at)
    if not document.claims:
        made_for = "".join(
            f"; made for {one}" for one in dict.fromkeys(one.resource for one in document.records) if one
        )
        yield "requested by", [f"no object{', as far as could be read' if document.missing else ''}{made_for}"]
    yield "excluded", [_describe_excluded(one.object, one.by, certain=one.certain) for one in document.excluded]
    yield "zone", _describe_zones(document)
    displayed_outcomes = [one for claim in document.claims for one in claim.outcomes]
    yield (
        "record",
        [
            *(line for one in document.records for line in _describe_current(one, displayed_outcomes, document.at)),
            *_describe_absence(document),
        ],
    )
    yield "wildcard", [f"{one.name} {', '.join(one.types)} in {_describe_zone(one.zone)}" for one in document.wildcards]
    yield "policy", [f'{document.policy}; our owner id is "{document.owner}"' if document.owner else document.policy]
    yield (
        "last write",
        [line for one in document.last_changes[:_MAX_WRITES] for line in _describe_change(one, document.at)],
    )
    yield "not known", document.not_known
    yield "answered by", [describe_process(document.process)]
    yield "closest", document.closest


def _describe_change(one: ChangeDocument, now: datetime | None) -> Iterator[str]:
    times = f", {one.times} times in a row" if one.times > 1 else ""
    targets = ", ".join(one.targets[:_MAX_TARGETS])
    yield f"{one.action} {one.type} {targets}: {one.outcome}, {format_age(one.at, now)}{times}"
    if one.detail:
        yield f"  {one.detail}"


def _describe_claim(claim: ClaimDocument, now: datetime | None) -> list[str]:
    created = f" (since {format_age_of(claim.since, now)})" if claim.since else ""
    derived = f", made into {claim.object.derived}" if claim.object.derived else ""
    requested = describe_record(claim.type, claim.requested) if claim.requested else "targets not known"
    identifier = f"; set identifier {claim.set_identifier}" if claim.set_identifier else ""
    lines = [
        f"{describe_object(claim.object)}{created}",
        f"host from {shorten_field(claim.object.field)}{derived}; {requested}{identifier}",
    ]
    lines += [line for one in claim.outcomes for line in describe_outcome(one, now)]
    for problem in claim.problems:
        lines.append(
            f"{shorten_field(problem.field)}: {problem.value!r} is not valid; "
            f"allowed: {problem.allowed}  [{problem.reason}]"
        )
    return lines


def describe_outcome(one: OutcomeDocument, now: datetime | None) -> list[str]:
    """Describe a decision. *now* is the time of the answer of a running process, None for a single pass."""
    effect = _ACTION_CLAUSES.get(one.action) or ("is published" if one.reason in _PUBLISHED else "nothing is done")
    where = f" in {_describe_zone(one.zone)}" if one.zone else ""
    lines = [f"→ {effect}{where}  [{one.reason}]", *(f"  {clause}" for clause in one.evidence)]
    if one.waiting and one.waiting.evidence != one.reason:
        lines.append(f"  evidence for a delete: [{one.waiting.evidence}]")
    if one.waiting and one.waiting.grace_ends and now:
        is_unresolved = one.waiting.evidence == Evidence.UNRESOLVED_EXPIRED
        what = "--unresolved-timeout" if is_unresolved else "the grace period"
        lines.append(f"  {what} {_describe_end(one.waiting.grace_ends, now)}")
    return [*lines, *(f"  {line}" for rule in one.rules for line in describe_rule(rule))]


def _describe_end(ends: datetime, now: datetime) -> str:
    left_s = (ends - now).total_seconds()
    return (
        f"ends at {format_time(ends)}, in {format_duration(left_s)}" if left_s > 0 else f"ended at {format_time(ends)}"
    )


def _describe_current(
    one: CurrentRecordDocument, displayed_outcomes: list[OutcomeDocument], now: datetime | None
) -> list[str]:
    """Describe a current record, with the decision unless it is in *displayed_outcomes*."""
    made_for = f", resource {one.resource}" if one.resource else ""
    identifier = f" (set identifier {one.set_identifier})" if one.set_identifier else ""
    return [
        f"{describe_record(one.type, one.record)}{identifier}",
        f"{_describe_owner(one)}{made_for}",
        *(["the requested record cannot coexist with it, and is not created"] if one.blocks_requested else []),
        *([] if one.outcome is None or one.outcome in displayed_outcomes else describe_outcome(one.outcome, now)),
    ]


def _describe_owner(one: CurrentRecordDocument) -> str:
    if one.ownership_of is not None:
        covered = ", ".join(one.ownership_of) or "no current record"
        return f"ownership record of {covered}" + (f'; owner "{one.owner}"' if one.owner is not None else "")
    if one.ours:
        covered_by = f"; covered by {', '.join(one.ownership_records)}" if one.ownership_records else ""
        return f'ours, owner "{one.owner or ""}"{covered_by}'
    return f'not ours: owner "{one.owner}"' if one.owner is not None else "not ours: no owner"


def _describe_absence(document: NameDocument) -> Iterator[str]:
    """Describe in which zones it is unknown whether the name has records; if in none, say so if it has no records."""
    yield from (f"not known in {_describe_zone(zone)}, which could not be read" for zone in document.unread_zones)
    if not document.zones and not document.all_zones:
        yield "not known: the list of zones is incomplete"
    elif not document.records and not document.unread_zones:
        yield "no record"


def _describe_excluded(what: str, by: str, *, certain: bool) -> str:
    return f"{describe_excluded(what, by)}{'' if certain else '; its names were not computed'}"


def _describe_zones(document: NameDocument) -> list[str]:
    known = format_count(document.zones_known, "zone")
    unlisted = "" if document.all_zones else "; the list of zones is incomplete"
    if not document.zones:
        return [f"none; {known} known, none of which can hold the name{unlisted}"]
    longest = max(len(zone.name) for zone in document.zones)
    match = {True: f"longest match of {known}", False: "a shorter match"}
    return [f"{_describe_zone(zone)}, {match[len(zone.name) == longest]}{unlisted}" for zone in document.zones]


def _describe_zone(zone: ZoneReference) -> str:
    return zone.name if zone.name == zone.id else f"{zone.name} ({zone.id})"
