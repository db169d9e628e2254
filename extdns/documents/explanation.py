"""The explanation of a name as text, and what a person can do about it (docs/design/messages.md, "The next step").

The text begins with the answer, then has the evidence, and the next step last. Advice that depends only on the reason
is in its row (`extdns.model.reason`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from extdns.documents.changes import ChangeDocument
from extdns.documents.document import ProcessReference, ZoneReference, describe_process, format_command
from extdns.documents.name import ClaimDocument, NameDocument, name_wait
from extdns.documents.names import NameState
from extdns.documents.records import CurrentRecordDocument, OutcomeDocument
from extdns.documents.rules import describe_rule
from extdns.documents.text import (
    describe_excluded,
    describe_object,
    describe_origin,
    describe_record,
    describe_value,
    escape_lines,
    format_age,
    format_age_of,
    format_duration,
    format_missing,
    format_time,
    shorten_field,
    suggest_for_exclusion,
)
from extdns.model.reason import CHECK, REASONS, Group, Reason, look_up_meaning
from extdns.model.value import format_count

_LABEL_WIDTH: Final = 14
_MAX_TARGETS: Final = 10
_MAX_WRITES: Final = 3
_ACTION_CLAUSES: Final = {"create": "would be created", "update": "would be updated", "delete": "would be deleted"}
_PUBLISHED: Final = frozenset({Reason.PUBLISHED, Reason.REQUESTED, Reason.CHANGED})


@escape_lines
def format_name(document: NameDocument) -> Iterator[str]:
    """Yield the lines about one name, without line ends."""
    yield f"{document.answer}  [{document.reason}]" if document.reason else document.answer
    if explanation := look_up_meaning(document.reason or ""):
        yield (
            f"{explanation.removesuffix('.')}, but for: {remarks}."
            if (remarks := _list_remarks(document))
            else explanation
        )
    yield from format_missing(document.missing)
    yield ""
    for label, lines in build_sections(document):
        for index, line in enumerate(lines):
            yield f"  {'' if index else label:{_LABEL_WIDTH}}{line}"
    yield ""
    yield f"Next: {suggest_next_step(document)}"


def _list_remarks(document: NameDocument) -> str:
    """Return which values of objects the published record lacks, or publishes although they do not work everywhere."""
    if document.reason != Reason.PUBLISHED:
        return ""
    return ", ".join(dict.fromkeys(describe_value(one) for claim in document.claims for one in claim.problems))


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
    uncertain = {True: "", False: "; its names were not computed"}
    yield "excluded", [f"{describe_excluded(one.object, one.by)}{uncertain[one.certain]}" for one in document.excluded]
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
    return [
        f"{describe_object(claim.object)}{created}",
        f"host from {shorten_field(claim.object.field)}{derived}; {requested}{identifier}",
        *describe_origin(claim.origin),
        *(line for one in claim.outcomes for line in describe_outcome(one, now)),
        *(f"{describe_value(one)}; allowed: {one.allowed}  [{one.reason}]" for one in claim.problems),
    ]


def describe_outcome(one: OutcomeDocument, now: datetime | None) -> list[str]:
    """Describe a decision. *now* is the time of the answer of a running process, None for a single pass."""
    effect = _ACTION_CLAUSES.get(one.action) or ("is published" if one.reason in _PUBLISHED else "nothing is done")
    where = f" in {_describe_zone(one.zone)}" if one.zone else ""
    lines = [f"→ {effect}{where}  [{one.reason}]", *(f"  {clause}" for clause in one.evidence)]
    if one.waiting and one.waiting.evidence != one.reason:
        lines.append(f"  evidence for a delete: [{one.waiting.evidence}]")
    if one.waiting and one.waiting.grace_ends and now:
        ends = one.waiting.grace_ends
        left_s = (ends - now).total_seconds()
        end = (
            f"ends at {format_time(ends)}, in {format_duration(left_s)}"
            if left_s > 0
            else f"ended at {format_time(ends)}"
        )
        lines.append(f"  {name_wait(one.waiting.evidence)} {end}")
    return [*lines, *(f"  {line}" for rule in one.rules for line in describe_rule(rule))]


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
    yield from (f"not known in {_describe_zone(zone)}, which could not be read" for zone in document.unread_zones)
    if not document.zones and not document.all_zones:
        yield "not known: the list of zones is incomplete"
    elif not document.records and not document.unread_zones:
        yield "no record"


def _describe_zones(document: NameDocument) -> list[str]:
    known = format_count(document.zones_known, "zone")
    unlisted = "" if document.all_zones else "; the list of zones is incomplete"
    if not document.zones:
        excluded = "".join(f"; filters exclude {one}" for one in document.excluded_zones)
        return [f"none; {known} known, none of which can hold the name{excluded}{unlisted}"]
    longest = max(len(zone.name) for zone in document.zones)
    match = {True: f"longest match of {known}", False: "a shorter match"}
    return [f"{_describe_zone(zone)}, {match[len(zone.name) == longest]}{unlisted}" for zone in document.zones]


def _describe_zone(zone: ZoneReference) -> str:
    return zone.name if zone.name == zone.id else f"{zone.name} ({zone.id})"


# The next step


_RETRY_LATER: Final = "try again when everything can be read"
_CONFLICT: Final = "Resolve the conflict; extdns retries automatically"
_ORPHANS: Final = frozenset({Reason.ORPHAN_UNCLAIMED, Reason.ORPHAN_GONE})


def suggest_next_step(document: NameDocument) -> str:
    """Return what a person can do about the state of the name, as text whose commands can be pasted."""
    if advice := _suggest_by_reason(document):
        return advice
    match document.state:
        case None:
            return _suggest_for_unrequested(document)
        case NameState.PUBLISHED:
            return _suggest_by_problem(document) or "nothing to do"
        case NameState.HELD:
            command = format_command("status" if document.process.address else "plan --held", document.process)
            if document.reason == Reason.OTHER_CLUSTER:
                return f"to continue with the cluster of the objects, see how to accept it: {command}"
            return f"see all held deletes, and how to approve them: {command}{_advise_on_orphan(document)}"
        case NameState.CHANGING if document.reason == Reason.IN_GRACE:
            return "nothing to do; to keep the record, let an object request the name before the grace period ends"
        case NameState.CHANGING:
            return _suggest_for_change(document)
        case NameState.UNKNOWN:
            return _suggest_retry(document.process)
        case NameState.NOT_PUBLISHED if _may_be_in_unlisted_zone(document):
            return _suggest_retry(document.process)
        case _:
            return _suggest_for_all_names(document)


def _suggest_for_change(document: NameDocument) -> str:
    command = format_command("plan", document.process)
    if orphan := _advise_on_orphan(document):
        return f"nothing to do if nobody needs the record: extdns deletes it. All deletes: {command}{orphan}"
    return f"nothing to do if extdns runs. The plan for all names: {command}"


def _suggest_for_all_names(document: NameDocument) -> str:
    reason = REASONS.get(document.reason or "")
    is_conflict = reason is not None and reason.row.group is Group.CONFLICT
    advice = f"{_CONFLICT}. " if is_conflict else "extdns decides again when something changes. "
    return f"{advice}All names: {format_command('plan', document.process)}"


def _suggest_by_reason(document: NameDocument) -> str:
    """Return the advice for the reason of *document*; "" if there is none, so that the state of the name decides."""
    match document.reason:
        case Reason.NO_ZONE if document.zone_advice:
            return f"{document.zone_advice}. The zone that can hold the name: {', '.join(document.excluded_zones)}"
        case Reason.NO_ZONE if not _may_be_in_unlisted_zone(document):
            return f"request a name in one of your zones ({_list_zones(document)}), or create a zone for it"
        case Reason.TYPE_UNMANAGED:
            types = " ".join(f"--managed-record-types={claim.type}" for claim in document.claims if claim.type)
            return f"to manage the type, add {types} to the flags" if types else ""
        case Reason.OWNED_BY_OTHER:
            return _suggest_for_other_owner(document)
        case Reason.FOREIGN_RECORD:
            return _suggest_for_foreign_record(document)
        case Reason.NO_ADDRESS | Reason.NOT_ACCEPTED if document.claims:
            return _suggest_for_missing_status(document)
        case Reason.FILTERED_OUT | Reason.TARGETS_FILTERED if not document.claims:
            flag = next((one.by for one in document.excluded if one.certain), "")
            return suggest_for_exclusion(flag) if flag else ""
        case _:
            return _suggest_by_row(document)


def _suggest_by_row(document: NameDocument) -> str:
    reason = REASONS.get(document.reason or "")
    if reason is None or not reason.row.next_step or reason.row.see != CHECK:
        return reason.row.next_step if reason else ""
    return f"{reason.row.next_step}. {CHECK.replace('extdns check', _format_check(document.process))}"


def _suggest_by_problem(document: NameDocument) -> str:
    """Return what to do about the first value on an object that is invalid or ignored; "" if there is none."""
    problem = next((one for claim in document.claims for one in claim.problems), None)
    if problem is None:
        return ""
    reason = REASONS.get(problem.reason)
    return (reason.row.next_step if reason else "") or f"correct {shorten_field(problem.field)} of the object"


def _suggest_retry(process: ProcessReference) -> str:
    return f"{_RETRY_LATER}. What cannot be read: {_format_check(process)}"


def _format_check(process: ProcessReference) -> str:
    """Return the command that checks credentials, permissions and rules. A running process cannot be asked for that."""
    return "extdns check FLAGS, with the flags of the process" if process.address else format_command("check", process)


def _suggest_for_missing_status(document: NameDocument) -> str:
    one, is_rejected = document.claims[0].object, document.reason == Reason.NOT_ACCEPTED
    once, why = ("is accepted", "it is not") if is_rejected else ("has an address", "it has none")
    text = f"extdns publishes the name once the object {once}. "
    if document.process.reads_files:
        return f"{text}Add that to the status in the manifest, or use that of the cluster: extdns plan --with-cluster"
    where = f" --namespace={one.namespace}" if one.namespace else ""
    return f"{text}To see why {why}: kubectl describe {one.kind.lower()} {one.name}{where}"


def _suggest_for_other_owner(document: NameDocument) -> str:
    owner = next((one.owner for one in document.records if one.owner and not one.ours), "")
    if not owner:
        return ""
    return (
        f'{_CONFLICT}. If owner "{owner}" is this installation: --txt-owner-id={owner}; '
        f"if it has ended, take its records over: --migrate-from-txt-owner={owner}"
    )


def _suggest_for_foreign_record(document: NameDocument) -> str:
    if document.other_affix:
        found = format_count(document.other_affix_records, "ownership record")
        exist = "exists" if document.other_affix_records == 1 else "exist"
        return f"{found} under another prefix or suffix {exist}: is {document.other_affix} missing?"
    if not document.claims:
        return _suggest_for_unrequested(document)
    command = format_command("adopt", document.process)
    return f"{_CONFLICT}. To take over existing records that are as requested: {command}"


def _advise_on_orphan(document: NameDocument) -> str:
    """Return how to keep an orphan, and when clusters need different owner ids; "" for any other record."""
    if document.claims or document.reason not in _ORPHANS or not document.owner:
        return ""
    return (
        ". To keep the record, let an object request the name (extdns plan lists invalid annotations). "
        f'If objects of another cluster request the name, both use the owner id "{document.owner}": '
        "give each cluster its own --txt-owner-id"
    )


def _suggest_for_unrequested(document: NameDocument) -> str:
    if document.records and document.excluded:
        one = document.excluded[0]
        return f"nothing to do, unless {one.object} is to publish the name: {suggest_for_exclusion(one.by)}"
    if document.records:
        return "nothing to do; extdns leaves the name as it is"
    if document.reason:
        return _suggest_for_all_names(document)
    if document.unread_zones or _may_be_in_unlisted_zone(document):
        return _suggest_retry(document.process)
    search = (
        "look for a misspelt name or annotation on the object (extdns plan lists invalid annotations), or for a filter "
        "that leaves the object out"
    )
    return f"nothing to do if the wildcard is to answer; else {search}" if document.wildcards else search


def _may_be_in_unlisted_zone(document: NameDocument) -> bool:
    return not document.zones and not document.all_zones


def _list_zones(document: NameDocument) -> str:
    more = document.zones_known - len(document.known_zones)
    return ", ".join(document.known_zones) + (f" and {more} more" if more > 0 else "")
