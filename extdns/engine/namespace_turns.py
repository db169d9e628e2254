"""Lines in which namespaces take turns (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

_SPARE: Final = 1000


class NamespaceTurns(Generic[K]):
    """What waits, each once, in a few lines for each namespace.

    The namespace on which least was spent, in seconds or another measure, is served first; of several, the one that
    waits for its turn longest. One that begins to wait starts at what was spent on the one that was served last, if it
    has less: so waiting earns no credit. Within a namespace, line 0 is served first; the others take turns.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._waiting: dict[K, tuple[str, ...]] = {}  # with the namespaces
        # by namespace and line; they can also contain what was removed, or was served from another line
        self._lines: dict[str, dict[int, OrderedDict[K, None]]] = {}
        self._spent: dict[str, float] = {}
        self._turns: list[tuple[float, int, str]] = []  # a heap of these namespaces, without the last one
        self._last: str | None = None  # the namespace that was served last, if it has no turn yet
        self._taken_from = ""  # that namespace
        self._number = 0
        self._removed = 0  # how many were removed and may still be in lines
        self._served_at = 0.0  # what had been spent on that namespace

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def __contains__(self, key: object) -> bool:
        """Return whether *key* waits."""
        return key in self._waiting

    def __iter__(self) -> Iterator[K]:
        """Return what waits, each once."""
        return iter(self._waiting)

    def add(self, namespace: str, key: K, line: int = 0) -> None:
        """Let *key* wait in a line of *namespace*, at its place if it waits there already."""
        namespaces = self._waiting.get(key, ())
        if namespace not in namespaces:
            self._waiting[key] = (*namespaces, namespace)
        lines = self._lines.get(namespace)
        if lines is None:
            lines = self._lines[namespace] = {}
            self._spent[namespace] = max(self._spent.get(namespace, 0.0), self._served_at)
            self._add_turn(namespace)
        if line not in lines:
            lines[line] = OrderedDict()
        lines[line][key] = None

    def waits_in(self, namespace: str, key: K) -> bool:
        """Return whether *key* waits in a line of *namespace*."""
        return namespace in self._waiting.get(key, ())

    def discard(self, key: K) -> None:
        """Remove *key* if it waits."""
        if key not in self._waiting:
            return
        del self._waiting[key]
        self._removed += 1
        if self._removed > len(self._waiting) + _SPARE:
            self._drop_removed()

    def _drop_removed(self) -> None:
        """Build the lines again without what was removed."""
        found = [
            (namespace, key, number)
            for namespace, lines in self._lines.items()
            for number, line in lines.items()
            for key in line
            if self.waits_in(namespace, key)
        ]
        self._lines, self._turns, self._last, self._removed = {}, [], None, 0
        for namespace, key, number in found:
            self.add(namespace, key, number)
        self._spent = {one: spent for one, spent in self._spent.items() if one in {*self._lines, self._taken_from}}

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
            if self.waits_in(self._last, key):
                del self._waiting[key]
                self._taken_from = self._last
                return key

    def spend(self, amount: float) -> None:
        """Count *amount* as spent on the namespace of what was taken last."""
        self._spent[self._taken_from] += amount

    def _add_turn(self, namespace: str) -> None:
        self._number += 1
        heappush(self._turns, (self._spent[namespace], self._number, namespace))
