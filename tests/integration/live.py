"""The whole program over a stand-in for an API server, on a thread of this process."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Final

import pytest

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.controller.ending import exit_code
from extdns.engine.inputs import Tick
from extdns.log import TextFormatter
from extdns.model.decision import Verdict
from extdns.model.name import DnsName
from tests.fakes.apiserver.server import ApiServer
from tests.integration.stage import Stage

HANGS_S: Final = 30.0
"""How long a test waits for what must come before it fails."""


class LiveStage(Stage):
    """An API server, and a folder of zone files."""

    def __init__(self, root: Path, server: ApiServer, **zones: str) -> None:
        """Begin with *zones*: what people wrote into each, by name with _ for dots."""
        super().__init__(root, **zones)
        self.server = server
        self._kubeconfig = server.kubeconfig(root / "kubeconfig")

    def put(self, *objects: dict[str, Any]) -> None:
        """Let the cluster hold *objects*, too."""
        for obj in objects:
            self.server.put(obj)

    def flags(self, *more: str) -> list[str]:
        """For a program of its own."""
        return [*(flag for flag in self._flags() if flag != "--once"), "--txt-owner-id=me", *more]

    def _flags(self) -> Sequence[str]:
        _, *others = super()._flags()
        return (f"--kubeconfig={self._kubeconfig}", *others)


class ShiftedClock(SystemClock):
    """The system's clock, set forward when a test says so; on the wall it may be fast or slow."""

    shift_s = 0.0
    fast_s = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.fast_s)

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.shift_s


class HastyClock(SystemClock):
    """A minute passes whenever somebody looks at it, so that nobody waits."""

    minutes = count()  # counts on whichever thread looks, and never back

    def monotonic_s(self) -> float:
        return super().monotonic_s() + 60.0 * next(self.minutes)


class Running(logging.Handler):
    """The program while it runs; `lines` are those of its log that were waited for so far."""

    def __init__(self, assembled: assembly.Assembly, clock: ShiftedClock, *, once: bool) -> None:
        super().__init__()
        self.setFormatter(TextFormatter())
        self.lines: list[str] = []
        self.controller = assembled.controller
        self._engine = assembled.engine
        self._clock = clock
        self.page = assembled.page
        self._news: SimpleQueue[str] = SimpleQueue()
        self._never = Event()
        self._thread = Thread(target=self.controller.run, kwargs={"once": once}, daemon=True)

    def emit(self, record: logging.LogRecord) -> None:
        self._news.put(self.format(record))

    def until(self, *parts: str) -> str:
        """Read the log up to a line that contains all *parts*."""
        end_s = time.monotonic() + HANGS_S
        while True:
            try:
                self.lines.append(self._news.get(timeout=max(0.0, end_s - time.monotonic())))
            except Empty:
                raise AssertionError(f"{parts} never came:\n" + "\n".join(self.lines)) from None
            if all(part in self.lines[-1] for part in parts):
                return self.lines[-1]

    def until_engine_knows(self, **phases: str) -> None:
        """Wait until of all kinds that are not synced just these are known, each in its phase."""
        end_s = time.monotonic() + HANGS_S
        while (missing := dict(self._engine.readiness.missing())) != phases:
            assert time.monotonic() < end_s, missing
            self._never.wait(0.002)

    def until_planned(self, name: str, verdict: Verdict) -> None:
        """Wait until *verdict* is what is to become of the records at *name*."""
        end_s = time.monotonic() + HANGS_S
        while {decision.verdict for decision in self._engine.decisions.of(DnsName.parse(name))} != {verdict}:
            assert time.monotonic() < end_s, self._engine.decisions.of(DnsName.parse(name))
            self._never.wait(0.002)

    def pass_time(self, seconds: float) -> None:
        """Let *seconds* pass for everything but requests to the API server."""
        self._clock.shift_s += seconds
        self.controller._inbox.put(Tick())

    def set_clock(self, fast_s: float) -> None:
        """Let the clock on the wall be *fast_s* ahead of the true time."""
        self._clock.fast_s = fast_s

    def kinds(self) -> dict[str, str]:
        """The phase of each kind, as it is told on /readyz."""
        facts = json.loads(json.dumps(self.controller.ready()[1]))
        return {kind: state["phase"] for kind, state in facts["kinds"].items()}

    def metrics(self) -> bytes:
        """What is told on /metrics."""
        return self.controller._parts.teller._metrics.text()

    def end(self) -> int:
        """Wait until it ends by itself; the exit code."""
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive(), "\n".join(self._rest())
        self._rest()
        return exit_code(self._engine)

    def stop(self) -> None:
        """Let it end now."""
        self.controller.stop()
        self.end()

    def _rest(self) -> list[str]:
        while not self._news.empty():
            self.lines.append(self._news.get())
        return self.lines


@contextmanager
def program(
    stage: LiveStage, patch: pytest.MonkeyPatch, *flags: str, once: bool = False, fast_s: float = 0.0
) -> Iterator[Running]:
    """The program over *stage*, whose clock on the wall is *fast_s* ahead; it is ended in the end."""
    clock = ShiftedClock()
    clock.fast_s = fast_s
    patch.setattr(assembly, "SystemClock", lambda: clock)
    config = parse(stage.flags(*flags, *(["--once"] if once else [])), {})
    running = Running(assembly.assemble(config), clock, once=once)
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
