"""Lines in which namespaces take turns by time (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from heapq import heappop, heappush
from typing import Generic, TypeVar

V = TypeVar("V")


class NamespaceTurns(Generic[V]):
    """Values that wait, in a few lines for each namespace.

    The namespace on which least time was spent is served first; of several, the one that waits for its turn longest.
    One that begins to wait counts as if as much was spent on it as on the one that was served last: it gets nothing
    for the past. Within a namespace, the first line that is not empty is served.
    """

    def __init__(self, lines: int) -> None:
        """Start without values. A namespace has so many *lines*."""
        self._count = lines
        self._lines: dict[str, tuple[OrderedDict[Hashable, V], ...]] = {}
        self._spent: dict[str, float] = {}  # seconds
        self._turns: list[tuple[float, int, str]] = []  # a heap of namespaces, by what was spent when they were added
        self._number = 0
        self._served_s = 0.0  # what was spent on the namespace that was served last

    def add(self, namespace: str, line: int, key: Hashable, value: V) -> None:
        """Add *value* to a line of *namespace*, unless one with *key* waits there."""
        if namespace not in self._lines:
            self._lines[namespace] = tuple([OrderedDict() for _ in range(self._count)])
            self._spent[namespace] = max(self._spent.get(namespace, 0.0), self._served_s)
            self._add_turn(namespace)
        self._lines[namespace][line].setdefault(key, value)

    def take(self) -> V | None:
        """Remove and return the next value, None if there is none."""
        while self._turns:
            spent_s, _, namespace = heappop(self._turns)
            if spent_s != self._spent[namespace]:  # it changed meanwhile
                self._add_turn(namespace)
                continue
            self._served_s = spent_s
            lines = self._lines[namespace]
            _, value = next(filter(None, lines)).popitem(last=False)
            if any(lines):
                self._add_turn(namespace)
            else:
                del self._lines[namespace]
            return value
        self._spent.clear()
        self._served_s = 0.0
        return None

    def spend(self, namespace: str, seconds: float) -> None:
        """Count *seconds* as spent on *namespace*, of which a value was just taken."""
        self._spent[namespace] += seconds

    def _add_turn(self, namespace: str) -> None:
        self._number += 1
        heappush(self._turns, (self._spent[namespace], self._number, namespace))
