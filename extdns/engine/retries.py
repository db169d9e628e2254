"""Retries: how long to wait after each failure, and when the engine has to step next (docs/design/retries.md).

`POLICIES` has a row for each kind of failure. A `Retry` counts the failures in a row of one thing. A `RetryTable` holds
the retries of names and returns those that are due. Every part of the engine that waits for a time registers a function
at `Deadlines`, which computes when the engine has to step next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from typing import Final

from extdns.model.change import Blocked, ChangeSet, are_equivalent
from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from extdns.model.value import Value, compute_backoff_s

MAX_REQUESTED_S: Final = 3600.0
"""The longest pause that a service can request."""

_ATTEMPTS: Final = 5
"""Failures in a row after which a single pass gives up."""


class Failure(StrEnum):
    """The failures that are retried. The comment says what is retried: a name, a zone or the list of zones."""

    REFUSED = "refused"  # a name: the service refused its change
    FORBIDDEN = "forbidden"  # a name: the permission to change it is missing
    NO_ANSWER = "no-answer"  # a name: the service does not answer when it is sent alone
    CONTENDED = "contended"  # a name: another writer keeps changing it back
    WRITE_CONFLICT = "write-conflict"  # a name: a record was not what was read
    WRITTEN_OFTEN = "written-often"  # a name: it is written again and again
    PLANNING = "planning"  # a name: planning it raised an exception
    ZONE_WRITE = "zone-write"  # a zone: throttled, or a batch without an answer
    ZONE_READ = "zone-read"  # a zone: a page or names could not be read
    ZONE_LIST = "zone-list"  # all zones, or those of some accounts, could not be listed


FAILED: Final = (Failure.REFUSED, Failure.FORBIDDEN, Failure.NO_ANSWER)
"""The failures of a name that is to blame for the failure of its batch. A name has at most one of them."""


class RetryPolicy(Value, frozen=True, kw_only=True):
    """How long to wait after the n-th failure in a row.

    Attributes:
        first_s, max_s: the first and the longest pause; each pause is twice the one before.
    """

    first_s: float
    max_s: float


POLICIES: Final[Mapping[Failure, RetryPolicy]] = {
    Failure.REFUSED: RetryPolicy(first_s=60.0, max_s=3600.0),
    Failure.FORBIDDEN: RetryPolicy(first_s=60.0, max_s=300.0),
    Failure.NO_ANSWER: RetryPolicy(first_s=5.0, max_s=300.0),
    Failure.CONTENDED: RetryPolicy(first_s=300.0, max_s=3600.0),
    Failure.WRITE_CONFLICT: RetryPolicy(first_s=1.0, max_s=60.0),  # after a first attempt without a pause
    Failure.WRITTEN_OFTEN: RetryPolicy(first_s=5.0, max_s=5.0),
    Failure.PLANNING: RetryPolicy(first_s=1.0, max_s=300.0),
    Failure.ZONE_WRITE: RetryPolicy(first_s=0.25, max_s=300.0),
    Failure.ZONE_READ: RetryPolicy(first_s=1.0, max_s=60.0),
    Failure.ZONE_LIST: RetryPolicy(first_s=1.0, max_s=60.0),
}


@dataclass(slots=True)
class Retry:
    """The failures in a row of one thing, and the pause before the next attempt.

    Attributes:
        failure: the kind of failure; it selects the policy.
        failures: the number of failures in a row.
        since_at: the time of the first of these failures (monotonic seconds).
        until_at: the end of the pause (monotonic seconds).
        message: the error of the last failure, "" if there is none.
        is_forbidden: whether permissions were missing the last time; only a person can change that.
        lacks_credentials: whether there were no valid credentials the last time.
        block: why the changes of the name wait; None if this is not the retry of a name.
        changes: the change sets of the name that failed.
        last: the key of the last of them, as of `get_key`; None if several were sent together.
        failed_at: the time of the last failure of a name (monotonic seconds).
        is_waiting: whether `RetryTable.take_due` has not returned the name since the pause began.
    """

    failure: Failure
    failures: int = 0
    since_at: float = 0.0
    until_at: float = 0.0
    message: str = ""
    is_forbidden: bool = False
    lacks_credentials: bool = False
    block: Blocked | None = None
    changes: tuple[ChangeSet, ...] = ()
    last: RecordKey | None = None
    failed_at: float = 0.0
    is_waiting: bool = False

    def compute_pause_s(self) -> float:
        """Return how long to wait after one more failure, in seconds."""
        policy = POLICIES[self.failure]
        return compute_backoff_s(policy.first_s, self.failures, policy.max_s)

    def record_failure(
        self,
        now_s: float,
        requested_s: float | None = None,
        *,
        message: str = "",
        is_forbidden: bool = False,
        lacks_credentials: bool = False,
    ) -> None:
        """Count a failure and begin the pause.

        Args:
            now_s: monotonic seconds.
            requested_s: the shortest pause that the service requests, at most an hour; None if it requests none.
            message: the error.
            is_forbidden: whether a permission is missing.
            lacks_credentials: whether there are no valid credentials.
        """
        pause_s = self.compute_pause_s()
        if not self.failures:
            self.since_at = now_s
        self.failures += 1
        self.until_at = now_s + max(pause_s, min(requested_s or 0.0, MAX_REQUESTED_S))
        self.message, self.is_forbidden, self.lacks_credentials = message, is_forbidden, lacks_credentials

    def record_success(self) -> None:
        """Reset the failure count and end the pause."""
        self.failures, self.until_at = 0, 0.0
        self.message, self.is_forbidden, self.lacks_credentials = "", False, False

    def has_ended(self, now_s: float) -> bool:
        """Return whether the pause has ended."""
        return now_s >= self.until_at


def get_key(change_set: ChangeSet) -> RecordKey:
    """Return the first key that *change_set* writes, which no other change set of its name does."""
    return change_set.writes[0].key


def select_others(sets: tuple[ChangeSet, ...], failed: tuple[ChangeSet, ...]) -> tuple[ChangeSet, ...]:
    """Return those of *sets* that make other changes than each of *failed*."""
    by_key = {get_key(one): (one,) for one in failed}
    return tuple([one for one in sets if not are_equivalent((one,), by_key.get(get_key(one), ()))])


class RetryTable:
    """The retries of names, by name and kind of failure. A name can have one for each kind.

    Finding those that are due does not take longer if many others wait.

    Attributes:
        by_name: only names with a failure have an entry.
    """

    def __init__(self) -> None:
        """Start with no retries."""
        self.by_name: dict[DnsName, dict[Failure, Retry]] = {}
        self._ends: list[tuple[float, DnsName, Failure]] = []  # a heap; an entry is outdated if its retry ends later

    def __len__(self) -> int:
        """Return how many retries there are."""
        return sum(map(len, self.by_name.values()))

    def find(self, name: DnsName, failure: Failure) -> Retry | None:
        """Return the retry of *name* for *failure*, None if there is none."""
        found = self.by_name.get(name)
        return found.get(failure) if found else None

    def add(self, name: DnsName, failure: Failure) -> Retry:
        """Return the retry of *name* for *failure*; a new one has no pause yet."""
        retries = self.by_name.setdefault(name, {})
        return retries.get(failure) or retries.setdefault(failure, Retry(failure))

    def schedule(self, name: DnsName, retry: Retry) -> None:
        """Schedule *name* for `take_due` at the end of the pause of *retry*, which has just begun."""
        retry.is_waiting = True
        heappush(self._ends, (retry.until_at, name, retry.failure))

    def record_failure(self, name: DnsName, failure: Failure, now_s: float, message: str = "") -> Retry:
        """Count a failure of *name* and begin its pause."""
        retry = self.add(name, failure)
        retry.record_failure(now_s, message=message)
        self.schedule(name, retry)
        return retry

    def delay(
        self, name: DnsName, failure: Failure, changes: tuple[ChangeSet, ...], block: Blocked, now_s: float
    ) -> None:
        """Begin a pause of *changes* of *name*, which failed with one of `FAILED`; *block* states why they wait.

        Other changes of the name that failed before wait with them. With no *changes*, there is no pause.
        """
        former = self.find_failed(name)
        others = select_others(former.changes, changes) if former else ()
        self.remove(name, *(other for other in FAILED if other is not failure))
        retry = self.record_failure(name, failure, now_s) if changes else self.add(name, failure)
        retry.changes, retry.block, retry.failed_at = (*others, *changes), block, now_s
        retry.last = get_key(changes[0]) if changes else None

    def find_failed(self, name: DnsName) -> Retry | None:
        """Return the retry of *name* for one of the failures `FAILED`, None if there is none."""
        retries = self.by_name.get(name)
        return next((retry for retry in retries.values() if retry.failure in FAILED), None) if retries else None

    def have_failed(self, sent: Mapping[DnsName, tuple[ChangeSet, ...]]) -> bool:
        """Return whether some of the change sets *sent* failed before with one of the failures `FAILED`."""
        found = ((self.find_failed(name), sent[name]) for name in self.by_name.keys() & sent.keys())
        return any(failed and select_others(sets, failed.changes) != sets for failed, sets in found)

    def end_backoff(self, now_s: float) -> None:
        """End the pauses of all names that have one of the failures `FAILED`."""
        for failure in FAILED:
            for name, retry in self.select(failure):
                if retry.is_waiting:
                    retry.until_at = now_s
                    self.schedule(name, retry)

    def remove(self, name: DnsName, *failures: Failure) -> None:
        """Remove the retries of *name* for *failures*, if there are any."""
        if retries := self.by_name.get(name):
            for failure in failures:
                retries.pop(failure, None)
            if not retries:
                del self.by_name[name]

    def select(self, failure: Failure) -> Iterator[tuple[DnsName, Retry]]:
        """Return the names that have a retry for *failure*, with the retry."""
        found = ((name, retries.get(failure)) for name, retries in self.by_name.items())
        return ((name, retry) for name, retry in found if retry is not None)

    def find_ready_at(self, name: DnsName) -> float:
        """Return when the pauses of *name* after write conflicts or frequent writes end (monotonic seconds), 0 if none.

        Pauses after refusals are not considered.
        """
        retries = self.by_name.get(name)
        if not retries:
            return 0.0
        blocking = (retries.get(Failure.WRITE_CONFLICT), retries.get(Failure.WRITTEN_OFTEN))
        return max((retry.until_at for retry in blocking if retry), default=0.0)

    def is_repeated_conflict(self, name: DnsName, sets: tuple[ChangeSet, ...]) -> bool:
        """Return whether *sets* conflicted before: the name was read, and the same changes were planned again."""
        conflict = self.find(name, Failure.WRITE_CONFLICT)
        return conflict is not None and are_equivalent(conflict.changes, sets)

    def take_due(self, now_s: float) -> list[tuple[DnsName, Failure]]:
        """Return the names whose pause has ended, each with the failure that began it."""
        due: list[tuple[DnsName, Failure]] = []
        while self._ends and self._ends[0][0] <= now_s:
            _, name, failure = heappop(self._ends)
            retry = self.find(name, failure)
            if retry and retry.is_waiting and retry.has_ended(now_s):
                retry.is_waiting = False
                due.append((name, failure))
        return due

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Remove the retries of all names for which *belongs* returns False."""
        for name in [name for name in self.by_name if not belongs(name)]:
            del self.by_name[name]

    @property
    def next_deadline_at(self) -> float:
        """The time at which the next pause ends (monotonic seconds), infinity if there is none."""
        return self._ends[0][0] if self._ends else math.inf


