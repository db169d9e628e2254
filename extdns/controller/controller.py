"""The loop: one thread follows the cluster, one runs the engine, others make the engine's calls.

::

    cluster ─take─▶ follower ─observations─┐
                                           ▼
    workers ─answers────────────────────▶ inbox ─▶ engine thread ─effects─▶ workers, teller
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.controller.board import Board
from extdns.controller.candidacy import Candidacy
from extdns.controller.follower import Follower
from extdns.controller.instead import Standins
from extdns.controller.keeper import Keeper
from extdns.controller.progress import Progress
from extdns.controller.pulse import Pulse
from extdns.controller.runs import Runs
from extdns.controller.standings import Standings
from extdns.controller.workers import Workers
from extdns.engine.effects import TellDecisions, TellHeld, TellOutcome, Wake
from extdns.engine.inputs import Approved, Input, Submitted, Tick
from extdns.errors import described

if TYPE_CHECKING:
    from extdns.controller.teller import Teller
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.observer import Observer
    from extdns.model.cluster import Kind, KindState
    from extdns.ports import Clock, Cluster, Lease, State, StatusWriter, ZoneReader, ZoneWriter

_LONGEST_WAIT_S: Final = 60.0  # only a sign of life: whatever is due by itself has a time, and all else is an input
_AFTER_DEFECT_S: Final = 1.0
_PATIENCE_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the controller joins; `extdns.app` chooses them. Without writers nothing can be written.

    Attributes:
        patience_s: how long the end waits for writes under way; less than a pod is given to end (30 s).
    """

    engine: Engine
    observer: Observer
    cluster: Cluster
    reader: ZoneReader
    writer: ZoneWriter | None
    teller: Teller
    clock: Clock
    kinds: tuple[Kind, ...]
    interval_s: float
    state: State | None = None
    statuses: StatusWriter | None = None
    lease: Lease | None = None
    patience_s: float = 20.0


