"""Names that somebody else changes back whenever we have written them (design 4, "Quarantine")."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from extdns.engine.backoff import Backoff
from extdns.model.change import Blocked, Change, ChangeSet, Delete
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, RecordKey

_WINDOW_S: Final = 600.0
_WRITES: Final = 3
_FIRST_PAUSE_S: Final = 300.0
_LONGEST_PAUSE_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class _Run:
    """The same content of one record set (None: no record), and when it was written, oldest first."""

    wanted: Endpoint | None
    at_s: tuple[float, ...]


class Fights:
    """What was written three times within ten minutes, and would be a fourth time, is left alone for five.

    Then one attempt shows whether the fight is over; if it is not, the pause doubles. Something else that is wanted
    at the name is written at once.
    """

    def __init__(self) -> None:
        """Start in peace."""
        self._runs: dict[RecordKey, _Run] = {}
        self._pauses: dict[DnsName, Backoff] = {}
        self._waiting: set[DnsName] = set()
        self._next_s = math.inf
        self._sweep_s = 0.0

    def wrote(self, sets: Iterable[ChangeSet], now_s: float) -> None:
        """*sets* were written."""
        self._sweep(now_s)
        once = (now_s,)  # shared by all, since there will be as many as names
        for change in _changes(sets):
            run, wanted = self._runs.get(change.key), _wanted(change)
            at_s = (*run.at_s[1 - _WRITES :], now_s) if run and run.wanted == wanted else once
            self._runs[change.key] = _Run(wanted, at_s)

    def parry(self, name: DnsName, sets: Iterable[ChangeSet], now_s: float) -> Blocked | None:
        """What keeps *sets*, all that is to be written at *name*, from being written once more."""
        again = [self._again(change) for change in _changes(sets)]
        pause = self._pauses.get(name)
        if not all(again):
            self._forget(name)
            return None
        if pause is None or pause.until_s <= now_s - _WINDOW_S:
            if not any(len(at_s) == _WRITES and at_s[0] > now_s - _WINDOW_S for at_s in again):
                return None
            pause = self._pauses[name] = Backoff(first_s=_FIRST_PAUSE_S, most_s=_LONGEST_PAUSE_S)
        if pause.over(now_s):
            if max(at_s[-1] for at_s in again) < pause.until_s:
                return None
            self._give_way(name, pause, now_s)
        return Blocked(reason=Reason.FOUGHT_OVER, detail=pause.message)

    def _again(self, change: Change) -> tuple[float, ...]:
        """When just that was written, lately; () if something else was written there last."""
        run = self._runs.get(change.key)
        return run.at_s if run and run.wanted == _wanted(change) else ()

    def _give_way(self, name: DnsName, pause: Backoff, now_s: float) -> None:
        pause.fail(now_s)
        minutes = round((pause.until_s - now_s) / 60)
        pause.message = f"changed back each time it was written; left as it is for {minutes} minutes"
        self._waiting.add(name)
        self._next_s = min(self._next_s, pause.until_s)

    @property
    def left_alone(self) -> int:
        """How many names are not written now."""
        return len(self._waiting)

    def over(self, now_s: float) -> list[DnsName]:
        """The names whose pause has ended, each once."""
        if now_s < self._next_s:
            return []
        found = sorted(name for name in self._waiting if self._pauses[name].over(now_s))
        self._waiting.difference_update(found)
        self._next_s = min((self._pauses[name].until_s for name in self._waiting), default=math.inf)
        return found

    @property
    def next_s(self) -> float:
        """When the next pause ends (monotonic seconds), infinity if there is none."""
        return self._next_s

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Forget names that no longer belong to the zone."""
        for name in [name for name in self._pauses if not belongs(name)]:
            self._forget(name)

    def _forget(self, name: DnsName) -> None:
        self._pauses.pop(name, None)
        self._waiting.discard(name)

    def _sweep(self, now_s: float) -> None:
        """Forget, now and then, what was written or left alone longer ago than matters."""
        if now_s >= self._sweep_s:
            self._sweep_s, begin_s = now_s + _WINDOW_S, now_s - _WINDOW_S
            for name in [name for name, pause in self._pauses.items() if pause.until_s <= begin_s]:
                self._forget(name)
            self._runs = {
                key: run for key, run in self._runs.items() if run.at_s[-1] > begin_s or key.name in self._pauses
            }


def _changes(sets: Iterable[ChangeSet]) -> Iterator[Change]:
    return (change for change_set in sets for change in change_set.changes)


def _wanted(change: Change) -> Endpoint | None:
    return None if isinstance(change, Delete) else change.wanted
