"""extdns while it runs on a thread of this process: its log, clock, metrics and decisions."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final

from extdns.app import assembly
from extdns.controller.clock import SystemClock
from extdns.controller.exit_codes import compute_exit_code
from extdns.engine.inputs import TimePassed
from extdns.log import TextFormatter
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from tests.fakes.clocks import ShiftedClock

HANGS_S: Final = 120.0
"""Longest time in seconds that a test waits for an event."""


class HastyClock(SystemClock):
    """A clock whose monotonic time advances by a minute at each call, so that no test waits."""

    minutes = count()  # shared by all threads, never reset

    def monotonic_s(self) -> float:
        return super().monotonic_s() + 60.0 * next(self.minutes)


class Running(logging.Handler):
    """extdns while it runs; `lines` are the log lines read so far."""

    def __init__(self, assembled: assembly.Assembly, clock: ShiftedClock, *, once: bool) -> None:
        super().__init__()
        self.setFormatter(TextFormatter())
        self.lines: list[str] = []
        self.controller = assembled.controller
        self._engine = assembled.engine
        self._clock = clock
        self.page = assembled.page
        self._log_lines: SimpleQueue[str] = SimpleQueue()
        self._never = Event()
        self._thread = Thread(target=self.controller.run, kwargs={"once": once}, daemon=True)

    def emit(self, record: logging.LogRecord) -> None:
        self._log_lines.put(self.format(record))

    def until(self, *parts: str) -> str:
        """Read the log up to the first line that contains all *parts*, and return that line."""
        end_s = time.monotonic() + HANGS_S
        while True:
            try:
                self.lines.append(self._log_lines.get(timeout=max(0.0, end_s - time.monotonic())))
            except Empty:
                raise AssertionError(f"{parts} never came:\n" + "\n".join(self.lines)) from None
            if all(part in self.lines[-1] for part in parts):
                return self.lines[-1]

    def until_engine_knows(self, **phases: str) -> None:
        """Wait until the kinds that are not synced, and their phases, are exactly *phases*."""
        end_s = time.monotonic() + HANGS_S
        while (missing := dict(self._engine.readiness.find_missing())) != phases:
            assert time.monotonic() < end_s, missing
            self._never.wait(0.002)

    def until_planned(self, name: str, action: Action) -> None:
        """Wait until *action* is what is planned for every record at *name*."""
        end_s = time.monotonic() + HANGS_S
        while {decision.action for decision in self._engine.decisions.decisions(DnsName.parse(name))} != {action}:
            assert time.monotonic() < end_s, self._engine.decisions.decisions(DnsName.parse(name))
            self._never.wait(0.002)

    def pass_time(self, seconds: float) -> None:
        """Advance the engine's monotonic clock by *seconds*. Timeouts of API requests are not affected."""
        self._clock.shift_s += seconds
        self.controller._inbox.put(TimePassed())

    def set_clock(self, fast_s: float) -> None:
        """Set the wall clock *fast_s* seconds ahead of the true time."""
        self._clock.fast_s = fast_s

    def kinds(self) -> dict[str, str]:
        """Return the phase of each kind as /readyz shows it."""
        document = json.loads(json.dumps(self.controller.read_readiness()[1]))
        return {kind: state["phase"] for kind, state in document["kinds"].items()}

    def metrics(self) -> bytes:
        """Return the body of /metrics."""
        return self.controller._parts.reporter.metrics.render()

    def end(self) -> int:
        """Wait until extdns ends by itself, and return its exit code."""
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive(), "\n".join(self._rest())
        self._rest()
        return compute_exit_code(self._engine)

    def stop(self) -> None:
        """Stop extdns and wait until it has ended."""
        self.controller.stop()
        self.end()

    def _rest(self) -> list[str]:
        while not self._log_lines.empty():
            self.lines.append(self._log_lines.get())
        return self.lines


@contextmanager
def run_in_background(made: assembly.Assembly, clock: ShiftedClock, *, once: bool) -> Iterator[Running]:
    """Run the controller of *made* on a thread with its log at level info, and stop it when the block ends."""
    running = Running(made, clock, once=once)
    log = logging.getLogger("extdns")
    before = log.level
    log.setLevel(logging.INFO)
    log.addHandler(running)
    try:
        running._thread.start()
        yield running
    finally:
        running.stop()
        log.removeHandler(running)
        log.setLevel(before)
