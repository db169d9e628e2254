"""What readers on other threads are shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from extdns.controller.board import Board
from extdns.engine.engine import Engine
from extdns.facts.live import Live
from extdns.facts.names import State
from extdns.model.change import Batch, ChangeSet, Create
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Outcome, TryLater
from extdns.model.record import Endpoint
from tests.unit.controller.scene import HANGS_S, MovedClock, ShiftedClock, scene
from tests.unit.engine.stage import ZONE


def board(clock: MovedClock, *, engine: Engine | None = None, wake: Callable[[Board], None] = lambda _: None) -> Board:
    """A board of a process that has done nothing; *wake* stands for the engine's thread."""
    boards: list[Board] = []
    boards.append(
        Board(
            engine or scene().engine,
            clock,
            kinds=tuple,
            settled=lambda: True,
            wake=lambda: wake(boards[0]),
        )
    )
    return boards[0]


def shown(found: Board) -> Live:
    live = found.show()
    assert live is not None
    return live


def batch(*names: str) -> Batch:
    """A batch that creates an address at each of *names*."""
    sets = (
        ChangeSet(
            zone=ZONE,
            name=DnsName(name),
            changes=(Create(wanted=Endpoint(name=DnsName(name), type="A", targets=("192.0.2.1",))),),
        )
        for name in names
    )
    return Batch(number=1, zone=ZONE, sets=tuple(sets))


def test_a_copy_is_made_when_asked_and_at_most_once_a_second() -> None:
    clock, asked = MovedClock(), []

    def wake(found: Board) -> None:
        asked.append(clock.now_s)
        found.look()

    found = board(clock, wake=wake)
    first = shown(found)
    clock.now_s += 0.9
    assert shown(found) is first
    clock.now_s += 0.1
    assert shown(found) is not first
    assert asked == [1001.0]


def test_looking_without_being_asked_copies_nothing() -> None:
    clock = MovedClock()
    found = board(clock, wake=lambda one: one.look())
    first = shown(found)
    clock.now_s += 10
    found.look()
    clock.now_s -= 9.5
    assert shown(found) is first


def test_an_engine_that_is_busy_shows_the_copy_of_before() -> None:
    clock = MovedClock()
    busy: list[bool] = []
    found = board(clock, wake=lambda one: None if busy else one.look())
    first = shown(found)
    busy.append(True)
    clock.now_s += 30
    assert shown(found) is first


def test_an_engine_that_has_not_come_to_look_yet_shows_that_nothing_is_known() -> None:
    clock = MovedClock()
    found = board(clock)
    clock.now_s += 30
    assert shown(found).names.rows == ()


def test_a_copy_that_fails_is_not_tried_again_until_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, tries = MovedClock(), []

    def fail(*_: object) -> None:
        tries.append(clock.now_s)
        raise RuntimeError("a defect")

    def wake(one: Board) -> None:
        with suppress(RuntimeError):
            one.look()

    found = board(clock, wake=wake)
    first = shown(found)
    monkeypatch.setattr("extdns.controller.board.Snapshot", fail)
    clock.now_s += 2
    assert shown(found) is first
    found.look()
    assert len(tries) == 1


def test_a_copy_that_nobody_looks_at_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.board._FIRST_PATIENCE_S", 0.01)
    clock = MovedClock()
    busy: list[bool] = []
    found = board(clock, wake=lambda one: None if busy else one.look())
    shown(found)
    clock.now_s += 61
    found.look()
    busy.append(True)
    assert found.show() is None


def test_a_running_controller_shows_what_it_did() -> None:
    clock = ShiftedClock()
    stage = scene(once=False, clock=clock)
    stage.start()
    try:
        assert stage.controller.settled.wait(HANGS_S)
        clock.shift_s = 5.0
        live = shown(stage.controller.board)
        while not live.changes:  # each look waits for the engine's thread for a moment
            live = shown(stage.controller.board)
        assert [(one.action, one.name, str(one.object), one.outcome) for one in live.changes] == [
            ("create", "web.example.org", "Service shop/web", "applied")
        ]
    finally:
        stage.stop()


def test_what_is_shown_does_not_change_while_the_engine_goes_on() -> None:
    stage = scene()
    stage.make_a_pass()
    found = board(MovedClock(), engine=stage.engine, wake=lambda one: one.look())
    live = shown(found)
    before = [(row.name, row.state) for row in live.names.rows]
    assert before == [("web.example.org", State.PUBLISHED)]
    stage.engine.decisions.put(DnsName("web.example.org"), ())
    assert live.seen.decisions.of(DnsName("web.example.org"))


@pytest.mark.parametrize(
    ("outcomes", "times"),
    [
        pytest.param([TryLater(message="busy")] * 3, [3], id="the-same-again-and-again"),
        pytest.param([Applied(records=()), Applied(records=())], [1, 1], id="two-writes"),
        pytest.param([TryLater(message="busy"), TryLater(message="down"), Applied(records=())], [1, 1, 1], id="others"),
    ],
)
def test_the_same_outcome_of_the_same_change_is_told_once(outcomes: list[Outcome], times: list[int]) -> None:
    clock = MovedClock()
    found = board(clock, wake=lambda one: one.look())
    for outcome in outcomes:
        found.ended(batch("web.example.org"), outcome)
    clock.now_s += 2
    assert [one.times for one in shown(found).changes] == times


def test_the_last_thousand_changes_are_kept_newest_first() -> None:
    clock = MovedClock()
    found = board(clock, wake=lambda one: one.look())
    found.ended(batch(*(f"n{number}.example.org" for number in range(1200))), Applied(records=()))
    clock.now_s += 2
    changes = shown(found).changes
    assert len(changes) == 1000
    assert changes[0].name == "n1199.example.org"
