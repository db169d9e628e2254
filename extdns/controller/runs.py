"""Runs, as logs and metrics count them: one at the end of the first pass, then one each interval (design 5)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from extdns.engine.health import failures

if TYPE_CHECKING:
    from extdns.controller.teller import Teller
    from extdns.engine.engine import Engine
    from extdns.ports import Clock

_LOOK_S: Final = 1.0


class Runs:
    """Looked at after every step, and at `wake_s`; work is done as events come and does not wait for a run.

    Attributes:
        settled: set once the first full pass is over: everything is planned and, if there is a
            writer, written.
        failing: what fails, in sentences; at most a second old.
    """

    def __init__(self, engine: Engine, teller: Teller, clock: Clock, *, interval_s: float, writes: bool) -> None:
        """A first pass that takes longer than *interval_s* seconds is a failing run in the meantime."""
        self._engine = engine
        self._teller = teller
        self._clock = clock
        self._interval_s = interval_s
        self._writes = writes
        self._next_run_s = clock.monotonic_s() + interval_s
        self._next_look_s = 0.0
        self._is_stale = False
        self.settled = threading.Event()
        self.failing: tuple[str, ...] = ()

    def look(self) -> bool:
        """End a run if one is due; returns whether the first pass has just come to its end."""
        now_s = self._clock.monotonic_s()
        first = not self.settled.is_set() and (self._engine.settled if self._writes else self._engine.planned)
        if first:
            self.settled.set()
        is_over = first or now_s >= self._next_run_s
        if is_over:
            self._next_run_s = now_s + self._interval_s
        self._is_stale = not is_over and now_s < self._next_look_s
        if not self._is_stale:
            self._next_look_s = now_s + _LOOK_S
            self.failing = failures(self._engine)
        if is_over:
            self._teller.run_ended(self._engine, self.failing, self._clock.now())
        return first

    @property
    def wake_s(self) -> float:
        """Monotonic time of the next look, if no step comes before."""
        return min(self._next_run_s, self._next_look_s) if self._is_stale else self._next_run_s
