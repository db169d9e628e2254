"""Retries: how long to wait after each failure, and when the engine has to step next (docs/design/retries.md).

`PAUSES_S` has a row for each kind of failure. A `Retry` counts the failures in a row of one thing. A `RetryTable` holds
the retries of names and returns those that are due. `Engine.find_next` computes when the engine has to step next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from heapq import heappop, heappush
from itertools import chain
from typing import Final

from extdns.model.change import Blocked, ChangeSet, are_equivalent
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import RecordKey
from extdns.model.value import Value, compute_backoff_s

MAX_REQUESTED_S: Final = 3600.0
"""The longest pause that a service can request."""

_ATTEMPTS: Final = 5
"""Failures in a row after which a single pass gives up."""


class Failure(StrEnum):
    """The failures that are retried. The comment says what is retried: a change set, a name, a zone or their list."""

    REFUSED = "refused"  # a change set: the service refused it
    FORBIDDEN = "zone-forbidden"  # a change set: the permission to make it is missing
    NO_ANSWER = "no-answer"  # a change set: the service does not answer when it is sent alone
    CONTENDED = "contended"  # change sets of a name: another writer keeps changing a record back
    WRITE_CONFLICT = "write-conflict"  # a name: a record was not what was read
    WRITTEN_OFTEN = "written-often"  # a name: it is written again and again
    PLANNING = "planning"  # a name: planning it raised an exception
    ZONE_WRITE = "zone-write"  # a zone: throttled, or a batch without an answer
    ZONE_READ = "zone-read"  # a zone: a page or names could not be read
    ZONE_LIST = "zone-list"  # all zones, or those of some accounts, could not be listed


class Turn(IntEnum):
    """The kinds of batches, in the order in which they take turns. A batch has change sets of one kind only."""

    FRESH = 0  # those that never failed
    PART = 1  # a part of a batch that failed
    CHANGED = 2  # one that failed alone, and has other content now
    RETRY = 3  # those that failed alone, and whose pause is over: together, or one at a time


PAUSES_S: Final[Mapping[Failure, tuple[float, float]]] = {
    Failure.REFUSED: (60.0, 3600.0),
    Failure.FORBIDDEN: (60.0, 300.0),
    Failure.NO_ANSWER: (5.0, 300.0),
    Failure.CONTENDED: (300.0, 3600.0),
    Failure.WRITE_CONFLICT: (1.0, 60.0),  # after a first attempt without a pause
    Failure.WRITTEN_OFTEN: (5.0, 5.0),
    Failure.PLANNING: (1.0, 300.0),
    Failure.ZONE_WRITE: (0.25, 30.0),
    Failure.ZONE_READ: (1.0, 60.0),
    Failure.ZONE_LIST: (1.0, 60.0),
}
"""The first and the longest pause after failures in a row; each pause is twice the one before."""


@dataclass(slots=True)
class Retry:
    """The failures in a row of one thing, and the pause before the next attempt.

    Attributes:
        since_at: the time of the first of these failures (monotonic seconds).
        until_at: the end of the pause (monotonic seconds).
        message: the error of the last failure, "" if there is none.
        is_forbidden: whether permissions were missing the last time; only a person can change that.
        changes: the change sets of a name that conflicted, or that wait because a record is contended.
        is_waiting: whether `RetryTable.take_due` has not returned the name since the pause began.
    """

    failure: Failure
    failures: int = 0
    since_at: float = 0.0
    until_at: float = 0.0
    message: str = ""
    is_forbidden: bool = False
    lacks_credentials: bool = False
    changes: tuple[ChangeSet, ...] = ()
    is_waiting: bool = False

    def compute_pause_s(self) -> float:
        """Return how long to wait after one more failure, in seconds."""
        first_s, max_s = PAUSES_S[self.failure]
        return compute_backoff_s(first_s, self.failures, max_s)

    def record_failure(
        self,
        now_s: float,
        requested_s: float | None = None,
        *,
        message: str = "",
        is_forbidden: bool = False,
        lacks_credentials: bool = False,
    ) -> None:
        """Count a failure and begin the pause: at least *requested_s*, which the service requests, up to an hour."""
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


@dataclass(slots=True, kw_only=True)
class FailedSet(Retry):
    """A change set whose last batch failed. Only failures while it was sent alone count, each with a pause.

    Attributes:
        sent: the change set as it was sent.
        block: why the batch failed.
        turn: the kind of batch in which it is sent next.
        place: its place among those of the same turn. A part of a batch has one place.
        is_unsure: whether there was no answer, so that *sent* may have been applied.
    """

    sent: ChangeSet
    block: Blocked
    turn: Turn
    place: int
    is_unsure: bool = False


def select_others(sets: Iterable[ChangeSet], former: Iterable[ChangeSet]) -> list[ChangeSet]:
    """Return those of *sets* that make other changes than each of *former*."""
    by_key = {one.key: (one,) for one in former}
    return [one for one in sets if not are_equivalent((one,), by_key.get(one.key, ()))]


class RetryTable:
    """The retries of names, by name and kind of failure, and those of change sets, by name and key.

    Finding those that are due does not take longer if many others wait.

    Attributes:
        by_name: only names with a failure have an entry.
    """

    def __init__(self) -> None:
        """Start with no retries."""
        self.by_name: dict[DnsName, dict[Failure | RecordKey, Retry]] = {}
        self._ends: list[tuple[float, DnsName]] = []  # a heap of pauses, some of which are outdated
        self._last_place = 0

    def find(self, name: DnsName, failure: Failure) -> Retry | None:
        """Return the retry of *name* for *failure*, None if there is none."""
        return self.by_name.get(name, {}).get(failure)

    def add(self, name: DnsName, failure: Failure) -> Retry:
        """Return the retry of *name* for *failure*; a new one has no pause yet."""
        retries = self.by_name.setdefault(name, {})
        return retries.get(failure) or retries.setdefault(failure, Retry(failure))

    def schedule(self, name: DnsName, retry: Retry) -> None:
        """Schedule *name* for `take_due` at the end of the pause of *retry*, which has just begun."""
        retry.is_waiting = True
        heappush(self._ends, (retry.until_at, name))

    def record_failure(self, name: DnsName, failure: Failure, now_s: float, message: str = "") -> Retry:
        """Count a failure of *name* and begin its pause."""
        retry = self.add(name, failure)
        retry.record_failure(now_s, message=message)
        self.schedule(name, retry)
        return retry

    def add_sets(self, sets: Iterable[ChangeSet], block: Blocked, turn: Turn) -> list[FailedSet]:
        """Record that the batch with *sets* failed because of *block*. They get one place, the last."""
        self._last_place += 1
        found: list[FailedSet] = []
        for one in sets:
            failed = self.find_set(one) or FailedSet(Failure.REFUSED, sent=one, block=block, turn=turn, place=0)
            self.by_name.setdefault(one.name, {})[one.key] = failed
            failed.sent, failed.block, failed.turn, failed.place = one, block, turn, self._last_place
            failed.is_unsure |= block.reason is Reason.NO_ANSWER
            found.append(failed)
        return found

    def find_set(self, change_set: ChangeSet) -> FailedSet | None:
        """Return the failures of *change_set*, also with other content; None if there are none."""
        retries = self.by_name.get(change_set.name)
        failed = retries.get(change_set.key) if retries else None
        return failed if isinstance(failed, FailedSet) else None

    def find_turn(self, change_set: ChangeSet) -> Turn:
        """Return the kind of batch in which *change_set* is sent next."""
        failed = self.find_set(change_set)
        return failed.turn if failed else Turn.FRESH

    def list_sets(self, name: DnsName) -> list[FailedSet]:
        """Return the failures of all change sets of *name*."""
        return [retry for retry in self.by_name.get(name, {}).values() if isinstance(retry, FailedSet)]

    def list_all_sets(self) -> Iterator[FailedSet]:
        """Return the failures of all change sets."""
        return chain.from_iterable(map(self.list_sets, self.by_name))

    def end_backoff(self, now_s: float) -> None:
        """End the pauses of all change sets."""
        for failed in self.list_all_sets():
            if failed.is_waiting:
                failed.until_at = now_s
                self.schedule(failed.sent.name, failed)

    def remove(self, name: DnsName, *keys: Failure | RecordKey) -> None:
        """Remove the retries of *name*, and of its change sets, with these *keys*, if there are any."""
        if retries := self.by_name.get(name):
            for key in keys:
                retries.pop(key, None)
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
        if not (retries := self.by_name.get(name)):
            return 0.0
        blocking = Failure.WRITE_CONFLICT, Failure.WRITTEN_OFTEN
        return max((retries[failure].until_at for failure in blocking if failure in retries), default=0.0)

    def take_due(self, now_s: float) -> set[DnsName]:
        """Return the names to plan again, because a pause has ended."""
        due = set[DnsName]()
        while self._ends and self._ends[0][0] <= now_s:
            due.add(heappop(self._ends)[1])
        for retry in chain.from_iterable(self.by_name[name].values() for name in due & self.by_name.keys()):
            retry.is_waiting &= not retry.has_ended(now_s)
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
        return retry.failures >= _ATTEMPTS if self.is_single_pass else now_s >= retry.since_at + self.timeout_s

    def find_deadlines(self, retries: Iterable[Retry]) -> Iterator[float]:
        """Return when `timeout_s` ends or ended for each of *retries* that has failed (monotonic seconds)."""
        return (retry.since_at + self.timeout_s for retry in retries if retry.failures)
