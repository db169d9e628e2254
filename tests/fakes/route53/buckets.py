"""How much an account may ask for: token buckets (developer guide, "Throttling for Amazon Route 53 API requests").

A request takes a token from the bucket of its account and one from that of its account and action; one that changes
DNS data takes a token a change from a third, two for an UPSERT. If any of them has too few, it takes none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tests.fakes.route53.batch import Action, Change


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second for good, and so many at once after quiet."""

    per_s: float
    burst: float


PER_ACCOUNT: Final = Rate(10, 50)
PER_ACTION: Final = Rate(10, 50)
THROUGHPUT: Final = Rate(100, 1500)
EXCEPTIONS: Final[Mapping[str, Rate]] = {"CreateHostedZone": Rate(2, 40)}
"""What the guide says today; exceptions are of single actions."""
_UPSERT_TOKENS: Final = 2
_ZONE_TOKENS: Final = 2


class Bucket:
    """Tokens of one rate; full at first."""

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._rate = rate
        self._level = rate.burst
        self._at_s = now_s

    def holds(self, tokens: float, now_s: float) -> bool:
        """Tell whether there are so many."""
        self._level = min(self._rate.burst, self._level + (now_s - self._at_s) * self._rate.per_s)
        self._at_s = now_s
        return self._level >= tokens

    def take(self, tokens: float) -> None:
        """Take so many, which are there."""
        self._level -= tokens


class Buckets:
    """The limits in force, None for no limit; whoever uses them holds the lock of the server.

    Attributes:
        account: requests of an account.
        action: requests of an account and action.
        throughput: changes of an account.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        *,
        account: Rate | None = None,
        action: Rate | None = None,
        throughput: Rate | None = None,
    ) -> None:
        self._now_s = now_s
        self.account, self.action, self.throughput = account, action, throughput
        self._buckets: dict[tuple[str, str, Rate], Bucket] = {}

    def follow_the_guide(self) -> None:
        """Limit as the service does unless it was asked for more."""
        self.account, self.action, self.throughput = PER_ACCOUNT, PER_ACTION, THROUGHPUT

    def admit(self, account: str, action: str, changes: tuple[Change, ...]) -> bool:
        """Tell whether *account* may call *action* now, and count the call if so."""
        now_s = self._now_s()
        wanted = list(self._wanted(account, action, _tokens(action, changes)))
        admitted = all(bucket.holds(tokens, now_s) for bucket, tokens in wanted)
        for bucket, tokens in wanted if admitted else ():
            bucket.take(tokens)
        return admitted

    def _wanted(self, account: str, action: str, changed: int) -> Iterator[tuple[Bucket, int]]:
        if self.account:
            yield self._bucket(account, "", self.account), 1
        if self.action:
            yield self._bucket(account, action, EXCEPTIONS.get(action, self.action)), 1
        if self.throughput and changed:
            yield self._bucket(account, "changes", self.throughput), changed

    def _bucket(self, account: str, of: str, rate: Rate) -> Bucket:
        return self._buckets.setdefault((account, of, rate), Bucket(rate, self._now_s()))


def _tokens(action: str, changes: tuple[Change, ...]) -> int:
    if action == "CreateHostedZone":
        return _ZONE_TOKENS
    return sum(_UPSERT_TOKENS if change.action is Action.UPSERT else 1 for change in changes)
