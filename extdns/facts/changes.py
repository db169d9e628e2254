"""Changes that were sent to a DNS service, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal, assert_never

from extdns.engine.decisions import Decisions
from extdns.facts.document import Facts, ZoneName, zone_name
from extdns.model.change import Batch, Change, Create, Delete, Update
from extdns.model.cluster import ObjectRef
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.value import Value
from extdns.model.zone import Zone

Action = Literal["create", "update", "delete"]
Word = Literal["applied", "conflict", "refused", "forbidden", "later", "unknown"]


class Sent(Value, frozen=True, kw_only=True):
    """One change and its outcome.

    Attributes:
        at: when the outcome was known, the last time if there were several.
        targets: what stands then, for a delete what stood.
        object: who asked for it; of a delete, for whom it was made, as marks say it; "" if that is not known.
        detail: what the service said, "" if nothing.
        times: how often in a row this was the outcome.
    """

    at: datetime
    zone: Zone
    name: DnsName
    type: str
    set_identifier: str
    action: Action
    targets: tuple[str, ...]
    object: ObjectRef | str
    outcome: Word
    detail: str
    times: int = 1


class ChangeFacts(Facts, frozen=True):
    """One change and what became of it; times counts how often in a row that was so."""

    at: datetime
    zone: ZoneName
    name: str
    type: str
    set_identifier: str
    action: Action
    targets: tuple[str, ...]
    object: str
    outcome: Word
    detail: str
    times: int


def sent(batch: Batch, outcome: Outcome, decisions: Decisions, at: datetime) -> Iterator[Sent]:
    """What became of the changes in *batch*, in its order; who asked is told by *decisions*."""
    word, detail = _outcome(outcome)
    for change_set in batch.sets:
        for change in change_set.changes:
            action, targets = _action(change)
            yield Sent(
                at=at,
                zone=batch.zone,
                name=change.key.name,
                type=change.key.type,
                set_identifier=change.key.set_identifier,
                action=action,
                targets=targets,
                object=_object(change, decisions),
                outcome=word,
                detail=detail,
            )


def change_facts(one: Sent) -> ChangeFacts:
    """One change."""
    return ChangeFacts(
        at=one.at,
        zone=zone_name(one.zone),
        name=one.name,
        type=one.type,
        set_identifier=one.set_identifier,
        action=one.action,
        targets=one.targets,
        object=str(one.object),
        outcome=one.outcome,
        detail=one.detail,
        times=one.times,
    )


def _action(change: Change) -> tuple[Action, tuple[str, ...]]:
    match change:
        case Create(wanted=wanted):
            return "create", wanted.targets
        case Update(wanted=wanted):
            return "update", wanted.targets
        case Delete(held=held):
            return "delete", held.record.targets
        case _:
            assert_never(change)


def _object(change: Change, decisions: Decisions) -> ObjectRef | str:
    if isinstance(change, Delete):
        return change.held.resource
    about = (one for one in decisions.of(change.key.name) if one.set_identifier == change.key.set_identifier)
    return next((asked.ref for one in about if one.type == change.key.type for asked in one.asked_by), "")


def _outcome(outcome: Outcome) -> tuple[Word, str]:
    match outcome:
        case Applied(reference=reference):
            return "applied", reference
        case Conflict(message=message):
            return "conflict", message
        case Refused(message=message):
            return "refused", message
        case Forbidden(message=message):
            return "forbidden", message
        case TryLater(message=message):
            return "later", message
        case Unknown(message=message):
            return "unknown", message
        case _:
            assert_never(outcome)
