"""How many calls an account may make: token buckets, filled evenly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls a second, and so many at once after quiet."""

    per_s: float
    burst: float


DOCUMENTED = Rate(5, 5)
"""Five requests a second and account (developer guide, "Quotas on API requests")."""
OBSERVED = Rate(10, 50)
"""Ten a second and account and action, fifty at once."""


class Bucket:
    """Tokens of one rate; full at first."""

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._rate = rate
        self._level = rate.burst
        self._at_s = now_s

    def take(self, now_s: float) -> bool:
        """Take a token, if there is one."""
        self._level = min(self._rate.burst, self._level + (now_s - self._at_s) * self._rate.per_s)
        self._at_s = now_s
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Buckets:
    """One bucket an account, and one an account and action; whoever uses them holds the lock of the server.

    Attributes:
        account: for all calls of an account together, None for no limit.
        action: for each action of an account, None for no limit.
        changes: instead of *action* for ChangeResourceRecordSets, if given.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        *,
        account: Rate | None = None,
        action: Rate | None = None,
        changes: Rate | None = None,
    ) -> None:
        self._now_s = now_s
        self.account, self.action, self.changes = account, action, changes
        self._buckets: dict[tuple[str, str, Rate], Bucket] = {}

    def admit(self, account: str, action: str) -> bool:
        """Tell whether *account* may call *action* now, and count the call if so."""
        per_action = self.changes if self.changes and action == "ChangeResourceRecordSets" else self.action
        return self._take(account, "", self.account) and self._take(account, action, per_action)

    def _take(self, account: str, action: str, rate: Rate | None) -> bool:
        if rate is None:
            return True
        now_s = self._now_s()
        return self._buckets.setdefault((account, action, rate), Bucket(rate, now_s)).take(now_s)
