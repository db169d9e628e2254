"""A name that is written again and again is written less often (design 4, "Quarantine")."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from extdns.model.name import DnsName

_WINDOW_S = 60.0
_WRITES = 3
_PAUSE_S = 5.0


class Pace:
    """Counts the writes of each name within a minute; from the third on, five seconds lie between two."""

    def __init__(self) -> None:
        """Start with nothing written."""
        self._log: deque[tuple[float, frozenset[DnsName]]] = deque()
        self._counts: dict[DnsName, int] = {}
        self._paused: dict[DnsName, float] = {}

    def wrote(self, names: Iterable[DnsName], now_s: float) -> None:
        """Count a write of each of *names*."""
        self._expire(now_s)
        written = frozenset(names)
        self._log.append((now_s, written))
        for name in written:
            self._counts[name] = self._counts.get(name, 0) + 1
            if self._counts[name] >= _WRITES:
                self._paused[name] = now_s + _PAUSE_S

    def free_s(self, name: DnsName) -> float:
        """From when on *name* may be written again; 0 if there is no pause."""
        return self._paused.get(name, 0.0)

    def paused(self) -> Iterable[DnsName]:
        """The names that `free_s` may hold up."""
        return self._paused

    def _expire(self, now_s: float) -> None:
        while self._log and self._log[0][0] <= now_s - _WINDOW_S:
            for name in self._log.popleft()[1]:
                self._counts[name] -= 1
                if not self._counts[name]:
                    del self._counts[name]
                    self._paused.pop(name, None)
