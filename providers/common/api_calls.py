"""Calls to DNS services: when they may begin, the API rate limit, how they fail, and the names in responses.

The rate limit adapts to throttling (docs/design/pace.md, "API rate limit").
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar, assert_never

from extdns.errors import CredentialsError, ForbiddenError, InvalidValueError, RetryableError
from extdns.masking import mask
from extdns.model.api_request import ApiCall, CallObserver, RequestObserver, ignore_call, ignore_request
from extdns.model.change import Forbidden, Refused, TryLater, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.model.zone import RateLimitStatus, Zone

DEFAULT_TIMEOUTS_S: Final = (5.0, 30.0)
SHORT_TIMEOUTS_S: Final = (3.0, 8.0)
_T = TypeVar("_T")


class RateLimit(Value, frozen=True, kw_only=True):
    """The sustained rate of calls per second, and how many can be made at once after a pause."""

    per_s: float = 10.0
    burst: float = 50.0


class CallOptions(Value, frozen=True, kw_only=True):
    """How a service is called. The functions are called from any thread.

    Attributes:
        rate_limit: how often it may be called, for each account.
        write_timeouts_s: how long a write may take to connect, and to respond.
        can_write: returns whether this process may write now; called right before the request.
    """

    rate_limit: RateLimit = RateLimit()
    write_timeouts_s: tuple[float, float] = DEFAULT_TIMEOUTS_S
    can_write: Callable[[], bool] = lambda: True
    on_request: RequestObserver = ignore_request
    on_call: CallObserver = ignore_call

    def require_can_write(self, call: str, context: str = "") -> None:
        """Raise `CallFailedError` if no write may begin now; *call* and *context* are part of its message."""
        if not self.can_write():
            detail = "this process is not the leader, or may not be by the end of the write"
            raise CallFailedError(FailureKind.RETRYABLE, call, context, "NotLeading", detail)


class FailureKind(StrEnum):
    """Why a call failed. The kinds differ in what the caller does next."""

    REFUSED = "refused"  # the request is invalid
    FORBIDDEN = "forbidden"  # a permission is missing
    CREDENTIALS = "credentials"  # there are no valid credentials; nothing was changed
    RETRYABLE = "later"  # throttled, busy, failing or unreachable; nothing was changed
    UNANSWERED = "unanswered"  # the request was sent, and no response came


class CallFailedError(RetryableError):
    """A call failed; the message names the call, its context, and the code and message of the service.

    If its kind says so, it is a `ForbiddenError` or a `CredentialsError`, too, so that readers need not translate it.

    Attributes:
        code: the service's error code, or the name of the exception.
        messages: the problems that the service lists one by one, () if they are in one text.
    """

    def __new__(cls, kind: object, *_: object, **__: object) -> Self:
        """Make an error of the class that belongs to *kind*."""
        return super().__new__(_CLASSES.get(kind, cls))  # type: ignore[no-any-return]

    def __init__(
        self, kind: FailureKind, call: str, context: str, code: str, detail: str, *, messages: tuple[str, ...] = ()
    ) -> None:
        """Build the one-line message from *call*, *context*, *code* and *detail*; mask the secrets in all texts."""
        suffix = f" on {context}" if context else ""
        super().__init__(f"{call}{suffix}: {code}: {detail}" if detail else f"{call}{suffix}: {code}")
        self.kind = kind
        self.code = code
        self.detail = mask(detail)
        self.messages = tuple(map(mask, messages))


class _ForbiddenCallError(CallFailedError, ForbiddenError):
    pass


class _CredentialsCallError(CallFailedError, CredentialsError):
    pass


_CLASSES: Final[Mapping[object, type[Any]]] = {
    FailureKind.FORBIDDEN: _ForbiddenCallError,
    FailureKind.CREDENTIALS: _CredentialsCallError,
}


@dataclass(slots=True)
class MeasuredCall:
    """A call that is measured. The caller sets *failure* if the call failed without an exception."""

    failure: FailureKind | None = None


@contextmanager
def measure_call(observe: CallObserver, action: str) -> Iterator[MeasuredCall]:
    """Pass to *observe* how long the block took, and the kind of its `CallFailedError` or of `MeasuredCall.failure`."""
    started_at = time.monotonic()
    measured = MeasuredCall()
    try:
        yield measured
    except CallFailedError as failed:
        measured.failure = failed.kind
        raise
    finally:
        status = measured.failure.value if measured.failure else "ok"
        observe(ApiCall(action=action, status=status, seconds=time.monotonic() - started_at))


def require_configured(zone: Zone, found: _T | None, where: str) -> _T:
    """Return *found*, the entry of *zone* in *where*, a flag or file.

    Raises:
        RetryableError: *found* is None.
    """
    if found is None:
        raise RetryableError(f"zone {zone} is not among {where}")
    return found


Failure = WriteConflict | Refused | Forbidden | TryLater | Unknown
"""An outcome other than that all was written."""


def convert_to_outcome(
    failed: CallFailedError,
    *,
    names: tuple[DnsName, ...] = (),
    conflicts: Collection[str] = (),
    gone: Collection[str] = (),
) -> Failure:
    """Return the outcome of a batch whose call *failed*; if it was refused, *names* are offending.

    A refusal with a code in *conflicts* is a write conflict. One with a code in *gone* says that the zone does not
    exist: the next list of zones shows whether it was deleted.
    """
    message = str(failed)
    match failed.kind:
        case FailureKind.REFUSED if failed.code in gone:
            return TryLater(message=message)
        case FailureKind.REFUSED if failed.code in conflicts:
            return WriteConflict(message=message, offending_names=names)
        case FailureKind.REFUSED:
            return Refused(message=message, offending_names=names)
        case FailureKind.FORBIDDEN:
            return Forbidden(message=message)
        case FailureKind.CREDENTIALS | FailureKind.RETRYABLE:
            return TryLater(message=message)
        case FailureKind.UNANSWERED:
            return Unknown(message=message)
        case _:
            assert_never(failed.kind)


def parse_service_name(text: str) -> DnsName | None:
    """Return the name *text* of a response; None if it is one that no object can request.

    Such names contain blanks, control characters or raw octets, which no record of ours has. A name with non-ASCII
    letters must not be read as the name with its A-labels.
    """
    if not text.isascii() or text != text.strip():
        return None
    try:
        return DnsName.parse(text)
    except InvalidValueError:
        return None


_RESERVED_FOR_WRITES: Final = 5.0
_SLOWEST_PER_SECOND: Final = 0.1
_SLOWED_BY: Final = 0.5
_RECOVERY: Final = 1.25  # with each call that succeeds
_SLOWED_ONCE_IN_S: Final = 1.0  # calls that were throttled together reduce the rate once
_THROTTLES_UNTIL_PACED: Final = 6  # after so many throttled writes within a minute
_THROTTLE_WINDOW_S: Final = 60.0
_PACED_S: Final = 600.0
_ROUNDING: Final = 1e-6  # tokens by which a wait can end too early


@dataclass(slots=True)
class TokenBucket:
    """A token bucket whose refill rate is halved by a throttled call, and raised by a quarter by each successful one.

    So about a quarter of the calls is throttled while processes call the service more often than it allows, however
    many processes there are.

    Attributes:
        per_s: the normal refill rate, in tokens per second.
        tokens: tokens at *updated_at*; negative if calls took more than there were.
        rate: the refill rate now.
    """

    capacity: float
    per_s: float
    tokens: float
    rate: float
    updated_at: float
    throttle_count: int = 0
    slowed_at: float = -math.inf

    @classmethod
    def full(cls, rate: RateLimit, now_s: float) -> TokenBucket:
        """Return a bucket for *rate* that is full at *now_s*."""
        return cls(capacity=rate.burst, per_s=rate.per_s, tokens=rate.burst, rate=rate.per_s, updated_at=now_s)

    def compute_wait_s(self, now_s: float, *, count: float = 1.0, reserve: float = 0.0) -> float:
        """Return the seconds until the bucket has *count* + *reserve* tokens, or is full; 0 if that is so now."""
        self._refill(now_s)
        missing = min(count + reserve, self.capacity) - self.tokens
        return missing / self.rate if missing > _ROUNDING else 0.0

    def take(self, count: float = 1.0) -> None:
        """Take *count* tokens, whether the bucket has them or not."""
        self.tokens -= count

    def record_success(self) -> None:
        """Raise the refill rate by a quarter, up to the normal one."""
        self.rate = min(self.per_s, self.rate * _RECOVERY)

    def record_throttle(self, now_s: float, *, wait_s: float = 0.0) -> None:
        """Empty the bucket, and halve its refill rate at most once a second, because the service throttled a call.

        The bucket stays empty for *wait_s* seconds, for which the service wants no calls.
        """
        self._refill(now_s)
        if now_s >= self.slowed_at + _SLOWED_ONCE_IN_S:
            self.rate, self.slowed_at = min(self.per_s, max(_SLOWEST_PER_SECOND, self.rate * _SLOWED_BY)), now_s
        self.tokens = min(self.tokens, -wait_s * self.rate)
        self.throttle_count += 1

    @property
    def is_slowed(self) -> bool:
        """Whether the refill rate is below the normal one."""
        return self.rate < self.per_s

    def count_tokens(self, now_s: float) -> float:
        """Return how many tokens the bucket has at *now_s*."""
        self._refill(now_s)
        return self.tokens

    def _refill(self, now_s: float) -> None:
        self.tokens = min(self.capacity, self.tokens + max(0.0, now_s - self.updated_at) * self.rate)
        self.updated_at = max(self.updated_at, now_s)


_DEFAULT_RATE: Final = RateLimit()
_CHANGES: Final = RateLimit(per_s=100.0, burst=1500.0)


class RateLimiter:
    """Delays the calls of one account; safe from any thread.

    Reads leave the last five tokens to writes; while the service throttles, they leave one to each write that waits
    instead. A call that waits because of throttling waits up to twice as long, at random, so that processes that were
    throttled at the same time do not call the service at the same time again.
    """

    def __init__(
        self,
        account: str = "",
        *,
        rate: RateLimit = _DEFAULT_RATE,
        actions: Mapping[str, RateLimit] = MappingProxyType({}),
        pause_s: float = 0.0,
        monotonic_s: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
        choose: Callable[[], float] = random.random,
    ) -> None:
        """Start with full buckets.

        *rate* limits all calls of *account* together, and the calls of each action without a limit in *actions*.
        *pause_s* is the least time between two writes. *choose* returns a random number from 0 up to 1.
        """
        self._account_name = account
        self._rate = rate
        self._rates = actions
        self._pause_s = pause_s
        self._monotonic_s = monotonic_s
        self._wait = wait
        self._choose = choose
        self._lock = Lock()
        self._account = TokenBucket.full(rate, monotonic_s())
        self._actions: dict[str, TokenBucket] = {}
        self._changes = TokenBucket.full(_CHANGES, monotonic_s())
        self._next_write_s = 0.0
        self._throttled_at: list[float] = []
        self._waiting_writes = 0
        self._paced_until_s = 0.0

    def acquire(self, action: str, *, changes: int = 0) -> None:
        """Wait until *action* may be called; *changes* is the number of changes in a write, 0 for a read."""
        if not (wait_s := self.try_acquire(action, changes=changes)):
            return
        with self._count_waiting(is_write=changes > 0):
            while wait_s:
                self._wait(wait_s)
                wait_s = self.try_acquire(action, changes=changes, waited=True)

    def try_acquire(self, action: str, *, changes: int = 0, waited: bool = False) -> float:
        """Return 0 if *action* may be called now, which counts as a call; otherwise how long to wait, in seconds.

        *waited* says whether the call has waited before.
        """
        with self._lock:
            now_s = self._monotonic_s()
            bucket = self._get_bucket(action)
            wait_s = self._compute_wait_s(bucket, changes, now_s)
            if wait_s > 0:
                is_slowed = self._account.is_slowed or bucket.is_slowed
                return wait_s * (1.0 + self._choose()) if is_slowed and not waited else wait_s
            self._account.take()
            bucket.take()
            if changes:
                self._changes.take(changes)
                self._next_write_s = now_s + self._pause_s
            return 0.0

    def record_success(self, action: str) -> None:
        """Record that a call of *action* succeeded."""
        with self._lock:
            self._account.record_success()
            self._get_bucket(action).record_success()

    def record_throttle(self, action: str, *, changes: int = 0, wait_s: float = 0.0) -> None:
        """Record that the service throttled a call of *action* that contained *changes* changes.

        No call begins within the next *wait_s* seconds.
        """
        with self._lock:
            now_s = self._monotonic_s()
            self._account.record_throttle(now_s, wait_s=wait_s)
            self._get_bucket(action).record_throttle(now_s)
            if changes:
                recent = (at_s for at_s in self._throttled_at if at_s > now_s - _THROTTLE_WINDOW_S)
                self._throttled_at = [*recent, now_s]
                if len(self._throttled_at) >= _THROTTLES_UNTIL_PACED:
                    self._changes.tokens, self._changes.updated_at = 0.0, now_s
                    self._paced_until_s = now_s + _PACED_S

    def record_busy(self, action: str) -> None:
        """Record that the service was busy with an earlier call of *action*, and slow down only this action."""
        with self._lock:
            self._get_bucket(action).record_throttle(self._monotonic_s())

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls may be made now: in all, then of each action that was called, sorted by action."""
        with self._lock:
            now_s = self._monotonic_s()
            return tuple(
                RateLimitStatus(
                    account=self._account_name,
                    action=action,
                    calls_left=bucket.count_tokens(now_s),
                    per_s=bucket.rate,
                    throttle_count=bucket.throttle_count,
                )
                for action, bucket in (("", self._account), *sorted(self._actions.items()))
            )

    def _compute_wait_s(self, bucket: TokenBucket, changes: int, now_s: float) -> float:
        if not changes:
            reserve = float(self._waiting_writes) if self._account.is_slowed else _RESERVED_FOR_WRITES
            return max(self._account.compute_wait_s(now_s, reserve=reserve), bucket.compute_wait_s(now_s))
        wait_s = max(self._account.compute_wait_s(now_s), bucket.compute_wait_s(now_s), self._next_write_s - now_s)
        if now_s < self._paced_until_s:
            wait_s = max(wait_s, self._changes.compute_wait_s(now_s, count=changes))
        return wait_s

    @contextmanager
    def _count_waiting(self, *, is_write: bool) -> Iterator[None]:
        """Count a write as waiting during the block, so that reads leave a token to it. For a read, do nothing."""
        with self._lock:
            self._waiting_writes += is_write
        try:
            yield
        finally:
            with self._lock:
                self._waiting_writes -= is_write

    def _get_bucket(self, action: str) -> TokenBucket:
        found = self._actions.get(action)
        if found is None:
            rate = self._rates.get(action, self._rate)
            found = self._actions[action] = TokenBucket.full(rate, self._monotonic_s())
        return found
