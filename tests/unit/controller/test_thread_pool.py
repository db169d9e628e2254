"""Thread pools: order, limits, threads that hang, and closing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from queue import SimpleQueue

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.worker_pool import AccountThreadPools, ThreadPool
from tests.unit.controller.barriers import HANGS_S

CLOCK = SystemClock()


@pytest.fixture
def release_tasks() -> Iterator[threading.Event]:
    """Return an event that tasks wait for. It is set at the end of the test, so that all threads end."""
    event = threading.Event()
    yield event
    event.set()


def test_a_thread_pool_starts_tasks_in_the_order_of_their_submission() -> None:
    pool, made = ThreadPool("test", max_threads=1), SimpleQueue[int]()
    for number in range(5):
        pool.submit(lambda number=number: made.put(number))  # type: ignore[misc]
    assert [made.get(timeout=HANGS_S) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert pool.close(CLOCK, HANGS_S)


def test_a_task_that_hangs_does_not_delay_other_tasks(release_tasks: threading.Event) -> None:
    pool, done = ThreadPool("test", max_threads=2), threading.Event()
    pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(done.set)
    assert done.wait(HANGS_S)


def test_the_threads_of_a_pool_are_limited_in_number_and_are_daemon_threads(release_tasks: threading.Event) -> None:
    before = threading.active_count()
    pool = ThreadPool("crowd", max_threads=3)
    assert threading.active_count() == before
    for _ in range(10):
        pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("crowd-")]
    assert len(ours) == 3
    assert all(thread.daemon for thread in ours)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)


def test_closing_a_pool_waits_for_running_tasks_and_starts_no_more(release_tasks: threading.Event) -> None:
    pool, begun, made = ThreadPool("test", max_threads=1), threading.Event(), list[str]()

    def slow() -> None:
        begun.set()
        release_tasks.wait(HANGS_S)
        made.append("slow")

    pool.submit(slow)
    pool.submit(lambda: made.append("later"))
    assert begun.wait(HANGS_S)
    assert not pool.close(CLOCK, 0.0)
    assert made == []
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)
    assert made == ["slow"]


def test_closing_a_pool_waits_for_its_queued_tasks_if_the_pool_was_made_to_finish_them(
    release_tasks: threading.Event,
) -> None:
    pool, made = ThreadPool("test", max_threads=1, finishes_queue=True), list[str]()
    pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(lambda: made.append("later"))
    assert not pool.close(CLOCK, 0.0)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)
    assert made == ["later"]


def test_a_thread_pool_without_a_task_closes_at_once() -> None:
    assert ThreadPool("test", max_threads=1).close(CLOCK, 0.0)


def test_closing_the_pools_of_all_accounts_waits_for_their_running_tasks_and_starts_no_queued_one(
    release_tasks: threading.Event,
) -> None:
    lanes, begun, made = AccountThreadPools("test", max_threads=1), threading.Barrier(3), list[str]()

    def slow(account: str) -> None:
        begun.wait(HANGS_S)
        release_tasks.wait(HANGS_S)
        made.append(account)

    for account in ("one", "two"):
        lanes.submit(account, partial(slow, account))
        lanes.submit(account, lambda: made.append("later"))
    begun.wait(HANGS_S)
    assert not lanes.close(CLOCK, 0.0)
    assert made == []
    release_tasks.set()
    assert lanes.close(CLOCK, HANGS_S)
    assert sorted(made) == ["one", "two"]


@pytest.mark.parametrize("stuck", [3, 11, 20])
def test_extra_threads_run_the_tasks_that_wait_behind_stuck_ones(release_tasks: threading.Event, stuck: int) -> None:
    pool, done = ThreadPool("test", max_threads=3, max_extra=20, stuck_after_s=0.01), threading.Event()
    for _ in range(stuck):
        pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(done.set)
    assert done.wait(HANGS_S / 2)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)


def test_extra_threads_are_limited_in_number_and_end_when_the_queue_is_empty(release_tasks: threading.Event) -> None:
    pool, begun = ThreadPool("stuck", max_threads=2, max_extra=3, stuck_after_s=0.001), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        release_tasks.wait(HANGS_S)

    for _ in range(10):
        pool.submit(hang)
    for _ in range(5):
        assert begun.acquire(timeout=HANGS_S)
    assert not begun.acquire(timeout=0.05)
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("stuck-")]
    assert len(ours) == 5
    release_tasks.set()
    for thread in ours:
        if thread.name == "stuck-extra":
            thread.join(HANGS_S)
            assert not thread.is_alive()
    assert pool.close(CLOCK, HANGS_S)


def test_no_extra_thread_runs_a_task_while_tasks_end_in_time(release_tasks: threading.Event) -> None:
    pool, made = ThreadPool("busy", max_threads=1, max_extra=5, stuck_after_s=HANGS_S), SimpleQueue[str]()
    for _ in range(50):
        pool.submit(lambda: made.put(threading.current_thread().name))
    assert {made.get(timeout=HANGS_S) for _ in range(50)} == {"busy-0"}
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)


def test_closing_a_pool_does_not_wait_for_an_idle_extra_thread(release_tasks: threading.Event) -> None:
    pool = ThreadPool("idle", max_threads=1, max_extra=1, stuck_after_s=HANGS_S)
    pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(lambda: None)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)
    for thread in threading.enumerate():
        if thread.name == "idle-extra":
            thread.join(HANGS_S)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("idle")]


def _drop_result(_: bool) -> None:
    """Drop the result of a call, because tasks return None."""