class Controller:
    """Runs until everything is settled (`once`) or until it is stopped.

    Attributes:
        settled: set once the first full pass is over and written.
        board: what readers on other threads are shown.
    """

    def __init__(self, parts: Parts) -> None:
        """Join *parts*; nothing starts yet."""
        self._parts = parts
        self._inbox: queue.SimpleQueue[Input] = queue.SimpleQueue()
        self._first: deque[Input] = deque()
        self._workers = Workers(
            parts.cluster,
            parts.reader,
            parts.writer,
            Keeper(parts.state, parts.clock) if parts.state else None,
            answer=self._inbox.put,
            defect=parts.teller.defect,
        )
        self._follower = Follower(
            parts.cluster,
            parts.observer,
            parts.kinds,
            teller=parts.teller,
            clock=parts.clock,
            put=self._inbox.put,
        )
        self._runs = Runs(
            parts.engine, parts.teller, parts.clock, interval_s=parts.interval_s, writes=parts.writer is not None
        )
        self.settled = self._runs.settled
        self._progress = Progress(parts.engine, parts.clock, writes=parts.writer is not None)
        self._standings = Standings(parts.engine, parts.statuses, parts.clock) if parts.statuses else None
        self.board = Board(
            parts.engine,
            parts.clock,
            kinds=lambda: tuple(self._follower.states.values()),
            settled=self.settled.is_set,
            wake=lambda: self._inbox.put(Tick()),
        )
        self._candidacy = Candidacy(parts.lease, parts.clock, self._inbox.put) if parts.lease else None
        self._pulse = Pulse(parts.clock.monotonic_s())
        self._standins = Standins(parts.kinds)
        self._wake_s = 0.0
        self._stopped_by: str | None = None
        self._ending = False

    def stop(self, why: str = "") -> None:
        """End soon; safe from any thread and from handlers of signals, of which *why* is the name."""
        self._stopped_by = why
        self._inbox.put(Tick())

    def healthy(self) -> bool:
        """Whether both threads get on, that of the engine and that of the cluster."""
        now_s = self._parts.clock.monotonic_s()
        return self._pulse.healthy(now_s) and self._follower.pulse.healthy(now_s)

    def ready(self) -> tuple[bool, dict[str, object]]:
        """Whether the first full pass has been made, once and for all; what fails, and how far kinds and work are."""
        states = self._follower.states.values()
        kinds = {state.kind.resource: _shown(state, self._parts.clock) for state in states}
        election = {"election": self._candidacy.facts()} if self._candidacy else {}
        work: dict[str, object] = {**self._progress.shown(), **election}
        return self.settled.is_set(), {"failing": list(self._runs.failing), "kinds": kinds, **work}

    @property
    def complete(self) -> bool:
        """Whether the first full pass is over, and no defect may have kept anything out of it."""
        return self.settled.is_set() and not self._parts.teller.defects

    def run(
        self,
        *,
        once: bool,
        on_settled: Callable[[], None] | None = None,
        approve: Callable[[], None] | None = None,
    ) -> None:
        """Run; with *once* until the first pass is settled.

        Args:
            once: make one pass, and leave it unfinished if the engine or the cluster are broken.
            on_settled: called when the first pass is over, by the thread that runs the engine.
            approve: called when all is planned and nothing is written, where the engine asks; what it raises ends
                the run, and nothing will have been written.
        """
        self._follower.start()
        try:
            self._loop(on_settled or (lambda: None), approve, once=once)
            if self._stopped_by is not None:
                self._parts.teller.stopped(self._stopped_by)
        finally:
            self.close()

    def close(self) -> None:
        """Wait for writes under way, and tell how they ended; harmless when called twice."""
        if self._ending:
            return
        self._ending = True
        self._follower.close()
        is_written = self._workers.close(self._parts.clock, self._parts.patience_s)
        if not is_written:
            self._parts.teller.abandoned()
        while not self._inbox.empty():
            if isinstance(item := self._inbox.get_nowait(), Submitted):
                self._feed(item)
        if not self._pulse.broken:
            self._feed(Tick())  # what was written last is planned again, and can be told
        if self._standings:
            patience_s = self._parts.patience_s if self._stopped_by is None else _PATIENCE_S
            self._guard(partial(self._standings.close, patience_s))
        self._parts.teller.close()
        if self._candidacy:
            self._guard(partial(self._candidacy.close, give_up=is_written))

    def _loop(self, on_settled: Callable[[], None], approve: Callable[[], None] | None, *, once: bool) -> None:
        item: Input = Tick()
        while self._stopped_by is None:
            for news in self._candidacy.news() if self._candidacy else ():
                self._feed(news)
            self._feed(item)
            if approve and self._parts.engine.planned:
                approve()
                approve, item = None, Approved()
                continue
            self._guard(lambda: on_settled() if self._runs.look() else None)
            if self._candidacy and self.settled.is_set():  # who leads is to be warm
                self._candidacy.begin()
            if self._standings:
                self._guard(self._standings.look)
            self._guard(self._progress.look)
            self._guard(self.board.look)
            if once and (self.settled.is_set() or self._pulse.broken or self._follower.pulse.broken):
                return
            item = self._next()

    def _feed(self, item: Input) -> None:
        """Step once; what the engine fails to take in, it is told in other words."""
        clock, teller = self._parts.clock, self._parts.teller
        now_s = clock.monotonic_s()
        self._wake_s = now_s + _LONGEST_WAIT_S
        self._guard(partial(teller.heard, item, clock.now))
        if self._standings:
            self._guard(partial(self._standings.heard, item))
        try:
            effects = self._parts.engine.step(self._standins.truthful(item), now_s)
        except Exception as exc:  # noqa: BLE001 - law 3: one defect must not end the process
            teller.defect(exc)
            self._pulse.miss()
            self._wake_s = now_s + _AFTER_DEFECT_S  # when the engine wanted to be woken is lost with the rest
            self._first.extendleft(reversed(self._standins.instead(item, described(exc))))
            if self._pulse.broken:
                self._first.clear()
            return
        for effect in effects:
            self._guard(partial(self._carry_out, effect))
        self._pulse.beat(clock.monotonic_s())

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case TellOutcome(batch=batch, outcome=outcome):
                self._guard(partial(self.board.ended, batch, outcome))
                self._progress.ended(batch, outcome)
                self._parts.teller.ended(batch, outcome)
            case _ if self._ending:
                pass
            case Wake(at_s=at_s):
                self._wake_s = min(self._wake_s, at_s)
            case TellDecisions(decisions=decisions):
                self._parts.teller.decided(decisions)
                if self._standings:
                    self._standings.decided(decisions)
            case TellHeld():
                self._parts.teller.held(effect)
            case _:
                self._workers.carry_out(effect)

    def _guard(self, work: Callable[[], None]) -> None:
        """Do *work*, of which a defect must cost nothing else."""
        try:
            work()
        except Exception as exc:  # noqa: BLE001 - law 3
            self._parts.teller.defect(exc)

    def _next(self) -> Input:
        if self._first:
            return self._first.popleft()
        wakes_s = [one.wake_s for one in (self._runs, self._standings, self._candidacy) if one]
        wait_s = min(self._wake_s, *wakes_s) - self._parts.clock.monotonic_s()
        try:
            return self._inbox.get(timeout=wait_s) if wait_s > 0 else self._inbox.get_nowait()
        except queue.Empty:
            return Tick()


def _shown(state: KindState, clock: Clock) -> dict[str, str]:
    """The state of a kind for people, with the time of day at which it began."""
    since = clock.now() - timedelta(seconds=clock.monotonic_s() - state.since_s)
    shown = {"phase": state.phase.value, "since": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
    return shown | ({"message": state.detail} if state.detail else {})
