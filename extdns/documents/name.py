"""A name: what requests it, what the zones hold, what was decided and what happened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import Final, NamedTuple

from extdns.config import Config
from extdns.documents.changes import ChangeDocument
from extdns.documents.document import (
    AnswerDocument,
    Document,
    ObjectReference,
    OriginDocument,
    ProblemDocument,
    RecordData,
    ZoneReference,
    build_object_reference,
    build_origin,
    build_problem,
    build_record_data,
    build_zone_reference,
)
from extdns.documents.names import Level, NameState, NameSummary, State, build_row, find_state
from extdns.documents.records import (
    CurrentRecordDocument,
    OutcomeDocument,
    WildcardDocument,
    build_outcome,
    find_other_affix,
    list_current_records,
    list_wildcards,
)
from extdns.documents.scope_warnings import suggest_zone_filters
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.documents.text import explain_exclusion, join_targets, parse_time
from extdns.engine.decisions import IN_SYNC
from extdns.model.change import Action, Decision
from extdns.model.claim import ExcludedClaim, NameClaim, ResolvedClaim, find_problems
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.origin import Origin
from extdns.model.reason import Group, Reason

_MAX_CLOSEST: Final = 3
_MAX_EXCLUDED: Final = 5
_MAX_ZONES: Final = 5
_TARGET_FILTERS: Final = frozenset({"--target-net-filter", "--exclude-target-net"})
_WRITES_UNKNOWN: Final = "the last write and its outcome: only a running extdns has them"
_LEADER_WRITES: Final = "the last write and its outcome: only the leader has them"
_NO_RECENT_WRITE: Final = "the last write: not among the last changes of the process"
_SERVED_UNKNOWN: Final = "what name servers answer: none was queried (extdns verify queries them)"
_PAST_UNKNOWN: Final = (
    "earlier events: one pass observes none; a running extdns may have observed that the object was deleted or "
    "changed, which is better evidence"
)
_GRACE_UNKNOWN: Final = "the grace period (--delete-grace-period): one pass cannot count it"


class ClaimDocument(Document, frozen=True):
    """An object that requests the name. `requested` is null if the claim is unresolved.

    `since` is when the object was created, "" if unknown. `origin` is what set it, null if the object does not say so.
    """

    object: ObjectReference
    since: str
    origin: OriginDocument | None
    type: str
    set_identifier: str
    requested: RecordData | None
    outcomes: tuple[OutcomeDocument, ...]
    problems: tuple[ProblemDocument, ...]


class ExcludedObject(Document, frozen=True):
    """An object, or one `name` of it, that `by` excludes. If `certain` is false, its names are unknown."""

    object: str
    by: str
    certain: bool
    name: str = ""


def build_excluded(claim: ExcludedClaim) -> ExcludedObject:
    """Describe the object, or the name on it, that *claim* excludes."""
    return ExcludedObject(
        object=str(claim.ref), by=claim.excluded_by, certain=claim.name is not None, name=claim.name or ""
    )


class TimelineEvent(State):
    """What happened at a name."""

    REQUESTED = "requested", Level.NEUTRAL
    CREATED = "created", Level.GOOD
    UPDATED = "updated", Level.GOOD
    REPAIRED = "repaired", Level.GOOD
    DELETED = "deleted", Level.GOOD
    NOT_WRITTEN = "not-written", Level.FAILING
    HELD = "held", Level.WAITING
    DUE = "due", Level.WAITING


class TimelineEntry(Document, frozen=True):
    """One event at a name.

    If `event` is `due`, a delete may be made from `at` on, when its grace period or `--unresolved-timeout` ends.
    `reason` is a reason code, "" if there is none.
    """

    at: datetime
    event: TimelineEvent
    text: str
    reason: str


class NameDocument(AnswerDocument, frozen=True, tag="NameExplanation"):
    """A name. `reason` is null if there is no decision about it and nothing excludes it.

    `state` is null if no object requests the name and no record at it is ours. `unreadZones` are its zones that were
    not fully read; `allZones` is false if there may be unknown zones. `wildcards` answer if there are no records.
    `knownZones` are the first zones that the service listed, `excludedZones` those that could hold the name, but that
    filters exclude; `zoneAdvice` is what to do about these. `otherAffix` is the flag under which ownership records of a
    foreign record were found, `otherAffixRecords` their number. `lastChanges` are the last writes, newest first, and
    `timeline` is what is known to have happened at the name or to be due, oldest first; only a running process has
    them. `process` is the process that answered, `at` the time of the answer; null if this command made one pass.
    """

    at: datetime | None
    name: str
    answer: str
    state: NameState | None
    reason: str | None
    claims: tuple[ClaimDocument, ...]
    zones: tuple[ZoneReference, ...]
    zones_known: int
    known_zones: tuple[str, ...]
    excluded_zones: tuple[str, ...]
    zone_advice: str
    all_zones: bool
    unread_zones: tuple[ZoneReference, ...]
    records: tuple[CurrentRecordDocument, ...]
    wildcards: tuple[WildcardDocument, ...]
    last_changes: tuple[ChangeDocument, ...]
    timeline: tuple[TimelineEntry, ...]
    policy: str
    owner: str
    excluded: tuple[ExcludedObject, ...]
    closest: tuple[str, ...]
    not_known: tuple[str, ...]
    missing: tuple[str, ...]
    other_affix: str
    other_affix_records: int


def build_name(
    seen: EngineSnapshot,
    name: DnsName,
    config: Config,
    *,
    missing: tuple[str, ...],
    live: ProcessSnapshot | None = None,
    known_zones: Collection[str] | None = None,
    find_origin: Callable[[ObjectKey], Origin] = Origin.unknown,
) -> NameDocument:
    """Build the document about *name*: what requests it, what the zones hold, and what was decided.

    *missing* has a sentence for each thing that could not be read. *live* is the running process that *seen* belongs
    to; None for a single pass. *known_zones* are the names of the zones that the service listed, None if they are those
    in *seen*.
    """
    claims, decisions = seen.claims.claims(name), seen.decisions.decisions(name)
    outcome_of = partial(build_outcome, seen, live)
    zones = seen.zones_of(name)
    found = _Findings(
        name=name,
        row=build_row(name, decisions),
        records=tuple(list_current_records(seen, name, decisions, outcome_of)),
        wildcards=tuple(list_wildcards(seen, name)),
        excluded=tuple(_list_excluded(seen, name, requested=bool(claims))),
        is_read=not any(seen.unread_zones(name)) and (seen.all_zones or bool(zones)),
        unsure=", as far as could be read" if missing else "",
    )
    known = [one.zone.name for one in seen.zones] if known_zones is None else known_zones
    excluded_zones = tuple(one for one in seen.scope.excluded_zones if name.within(one))
    other_affix, other_affix_records = find_other_affix(seen, name, found.row)
    last = tuple(one for one in (live.changes if live else ()) if one.name == name)
    return NameDocument(
        at=live.at if live else None,
        name=name,
        answer=_build_answer(found),
        state=found.row.state if found.row else None,
        reason=_find_reason(found),
        claims=tuple(_build_claims(claims, decisions, outcome_of, find_origin)),
        zones=tuple(map(build_zone_reference, zones)),
        zones_known=len(known),
        known_zones=tuple(sorted(set(known))[:_MAX_ZONES]),
        excluded_zones=excluded_zones,
        zone_advice=suggest_zone_filters(config) if excluded_zones else "",
        all_zones=seen.all_zones,
        unread_zones=tuple(map(build_zone_reference, seen.unread_zones(name))),
        records=found.records,
        wildcards=found.wildcards,
        last_changes=last,
        timeline=build_timeline(live, name, claims, last) if live else (),
        policy=config.control.policy,
        owner=config.registry.txt_owner_id,
        excluded=found.excluded,
        closest=() if claims or found.records else tuple(_list_closest(seen, name)),
        not_known=(
            *(text for one in seen.scope.ignored_documents for text, line, _ in (one.partition("\n"),) if line),
            *_list_unknown(seen, decisions, last, lives=live is not None),
        ),
        missing=missing,
        other_affix=other_affix,
        other_affix_records=other_affix_records,
    )


class _Findings(NamedTuple):
    """What the answer about a name is based on.

    Attributes:
        is_read: whether all zones that may hold the name were read.
        unsure: what to add to statements that are certain only if everything was read.
    """

    name: DnsName
    row: NameSummary | None
    records: tuple[CurrentRecordDocument, ...]
    wildcards: tuple[WildcardDocument, ...]
    excluded: tuple[ExcludedObject, ...]
    is_read: bool
    unsure: str

    @property
    def sole_exclusion(self) -> ExcludedObject | None:
        """The excluded object that would request the name, if there is nothing else to report; else None."""
        return None if self.row or self.records else next((one for one in self.excluded if one.certain), None)


def _find_reason(found: _Findings) -> str | None:
    if found.row:
        return found.row.worst.reason.value
    if found.sole_exclusion:
        return (Reason.TARGETS_FILTERED if found.sole_exclusion.by in _TARGET_FILTERS else Reason.FILTERED_OUT).value
    return next((one.outcome.reason for one in found.records if one.outcome), None)


def _list_unknown(
    seen: EngineSnapshot, decisions: tuple[Decision, ...], last: tuple[ChangeDocument, ...], *, lives: bool
) -> Iterator[str]:
    if not lives:
        if any(decision.action is Action.DELETE for decision in decisions):
            yield _GRACE_UNKNOWN
        if any(_is_by_absence(decision, seen) for decision in decisions):
            yield _PAST_UNKNOWN
        yield _WRITES_UNKNOWN
    elif not seen.is_leader:
        yield _LEADER_WRITES
    elif not last:
        yield _NO_RECENT_WRITE
    yield _SERVED_UNKNOWN


def _is_by_absence(decision: Decision, seen: EngineSnapshot) -> bool:
    if decision.action is Action.DELETE:
        return Evidence(decision.reason.value).is_by_absence
    undone = seen.find_waiting_delete(decision)
    return undone is not None and undone.evidence.is_by_absence


def _build_claims(
    claims: Iterable[NameClaim],
    decisions: tuple[Decision, ...],
    outcome_of: Callable[[Decision], OutcomeDocument],
    find_origin: Callable[[ObjectKey], Origin],
) -> Iterator[ClaimDocument]:
    for claim in sorted(claims, key=lambda one: _rank_claim(one, decisions)):
        desired = claim.desired if isinstance(claim, ResolvedClaim) else None
        yield ClaimDocument(
            object=build_object_reference(claim.provenance),
            since=claim.provenance.ref.created,
            origin=build_origin(find_origin(claim.provenance.ref.key)),
            type=desired.type if desired else "",
            set_identifier=claim.set_identifier,
            requested=build_record_data(desired) if desired else None,
            outcomes=tuple(map(outcome_of, _find_decisions(claim, decisions))),
            problems=tuple(build_problem(claim.provenance.ref.key, problem) for problem in find_problems((claim,))),
        )


def _rank_claim(claim: NameClaim, decisions: tuple[Decision, ...]) -> tuple[int, tuple[bool, str, str, str]]:
    """Return the sort key that puts the claims that are used before the others, and older ones before newer ones."""
    about = _find_decisions(claim, decisions)
    rank = min((decision.requested_by.index(claim.provenance) for decision in about), default=0)
    rejected = any(decision.action is Action.NONE for decision in about)
    return (rank + rejected * len(decisions), claim.provenance.ref.age_sort_key)


def _find_decisions(claim: NameClaim, decisions: tuple[Decision, ...]) -> list[Decision]:
    """Return the decisions about *claim*; those about records of any type if the service changed the type."""
    about = [
        decision
        for decision in decisions
        if claim.provenance in decision.requested_by and decision.set_identifier == claim.set_identifier
    ]
    if not isinstance(claim, ResolvedClaim):
        return about
    return [decision for decision in about if decision.type == claim.desired.type] or about


def _list_excluded(seen: EngineSnapshot, name: DnsName, *, requested: bool) -> Iterator[ExcludedObject]:
    """List the excluded objects that would request *name*; if no object requests it, also some that may request it."""
    found = [claim for _, claims in seen.claims.objects() for claim in claims if isinstance(claim, ExcludedClaim)]
    found.sort(key=lambda one: one.ref.key)
    vague = [one for one in found if one.name is None]
    for one in (*(one for one in found if one.name == name), *(() if requested else vague[:_MAX_EXCLUDED])):
        yield build_excluded(one)


def _list_closest(seen: EngineSnapshot, name: str) -> Iterator[str]:
    for near in get_close_matches(name, sorted(seen.claims.names()), n=_MAX_CLOSEST):
        requester = seen.claims.claims(DnsName(near))[0].provenance
        yield f"{near} ({requester.ref})"


_APPLIED: Final = {
    "create": TimelineEvent.CREATED,
    "update": TimelineEvent.UPDATED,
    "delete": TimelineEvent.DELETED,
}


def build_timeline(
    live: ProcessSnapshot, name: DnsName, claims: Iterable[NameClaim], changes: Iterable[ChangeDocument]
) -> tuple[TimelineEntry, ...]:
    """Build the timeline of *name*, the oldest event first, from the *claims* and the last *changes* at it."""
    entries = (*_list_requests(claims), *map(_build_write, changes), *_list_deletes(live, name))
    return tuple(sorted(entries, key=lambda one: one.at))


def _list_requests(claims: Iterable[NameClaim]) -> Iterator[TimelineEntry]:
    """Yield an entry for the creation of each object with a claim, since it is unknown when its claim began."""
    for ref in dict.fromkeys(claim.provenance.ref for claim in claims):
        if at := parse_time(ref.created):
            yield TimelineEntry(at, TimelineEvent.REQUESTED, f"{ref}, which requests the name, was created", reason="")


def _build_write(one: ChangeDocument) -> TimelineEntry:
    times = f", {one.times} times in a row" if one.times > 1 else ""
    change = f"{one.type} {join_targets(one.targets)} in {one.zone.name}"
    if one.outcome != "applied":
        detail = f": {one.detail}" if one.detail else ""
        text = f"{one.action} {change}: {one.outcome}{times}{detail}"
        return TimelineEntry(one.at, TimelineEvent.NOT_WRITTEN, text, one.reason)
    event = TimelineEvent.REPAIRED if one.reason == Reason.DRIFT_REPAIRED else _APPLIED[one.action]
    return TimelineEntry(one.at, event, f"{change}{times}", one.reason)


def _list_deletes(live: ProcessSnapshot, name: DnsName) -> Iterator[TimelineEntry]:
    for one in (one for found in live.engine.held_sets for one in found.held):
        if one.owned.record.name == name and one.since_s is not None:
            text = f"the delete of {one.owned.record.type} waits for approval: {one.cause}"
            yield TimelineEntry(live.time_of(one.since_s), TimelineEvent.HELD, text, one.evidence.value)
    for entry in live.engine.zones:
        for key, waiting in entry.waiting_deletes.items():
            if key.name == name and waiting.grace_ends_s is not None:
                limit = name_wait(waiting.evidence)
                text = f"{limit} ends; then the delete of {key.type} may be made, unless it is held"
                at = live.time_of(waiting.grace_ends_s)
                yield TimelineEntry(at, TimelineEvent.DUE, text, waiting.evidence.value)


def name_wait(evidence: str) -> str:
    """Return what has to end before a delete with *evidence* may be made."""
    return "--unresolved-timeout" if evidence == Evidence.UNRESOLVED_EXPIRED else "the grace period"


# The answer in one sentence


_NAME_CLAUSES: Final = {
    Action.CREATE: "is not published yet; it would be created",
    Action.UPDATE: "is published, but not as requested; it would be updated",
    Action.DELETE: "is published, but no longer requested; it would be deleted",
    Action.NONE: "is not published",
}
_RECORD_CLAUSES: Final = {
    Action.CREATE: "which would be created",
    Action.UPDATE: "which would be updated",
    Action.DELETE: "which would be deleted",
    Action.KEEP: "which stays unchanged",
    Action.NONE: "which is not published",
}


def _build_answer(found: _Findings) -> str:
    if found.row:
        return _answer_decided(found, found.row)
    if excluded := found.sole_exclusion:
        published = "is not published" if found.is_read else "may or may not be published"
        return f"{found.name} {published}: {excluded.object} requests it, but {explain_exclusion(excluded.by)}."
    return _answer_undecided(found)


def _answer_decided(found: _Findings, row: NameSummary) -> str:
    main = row.worst
    if main.reason in IN_SYNC:
        return f"{row.name} is published."
    if any(find_state(one) is NameState.PUBLISHED for one in row.decisions):
        return f"{row.name} is published, except for {_describe_worst(row)}."
    if row.state is NameState.UNKNOWN or (main.action is Action.NONE and not found.is_read):
        return f"{row.name} may be published or not: the current records could not be read."
    if not any(one.requested_by for one in row.decisions) and main.action is Action.KEEP:
        after = "it is deleted after the grace period" if main.reason is Reason.IN_GRACE else "it is kept"
        return f"{row.name} exists, but no object requests it{found.unsure}; {after}."
    if row.state is NameState.EXCLUDED and any(one.ownership_of is None for one in found.records):
        return f"{row.name} exists, but is left alone: a filter excludes it."
    if main.action is Action.KEEP:
        cause = " (conflict)" if main.reason.row.group is Group.CONFLICT else ""
        return f"{row.name}: existing record left unchanged{cause}."
    # a create that replaces one of our records counts as an update
    replaces = main.action is Action.CREATE and any(one.current and one.current.is_ours for one in row.decisions)
    return f"{row.name} {_NAME_CLAUSES[Action.UPDATE if replaces else main.action]}."


def _answer_undecided(found: _Findings) -> str:
    name, records, unsure = found.name, found.records, found.unsure
    if records and all(one.ownership_of is not None for one in records):
        covered = ", ".join(key for one in records for key in one.ownership_of or ())
        return f"{name} holds the ownership record of {covered or 'no current record'}."
    if records:
        whose = "it is left alone" if any(one.ours for one in records) else "it is not ours"
        return f"{name} exists, but no object requests it{unsure}; {whose}."
    if not found.is_read:
        return f"{name} may be published or not: the current records could not be read. No object requests it{unsure}."
    answer = f"{name} is not published: no object requests it{unsure}."
    return f"{answer} {found.wildcards[0].name} answers in its place." if found.wildcards else answer


def _describe_worst(row: NameSummary) -> str:
    """Describe the record with the worst state (with its zone if the name is in several), and what happens to it."""
    main = row.worst
    identifier = f" ({main.set_identifier})" if main.set_identifier else ""
    where = f" in {main.zone}" if len({one.zone for one in row.decisions}) > 1 and main.zone else ""
    clause = _RECORD_CLAUSES[main.action]
    if row.state is NameState.UNKNOWN:
        clause = "of which nothing could be read"
    elif main.reason is Reason.IN_GRACE and main.action is Action.KEEP:
        clause = "which is deleted after the grace period"
    return f"{main.type or 'a claim without targets'}{identifier}{where}, {clause}"
