"""Changes that were sent to a DNS service, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, Literal

from extdns.documents.document import Document, ZoneReference, build_zone_reference
from extdns.documents.names import Level
from extdns.engine.decisions import CHANGING
from extdns.model.change import Applied, Batch, Change, Create, Decision, Delete, Outcome, OutcomeWord, spell_outcome
from extdns.model.record import RecordKey

OUTCOME_LEVELS: Final[dict[OutcomeWord, Level]] = {
    "applied": Level.GOOD,
    "conflict": Level.WAITING,
    "try-later": Level.WAITING,
    "refused": Level.FAILING,
    "forbidden": Level.FAILING,
    "unknown": Level.FAILING,
}
ChangeAction = Literal["create", "update", "delete"]


class ChangeDocument(Document, frozen=True):
    """One change and its outcome. `times` counts how often in a row the change had this outcome.

    `at` is when the last outcome was known. `targets` are those after the change; for a delete, before it. `object`
    requested the record; for a delete, it is the resource of the record; "" if unknown. `detail` is the id that the
    service gave an applied change, else the message of the service. `reason` is the reason code of the decision to make
    it, "" if unknown; for a delete, the evidence.
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
    times: int = 1
    reason: str = ""


def list_changes(
    batch: Batch, outcome: Outcome, decisions: Iterable[Decision], at: datetime
) -> Iterator[ChangeDocument]:
    """Yield the changes in *batch* with the outcome, in order.

    *decisions* are the decisions to make these changes: they state for which object and why each change was made.
    """
    by_key = {
        RecordKey(name=one.name, set_identifier=one.set_identifier, type=one.type): one
        for one in decisions
        if one.action in CHANGING and one.zone == batch.zone
    }
    zone = build_zone_reference(batch.zone)
    word = spell_outcome(outcome)
    detail = outcome.change_id if isinstance(outcome, Applied) else outcome.message
    for change_set in batch.change_sets:
        for change in change_set.changes:
            key = change.key
            action, targets, resource, reason = _describe_change(change, by_key.get(key))
            yield ChangeDocument(
                at=at,
                zone=zone,
                name=key.name,
                type=key.type,
                set_identifier=key.set_identifier,
                action=action,
                targets=targets,
                object=resource,
                outcome=word,
                detail=detail,
                reason=reason,
            )


def _describe_change(change: Change, decision: Decision | None) -> tuple[ChangeAction, tuple[str, ...], str, str]:
    """Return the action, targets, object and reason of *change*."""
    if isinstance(change, Delete):
        return "delete", change.current.record.targets, change.current.resource, change.evidence.value
    requested_by = decision.requested_by if decision else ()
    action: ChangeAction = "create" if isinstance(change, Create) else "update"
    reason = decision.reason.value if decision else ""
    return action, change.desired.targets, str(requested_by[0].ref) if requested_by else "", reason
