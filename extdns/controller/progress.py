"""How far long work has come: zones to read, names to write, and the time that is left (for log and readiness)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.log import Event
from extdns.model.outcome import Applied
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.model.change import Batch
    from extdns.model.outcome import Outcome
    from extdns.ports import Clock

_LOOK_S: Final = 1.0
_TOLD_EVERY_S: Final = 10.0

_log = log.get(__name__)


class Work(Value, frozen=True, kw_only=True):
    """What is under way.

    Attributes:
        zones: all that are listed.
        read: those of them that were read whole.
        pages: pages read of the others.
        names: names whose change waits or is being written.
        written: names written since the work began, in so many *batches*.
        left_s: seconds until all names are written, at the pace so far; None while zones are unread, or there is none.
    """

    zones: int
    read: int
    pages: int
    names: int
    written: int = 0
    batches: int = 0
    left_s: float | None = None

    @property
    def done(self) -> tuple[int, ...]:
        """Grows as long as the work gets on."""
        return (self.read, self.pages, self.batches)


class Progress:
    """Looked at after every step by the thread that runs the engine.

    Attributes:
        work: what was under way a second ago at most, None if nothing was; any thread may read it.
    """

    def __init__(self, engine: Engine, clock: Clock, *, writes: bool) -> None:
        """Watch *engine*; unless it *writes*, and leads, no name waits for that."""
        self._engine = engine
        self._clock = clock
        self._writes = writes
        self._next_look_s = 0.0
        self._writing_s = 0.0
        self._told_s = 0.0
        self._told: tuple[int, ...] = ()
        self._written = self._batches = 0
        self.work: Work | None = None

    def ended(self, batch: Batch, outcome: Outcome) -> None:
        """A batch has an outcome."""
        if isinstance(outcome, Applied):
            self._written += len({change_set.name for change_set in batch.sets})
            self._batches += 1

    def look(self) -> None:
        """See how far the work is, once a second at most, and log it if it is long."""
        now_s = self._clock.monotonic_s()
        if now_s < self._next_look_s:
            return
        self._next_look_s = now_s + _LOOK_S
        work = self._seen(now_s)
        if work.read == work.zones and not work.names:
            self.work, self._written, self._batches = None, 0, 0
            return
        if self.work is None:
            self._told_s, self._told = now_s, work.done
        self.work = work
        if now_s - self._told_s >= _TOLD_EVERY_S and work.done != self._told:
            self._tell(work, now_s)

    def shown(self) -> dict[str, object]:
        """What readiness says; nothing if no work is under way."""
        work = self.work
        if work is None:
            return {}
        return {
            "progress": {
                "zones": work.zones,
                "zonesRead": work.read,
                "pages": work.pages,
                "namesWaiting": work.names,
                "namesWritten": work.written,
                "batches": work.batches,
                "secondsLeft": work.left_s,
            }
        }

    def _seen(self, now_s: float) -> Work:
        states = tuple(self._engine.zones)
        unread = [state for state in states if not state.mirror.whole]
        writes = self._writes and self._engine.leadership.leads
        names = sum(state.writes.waiting for state in states) if writes else 0
        if unread or not self._batches:
            self._writing_s = now_s
        pace = self._written / (now_s - self._writing_s) if now_s > self._writing_s else 0.0
        return Work(
            zones=len(states),
            read=len(states) - len(unread),
            pages=sum(state.audit.pages for state in unread),
            names=names,
            written=self._written,
            batches=self._batches,
            left_s=round(names / pace, 1) if pace else None,
        )

    def _tell(self, work: Work, now_s: float) -> None:
        self._told_s, self._told = now_s, work.done
        _log.info(
            Event.PROGRESS,
            read=work.read,
            zones=work.zones,
            waiting=work.names,
            pages=work.pages or None,
            written=work.written or None,
            batches=work.batches or None,
            left_s=work.left_s,
        )
