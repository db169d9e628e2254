"""The write queue of one zone: planned changes, the batch in flight, and how each outcome is handled.

See docs/design/retries.md, "Outcomes of a batch".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine.batches import find_names, find_offending_names, select_for_batch
from extdns.engine.contended_records import ContendedRecords
from extdns.engine.retries import FAILED, Failure, GiveUpRule, Retry, RetryTable, WriteRate
from extdns.engine.unconfirmed_writes import UnconfirmedWrites
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
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from extdns.model.dns_name import DnsName
    from extdns.model.zone import Capabilities

FailedOutcome = WriteConflict | Refused | Forbidden | TryLater | Unknown

_ALONE_AFTER: Final = 12
"""After so many failures in a row, names are sent one at a time."""

_ALONE_S: Final = 1.0
"""The least time from one such batch to the next, if its name was not sent alone before."""

_RETRY_S: Final = 60.0
"""The same if it was."""

_FORBIDDEN_AFTER: Final = 3
"""After so many failures in a row, of which the last was a missing permission, the zone is reported as forbidden."""

_SILENT_AFTER: Final = 3
"""If more single names than this got no answer since a batch was applied, the zone pauses after each of them."""

_FAILING_AFTER: Final = 5
"""After so many pauses for write conflicts, a name counts as failing."""

_FAILURES: Final = {
    Reason.REFUSED: Failure.REFUSED,
    Reason.ZONE_FORBIDDEN: Failure.FORBIDDEN,
    Reason.NO_ANSWER: Failure.NO_ANSWER,
}


class WriteQueue:
    """The change sets of one zone that are queued or being written, and the retries of those that failed.

    A batch that fails without naming a record is sent in halves, until the names that fail are found. Names in such
    groups, and names that failed alone, are never sent together with others.

    Attributes:
        queued: by name, the change sets that are planned and not sent.
        in_flight: the batch that has no outcome yet.
        unconfirmed: the names to read before they are written. Nothing is sent while a batch has no answer; if
            writes of the service are not conditional, nothing is sent while any name must be read.
        retries: the names that wait after a failure.
        retry: the pause of the zone, after throttling or a lost answer.
    """

    def __init__(self, *, is_single_pass: bool = False) -> None:
        """Start without changes. In a single pass, a name that fails alone is not tried again."""
        self.queued: dict[DnsName, tuple[ChangeSet, ...]] = {}
        self.in_flight: Batch | None = None
        self.unconfirmed = UnconfirmedWrites()
        self.retries = RetryTable()
        self.retry = Retry(Failure.ZONE_WRITE)
        self._is_single_pass = is_single_pass
        self._contended = ContendedRecords(self.retries)
        self._write_rate = WriteRate(self.retries)
        self._sent: dict[DnsName, tuple[ChangeSet, ...]] = {}
        self._sent_at = -math.inf
        self._groups: dict[DnsName, int] = {}  # names of a batch that failed have the same number; the least goes next
        self._failed_in_a_row = 0
        self._last_failure: Blocked | None = None
        self._unanswered_alone: set[DnsName] = set()  # names sent alone without an answer since a batch was applied
        self._unanswered: Mapping[DnsName, tuple[ChangeSet, ...]] = {}  # what the last batch with unknown effect sent
        self._repeated: Blocked | None = None  # what it is blocked by, if one of these names had no answer before
        self._blocks: dict[DnsName, Blocked] = {}  # why the last batch with the name failed
        self._just_read: frozenset[DnsName] = frozenset()

    @property
    def forbidden(self) -> str:
        """The message of the service if it seems to allow no change of the zone, "" otherwise."""
        last = self._last_failure
        is_forbidden = last and last.reason is Reason.ZONE_FORBIDDEN and self._failed_in_a_row >= _FORBIDDEN_AFTER
        return last.detail if last and is_forbidden else ""

    @property
    def _is_sent_alone(self) -> bool:
        """Whether names are sent one at a time, because nothing was applied for long."""
        return self._failed_in_a_row >= _ALONE_AFTER

    def find_deadlines(self) -> tuple[float, ...]:
        """Return the times at which a pause of a name or of the zone ends or ended (monotonic seconds)."""
        times = (self.retries.next_deadline_at, self.retry.until_at)
        return (*times, self._sent_at + _ALONE_S, self._sent_at + _RETRY_S) if self._is_sent_alone else times

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
        """Return all names that the batch in flight, or the one without an answer, writes; ownership names included."""
        batch = self.in_flight or self.unconfirmed.unanswered_batch
        return {write.key.name for write in batch.writes} if batch else set()

    def review(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> Blocked | None:
        """Return why *sets*, all change sets of *name*, cannot be sent now; None if they can. Nothing is stored."""
        failed = self.retries.find_failed(name)
        if not (sets or failed):
            return None
        if name in self.unconfirmed.names:
            return self._blocks.get(name)
        if failed and are_equivalent(failed.changes, sets):
            return failed.block  # also while it is sent again
        if not sets:
            return None
        if name in self._contended.names and (contended := self._contended.review(name, sets, now_s)):
            return contended
        block = self._blocks.get(name)
        return block if block and max(self.retry.until_at, self.retries.find_ready_at(name)) > now_s else None

    def replace(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> None:
        """Queue *sets* in place of the changes of *name*; none while it must be read or *sets* wait for a retry."""
        if name in self.unconfirmed.names:
            self.queued.pop(name, None)
            return
        if failed := self.retries.find_failed(name):
            if not are_equivalent(failed.changes, sets):
                self.retries.remove(name, *FAILED)
            elif self._is_single_pass or not failed.has_ended(now_s):
                self.queued.pop(name, None)
                return
        if not sets:
            self.queued.pop(name, None)
            self._forget_failures(name)
        elif name in self._contended.names and self._contended.postpone(name, sets, now_s):
            self.queued.pop(name, None)
        else:
            self.queued[name] = sets

    def discard(self, name: DnsName) -> None:
        """Drop the queued changes of *name*."""
        self.queued.pop(name, None)

    def find_queued_before(self, names: Collection[str]) -> list[ChangeSet]:
        """Return the queued change sets of each of *names*, or those in flight; also those of an unanswered batch."""
        found: list[ChangeSet] = []
        for name in sorted((self.queued.keys() & names) | (self._sent.keys() & names)):
            found += self.queued.get(name) or self._sent[name]
        if batch := self.unconfirmed.unanswered_batch:
            unanswered = frozenset(names)
            found += [change_set for change_set in batch.change_sets if change_set.name in unanswered]
        return found

    def withdraw(self, names: AbstractSet[DnsName]) -> dict[DnsName, tuple[ChangeSet, ...]]:
        """Remove the queued changes of *names* from the queue and return them, before the names are planned again."""
        return {name: self.queued.pop(name) for name in names & self.queued.keys()}

    def find_changed(self, sets: Mapping[DnsName, tuple[ChangeSet, ...]]) -> set[DnsName]:
        """Return the names whose queued changes differ from those in *sets*."""
        return {name for name, former in sets.items() if not are_equivalent(self.queued.get(name, ()), former)}

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Drop the changes and retries of all names for which *belongs* returns False."""
        for by_name in (self.queued, self._blocks, self._groups):
            for name in [name for name in by_name if not belongs(name)]:
                del by_name[name]
        self.retries.retain(belongs)

    def take_due(self, now_s: float) -> list[DnsName]:
        """Return the names to plan again: their pause after a refusal, or for a contended record, has ended."""
        due = self.retries.take_due(now_s)
        return [name for name, failure in due if failure in {*FAILED, Failure.CONTENDED}]

    def take_batch(
        self, number: int, capabilities: Capabilities, now_s: float, *, only_creates: bool = False
    ) -> Batch | None:
        """Build the batch to send now and count it as in flight. Return None if nothing can be sent now.

        If writes of the service are not conditional, names must be read immediately before they are written. If one of
        the batch was not read since the last call, schedule the reads in `unconfirmed` and return None.

        Args:
            number: the number of the new batch.
            capabilities: the capabilities of the service.
            now_s: monotonic seconds.
            only_creates: whether to leave out the names that have other changes than creates.
        """
        self.unconfirmed.has_atomic_batches = capabilities.atomic
        just_read, self._just_read = self._just_read, frozenset()
        if not self.queued or self.in_flight or not self.retry.has_ended(now_s):
            return None
        is_blind = capabilities.is_safe_to_write_blind
        if self.unconfirmed.unanswered_batch if is_blind else self.unconfirmed.names:
            return None
        names = [name for name in self.queued if name in just_read and not is_blind]
        names = names or self._select_names(now_s, only_creates=only_creates)
        sets = select_for_batch((change_set for name in names for change_set in self.queued[name]), capabilities)
        if not sets:
            return None
        batch = Batch(number=number, zone=sets[0].zone, change_sets=sets)
        if not is_blind and not self.unconfirmed.require_known(batch, just_read):
            return None
        self.in_flight, self._sent_at = batch, now_s
        self._sent = {name: self.queued.pop(name) for name in find_names(batch)}
        return batch

    def take_read_names(self) -> frozenset[DnsName]:
        """End the read under way. Return the names it confirmed, which the next `take_batch` may write."""
        self._just_read = self.unconfirmed.finish_read()
        return self._just_read

    def _select_names(self, now_s: float, *, only_creates: bool) -> Sequence[DnsName]:
        """Return the names to send: those that never failed, else the next group, else those that failed alone.

        If names are sent one at a time, return the first of them, () if it must wait.
        """
        ready = [name for name in self.queued if self.retries.is_ready(name, now_s)]
        if only_creates:
            ready = [name for name in ready if all(map(_is_create, self.queued[name]))]
        grouped = sorted((name for name in ready if name in self._groups), key=self._groups.__getitem__)
        others = [name for name in ready if name not in self._groups]
        failed = {name: retry.until_at for name in others if (retry := self.retries.find_failed(name))}
        fresh = [name for name in others if name not in failed]
        if not self._is_sent_alone:
            return fresh or [name for name in grouped if self._groups[name] == self._groups[grouped[0]]] or others
        untried = fresh or grouped
        pause_s = _RETRY_S if not untried else 0.0 if self._is_single_pass else _ALONE_S
        return () if now_s < self._sent_at + pause_s else (untried or sorted(failed, key=failed.__getitem__))[:1]

    def record_applied(self, batch: Batch, now_s: float) -> None:
        """Reset the failures of the zone and of the names of *batch*, which was applied.

        If one of them failed before with the same changes, end the pauses of all names that failed.
        """
        self.in_flight, self._sent = None, {}
        self.unconfirmed.confirm_all()
        self.retry.record_success()
        self._failed_in_a_row, self._last_failure, self._unanswered_alone = 0, None, set()
        names = find_names(batch)
        is_news = any(self.retries.find_failed(name) for name in names)
        for name in names:
            self._forget_failures(name)
        if is_news:
            self.retries.end_pauses(now_s)
        self._write_rate.record_writes(names, now_s)
        self._contended.record_writes(batch.change_sets, now_s)

    def record_failure(self, batch: Batch, outcome: FailedOutcome, now_s: float) -> None:
        """Handle the *outcome* of a *batch* that failed or got no answer: begin pauses and schedule reads."""
        match outcome:
            case WriteConflict(message=message, offending_names=offending):
                self._record_conflict(batch, message, find_offending_names(batch, offending), now_s)
            case Refused(message=message, offending_names=offending):
                block = Blocked(reason=Reason.REFUSED, detail=message)
                if found := find_offending_names(batch, offending):
                    self._delay(found, self._sent, block, now_s)
                else:
                    self._split(find_names(batch), self._sent, block, now_s)
            case Forbidden(message=message):
                block = Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message)
                self._split(find_names(batch), self._sent, block, now_s)
            case TryLater(message=message, retry_after_s=retry_after_s):
                self.retry.record_failure(now_s, retry_after_s)
                self._block_names(find_names(batch), Blocked(reason=Reason.TRY_LATER, detail=message))
            case Unknown(message=message):
                self._record_unanswered(batch, Blocked(reason=Reason.NO_ANSWER, detail=message), now_s)
            case _:
                assert_never(outcome)
        self.in_flight, self._sent = None, {}

    def resolve_unconfirmed(
        self, read: Collection[DnsName], changed: Collection[DnsName], now_s: float
    ) -> Collection[DnsName]:
        """Do as `UnconfirmedWrites.resolve`. If the batch was applied, end the pause of the zone.

        If the batch was not applied, and an earlier batch with one of its names had no answer, send it in halves. If it
        has one name, delay that name if others wait for it.
        """
        batch = self.unconfirmed.unanswered_batch
        names = self.unconfirmed.resolve(read, changed)
        if batch is None or not names:
            return names
        if not self.unconfirmed.is_resent(batch):
            self.retry.record_success()
        elif self._repeated and (len(names) > 1 or self.queued or self._is_delayed(batch)):
            self._split(find_names(batch), self._unanswered, self._repeated, now_s)
            self._just_read = frozenset()  # the halves are read again before they are written
        return names

    def _is_delayed(self, batch: Batch) -> bool:
        """Return whether *batch* has only one name, which was delayed for a refusal or a lost answer before."""
        names = find_names(batch)
        return len(names) == 1 and self.retries.find_failed(names[0]) is not None

    def _record_unanswered(self, batch: Batch, block: Blocked, now_s: float) -> None:
        """Begin the pause of the zone and schedule the reads that show whether *batch* was applied.

        A delayed name that is tried alone does not pause the zone, unless several others had no answer either.
        """
        names = find_names(batch)
        before = {found.reason for name in names if (found := self._blocks.get(name))}
        self._repeated = block if Reason.NO_ANSWER in before else None
        self._unanswered_alone.update(names if len(names) == 1 else ())
        if not self._is_delayed(batch) or len(self._unanswered_alone) > _SILENT_AFTER:
            self.retry.record_failure(now_s)
        self.unconfirmed.record_unanswered(batch)
        self._unanswered = self._sent
        self._block_names(names, block)

    def has_sendable(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether a name is queued, other than those that *rule* gives up after repeated write conflicts.

        Unless this is a single pass, names that failed and are sent one at a time do not count.
        """
        for name in self.queued:
            conflict = self.retries.find(name, Failure.WRITE_CONFLICT)
            is_slow = self._is_sent_alone and not self._is_single_pass
            if not (conflict and rule.is_reached(conflict, now_s)) and not (is_slow and name in self._blocks):
                return True
        return False

    def _block_names(self, names: Iterable[DnsName], block: Blocked) -> None:
        self._blocks.update(dict.fromkeys(names, block))

    def _record_conflict(self, batch: Batch, message: str, offending: tuple[DnsName, ...], now_s: float) -> None:
        """Schedule reads of the *offending* names, or of the only one. If no name is to blame, split the batch.

        If the same changes of a name conflict again after it was read, another name may be to blame.
        """
        names, is_resent = find_names(batch), self.unconfirmed.is_resent(batch)
        found = offending or (names if is_resent or len(names) == 1 else ())
        is_repeated = any(self.retries.is_repeated_conflict(name, self._sent[name]) for name in found)
        if not found or (is_repeated and not is_resent):
            self._split(names, self._sent, Blocked(reason=Reason.REFUSED, detail=message), now_s)
            return
        self._block_names(found, Blocked(reason=Reason.WRITE_CONFLICT, detail=message))
        self._unanswered, self._repeated = self._sent, None  # this batch was answered, and is not sent in halves
        self.unconfirmed.record_conflict(batch, found)
        self._group(found)
        for name in found:
            if conflict := self.retries.find(name, Failure.WRITE_CONFLICT):
                conflict.record_failure(now_s)
                self.retries.schedule(name, conflict)
            else:  # the first attempt after it has no pause
                conflict = self.retries.add(name, Failure.WRITE_CONFLICT)
            conflict.changes = self._sent[name]

    def _split(
        self, names: Sequence[DnsName], sent: Mapping[DnsName, tuple[ChangeSet, ...]], block: Blocked, now_s: float
    ) -> None:
        """Send *names*, whose batch failed, in halves after the other groups; delay a single name."""
        self._failed_in_a_row += 1
        self._last_failure = block
        if len(names) == 1:
            self._delay(names, sent, block, now_s)
            return
        self._block_names(names, block)
        self._group(names[: len(names) // 2])
        self._group(names[len(names) // 2 :])

    def _group(self, names: Iterable[DnsName]) -> None:
        """Send *names* together, after the other groups."""
        self._groups.update(dict.fromkeys(names, max(self._groups.values(), default=0) + 1))

    def _delay(
        self, names: Iterable[DnsName], sent: Mapping[DnsName, tuple[ChangeSet, ...]], block: Blocked, now_s: float
    ) -> None:
        """Begin a pause of each of *names*, which are to blame for a failure."""
        for name in names:
            self._groups.pop(name, None)
            self._blocks[name] = block
            self.retries.delay(name, _FAILURES[block.reason], sent[name], block, now_s)

    def _forget_failures(self, name: DnsName) -> None:
        self._blocks.pop(name, None)
        self._groups.pop(name, None)
        self.retries.remove(name, *FAILED, Failure.WRITE_CONFLICT)


def _is_create(change_set: ChangeSet) -> bool:
    return bool(change_set.changes) and all(isinstance(change, Create) for change in change_set.changes)
