"""The write queue of one zone: planned changes, the batch in flight, and how each outcome is handled.

See docs/design/retries.md, "Outcomes of a batch".
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine.batches import find_names, find_offending_names, select_for_batch
from extdns.engine.names_to_read import NamesToRead, find_written_names
from extdns.engine.retries import FAILED, Failure, GiveUpRule, Retry, RetryTable, get_key, select_others
from extdns.engine.write_history import WriteHistory
from extdns.model.change import (
    Batch,
    Blocked,
    ChangeSet,
    Create,
    Forbidden,
    Refused,
    TryLater,
    Unknown,
    WriteConflict,
    are_equivalent,
)
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from extdns.model.capabilities import Capabilities
    from extdns.model.dns_name import DnsName

FailedOutcome = WriteConflict | Refused | Forbidden | TryLater | Unknown

_ALONE_AFTER: Final = 12
"""After so many failures in a row, names are sent one at a time."""

_ALONE_S: Final = 1.0
"""The least time from one such batch to the next, if its name was not sent alone before."""

_RETRY_S: Final = 60.0
"""The same if it was."""

_STOPPED_AFTER: Final = 3
"""After so many failures in a row, of which the last need not be the fault of a name, the whole zone is to blame."""

_FAILING_AFTER: Final = 5
"""After so many pauses for write conflicts, a name counts as failing."""

_FAILURES: Final = {
    Reason.REFUSED: Failure.REFUSED,
    Reason.ZONE_FORBIDDEN: Failure.FORBIDDEN,
    Reason.NO_ANSWER: Failure.NO_ANSWER,
}

Sets = tuple[ChangeSet, ...]
"""All change sets of one name."""


class WriteQueue:
    """The change sets of one zone that are queued or being written, and the retries of those that failed.

    A batch that fails without naming a record is sent in halves, until the names that fail are found. Names in such
    groups, and names that failed alone, are never sent together with others. The last half of a name is a change set:
    once the name failed, its change sets are sent one at a time, and those that fail wait.

    Attributes:
        queued: by name, the change sets that are planned and not sent.
        in_flight: the batch that has no outcome yet.
        reads: the names to read before they are written again. If writes of the service are not conditional, nothing
            is sent while any name must be read.
        unsure: by name, what was sent and got no answer, so that it may have been applied.
        retries: the names that wait after a failure.
        retry: the pause of the zone, after throttling or a lost answer.
    """

    def __init__(self, *, is_single_pass: bool = False) -> None:
        """Start without changes. In a single pass, a name that fails alone is not tried again."""
        self.queued: dict[DnsName, Sets] = {}
        self.in_flight: Batch | None = None
        self.reads = NamesToRead()
        self.unsure: dict[DnsName, Sets] = {}
        self.retries = RetryTable()
        self.retry = Retry(Failure.ZONE_WRITE)
        self._is_single_pass = is_single_pass
        self._history = WriteHistory(self.retries)
        self._sent: dict[DnsName, Sets] = {}
        self._tried_at = self._retried_at = -math.inf  # when the last batch without and with names that failed was sent
        self._changed_failed_at = -math.inf  # when a name that failed alone before failed again with other changes
        self._next_turn = 0  # of names that never failed, groups, and names that failed alone: with other changes, same
        self._groups: dict[DnsName, int] = {}  # names of a batch that failed have the same number; the least goes next
        self._failed_in_a_row = 0
        self._last_failure: Blocked | None = None
        self._blocks: dict[DnsName, Blocked] = {}  # why the last batch with the name failed
        self._just_read: frozenset[DnsName] = frozenset()

    @property
    def problem(self) -> str:
        """The last message of the service if no change of the zone succeeds, "" otherwise."""
        last = self._last_failure
        is_stopped = last and last.reason is not Reason.REFUSED and self._failed_in_a_row >= _STOPPED_AFTER
        return last.detail if last and is_stopped else ""

    @property
    def _is_sent_alone(self) -> bool:
        """Whether names are sent one at a time, because nothing was applied for long."""
        return self._failed_in_a_row >= _ALONE_AFTER

    @property
    def _is_given_up(self) -> bool:
        """Whether a single pass sends nothing more, because each further call would wait in vain for its answer."""
        last = self._last_failure
        is_unanswered = last is not None and last.reason is Reason.NO_ANSWER
        return self._is_single_pass and self._is_sent_alone and is_unanswered

    def find_deadlines(self) -> tuple[float, ...]:
        """Return the times at which a pause of a name or of the zone ends or ended (monotonic seconds)."""
        times = (self.retries.next_deadline_at, self.retry.until_at, self._changed_failed_at + _ALONE_S)
        return (*times, self._tried_at + _ALONE_S, self._retried_at + _RETRY_S) if self._is_sent_alone else times

    def is_writing(self, name: DnsName) -> bool:
        """Return whether the batch in flight changes *name*. Its outcome will make the name dirty."""
        return name in self._sent

    @property
    def unfinished(self) -> int:
        """The number of names whose changes are queued or being written."""
        return len(self.queued) + len(self._sent)

    @property
    def backing_off(self) -> int:
        """The number of names whose last changes were refused, or whose changes wait because they are contended."""
        failed = sum(1 for failure in FAILED for _ in self.retries.select(failure))
        return failed + sum(retry.is_waiting for _, retry in self.retries.select(Failure.CONTENDED))

    @property
    def conflicting(self) -> int:
        """The number of names that count as failing after repeated write conflicts."""
        return sum(retry.failures >= _FAILING_AFTER for _, retry in self.retries.select(Failure.WRITE_CONFLICT))

    def names_being_written(self) -> set[DnsName]:
        """Return all names that the batch in flight writes; ownership names included."""
        return set(find_written_names(self.in_flight.change_sets if self.in_flight else ()))

    def review(self, name: DnsName, sets: Sets, now_s: float) -> Blocked | None:
        """Return why *sets*, all change sets of *name*, cannot be sent now; None if they can. Nothing is stored."""
        failed = self.retries.find_failed(name)
        if not (sets or failed):
            return None
        if name in self.reads.names or self._is_other_than_sent(name, sets):
            return self._blocks.get(name)
        if failed and sets and not select_others(sets, failed.changes):
            return failed.block  # also while it is sent again
        if not sets:
            return None
        if name in self._history.repeated and (contended := self._history.review(name, sets, now_s)):
            return contended
        block = self._blocks.get(name)
        return block if block and max(self.retry.until_at, self.retries.find_ready_at(name)) > now_s else None

    def replace(self, name: DnsName, sets: Sets, now_s: float) -> None:
        """Queue *sets* in place of the changes of *name*; none while it must be read or *sets* wait for a retry."""
        if self._is_other_than_sent(name, sets) and name not in self.reads.names:
            self.reads.require(self.unsure[name])
        if name in self.reads.names:
            self.queued.pop(name, None)
            return
        if not sets:
            self.queued.pop(name, None)
            self._forget_failures(name, *FAILED, Failure.WRITE_CONFLICT)
            return
        if failed := self.retries.find_failed(name):
            failed.changes = select_others(failed.changes, select_others(failed.changes, sets))
            if not failed.changes:
                failed.record_success()
            elif self._is_single_pass or not failed.has_ended(now_s):
                sets = select_others(sets, failed.changes)
        if not sets or (name in self._history.repeated and self._history.postpone(name, sets, now_s)):
            self.queued.pop(name, None)
        else:
            self.queued[name] = sets

    def discard(self, name: DnsName) -> None:
        """Drop the queued changes of *name*."""
        self.queued.pop(name, None)

    def list_outstanding(self, names: Collection[str]) -> list[ChangeSet]:
        """Return the change sets of each of *names* that are queued, in flight, or may have been applied."""
        found: dict[str, Sets] = {}
        for by_name in (self.unsure, self._sent, self.queued):  # the latest changes of a name replace others
            if not by_name.keys().isdisjoint(names):
                found |= {name: by_name[name] for name in by_name.keys() & names}
        return [one for name in sorted(found) for one in found[name]]

    def read_again(self) -> None:
        """Have all queued names read and planned again, because another process may have written them."""
        self.reads.require(chain.from_iterable(self.queued.values()))
        self.queued.clear()

    def withdraw(self, names: AbstractSet[DnsName]) -> dict[DnsName, Sets]:
        """Remove the queued changes of *names* from the queue and return them, before the names are planned again."""
        return {name: self.queued.pop(name) for name in names & self.queued.keys()}

    def find_changed(self, sets: Mapping[DnsName, Sets]) -> set[DnsName]:
        """Return the names whose queued changes differ from those in *sets*."""
        return {name for name, former in sets.items() if not are_equivalent(self.queued.get(name, ()), former)}

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Drop the changes and retries of all names for which *belongs* returns False."""
        for by_name in (self.queued, self.unsure, self._blocks, self._groups):
            for name in [name for name in by_name if not belongs(name)]:
                del by_name[name]
        self.retries.retain(belongs)

    def take_due(self, now_s: float) -> list[DnsName]:
        """Return the names to plan again: their pause after a refusal, or for a contended record, has ended."""
        due = self.retries.take_due(now_s)
        return [name for name, failure in due if failure in {*FAILED, Failure.CONTENDED}]

    def take_batch(
        self,
        number: int,
        capabilities: Capabilities,
        now_s: float,
        dirty: Container[DnsName] = (),
        *,
        only_creates: bool = False,
    ) -> Batch | None:
        """Build the batch to send now and count it as in flight. Return None if nothing can be sent now.

        Names that are *dirty* are planned again first.

        If writes of the service are not conditional, names must be read immediately before they are written. If one of
        the batch was not read since the last call, schedule the reads and return None. With *only_creates*, leave out
        the names that have other changes.
        """
        just_read, self._just_read = self._just_read, frozenset()
        if not self.queued or self.in_flight or self._is_given_up or not self.retry.has_ended(now_s):
            return None
        is_blind = capabilities.is_safe_to_write_blind
        if self.reads.names and not is_blind:
            return None

        def is_ready(name: DnsName) -> bool:
            may_be_sent = not only_creates or all(map(_is_create, self.queued[name]))
            return may_be_sent and name not in dirty and self.retries.find_ready_at(name) <= now_s

        known = [] if is_blind else [name for name in self.queued if name in just_read and is_ready(name)]
        names = known or self._select_names(is_ready, now_s)
        sets = select_for_batch((one for name in names for one in self._select_sets(name)), capabilities)
        if not sets:
            return None
        if not (is_blind or find_written_names(sets) <= just_read):
            self.reads.require(sets)
            return None
        self.in_flight = Batch(number=number, zone=sets[0].zone, change_sets=sets)
        self._sent = {name: self._select_sets(name) for name in find_names(self.in_flight)}
        for name in self._sent:
            del self.queued[name]
        self._end_turn(now_s)
        return self.in_flight

    def _end_turn(self, now_s: float) -> None:
        """Store when the batch in flight was sent, and whose turn is next."""
        if self.retries.have_failed(self._sent):
            self._retried_at, self._next_turn = now_s, 0
        elif self._have_changed(self._sent):
            self._tried_at, self._next_turn = now_s, 3
        else:
            has_waited = self._groups and self._groups.keys().isdisjoint(self._sent)
            self._tried_at, self._next_turn = now_s, 1 if has_waited else 2

    def _have_changed(self, sent: Mapping[DnsName, Sets]) -> bool:
        """Return whether all names in *sent* failed alone before, but with other change sets."""
        return all(map(self.retries.find_failed, sent)) and not self.retries.have_failed(sent)

    def take_read_names(self) -> frozenset[DnsName]:
        """End the read under way. Return the names that were read, which the next `take_batch` may write."""
        self._just_read = self.reads.finish()
        for name in [name for name, sets in self.unsure.items() if find_written_names(sets) <= self._just_read]:
            del self.unsure[name]
        return self._just_read

    def _select_names(self, is_ready: Callable[[DnsName], bool], now_s: float) -> Iterable[DnsName]:
        """Return the names to send, in turn.

        These are those that never failed, the next group, one that failed alone and has other changes now, or those
        that failed alone and have the same. If names are sent one at a time, return the first of them, () if it must
        wait.
        """
        is_slow = self._is_sent_alone and not self._is_single_pass
        may_try = not is_slow or now_s - self._tried_at >= _ALONE_S
        may_change = may_try and (self._is_single_pass or now_s - self._changed_failed_at >= _ALONE_S)
        may_retry = not is_slow or now_s - self._retried_at >= _RETRY_S
        turns = (
            self._select_fresh(is_ready) if may_try else (),
            self._select_group(is_ready) if may_try else (),
            self._select_changed(is_ready) if may_change else (),
            self._select_failed(is_ready) if may_retry else (),
        )
        for names in map(iter, (*turns[self._next_turn :], *turns[: self._next_turn])):
            for first in names:
                return (first,) if self._is_sent_alone else chain((first,), names)
        return ()

    def _select_fresh(self, is_ready: Callable[[DnsName], bool]) -> Iterator[DnsName]:
        return (name for name in self.queued if not self._has_failed(name) and is_ready(name))

    def _select_group(self, is_ready: Callable[[DnsName], bool]) -> Iterator[DnsName]:
        grouped = [name for name in self._groups if name in self.queued and is_ready(name)]
        number = min((self._groups[name] for name in grouped), default=0)
        yield from (name for name in grouped if self._groups[name] == number)

    def _select_changed(self, is_ready: Callable[[DnsName], bool]) -> Iterator[DnsName]:
        failed = {name: retry for name, retry, is_same in self._list_failed(is_ready) if not is_same}
        yield from sorted(failed, key=lambda name: failed[name].failed_at)[:1]

    def _select_failed(self, is_ready: Callable[[DnsName], bool]) -> Iterator[DnsName]:
        failed = {name: retry for name, retry, is_same in self._list_failed(is_ready) if is_same}
        yield from sorted(failed, key=lambda name: failed[name].until_at)

    def _list_failed(self, is_ready: Callable[[DnsName], bool]) -> Iterator[tuple[DnsName, Retry, bool]]:
        """Yield the queued names that failed alone, and whether what would be sent of each failed."""
        for name in [name for name in self.retries.by_name if name in self.queued and is_ready(name)]:
            if retry := self.retries.find_failed(name):
                yield name, retry, self.retries.have_failed({name: self._select_sets(name)})

    def _select_sets(self, name: DnsName) -> Sets:
        """Return what to send of *name*: all change sets, or if it failed alone one of them, in turn.

        Those that did not fail go first.
        """
        sets, failed = self.queued[name], self.retries.find_failed(name)
        if failed is None or len(sets) == 1:
            return sets
        found = select_others(sets, failed.changes) or sets
        later = [one for one in found if failed.last is not None and get_key(one) > failed.last]
        return (later[0] if later else found[0],)

    def _has_failed(self, name: DnsName) -> bool:
        return name in self._groups or self.retries.find_failed(name) is not None

    def record_applied(self, batch: Batch, now_s: float) -> None:
        """Reset the failures of the zone and of the names of *batch*, which was applied.

        If one of them failed before with the same changes, end the pauses of all names that failed.
        """
        sent, self.in_flight, self._sent = self._sent, None, {}
        self.retry.record_success()
        self._failed_in_a_row, self._last_failure = 0, None
        failed_before = self.retries.have_failed(sent)
        for name, sets in sent.items():
            self.unsure.pop(name, None)
            self._forget_failures(name, Failure.WRITE_CONFLICT)
            if (failed := self.retries.find_failed(name)) and failed.changes:
                failed.changes = select_others(failed.changes, sets)
                if not failed.changes:
                    self.retries.remove(name, *FAILED)
        if failed_before:
            self.retries.end_backoff(now_s)
        self._history.record_writes(batch.change_sets, now_s)

    def record_failure(self, batch: Batch, outcome: FailedOutcome, now_s: float) -> None:
        """Handle the *outcome* of a *batch* that failed or got no answer: begin pauses and schedule reads."""
        sent = self._sent
        self.in_flight, self._sent = None, {}
        if self._have_changed(sent):
            self._changed_failed_at = now_s
        match outcome:
            case WriteConflict(message=message, offending_names=offending):
                self._record_conflict(sent, message, find_offending_names(batch, offending), now_s)
            case Refused(message=message, offending_names=offending):
                block = Blocked(reason=Reason.REFUSED, detail=message)
                if found := find_offending_names(batch, offending):
                    self._delay(found, sent, block, now_s)
                else:
                    self._send_again(sent, block, now_s)
            case Forbidden(message=message):
                self._send_again(sent, Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message), now_s)
            case TryLater(message=message, retry_after_s=retry_after_s):
                self.retry.record_failure(now_s, retry_after_s)
                self._blocks |= dict.fromkeys(sent, Blocked(reason=Reason.TRY_LATER, detail=message))
            case Unknown():
                self._record_unanswered(sent, outcome, now_s)
            case _:
                assert_never(outcome)

    def _record_unanswered(self, sent: Mapping[DnsName, Sets], outcome: Unknown, now_s: float) -> None:
        """Send the changes in *sent* again after a pause of the zone; in halves if one of them got no answer before."""
        block = Blocked(reason=Reason.NO_ANSWER, detail=outcome.message)
        is_repeated = any(self._blocks[name].reason is Reason.NO_ANSWER for name in sent if name in self._blocks)
        self.unsure.update(sent)
        if outcome.unconditional:
            self.reads.require(chain.from_iterable(sent.values()))
        if not is_repeated:
            self.retry.record_failure(now_s)
        self._send_again(sent, block, now_s, in_halves=is_repeated)

    def has_sendable(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether a name is queued, other than those that *rule* gives up after repeated write conflicts.

        Unless this is a single pass, names that failed do not count while names are sent one at a time.
        """
        if self._is_given_up:
            return False
        is_slow = self._is_sent_alone and not self._is_single_pass
        names = (name for name in self.queued if not (is_slow and self._has_failed(name)))
        conflicts = (self.retries.find(name, Failure.WRITE_CONFLICT) for name in names)
        return any(not (conflict and rule.is_reached(conflict, now_s)) for conflict in conflicts)

    def _is_other_than_sent(self, name: DnsName, sets: Sets) -> bool:
        """Return whether other changes of *name* than *sets* may have been applied."""
        return name in self.unsure and not are_equivalent(self.unsure[name], sets)

    def _record_conflict(
        self, sent: Mapping[DnsName, Sets], message: str, offending: tuple[DnsName, ...], now_s: float
    ) -> None:
        """Schedule reads of the *offending* names, or of the only one. If no name is to blame, halve the batch.

        If changes that got no answer conflict, they were probably applied; read all names of the batch. If other
        changes conflict again after the name was read, another name may be to blame.
        """
        is_unsure = not self.unsure.keys().isdisjoint(sent)
        found = tuple(sent) if is_unsure or len(sent) == 1 else offending
        if not found or (not is_unsure and any(self.retries.is_repeated_conflict(name, sent[name]) for name in found)):
            self._send_again(sent, Blocked(reason=Reason.REFUSED, detail=message), now_s)
            return
        self._group(found, Blocked(reason=Reason.WRITE_CONFLICT, detail=message))
        for name in found:
            self.reads.require(sent[name])
            if self.retries.find(name, Failure.WRITE_CONFLICT):
                self.retries.record_failure(name, Failure.WRITE_CONFLICT, now_s)
            # the first attempt after it has no pause
            self.retries.add(name, Failure.WRITE_CONFLICT).changes = sent[name]

    def _send_again(
        self, sent: Mapping[DnsName, Sets], block: Blocked, now_s: float, *, in_halves: bool = True
    ) -> None:
        """Send the names of *sent*, whose batch failed, again after the other groups; delay a single name instead."""
        if not self._have_changed(sent):
            self._failed_in_a_row, self._last_failure = self._failed_in_a_row + 1, block
        names = tuple(sent)
        if in_halves and len(names) == 1:
            self._delay(names, sent, block, now_s)
        else:
            middle = len(names) // 2 if in_halves else len(names)
            self._group(names[:middle], block)
            self._group(names[middle:], block)

    def _group(self, names: Collection[DnsName], block: Blocked) -> None:
        """Have *names*, which failed because of *block*, sent together, after the other groups."""
        self._groups |= dict.fromkeys(names, max(self._groups.values(), default=0) + 1)
        self._blocks |= dict.fromkeys(names, block)

    def _delay(self, names: Iterable[DnsName], sent: Mapping[DnsName, Sets], block: Blocked, now_s: float) -> None:
        """Begin a pause of each of *names*, which are to blame for a failure. Read those that may have been written.

        If several change sets of a name were sent, these are sent again first, one at a time.
        """
        for name in names:
            self._groups.pop(name, None)
            self._blocks[name] = block
            failed = sent[name] if len(sent[name]) == 1 else ()
            self.retries.delay(name, _FAILURES[block.reason], failed, block, now_s)
            if name in self.unsure:
                self.reads.require(self.unsure[name])

    def _forget_failures(self, name: DnsName, *failures: Failure) -> None:
        self._blocks.pop(name, None)
        self._groups.pop(name, None)
        self.retries.remove(name, *failures)


def _is_create(change_set: ChangeSet) -> bool:
    """Return whether nothing existing changes. A set without changes writes ownership records to a parent zone."""
    if change_set.changes:
        return all(isinstance(change, Create) for change in change_set.changes)
    return all(write.old is None for write in change_set.writes)
