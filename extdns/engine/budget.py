"""How many records of one zone may be deleted within ten minutes (design 6)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

WINDOW_S: Final = 600.0
_ALL_PERCENT: Final = 100
_ABSENCE_FRACTION: Final = 5  # deletes by absence have a fifth of the limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`--max-delete-count` and `--max-delete-percent`; deletes wait when both are exceeded."""

    count: int = 10
    percent: int = 30

    def exceeded(self, deletes: int, *, of: int, by_absence: bool) -> bool:
        """Tell whether *deletes* records are too many of the *of* that were owned."""
        if self.percent >= _ALL_PERCENT:
            return False
        weight = deletes * (_ABSENCE_FRACTION if by_absence else 1)
        return weight > self.count and weight * _ALL_PERCENT > self.percent * of


class Made(NamedTuple):
    """A delete that counts: when it was seen to be made (monotonic seconds), and on what evidence."""

    at_s: float
    by_absence: bool


class Most(NamedTuple):
    """Until *until_s* (monotonic seconds) *records* were owned."""

    until_s: float
    records: int


class Budget:
    """The rolling window of one zone: deletes made in it, and the most records owned at any time in it.

    Attributes:
        owned: how many records are owned now.
    """

    def __init__(self, limits: Limits) -> None:
        """Start with an empty window."""
        self._limits = limits
        self._made: deque[Made] = deque()
        self._most: deque[Most] = deque()  # falling numbers: a smaller one matters once the larger left the window
        self.owned = 0

    @property
    def made(self) -> tuple[Made, ...]:
        """The deletes in the window, oldest first."""
        return tuple(self._made)

    @property
    def most(self) -> tuple[Most, ...]:
        """How many records were owned until when, as far as it still matters, oldest first."""
        return tuple(self._most)

    def restore(self, made: Iterable[Made], most: Iterable[Most]) -> None:
        """Take over the window of a former process, both oldest first."""
        self._made.extendleft(reversed(tuple(made)))
        own, self._most = self._most, deque(most)
        for one in own:
            self._append(one)

    def own(self, more: int, now_s: float) -> None:
        """*more* records are owned than before; fewer, if it is negative."""
        self._slide(now_s)
        self._append(Most(now_s, self.owned))
        self.owned += more

    def spend(self, now_s: float, *, by_absence: bool) -> None:
        """A record was deleted without a person's word."""
        self._made.append(Made(now_s, by_absence))

    def exceeded(self, waiting: int, now_s: float, *, by_absence: bool) -> bool:
        """Tell whether what was deleted and the deletes *waiting*, all of one kind, are too many."""
        self._slide(now_s)
        made = sum(one.by_absence is by_absence for one in self._made)
        of = max(self.owned, self._most[0].records if self._most else 0)
        return self._limits.exceeded(made + waiting, of=of, by_absence=by_absence)

    @property
    def eases_s(self) -> float:
        """When the oldest delete leaves the window (monotonic seconds), infinity if there is none."""
        return self._made[0].at_s + WINDOW_S if self._made else math.inf

    def _slide(self, now_s: float) -> None:
        while self.eases_s <= now_s:
            self._made.popleft()
        while self._most and self._most[0].until_s + WINDOW_S <= now_s:
            self._most.popleft()

    def _append(self, one: Most) -> None:
        while self._most and self._most[-1].records <= one.records:
            self._most.pop()
        self._most.append(one)
