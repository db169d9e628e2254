"""Copies of the engine's state for other threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from msgspec.structs import replace

from extdns.controller.snapshot_publisher import SnapshotPublisher
from extdns.documents.names import NameState
from extdns.documents.snapshot import ProcessSnapshot
from extdns.engine.engine import Engine
from extdns.model.change import Action, Applied, Batch, ChangeSet, Create, Decision, Outcome, TryLater
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from tests.builders import ZONE
from tests.fakes.clocks import MovedClock, ShiftedClock
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.runnable_controller import build_controller


def publisher(
    clock: MovedClock, *, engine: Engine | None = None, wake: Callable[[SnapshotPublisher], None] = lambda _: None
) -> SnapshotPublisher:
    """Build a publisher of a new engine; *wake* acts as the engine's thread."""
    boards: list[SnapshotPublisher] = []
    boards.append(
        SnapshotPublisher(
            engine or build_controller().engine,
            clock,
            kinds=tuple,
            is_first_pass_done=lambda: True,
            is_healthy=lambda: True,
            wake=lambda: wake(boards[0]),
        )
    )
    return boards[0]


def shown(found: SnapshotPublisher) -> ProcessSnapshot:
    live = found.read()
    assert live is not None
    return live


def batch(*names: str) -> Batch:
    """Return a batch that creates an A record for each of *names*."""
    sets = (
        ChangeSet(
            zone=ZONE,
            name=DnsName(name),
            changes=(Create(desired=DesiredRecord(name=DnsName(name), type="A", targets=("192.0.2.1",))),),
        )
        for name in names
    )
    return Batch(number=1, zone=ZONE, change_sets=tuple(sets))


def test_made_on_request_and_at_most_once_a_second() -> None:
    clock, requests = MovedClock(), []

    def wake(found: SnapshotPublisher) -> None:
        requests.append(clock.now_s)
        found.update()

    found = publisher(clock, wake=wake)
    first = shown(found)
    clock.now_s += 0.9
    assert shown(found).engine is first.engine
    clock.now_s += 0.1
    assert shown(found).engine is not first.engine
    assert requests == [1001.0]


def test_not_made_without_a_request() -> None:
    clock = MovedClock()
    found = publisher(clock, wake=lambda one: one.update())
    first = shown(found)
    clock.now_s += 10
    found.update()
    clock.now_s -= 9.5
    assert shown(found).engine is first.engine


def test_reader_gets_the_previous_snapshot_with_its_age_while_engine_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.snapshot_publisher._FIRST_WAIT_S", 0.01)
    clock = MovedClock()
    busy: list[bool] = []
    found = publisher(clock, wake=lambda one: None if busy else one.update())
    first = shown(found)
    busy.append(True)
    clock.now_s += 4
    assert (shown(found).age_s, shown(found).is_responding) == (4.0, True)
    clock.now_s += 26
    late = shown(found)
    assert late.engine is first.engine
    assert (late.age_s, late.is_responding) == (30.0, False)


def test_reader_gets_an_empty_snapshot_if_the_engine_never_responds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.snapshot_publisher._FIRST_WAIT_S", 0.01)
    clock = MovedClock()
    found = publisher(clock)
    clock.now_s += 30
    assert shown(found).names.rows == ()


def test_failed_snapshot_is_not_made_again_without_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, tries = MovedClock(), []

    def fail(*_: object) -> None:
        tries.append(clock.now_s)
        raise RuntimeError("a defect")

    def wake(one: SnapshotPublisher) -> None:
        with suppress(RuntimeError):
            one.update()

    found = publisher(clock, wake=wake)
    first = shown(found)
    monkeypatch.setattr("extdns.controller.snapshot_publisher.EngineSnapshot", fail)
    clock.now_s += 2
    assert shown(found).engine is first.engine
    found.update()
    assert len(tries) == 1


