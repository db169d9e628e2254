"""How many calls an account may make (for Route 53: developer guide, "Throttling for Amazon Route 53 API requests").

A call takes a token from the bucket of the account and from that of its action. Calls wait for their
tokens here, in the thread that makes them; batches meanwhile gather what comes. Reads leave the last
tokens of the account to writes.

Changes have a bucket of their own, which is much too small for a first start: it is left to the
service to say that it is empty, and only if it says so again and again within a minute, batches wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from extdns.model.apibudget import ApiBudget

_FOR_WRITES: Final = 5.0
_SLOWEST_PER_SECOND: Final = 1.0
_UNTIL_PACED: Final = 6  # throttled writes within a minute
_MEMORY_S: Final = 60.0
_PACED_S: Final = 600.0
_ROUNDING: Final = 1e-6  # tokens; a wait may fall short by that much


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many calls a second for good, and *burst* at once after quiet."""

    per_s: float = 10.0
    burst: float = 50.0


@dataclass(slots=True)
class Bucket:
    """Tokens that come back at a rate, which falls when the service throttles and recovers when it does not.

    Attributes:
        most: tokens of a full bucket.
        per_s: tokens a second when all is well.
        tokens: what was left at *at_s*.
        rate: tokens a second now.
        throttlings: how often the service throttled.
    """

    most: float
    per_s: float
    tokens: float
    rate: float
    at_s: float
    throttlings: int = 0

    @classmethod
    def full(cls, rate: Rate, now_s: float) -> Bucket:
        """A bucket as it is after quiet."""
        return cls(most=rate.burst, per_s=rate.per_s, tokens=rate.burst, rate=rate.per_s, at_s=now_s)

    def wait_s(self, now_s: float, *, count: float = 1.0, keep: float = 0.0) -> float:
        """How long until *count* tokens can be taken that leave *keep* behind; 0 if at once."""
        self._refill(now_s)
        missing = min(count + keep, self.most) - self.tokens
        return missing / self.rate if missing > _ROUNDING else 0.0

    def take(self, count: float = 1.0) -> None:
        """Take *count* tokens."""
        self.tokens -= count

    def worked(self) -> None:
        """A call went well: the next may come sooner."""
        self.rate = min(self.per_s, self.rate * 2)

    def throttled(self, now_s: float) -> None:
        """The service wants fewer calls: go on at half the rate, from an empty bucket."""
        self._refill(now_s)
        self.tokens = min(self.tokens, 0.0)
        self.rate = min(self.per_s, max(_SLOWEST_PER_SECOND, self.rate / 2))
        self.throttlings += 1

    def left(self, now_s: float) -> float:
        """The tokens in it."""
        self._refill(now_s)
        return self.tokens

    def _refill(self, now_s: float) -> None:
        self.tokens = min(self.most, self.tokens + max(0.0, now_s - self.at_s) * self.rate)
        self.at_s = max(self.at_s, now_s)


_USUAL: Final = Rate()
_CHANGES: Final = Rate(per_s=100.0, burst=1500.0)


class Allowance:
    """The buckets of one account; any thread may ask."""

    def __init__(
        self,
        account: str = "",
        *,
        rate: Rate = _USUAL,
        pause_s: float = 0.0,
        monotonic_s: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """Begin with full buckets.

        Args:
            account: whose they are.
            rate: what the account may call, and what it may call of one action.
            pause_s: least time from one write to the next.
            monotonic_s: the time.
            wait: lets time pass.
        """
        self._name = account
        self._rate = rate
        self._pause_s = pause_s
        self._monotonic_s = monotonic_s
        self._wait = wait
        self._lock = Lock()
        self._account = Bucket.full(rate, monotonic_s())
        self._actions: dict[str, Bucket] = {}
        self._changes = Bucket.full(_CHANGES, monotonic_s())
        self._write_s = 0.0
        self._refused: list[float] = []
        self._paced_until_s = 0.0

    def take(self, action: str, *, changes: int = 0) -> None:
        """Wait until *action* may be called, which makes so many changes; a read makes none."""
        while (wait_s := self._taken(action, changes)) > 0:
            self._wait(wait_s)

    def worked(self, action: str) -> None:
        """The service carried *action* out."""
        with self._lock:
            self._account.worked()
            self._action(action).worked()

    def throttled(self, action: str, *, changes: int = 0) -> None:
        """The service throttled *action*, with as many changes as it was taken for."""
        with self._lock:
            now_s = self._monotonic_s()
            self._account.throttled(now_s)
            self._action(action).throttled(now_s)
            if changes:
                self._refused = [at_s for at_s in self._refused if at_s > now_s - _MEMORY_S] + [now_s]
                if len(self._refused) >= _UNTIL_PACED:
                    self._changes.tokens, self._changes.at_s = 0.0, now_s
                    self._paced_until_s = now_s + _PACED_S

    def busy(self, action: str) -> None:
        """The service was still at an earlier *action*: that one is called less often, others are not."""
        with self._lock:
            self._action(action).throttled(self._monotonic_s())

    def budgets(self) -> tuple[ApiBudget, ...]:
        """What is left now, of the account and then of each action that was called, by name."""
        with self._lock:
            now_s = self._monotonic_s()
            return tuple(
                ApiBudget(
                    account=self._name,
                    action=action,
                    left=bucket.left(now_s),
                    per_s=bucket.rate,
                    throttled=bucket.throttlings,
                )
                for action, bucket in (("", self._account), *sorted(self._actions.items()))
            )

    def _taken(self, action: str, changes: int) -> float:
        with self._lock:
            now_s = self._monotonic_s()
            bucket = self._action(action)
            keep = 0.0 if changes else _FOR_WRITES
            wait_s = max(self._account.wait_s(now_s, keep=keep), bucket.wait_s(now_s))
            if changes:
                wait_s = max(wait_s, self._write_s - now_s)
                if now_s < self._paced_until_s:
                    wait_s = max(wait_s, self._changes.wait_s(now_s, count=changes))
            if wait_s <= 0:
                self._account.take()
                bucket.take()
                if changes:
                    self._changes.take(changes)
                    self._write_s = now_s + self._pause_s
            return wait_s

    def _action(self, action: str) -> Bucket:
        found = self._actions.get(action)
        if found is None:
            found = self._actions[action] = Bucket.full(self._rate, self._monotonic_s())
        return found