class GiveUpRule(Value, frozen=True, kw_only=True):
    """When to stop waiting for a call that keeps failing: one failing zone must not hold up the first pass (law 3).

    Attributes:
        is_single_pass: whether the process ends after one pass. Then the number of failures decides, else `timeout_s`.
        timeout_s: how long to wait for a failing call, counted from its first failure.
    """

    is_single_pass: bool
    timeout_s: float

    def is_reached(self, retry: Retry, now_s: float) -> bool:
        """Return whether to stop waiting for *retry*.

        For a missing permission, and in a single pass for missing credentials, that is after the first failure. Else it
        is after five failures in a row in a single pass, or after `timeout_s`.
        """
        if not retry.failures:
            return False
        if retry.is_forbidden or (self.is_single_pass and retry.lacks_credentials):
            return True
        return retry.failures >= _ATTEMPTS if self.is_single_pass else now_s - retry.since_at >= self.timeout_s

    def find_deadlines(self, retries: Iterable[Retry]) -> Iterator[float]:
        """Return when `timeout_s` ends or ended for each of *retries* that has failed (monotonic seconds)."""
        return (retry.since_at + self.timeout_s for retry in retries if retry.failures)


class Deadlines:
    """The one place that computes when the engine has to step next if nothing happens before."""

    def __init__(self) -> None:
        """Start without registered functions."""
        self._parts: list[Callable[[float], Iterable[float]]] = []

    def register(self, find_deadlines: Callable[[float], Iterable[float]]) -> None:
        """Add a function that returns, given the present time, the times at which a part of the engine has work."""
        self._parts.append(find_deadlines)

    def find_next(self, now_s: float) -> float | None:
        """Return the first time after *now_s* at which a part of the engine has work, None if there is none."""
        next_at = math.inf
        for find_deadlines in self._parts:
            for at_s in find_deadlines(now_s):
                if now_s < at_s < next_at:
                    next_at = at_s
        return next_at if next_at < math.inf else None
