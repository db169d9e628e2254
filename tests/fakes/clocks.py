"""Clocks that tests move."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from extdns.controller.clock import SystemClock

BEGINNING: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
_START_S: Final = 1000.0


@dataclass
class MovedClock:
    """A clock that advances only when a test sets `now_s`.

    Attributes:
        now_s: monotonic time, in seconds.
        beginning: the time of day at the first value of `now_s`.
    """

    now_s: float = _START_S
    beginning: datetime = BEGINNING

    def now(self) -> datetime:
        return self.beginning + timedelta(seconds=self.now_s - _START_S)

    def monotonic_s(self) -> float:
        return self.now_s


class ShiftedClock(SystemClock):
    """The system's clock, whose monotonic time is `shift_s`, and whose wall-clock time is `fast_s` ahead."""

    def __init__(self, *, fast_s: float = 0.0) -> None:
        self.shift_s = 0.0
        self.fast_s = fast_s

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.fast_s)

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.shift_s
