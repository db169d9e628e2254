"""How many calls an account may make (developer guide, "Throttling for Amazon Route 53 API requests").

A call takes a token from the bucket of the account and from that of its action. Calls wait for their
tokens here, in the thread that makes them; batches meanwhile gather what comes. Reads leave the last
tokens of the account to writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

_BURST: Final = 50.0
_PER_SECOND: Final = 10.0
_FOR_WRITES: Final = 5.0
_SLOWEST_PER_SECOND: Final = 0.5
_ROUNDING: Final = 1e-6  # tokens; a wait may fall short by that much


@dataclass(slots=True)
class Bucket:
    """Tokens that come back at a rate, which falls when the service throttles and recovers with every call.

    Attributes:
        most: tokens of a full bucket.
        per_s: tokens a second when all is well.
        tokens: what was left at *at_s*.
        rate: tokens a second now.
    """

    most: float = _BURST
    per_s: float = _PER_SECOND
    tokens: float = _BURST
    rate: float = _PER_SECOND
    at_s: float = 0.0

    def wait_s(self, now_s: float, keep: float = 0.0) -> float:
        """How long until a token can be taken that leaves *keep* behind; 0 if at once."""
        self._refill(now_s)
        missing = 1.0 + keep - self.tokens
        return missing / self.rate if missing > _ROUNDING else 0.0

    def take(self) -> None:
        """Take a token."""
        self.tokens -= 1.0
        self.rate = min(self.per_s, self.rate + self.per_s / 20)

    def throttled(self, now_s: float) -> None:
        """The service wants fewer calls: go on at half the rate, from an empty bucket."""
        self._refill(now_s)
        self.tokens = min(self.tokens, 0.0)
        self.rate = max(_SLOWEST_PER_SECOND, self.rate / 2)

    def _refill(self, now_s: float) -> None:
        self.tokens = min(self.most, self.tokens + max(0.0, now_s - self.at_s) * self.rate)
        self.at_s = max(self.at_s, now_s)


class Allowance:
    """The buckets of one account; any thread may ask."""

    def __init__(
        self,
        *,
        pause_s: float = 0.0,
        monotonic_s: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """Begin with full buckets.

        Args:
            pause_s: least time from one write to the next.
            monotonic_s: the time.
            wait: lets time pass.
        """
        self._pause_s = pause_s
        self._monotonic_s = monotonic_s
        self._wait = wait
        self._lock = Lock()
        self._account = Bucket(at_s=monotonic_s())
        self._actions: dict[str, Bucket] = {}
        self._write_s = 0.0

    def take(self, action: str, *, write: bool = False) -> None:
        """Wait until *action* may be called."""
        while (wait_s := self._taken(action, write=write)) > 0:
            self._wait(wait_s)

    def throttled(self, action: str) -> None:
        """The service throttled *action*."""
        with self._lock:
            now_s = self._monotonic_s()
            self._account.throttled(now_s)
            self._action(action).throttled(now_s)

    def _taken(self, action: str, *, write: bool) -> float:
        with self._lock:
            now_s = self._monotonic_s()
            bucket = self._action(action)
            wait_s = max(self._account.wait_s(now_s, 0.0 if write else _FOR_WRITES), bucket.wait_s(now_s))
            if write:
                wait_s = max(wait_s, self._write_s - now_s)
            if wait_s <= 0:
                self._account.take()
                bucket.take()
                if write:
                    self._write_s = now_s + self._pause_s
            return wait_s

    def _action(self, action: str) -> Bucket:
        found = self._actions.get(action)
        if found is None:
            found = self._actions[action] = Bucket(at_s=self._monotonic_s())
        return found
