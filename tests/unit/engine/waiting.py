"""The deletes of one zone, driven without an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from extdns.engine.deletes import Deletes
from extdns.engine.deletesettings import DeleteSettings
from extdns.model.change import Blocked
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone

ZONE = Zone(name=DnsName("acme.test"), id="Z1")
GRACE_S = 60.0
ENDING = Evidence.OBJECT_DELETED


def owned(number: int, target: str = "192.0.2.1") -> Owned:
    name = DnsName(f"h{number}.acme.test")
    return Owned(record=Record(name=name, type="A", targets=(target,), ttl_s=300), owner="me", ours=True)


def deletes(records: int = 100, **settings: Any) -> Deletes:  # noqa: ANN401 - any field of DeleteSettings
    made = Deletes(ZONE, replace(DeleteSettings(owner="me", grace_s=GRACE_S), **settings))
    made.budget.own(records, 0.0)
    return made


def weigh(state: Deletes, one: Owned, now_s: float, evidence: Evidence = ENDING) -> Evidence | Reason:
    """Plan a name at which only *one* stands."""
    answer = state.weigh(one, evidence, now_s)
    state.planned(one.record.name, {one.key}, now_s)
    return answer.reason if isinstance(answer, Blocked) else answer


def go(state: Deletes, one: Owned, now_s: float) -> None:
    """The record is gone, and its name is planned."""
    state.planned(one.record.name, set(), now_s)
    state.budget.own(-1, now_s)


def end(state: Deletes, numbers: range, evidence: Evidence = ENDING) -> set[DnsName]:
    """The evidence for all of *numbers* began at 0 and has held for the grace; returns the names that moved."""
    for number in numbers:
        weigh(state, owned(number), 0.0, evidence)
    state.advance(0.0)
    return state.advance(GRACE_S)


def answers(
    state: Deletes, numbers: range, evidence: Evidence = ENDING, now_s: float = GRACE_S
) -> set[Evidence | Reason]:
    return {weigh(state, owned(number), now_s, evidence) for number in numbers}
