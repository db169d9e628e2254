"""Changes that were sent to a DNS service, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, assert_never

from extdns.documents.document import Document, ZoneReference, build_zone_reference
from extdns.engine.decisions import CHANGING
from extdns.model.change import (
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
from extdns.model.record import RecordKey
from extdns.model.value import Value
from extdns.model.zone import Zone

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
