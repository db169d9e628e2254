"""The current records at a name, with or without a decision, and the wildcards that answer if there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, assert_never

from extdns.documents.document import Document, RecordData, ZoneReference, build_record_data, build_zone_reference
from extdns.documents.names import Level
from extdns.documents.policies import RuleDocument, list_rules
from extdns.documents.text import describe_details
from extdns.engine.decisions import CHANGING
from extdns.model.change import (
    Action,
    Applied,
    Batch,
    Change,
    Create,
    Decision,
    Delete,
    Outcome,
    OutcomeWord,
    Update,
    spell_outcome,
)
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import RecordKey
from extdns.model.rrtype import EXCLUSIVE
from extdns.model.value import Value
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot, ZoneSnapshot
    from extdns.engine.zones import ZoneCache
    from extdns.model.change import Decision
    from extdns.model.evidence import DeleteStatus
    from extdns.model.record import OwnedRecord, Record


class CurrentRecordDocument(Document, frozen=True):
    """A current record. `owner` is null if it has none.

    `outcome` is null if there is no decision about the record and the configuration does not exclude it.

    `ownershipRecords` are the names of its ownership records. `ownershipOf` is null unless this is an ownership
    record; then it lists the current records that it covers, as `A shop.example.org`, and the owner fields are theirs.
    `blocksRequested` is true if a requested record is not created because it cannot coexist with this one.
    """

    zone: ZoneReference
    type: str
    set_identifier: str
    record: RecordData
    ours: bool
    owner: str | None
    resource: str
    ownership_records: tuple[str, ...]
    ownership_of: tuple[str, ...] | None
    blocks_requested: bool
    outcome: OutcomeDocument | None


class WildcardDocument(Document, frozen=True):
    """A wildcard with records of these types, which answers for a name without records (RFC 4592)."""

    zone: ZoneReference
    name: str
    types: tuple[str, ...]


def list_current_records(
    seen: EngineSnapshot,
    name: DnsName,
    decisions: Iterable[Decision],
    outcome_of: Callable[[Decision], OutcomeDocument],
) -> Iterator[CurrentRecordDocument]:
    """Yield the current records at *name*, zone by zone.

    The outcome of a record is that of its decision in *decisions*, or that the configuration excludes it.
    """
    decided = tuple(decisions)
    for entry in seen.zones:
        if records := entry.cache.records(name):
            here = [one for one in decided if one.zone == entry.zone]
            around = seen.read_around(name, entry)
            owned = {one.key: one for one in around}
            for record in records:
                if current := owned.get(record.key):
                    decision = next((one for one in here if one.current and one.current.key == current.key), None)
                    outcome = outcome_of(decision) if decision else _build_exclusion(seen, entry, current.key)
                    yield _build_current_record(
                        entry,
                        current,
                        outcome,
                        decided=decision is not None,
                        blocks_requested=_blocks_requested(current, here),
                    )
                else:
                    yield _build_ownership_record(
                        entry, record, [one for one in around if record in one.ownership_records]
                    )


def list_wildcards(seen: EngineSnapshot, name: DnsName) -> Iterator[WildcardDocument]:
    """Yield the wildcard that answers for *name* in each of its fully read zones in which the name does not exist."""
    zones = seen.zones_of(name)
    for entry in seen.zones:
        if (
            entry.zone in zones
            and entry.cache.is_complete
            and (found := _find_wildcard(name, entry.zone.name, entry.cache))
        ):
            types = tuple(dict.fromkeys(record.type for record in entry.cache.records(found)))
            if types:
                yield WildcardDocument(zone=build_zone_reference(entry.zone), name=found, types=types)


def _find_wildcard(name: DnsName, zone: DnsName, cache: ZoneCache) -> DnsName | None:
    """Return the wildcard below the closest encloser of *name* (RFC 4592 section 3.3.1); None if *name* exists.

    A name exists also if there are only records below it.
    """
    closest: str = name
    while closest != zone:
        if any(other.within(closest) for other in cache.names()):
            break
        closest = closest.partition(".")[2]
    return None if closest == name else DnsName(f"*.{closest}")


def _build_exclusion(seen: EngineSnapshot, entry: ZoneSnapshot, key: RecordKey) -> OutcomeDocument | None:
    reason = seen.find_exclusion(key)
    if reason is None:
        return None
    zone = build_zone_reference(entry.zone)
    return OutcomeDocument(
        zone=zone, action=Action.KEEP.value, reason=reason.value, evidence=(), waiting=None, rules=()
    )


def _blocks_requested(current: OwnedRecord, decisions: Iterable[Decision]) -> bool:
    """Return whether *current* prevents the creation of a requested record (RFC 1034 section 3.6.2)."""
    return any(
        one.reason is Reason.INCOMPATIBLE_RECORD
        and one.type != current.record.type
        and EXCLUSIVE in {one.type, current.record.type}
        for one in decisions
    )


def _build_current_record(
    entry: ZoneSnapshot, current: OwnedRecord, outcome: OutcomeDocument | None, *, decided: bool, blocks_requested: bool
) -> CurrentRecordDocument:
    return CurrentRecordDocument(
        zone=build_zone_reference(entry.zone),
        type=current.record.type,
        set_identifier=current.record.set_identifier,
        record=build_record_data(current.record),
        ours=current.is_ours
        and (decided or bool(current.ownership_records)),  # with --registry=noop only records in scope are ours
        owner=current.owner,
        resource=current.resource,
        ownership_records=tuple(one.name for one in current.ownership_records),
        ownership_of=None,
        blocks_requested=blocks_requested and not decided,
        outcome=outcome,
    )


def _build_ownership_record(entry: ZoneSnapshot, record: Record, covered: list[OwnedRecord]) -> CurrentRecordDocument:
    first = covered[0] if covered else None
    return CurrentRecordDocument(
        zone=build_zone_reference(entry.zone),
        type=record.type,
        set_identifier=record.set_identifier,
        record=build_record_data(record),
        ours=first is not None and first.is_ours,
        owner=first.owner if first else None,
        resource=first.resource if first else "",
        ownership_records=(),
        ownership_of=tuple(_describe_key(one.key) for one in covered),
        blocks_requested=False,
        outcome=None,
    )


def _describe_key(key: RecordKey) -> str:
    """Format a key as `A shop.example.org`, with its set identifier if it has one."""
    identifier = f" ({key.set_identifier})" if key.set_identifier else ""
    return f"{key.type} {key.name}{identifier}"


class WaitingDeleteDocument(Document, frozen=True):
    """A delete that has evidence (a reason code) but was not made yet.

    `graceEnds` is when the grace period, --unresolved-timeout or another wait for a time ends; null if the delete waits
    for something else.
    """

    evidence: str
    grace_ends: datetime | None


class OutcomeDocument(Document, frozen=True):
    """The decision about a claim or a record in one zone. `zone` is null if no zone holds the name.

    `waiting` is null if no delete waits. `rules` are the answers of the rules that match the record.
    """

    zone: ZoneReference | None
    action: str
    reason: str
    evidence: tuple[str, ...]
    waiting: WaitingDeleteDocument | None
    rules: tuple[RuleDocument, ...]


def build_outcome(engine: EngineSnapshot, process: ProcessSnapshot | None, decision: Decision) -> OutcomeDocument:
    """Describe *decision*. *process* is the running process that *engine* belongs to, None for a single pass."""
    return OutcomeDocument(
        zone=build_zone_reference(decision.zone) if decision.zone else None,
        action=decision.action.value,
        reason=decision.reason.value,
        evidence=tuple(describe_details(decision)),
        waiting=_build_waiting(engine.find_waiting_delete(decision), process),
        rules=list_rules(decision),
    )


def _build_waiting(undone: DeleteStatus | None, live: ProcessSnapshot | None) -> WaitingDeleteDocument | None:
    if undone is None:
        return None
    ends = live.time_of(undone.grace_ends_s) if live and undone.grace_ends_s is not None else None
    return WaitingDeleteDocument(evidence=undone.evidence.value, grace_ends=ends)


OUTCOME_LEVELS: Final[dict[OutcomeWord, Level]] = {
    "applied": Level.GOOD,
    "conflict": Level.WAITING,
    "try-later": Level.WAITING,
    "refused": Level.FAILING,
    "forbidden": Level.FAILING,
    "unknown": Level.FAILING,
}
ChangeAction = Literal["create", "update", "delete"]


class SentChange(Value, frozen=True, kw_only=True):
    """One change and its outcome.

    Attributes:
        at: when the last outcome was known.
        targets: the targets after the change; for a delete, before it.
        object: the object that requested the record; for a delete, the resource of the record; "" if unknown.
        detail: for an applied change the id that the service gave it, else the message of the service; "" if none.
        reason: the reason code of the decision to make it, "" if unknown; for a delete, the evidence.
        times: how often in a row the same change had this outcome.
    """

    at: datetime
    zone: Zone
    name: DnsName
    type: str
    set_identifier: str
    action: ChangeAction
    targets: tuple[str, ...]
    object: ObjectRef | str
    outcome: OutcomeWord
    detail: str
    times: int = 1
    reason: str = ""


class ChangeDocument(Document, frozen=True):
    """One change and its outcome. `times` counts how often in a row the change had this outcome.

    `reason` is the reason code of the decision to make it, "" if unknown; for a delete, the evidence.
    """

    at: datetime
    zone: ZoneReference
    name: str
    type: str
    set_identifier: str
    action: ChangeAction
    targets: tuple[str, ...]
    object: str
    outcome: OutcomeWord
    detail: str
    times: int
    reason: str


def list_sent_changes(
    batch: Batch, outcome: Outcome, decisions: Iterable[Decision], at: datetime
) -> Iterator[SentChange]:
    """Yield the changes in *batch* with the outcome, in order.

    *decisions* are the decisions to make these changes: they state for which object and why each change was made.
    """
    by_key = {
        RecordKey(name=one.name, set_identifier=one.set_identifier, type=one.type): one
        for one in decisions
        if one.action in CHANGING and one.zone == batch.zone
    }
    word, detail = spell_outcome(outcome), _find_detail(outcome)
    for change_set in batch.change_sets:
        for change in change_set.changes:
            action, targets = _describe_action(change)
            decision = by_key.get(change.key)
            yield SentChange(
                at=at,
                zone=batch.zone,
                name=change.key.name,
                type=change.key.type,
                set_identifier=change.key.set_identifier,
                action=action,
                targets=targets,
                object=_find_object(change, decision),
                outcome=word,
                detail=detail,
                reason=_find_reason(change, decision),
            )


def build_change(one: SentChange) -> ChangeDocument:
    """Build the document about one change that was sent."""
    return ChangeDocument(
        at=one.at,
        zone=build_zone_reference(one.zone),
        name=one.name,
        type=one.type,
        set_identifier=one.set_identifier,
        action=one.action,
        targets=one.targets,
        object=str(one.object),
        outcome=one.outcome,
        detail=one.detail,
        times=one.times,
        reason=one.reason,
    )


def _describe_action(change: Change) -> tuple[ChangeAction, tuple[str, ...]]:
    match change:
        case Create(desired=wanted):
            return "create", wanted.targets
        case Update(desired=wanted):
            return "update", wanted.targets
        case Delete(current=held):
            return "delete", held.record.targets
        case _:
            assert_never(change)


def _find_object(change: Change, decision: Decision | None) -> ObjectRef | str:
    if isinstance(change, Delete):
        return change.current.resource
    return decision.requested_by[0].ref if decision and decision.requested_by else ""


def _find_reason(change: Change, decision: Decision | None) -> str:
    if isinstance(change, Delete):
        return change.evidence.value
    return decision.reason.value if decision else ""


def _find_detail(outcome: Outcome) -> str:
    """Return the service's id of an applied change, else the message that says why it failed."""
    return outcome.change_id if isinstance(outcome, Applied) else outcome.message
