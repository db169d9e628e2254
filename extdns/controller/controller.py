"""The loop: one thread follows the cluster, one runs the engine, others make the engine's calls.

::

    cluster ─take─▶ observer thread ─observations─┐
                                                  ▼
    workers ─answers──────────────────────────▶ inbox ─▶ engine thread ─effects─▶ workers, teller
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extdns.controller.workers import CallEffect, Workers
from extdns.engine.effects import TellDecisions, TellOutcome, Wake
from extdns.engine.health import failures
from extdns.engine.inputs import Input, KindReported, Observed, Tick
from extdns.model.cluster import KindChange, ObjectProblem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.controller.teller import Teller
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.observer import Observer
    from extdns.model.cluster import ClusterChange, Kind
    from extdns.ports import Clock, Cluster, ZoneReader, ZoneWriter

_TAKE_S = 0.25
_LONGEST_WAIT_S = 1.0
_STUCK_AFTER_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the controller joins; `extdns.app` chooses them. Without a writer nothing can be written."""

    engine: Engine
    observer: Observer
    cluster: Cluster
    reader: ZoneReader
    writer: ZoneWriter | None
    teller: Teller
    clock: Clock
    kinds: tuple[Kind, ...]
    interval_s: float


class Controller:
    """Runs until everything is settled (`once`) or until it is stopped.

    Attributes:
        settled: set once the first full pass is over and written.
    """

    def __init__(self, parts: Parts) -> None:
        """Join *parts*; nothing starts yet."""
        self._parts = parts
        self._inbox: queue.SimpleQueue[Input] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._workers = Workers(parts.cluster, parts.reader, parts.writer, self._inbox.put)
        self._wake_s = 0.0
        self._next_run_s = 0.0
        self.settled = threading.Event()
        self._failing: tuple[str, ...] = ()
        self._stepped_s = parts.clock.monotonic_s()

    def stop(self) -> None:
        """End as soon as the calls under way have ended; safe from any thread and from signals."""
        self._stopping.set()
        self._inbox.put(Tick())

    def healthy(self) -> bool:
        """Whether the engine thread still takes steps."""
        return self._parts.clock.monotonic_s() - self._stepped_s < _STUCK_AFTER_S

    def ready(self) -> tuple[bool, dict[str, object]]:
        """Whether the first full pass has been made, once and for all, and what fails now."""
        return self.settled.is_set(), {"failing": list(self._failing)}

    def run(self, *, once: bool) -> None:
        """Run; with *once* until the first pass is settled."""
        observing = threading.Thread(target=self._observe, name="observer", daemon=True)
        observing.start()
        try:
            self._loop(once=once)
        finally:
            self._stopping.set()
            self._workers.close()
            self._parts.cluster.close()
            observing.join()

    def _loop(self, *, once: bool) -> None:
        item: Input = Tick()
        while not self._stopping.is_set():
            self._step(item)
            self._run_if_due()
            if once and self.settled.is_set():
                return
            item = self._next()

    def _step(self, item: Input) -> None:
        now_s = self._parts.clock.monotonic_s()
        self._parts.teller.heard(item, self._parts.clock.now)
        effects = self._parts.engine.step(item, now_s)
        self._stepped_s, self._wake_s = now_s, now_s + _LONGEST_WAIT_S
        self._carry_out(effects)

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Wake(at_s=at_s):
                    self._wake_s = min(self._wake_s, at_s)
                case TellDecisions(decisions=decisions):
                    self._parts.teller.decided(decisions)
                case TellOutcome(batch=batch, outcome=outcome):
                    self._parts.teller.ended(batch, outcome)
                case _:
                    self._call(effect)

    def _call(self, effect: CallEffect) -> None:
        if not self._stopping.is_set():
            self._workers.carry_out(effect)

    def _next(self) -> Input:
        wait_s = self._wake_s - self._parts.clock.monotonic_s()
        try:
            return self._inbox.get(timeout=max(wait_s, 0.0)) if wait_s > 0 else self._inbox.get_nowait()
        except queue.Empty:
            return Tick()

    def _run_if_due(self) -> None:
        """A run, in metrics and logs, is each tick of the interval (design 5)."""
        engine = self._parts.engine
        if engine.settled or (self._parts.writer is None and engine.planned):
            self.settled.set()
        now_s = self._parts.clock.monotonic_s()
        if not self.settled.is_set():
            self._failing = failures(engine)
        if self.settled.is_set() and now_s >= self._next_run_s:
            self._next_run_s = now_s + self._parts.interval_s
            self._failing = failures(engine)
            self._parts.teller.run_ended(engine, self._parts.clock.now())

    def _observe(self) -> None:
        """Follow the cluster; only this thread looks things up in it."""
        for kind in self._parts.kinds:
            self._parts.cluster.need(kind)
        while not self._stopping.is_set():
            try:
                changes = self._parts.cluster.take(_TAKE_S)
                if changes:
                    self._pass_on(changes)
            except Exception as exc:  # noqa: BLE001 - law 3: the loop outlives a defect in a source or a cluster
                self._parts.teller.defect(exc)
                self._stopping.wait(_TAKE_S)

    def _pass_on(self, changes: tuple[ClusterChange, ...]) -> None:
        observations = self._parts.observer.observe(changes)
        if observations:
            self._parts.teller.observed(observations)
            self._inbox.put(Observed(observations=observations))
        for change in changes:
            match change:
                case KindChange(state=state):
                    self._parts.teller.kind_changed(state)
                    self._inbox.put(KindReported(state=state))
                case ObjectProblem():
                    self._parts.teller.object_problem(change)
                case _:
                    pass
