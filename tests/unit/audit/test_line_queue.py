"""The thread of the audit log: order, failures, and a file that hangs."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from extdns.audit import line_queue
from extdns.audit.line_queue import LineQueue
from tests.unit.audit.line_target import ListTarget
from tests.unit.controller.barriers import HANGS_S, Barrier


class Watcher:
    """Records what the queue reports."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, int]] = []
        self.changed = threading.Condition()
        self.loaded: list[bytes] = []

    def report(self, problem: str, dropped: int) -> None:
        with self.changed:
            self.reports.append((problem, dropped))
            self.changed.notify_all()

    def wait_for(self, *report: tuple[str, int]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.reports == [*report], HANGS_S), self.reports


def start(target: ListTarget, watcher: Watcher, *, wait_s: float = HANGS_S, retry_s: float = 0.01) -> LineQueue:
    queue = LineQueue(target, load=watcher.loaded.extend, report=watcher.report, wait_s=wait_s, retry_s=retry_s)
    queue.start()
    return queue


def test_lines_are_written_in_order_before_put_returns_to_a_caller_that_waits() -> None:
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher)
    queue.put([b"1\n"], waits=False)
    queue.put([b"2\n", b"3\n"], waits=True)
    assert target.written == [b"1", b"2", b"3"]
    queue.put([b"4\n"], waits=False)
    queue.close(HANGS_S)
    assert target.written[3:] == [b"4"]
    assert watcher.reports == []


def test_lines_of_earlier_processes_are_loaded_before_start_returns() -> None:
    watcher = Watcher()
    queue = start(ListTarget(b"1", b"2"), watcher)
    assert watcher.loaded == [b"1", b"2"]
    queue.close(HANGS_S)


def test_a_failing_file_is_reported_once_and_later_gets_all_lines() -> None:
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher)
    target.error = OSError(28, "No space left on device")
    queue.put([b"1\n"], waits=True)
    queue.put([b"2\n"], waits=True)
    assert queue.problem == "No space left on device"
    watcher.wait_for(("No space left on device", 0))
    target.error = None
    watcher.wait_for(("No space left on device", 0), ("", 0))
    queue.close(HANGS_S)
    assert target.written == [b"1", b"2"]


def test_a_file_that_cannot_be_opened_at_the_start_is_opened_later_and_gets_all_lines() -> None:
    target, watcher = ListTarget(b"0"), Watcher()
    target.error = FileNotFoundError(2, "No such file or directory", "/none/audit.log")
    queue = start(target, watcher)
    queue.put([b"1\n"], waits=True)
    watcher.wait_for(("No such file or directory: /none/audit.log", 0))
    target.error = None
    watcher.wait_for(("No such file or directory: /none/audit.log", 0), ("", 0))
    queue.close(HANGS_S)
    assert (watcher.loaded, target.written) == ([b"0"], [b"1"])


def test_a_file_that_does_not_answer_delays_only_the_first_caller() -> None:
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher, wait_s=0.02)
    target.gate = Barrier()
    queue.put([b"1\n"], waits=True)
    queue.put([b"2\n"], waits=True)
    assert queue.problem == "a write has had no answer for 2s"
    target.gate.open()
    watcher.wait_for(("a write has had no answer for 2s", 0), ("", 0))
    queue.close(HANGS_S)
    assert target.written == [b"1", b"2"]


def test_the_oldest_lines_are_dropped_and_counted_while_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_queue, "MAX_WAITING_LINES", 3)
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher)
    target.error = OSError(5, "Input/output error")
    for number in range(5):
        queue.put([b"%d\n" % number], waits=True)
    target.error = None
    with watcher.changed:
        assert watcher.changed.wait_for(lambda: not queue.problem, HANGS_S)
    queue.close(HANGS_S)
    assert target.written == [b"2", b"3", b"4"]
    assert queue.dropped_count == 2
    assert watcher.reports[-1] == ("", 2)
    assert all(one != other for one, other in pairwise(watcher.reports))


def test_the_oldest_lines_are_dropped_while_too_many_bytes_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_queue, "MAX_WAITING_BYTES", 10)
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher)
    target.error = OSError(5, "Input/output error")
    for number in range(5):
        queue.put([b"%04d\n" % number], waits=True)
    target.error = None
    with watcher.changed:
        assert watcher.changed.wait_for(lambda: not queue.problem, HANGS_S)
    queue.put([b"0005\n"], waits=True)
    queue.close(HANGS_S)
    assert target.written == [b"0003", b"0004", b"0005"]
    assert (queue.dropped_count, queue.unwritten_count) == (3, 3)


def test_closing_the_queue_tries_once_to_write_queued_lines_and_ends_even_if_the_file_fails() -> None:
    target, watcher = ListTarget(), Watcher()
    queue = start(target, watcher, retry_s=HANGS_S)
    target.error = OSError(28, "No space left on device")
    queue.put([b"1\n"], waits=True)
    queue.close(HANGS_S)
    assert not queue._thread.is_alive()
    assert target.written == []
    assert queue.unwritten_count == 1


def test_the_last_report_is_right_even_if_a_delayed_write_ends_during_the_report_of_its_delay() -> None:
    target, reports, recovered = ListTarget(), list[str](), threading.Event()

    def report(problem: str, _dropped: int) -> None:
        if problem:
            gate.open()
            recovered.wait(0.2)  # it comes only if the writing thread reports meanwhile
        reports.append(problem)
        if not problem:
            recovered.set()

    queue = LineQueue(target, load=lambda _: None, report=report, wait_s=0.02, retry_s=0.01)
    queue.start()
    target.gate = gate = Barrier()
    queue.put([b"1\n"], waits=True)
    assert recovered.wait(HANGS_S)
    queue.close(HANGS_S)
    assert reports == ["a write has had no answer for 2s", ""]
    assert queue.problem == ""


def test_lines_are_written_as_long_as_the_disk_has_space_and_the_rest_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_queue, "_MAX_LINES_PER_WRITE", 2)
    target, watcher = ListTarget(), Watcher()
    target.max_lines = 4
    queue = start(target, watcher)
    queue.put([b"%d\n" % number for number in range(5)], waits=True)
    assert target.written == [b"0", b"1", b"2", b"3"]
    assert queue.problem == "No space left on device"
    target.max_lines = 5
    watcher.wait_for(("No space left on device", 0), ("", 0))
    queue.close(HANGS_S)
    assert target.written == [b"0", b"1", b"2", b"3", b"4"]
