"""The API rate limits, as token buckets (developer guide, "Throttling for Amazon Route 53 API requests").

A request takes a token from the bucket of its account and action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: tokens per second, and the maximum number of saved tokens."""

    per_s: float
    burst: float


class Bucket:
    """A token bucket, which is full at first."""

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._rate = rate
        self._level = rate.burst
        self._at_s = now_s

    def take(self, now_s: float) -> bool:
        """Remove a token if the bucket contains one, and return whether it did."""
        self._level = min(self._rate.burst, self._level + (now_s - self._at_s) * self._rate.per_s)
        self._at_s = now_s
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Buckets:
    """The current rate limits. Callers must hold the lock of the server.

    Attributes:
        action: the limit of requests of an account and action; None is no limit.
    """

    def __init__(self, now_s: Callable[[], float], *, action: Rate | None = None) -> None:
        self._now_s = now_s
        self.action = action
        self._buckets: dict[tuple[str, str, Rate], Bucket] = {}

    def admit(self, account: str, action: str) -> bool:
        """Return whether *account* may call *action* now. If so, take a token."""
        if self.action is None:
            return True
        now_s = self._now_s()
        return self._buckets.setdefault((account, action, self.action), Bucket(self.action, now_s)).take(now_s)
