"""Threads for calls of one sort."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from queue import SimpleQueue

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.lane import Lane, Lanes
from tests.unit.controller.scene import HANGS_S

CLOCK = SystemClock()


@pytest.fixture
def shut() -> Iterator[threading.Event]:
    """Calls wait for it; it is set at the end, so that no thread stays behind."""
    event = threading.Event()
    yield event
    event.set()


def test_calls_are_made_in_their_order() -> None:
    lane, made = Lane("test", most=1), SimpleQueue[int]()
    for number in range(5):
        lane.add(lambda number=number: made.put(number))  # type: ignore[misc]
    assert [made.get(timeout=HANGS_S) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert lane.close(CLOCK, HANGS_S)


def test_a_call_that_hangs_holds_up_no_other(shut: threading.Event) -> None:
    lane, done = Lane("test", most=2), threading.Event()
    lane.add(lambda: _ignore(shut.wait(HANGS_S)))
    lane.add(done.set)
    assert done.wait(HANGS_S)


def test_there_are_never_more_threads_than_allowed_and_none_keeps_the_process(shut: threading.Event) -> None:
    before = threading.active_count()
    lane = Lane("crowd", most=3)
    assert threading.active_count() == before
    for _ in range(10):
        lane.add(lambda: _ignore(shut.wait(HANGS_S)))
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("crowd-")]
    assert len(ours) == 3
    assert all(thread.daemon for thread in ours)
    shut.set()
    assert lane.close(CLOCK, HANGS_S)


def test_the_end_waits_for_what_is_under_way_and_begins_nothing_more(shut: threading.Event) -> None:
    lane, begun, made = Lane("test", most=1), threading.Event(), list[str]()

    def slow() -> None:
        begun.set()
        shut.wait(HANGS_S)
        made.append("slow")

    lane.add(slow)
    lane.add(lambda: made.append("later"))
    assert begun.wait(HANGS_S)
    assert not lane.close(CLOCK, 0.0)
    assert made == []
    shut.set()
    assert lane.close(CLOCK, HANGS_S)
    assert made == ["slow"]


def test_what_must_not_be_lost_is_begun_even_at_the_end(shut: threading.Event) -> None:
    lane, made = Lane("test", most=1, finishes=True), list[str]()
    lane.add(lambda: _ignore(shut.wait(HANGS_S)))
    lane.add(lambda: made.append("later"))
    assert not lane.close(CLOCK, 0.0)
    shut.set()
    assert lane.close(CLOCK, HANGS_S)
    assert made == ["later"]


def test_a_lane_without_a_call_ends_at_once() -> None:
    assert Lane("test", most=1).close(CLOCK, 0.0)


def test_the_end_is_for_the_lanes_of_all_accounts_together(shut: threading.Event) -> None:
    lanes, begun, made = Lanes("test", most=1), threading.Barrier(3), list[str]()

    def slow(account: str) -> None:
        begun.wait(HANGS_S)
        shut.wait(HANGS_S)
        made.append(account)

    for account in ("one", "two"):
        lanes.add(account, partial(slow, account))
        lanes.add(account, lambda: made.append("later"))
    begun.wait(HANGS_S)
    assert not lanes.close(CLOCK, 0.0)
    assert made == []
    shut.set()
    assert lanes.close(CLOCK, HANGS_S)
    assert sorted(made) == ["one", "two"]


def _ignore(_: bool) -> None:
    """Calls return nothing."""