def test_discarded_if_nobody_has_read_it_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.snapshot_publisher._FIRST_WAIT_S", 0.01)
    clock = MovedClock()
    busy: list[bool] = []
    found = publisher(clock, wake=lambda one: None if busy else one.update())
    shown(found)
    clock.now_s += 61
    found.update()
    busy.append(True)
    assert found.read() is None


def test_running_controller_shows_the_changes_it_made() -> None:
    clock = ShiftedClock()
    world = build_controller(once=False, clock=clock)
    world.start()
    try:
        assert world.controller.first_pass_done.wait(HANGS_S)
        clock.shift_s = 5.0
        live = shown(world.controller.snapshots)
        while not live.changes:  # each read waits briefly for the engine's thread
            live = shown(world.controller.snapshots)
        assert [(one.action, one.name, str(one.object), one.outcome, one.reason) for one in live.changes] == [
            ("create", "web.example.org", "Service shop/web", "applied", "requested")
        ]
    finally:
        world.stop()


def test_does_not_change_when_the_engine_does() -> None:
    world = build_controller()
    world.make_a_pass()
    found = publisher(MovedClock(), engine=world.engine, wake=lambda one: one.update())
    live = shown(found)
    before = [(row.name, row.state) for row in live.names.rows]
    assert before == [("web.example.org", NameState.PUBLISHED)]
    world.engine.decisions.replace(DnsName("web.example.org"), ())
    assert live.engine.decisions.decisions(DnsName("web.example.org"))


@pytest.mark.parametrize(
    ("outcomes", "times"),
    [
        pytest.param([TryLater(message="busy")] * 3, [3], id="the-same-again-and-again"),
        pytest.param([Applied(records=()), Applied(records=())], [1, 1], id="two-writes"),
        pytest.param([TryLater(message="busy"), TryLater(message="down"), Applied(records=())], [1, 1, 1], id="others"),
    ],
)
def test_change_that_fails_repeatedly_is_listed_once_with_a_count(outcomes: list[Outcome], times: list[int]) -> None:
    clock = MovedClock()
    found = publisher(clock, wake=lambda one: one.update())
    for outcome in outcomes:
        found.record_outcome(batch("web.example.org"), outcome, ())
    clock.now_s += 2
    assert [one.times for one in shown(found).changes] == times


def test_last_thousand_changes_are_listed_newest_first() -> None:
    clock = MovedClock()
    found = publisher(clock, wake=lambda one: one.update())
    found.record_outcome(batch(*(f"n{number}.example.org" for number in range(1200))), Applied(records=()), ())
    clock.now_s += 2
    changes = shown(found).changes
    assert len(changes) == 1000
    assert changes[0].name == "n1199.example.org"


def test_change_has_the_reason_of_the_decision_in_its_own_zone() -> None:
    clock = MovedClock()
    found = publisher(clock, wake=lambda one: one.update())
    decisions = [
        Decision(
            zone=zone,
            name=DnsName("web.example.org"),
            set_identifier="",
            type="A",
            action=Action.CREATE,
            reason=reason,
        )
        for zone, reason in ((ZONE, Reason.REQUESTED), (replace(ZONE, id="private"), Reason.CHANGED))
    ]
    found.record_outcome(batch("web.example.org"), Applied(records=()), decisions)
    clock.now_s += 2
    assert [one.reason for one in shown(found).changes] == ["requested"]


def test_change_that_fails_again_without_a_decision_keeps_its_reason() -> None:
    clock = MovedClock()
    found = publisher(clock, wake=lambda one: one.update())
    name = DnsName("web.example.org")
    decision = Decision(
        zone=ZONE, name=name, set_identifier="", type="A", action=Action.CREATE, reason=Reason.REQUESTED
    )
    found.record_outcome(batch(name), TryLater(message="busy"), [decision])
    found.record_outcome(batch(name), TryLater(message="busy"), ())
    clock.now_s += 2
    assert [(one.times, one.reason) for one in shown(found).changes] == [(2, "requested")]
