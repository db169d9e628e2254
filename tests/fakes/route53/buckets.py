"""The API rate limits, as token buckets (developer guide, "Throttling for Amazon Route 53 API requests").

A request takes a token from the bucket of its account and one from that of its account and action. A request that
changes records takes a token for each change from a third bucket, two for an UPSERT. If any bucket has too few tokens,
the request takes none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tests.fakes.route53.batch import Action, Change


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: tokens per second, and the maximum number of saved tokens."""

    per_s: float
    burst: float


PER_ACCOUNT: Final = Rate(10, 50)
PER_ACTION: Final = Rate(10, 50)
THROUGHPUT: Final = Rate(100, 1500)
EXCEPTIONS: Final[Mapping[str, Rate]] = {"CreateHostedZone": Rate(2, 40)}
"""The default limits of single actions in the developer guide, where they differ from `PER_ACTION`."""
_UPSERT_TOKENS: Final = 2
_ZONE_TOKENS: Final = 2


class Bucket:
    """A token bucket, which is full at first."""

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._rate = rate
        self._level = rate.burst
        self._at_s = now_s

    def has(self, tokens: float, now_s: float) -> bool:
        """Return whether the bucket contains so many tokens."""
        self._level = min(self._rate.burst, self._level + (now_s - self._at_s) * self._rate.per_s)
        self._at_s = now_s
        return self._level >= tokens

    def take(self, tokens: float) -> None:
        """Remove so many tokens, which must be present."""
        self._level -= tokens


class Buckets:
    """The current rate limits; None is no limit. Callers must hold the lock of the server.

    Attributes:
        account: the limit of requests of an account.
        action: the limit of requests of an account and action.
        throughput: the limit of changes of an account.
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
        """Set the default limits of AWS."""
        self.account, self.action, self.throughput = PER_ACCOUNT, PER_ACTION, THROUGHPUT

    def admit(self, account: str, action: str, changes: tuple[Change, ...]) -> bool:
        """Return whether *account* may call *action* now. If so, take the tokens."""
        now_s = self._now_s()
        desired = list(self._find_buckets(account, action, _count_tokens(action, changes)))
        admitted = all(bucket.has(tokens, now_s) for bucket, tokens in desired)
        for bucket, tokens in desired if admitted else ():
            bucket.take(tokens)
        return admitted

    def _find_buckets(self, account: str, action: str, changed: int) -> Iterator[tuple[Bucket, int]]:
        if self.account:
            yield self._get_bucket(account, "", self.account), 1
        if self.action:
            yield self._get_bucket(account, action, EXCEPTIONS.get(action, self.action)), 1
        if self.throughput and changed:
            yield self._get_bucket(account, "changes", self.throughput), changed

    def _get_bucket(self, account: str, of: str, rate: Rate) -> Bucket:
        return self._buckets.setdefault((account, of, rate), Bucket(rate, self._now_s()))


def _count_tokens(action: str, changes: tuple[Change, ...]) -> int:
    if action == "CreateHostedZone":
        return _ZONE_TOKENS
    return sum(_UPSERT_TOKENS if change.action is Action.UPSERT else 1 for change in changes)
