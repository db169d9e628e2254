"""When the write gate allows this process to write: approval, dry run and leader election."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from extdns.controller.write_gate import WriteGate
from extdns.engine.inputs import LeadershipChanged
from extdns.flags.process import MAX_WRITE_S
from providers.common.api_calls import SHORT_TIMEOUTS_S


@dataclass
class FakeLease:
    """A Lease whose remaining seconds the test sets."""

    left: float = 0.0
    term: int = 0
    start_count: int = 0
    closings: list[bool] = field(default_factory=list)
    on_renewal: Callable[[], None] = lambda: None

    def start(self, on_renewal: Callable[[], None]) -> None:
        self.start_count += 1
        self.on_renewal = on_renewal

    def left_s(self) -> float:
        return self.left

    def describe(self) -> dict[str, str]:
        return {"holder": "pod-1"}

    def close(self, *, release: bool) -> None:
        self.closings.append(release)


def test_timeouts_of_one_write_are_shorter_than_the_lease_must_last() -> None:
    assert sum(SHORT_TIMEOUTS_S) < MAX_WRITE_S


@pytest.mark.parametrize(("left_s", "is_open"), [(30.0, True), (12.0, True), (11.9, False), (0.0, False)])
def test_open_only_if_the_lease_outlasts_the_longest_write(left_s: float, is_open: bool) -> None:
    assert WriteGate(FakeLease(left_s)).is_open() is is_open


@pytest.mark.parametrize(("gate", "is_open"), [(WriteGate(), True), (WriteGate(is_dry_run=True), False)])
def test_open_without_leader_election_except_in_a_dry_run(gate: WriteGate, *, is_open: bool) -> None:
    assert gate.is_open() is is_open


def test_opens_when_the_plan_is_approved() -> None:
    gate = WriteGate(needs_approval=True)
    assert not gate.is_open()
    gate.approve()
    assert gate.is_open()


def test_each_change_of_leadership_is_returned_once() -> None:
    lease = FakeLease()
    gate = WriteGate(lease)
    assert gate.take_leadership_change() is None
    lease.left = 30.0
    assert gate.take_leadership_change() == LeadershipChanged(is_leader=True)
    assert gate.take_leadership_change() is None
    lease.left = 11.0
    assert gate.take_leadership_change() == LeadershipChanged(is_leader=False)
    assert gate.take_leadership_change() is None


def test_election_is_started_once_and_wakes_the_loop_at_each_renewal() -> None:
    lease, renewals = FakeLease(), list[str]()
    gate = WriteGate(lease)
    for _ in range(2):
        gate.start_election(lambda: renewals.append("renewed"))
    lease.on_renewal()
    assert (lease.start_count, renewals) == (1, ["renewed"])


def test_deadline_of_a_leader_is_when_its_lease_is_too_short_to_write() -> None:
    lease = FakeLease()
    gate = WriteGate(lease)
    assert gate.find_deadline(1000.0) == math.inf
    lease.left = 30.0
    assert gate.take_leadership_change()
    assert gate.find_deadline(1000.0) == 1018.0


def test_readiness_shows_the_role_and_the_holder_of_the_lease() -> None:
    lease = FakeLease()
    gate = WriteGate(lease)
    assert gate.describe() == {"election": {"role": "standby", "holder": "pod-1"}}
    lease.left = 30.0
    assert gate.take_leadership_change()
    assert gate.describe()["election"]["role"] == "leader"
    assert WriteGate().describe() == {}


@pytest.mark.parametrize("release", [True, False])
def test_lease_is_given_up_at_close_only_if_requested(release: bool) -> None:
    lease = FakeLease()
    WriteGate(lease).close(release=release)
    assert lease.closings == [release]
