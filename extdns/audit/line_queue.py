"""The thread that writes the audit log: a file that fails or hangs does not stop other work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.errors import describe_error
from extdns.log import Event

if TYPE_CHECKING:
    from extdns.audit.line_targets import LineTarget

_log: Final = log.get(__name__)
WAIT_S: Final = 2.0
"""How long a caller waits until its lines are written."""
RETRY_S: Final = 5.0
MAX_WAITING_LINES: Final = 10_000
MAX_WAITING_BYTES: Final = 64_000_000
_MAX_LINES_PER_WRITE: Final = 100
"""Few, so that a disk with little space gets what it can hold, and a file is not much larger than its limit."""
_NO_ANSWER: Final = f"a write has had no answer for {WAIT_S:g}s"


class LineQueue:
    """Write lines in order. While they cannot be written, keep a limited number of them, and retry.

    Attributes:
        problem: why lines cannot be written, "" if they can.
        dropped_count: how many lines were dropped, because too many waited.
        unwritten_count: after `close`, how many lines were not written.
    """

    def __init__(
        self,
        target: LineTarget,
        *,
        load: Callable[[Iterable[bytes]], None],
        report: Callable[[str, int], None],
        wait_s: float = WAIT_S,
        retry_s: float = RETRY_S,
    ) -> None:
        """Write to *target* after `start`. A failure is followed by a pause of *retry_s*.

        Both `start` and `put` wait up to *wait_s*. *load* receives the lines of earlier processes, once, before the
        first line is written. *report* is called with `problem` and `dropped_count` when one of them changes, from any
        thread. It must not call this queue.
        """
        self._target = target
        self._load = load
        self._report = report
        self._wait_s = wait_s
        self._retry_s = retry_s
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._is_open = self._is_closing = False
        self._queued_count = self._done_count = 0
        self.problem = ""
        self.dropped_count = self.unwritten_count = 0
        # a daemon thread, because a write that hangs must not keep the process from ending
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)

    @property
    def waiting_count(self) -> int:
        """How many lines wait to be written. Safe from any thread and from a signal handler."""
        return len(self._lines)

    def start(self) -> None:
        """Start the thread, and wait until earlier lines are loaded, for at most `wait_s` seconds."""
        self._thread.start()
        self._wait_until(lambda: self._is_open)

    def put(self, lines: Sequence[bytes], *, waits: bool) -> None:
        """Queue *lines*, each with a newline at its end.

        With *waits*, return when they are written. Do not wait while there is a problem, nor longer than `wait_s`
        seconds. Lines are dropped only while there is a problem, so callers must wait for some of theirs.
        """
        with self._changed:
            self._lines.extend(lines)
            self._queued_count += len(lines)
            position = self._queued_count
            self._changed.notify_all()
        self._drop_surplus()
        if waits:
            self._wait_until(lambda: self._done_count >= position)

    def close(self, timeout_s: float) -> None:
        """Try once more to write the queued lines, for at most *timeout_s* seconds, then end. Log how many are lost."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        self.unwritten_count = self._queued_count - self._done_count + self.dropped_count
        if self.unwritten_count:
            message = self.problem or None
            _log.error(Event.LINES_UNWRITTEN, lines=self.unwritten_count, log=self._thread.name, message=message)

    def _wait_until(self, is_done: Callable[[], bool]) -> None:
        with self._changed:
            if not self.problem and not self._changed.wait_for(lambda: is_done() or bool(self.problem), self._wait_s):
                self._set_problem(_NO_ANSWER)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._is_closing
            try:
                self._load_earlier()
                self._write_queued()
            except Exception as exc:  # noqa: BLE001 - DNS goes on whatever the file does
                self._set_problem(_describe(exc))
                with self._changed:
                    self._changed.wait_for(lambda: self._is_closing, 0.0 if is_last else self._retry_s)
                continue
            self._set_problem("")
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._is_closing)
        with suppress(OSError):
            self._target.close()

    def _load_earlier(self) -> None:
        if not self._is_open:
            self._load(self._target.read_lines())
            with self._changed:
                self._is_open = True
                self._changed.notify_all()

    def _write_queued(self) -> None:
        """Write all queued lines. Lines whose write fails stay at the front of the queue."""
        while self._lines:
            with self._changed:
                lines = [self._lines.popleft() for _ in range(min(len(self._lines), _MAX_LINES_PER_WRITE))]
            try:
                self._target.write(b"".join(lines))
            except Exception:
                with self._changed:
                    self._lines.extendleft(reversed(lines))
                self._drop_surplus()
                raise
            with self._changed:
                self._done_count += len(lines)
                self._changed.notify_all()

    def _drop_surplus(self) -> None:
        with self._changed:
            waiting_bytes = sum(map(len, self._lines)) if self.problem else 0
            surplus = 0
            while self.problem and (len(self._lines) > MAX_WAITING_LINES or waiting_bytes > MAX_WAITING_BYTES):
                waiting_bytes -= len(self._lines.popleft())
                surplus += 1
            self._done_count += surplus
            self.dropped_count += surplus
            if surplus:
                self._report(self.problem, self.dropped_count)

    def _set_problem(self, problem: str) -> None:
        with self._changed:
            is_new, self.problem = problem != self.problem, problem
            self._changed.notify_all()
            if is_new:  # reported before another thread can change it, so that the last report is true
                self._report(problem, self.dropped_count)


def _describe(exc: Exception) -> str:
    if isinstance(exc, OSError) and exc.strerror:
        return f"{exc.strerror}: {exc.filename}" if exc.filename else exc.strerror
    return describe_error(exc)
