"""Who leads, as the engine's thread goes by it, and what only works while we do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from extdns.controller.candidacy import Candidacy, may_write
from extdns.controller.leased import LeasedAnnouncer, LeasedWriter
from extdns.engine.inputs import Input, Led, Tick
from extdns.flags.election import WRITE_S
from extdns.model.change import Batch
from extdns.model.cluster import ObjectKey
from extdns.model.outcome import Applied, TryLater
from providers.remote.writing import QUICK_S
from tests.unit.controller.scene import MovedClock
from tests.unit.engine.stage import SERVICE, ZONE


@dataclass
class HeldLease:
    """So much time is left as a test says."""

    left: float = 0.0
    begun: int = 0
    given_up: list[bool] = field(default_factory=list)
    news: Callable[[], None] = lambda: None

    def begin(self, news: Callable[[], None]) -> None:
        self.begun += 1
        self.news = news

    def left_s(self) -> float:
        return self.left

    def facts(self) -> dict[str, str]:
        return {"holder": "somebody"}

    def close(self, *, give_up: bool) -> None:
        self.given_up.append(give_up)


@dataclass
class Told:
    """Takes note of what it is told."""

    calls: list[str] = field(default_factory=list)

    def decided(self, decisions: object) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append("decided")

    def mistaken(self, claims: object) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append("mistaken")

    def failed(self, key: object, message: str) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append("failed")

    def applied(self, batch: object) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append("applied")

    def held(self, zone: object, code: str, held: object) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append(f"held {code}")

    def close(self, patience_s: float) -> None:  # noqa: ARG002 - as the port has it
        self.calls.append("closed")


class Pen:
    """Writes whatever it is given."""

    def submit(self, zone: object, batch: object) -> Applied:  # noqa: ARG002 - as the port has it
        return Applied(records=())


BATCH = Batch(number=1, zone=ZONE, sets=())


def test_what_a_write_may_take_fits_into_what_must_be_left_of_the_lease() -> None:
    assert sum(QUICK_S) < WRITE_S


@pytest.mark.parametrize(("left", "may"), [(30.0, True), (12.0, True), (11.9, False), (0.0, False)])
def test_a_write_begins_only_with_enough_time_left(left: float, may: bool) -> None:
    lease = HeldLease(left)
    assert may_write(lease) is may
    outcome = LeasedWriter(Pen(), lease).submit(ZONE, BATCH)
    assert isinstance(outcome, Applied if may else TryLater)


def test_each_change_of_the_lead_is_news_once() -> None:
    lease = HeldLease()
    candidacy = Candidacy(lease, MovedClock(), lambda _: None)
    assert list(candidacy.news()) == []
    lease.left = 30.0
    assert list(candidacy.news()) == [Led(leads=True)]
    assert list(candidacy.news()) == []
    lease.left = 11.0
    assert list(candidacy.news()) == [Led(leads=False)]
    assert list(candidacy.news()) == []


def test_the_engine_is_woken_when_there_is_more_time_and_when_it_runs_out() -> None:
    lease, heard = HeldLease(), list[Input]()
    candidacy = Candidacy(lease, MovedClock(1000.0), heard.append)
    for _ in range(2):
        candidacy.begin()
    assert (lease.begun, candidacy.wake_s) == (1, math.inf)
    lease.left = 30.0
    lease.news()
    assert heard == [Tick()]
    assert list(candidacy.news())
    assert candidacy.wake_s == 1018.0


def test_it_says_its_role_and_who_holds_the_lease() -> None:
    lease = HeldLease()
    candidacy = Candidacy(lease, MovedClock(), lambda _: None)
    assert candidacy.facts() == {"role": "standby", "holder": "somebody"}
    lease.left = 30.0
    assert list(candidacy.news())
    assert candidacy.facts()["role"] == "leader"


@pytest.mark.parametrize("give_up", [True, False])
def test_whether_the_lease_is_given_up_is_up_to_the_caller(give_up: bool) -> None:
    lease = HeldLease()
    Candidacy(lease, MovedClock(), lambda _: None).close(give_up=give_up)
    assert lease.given_up == [give_up]


def test_who_stands_by_tells_nothing_but_that_nothing_is_held_and_what_it_has_written() -> None:
    lease, told = HeldLease(), Told()
    announcer = LeasedAnnouncer(told, lease)
    for _ in range(2):
        announcer.decided(())
        announcer.mistaken(())
        announcer.failed(ObjectKey(SERVICE, "shop", "web"), "broken")
        announcer.applied(BATCH)
        announcer.held(ZONE, "", ())
        lease.left = 30.0
    announcer.close(1.0)
    assert told.calls == ["applied", "held ", "decided", "mistaken", "failed", "applied", "held ", "closed"]
