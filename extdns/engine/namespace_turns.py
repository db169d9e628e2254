"""Lines in which namespaces take turns (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from heapq import heappop, heappush
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class NamespaceTurns(Generic[K]):
    """What waits, each once, in a few lines for each namespace.

    The namespace on which least was spent, in seconds or another measure, is served first; of several, the one that
    waits for its turn longest. One that begins to wait counts as if at least as much was spent on it as on the one that
    was served last: it gets nothing for the past. Within a namespace, line 0 is served first; the others take turns.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._waiting: set[K] = set()
        # by namespace and line; they can also contain what was removed, or was served from another line
        self._lines: dict[str, dict[int, OrderedDict[K, None]]] = {}
        self._spent: dict[str, float] = {}
        self._turns: list[tuple[float, int, str]] = []  # a heap of these namespaces, without the last one
        self._last: str | None = None  # the namespace that was served last, if it has lines
        self._number = 0
        self._served_at = 0.0  # what had been spent on that namespace

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def __contains__(self, key: object) -> bool:
        """Return whether *key* waits."""
        return key in self._waiting

    def add(self, namespace: str, key: K, line: int = 0) -> None:
        """Let *key* wait in a line of *namespace*, at its place if it waits there already."""
        self._waiting.add(key)
        lines = self._lines.get(namespace)
        if lines is None:
            lines = self._lines[namespace] = {}
            self._spent[namespace] = max(self._spent.get(namespace, 0.0), self._served_at)
            self._add_turn(namespace)
        if line not in lines:
            lines[line] = OrderedDict()
        lines[line][key] = None

    def discard(self, key: K) -> None:
        """Remove *key* if it waits."""
        self._waiting.discard(key)

    def take(self) -> K | None:
        """Remove and return the next one, None if nothing waits."""
        while True:
            if self._last is not None:
                if self._lines[self._last]:
                    self._add_turn(self._last)
                else:
                    del self._lines[self._last]
                self._last = None
            if not self._turns:
                self._spent = {one: spent for one, spent in self._spent.items() if spent > self._served_at}
                return None
            self._served_at, _, self._last = heappop(self._turns)
            lines = self._lines[self._last]
            number = 0 if 0 in lines else next(iter(lines))
            line = lines.pop(number)
            key, _ = line.popitem(last=False)
            if line:
                lines[number] = line  # as the last one
            if key in self._waiting:
                self._waiting.remove(key)
                return key

    def spend(self, amount: float) -> None:
        """Count *amount* as spent on the namespace of what was taken last."""
        assert self._last is not None  # noqa: S101 - something was taken
        self._spent[self._last] += amount

    def _add_turn(self, namespace: str) -> None:
        self._number += 1
        heappush(self._turns, (self._spent[namespace], self._number, namespace))
