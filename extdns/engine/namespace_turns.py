"""Lines in which namespaces take turns by time (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections import defaultdict

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class NamespaceTurns(Generic[K, V]):
    """Values that wait, in a line for each namespace.

    The namespace on which least time was spent is served first; of several, the one that waits for its turn longest.
    """

    def __init__(self, spent: defaultdict[str, float]) -> None:
        """Start without values. *spent* is the time spent on each namespace, in seconds, which may change."""
        self._spent = spent
        self._lines: dict[str, OrderedDict[K, V]] = {}
        self._turns: list[tuple[float, int, str]] = []  # a heap of namespaces, by what was spent when they were added
        self._number = 0

    def __bool__(self) -> bool:
        """Return whether any value waits."""
        return bool(self._lines)

    def add(self, namespace: str, key: K, value: V) -> V:
        """Add *value* to the line of *namespace*, unless one with *key* waits there. Return the one that waits."""
        if namespace not in self._lines:
            self._lines[namespace] = OrderedDict()
            self._add_turn(namespace)
        return self._lines[namespace].setdefault(key, value)

    def take(self) -> V | None:
        """Remove and return the next value, None if there is none."""
        while self._turns:
            spent_s, _, namespace = heappop(self._turns)
            if spent_s != self._spent[namespace]:  # it changed meanwhile
                self._add_turn(namespace)
                continue
            line = self._lines[namespace]
            _, value = line.popitem(last=False)
            if line:
                self._add_turn(namespace)
            else:
                del self._lines[namespace]
            return value
        return None

    def _add_turn(self, namespace: str) -> None:
        self._number += 1
        heappush(self._turns, (self._spent[namespace], self._number, namespace))
