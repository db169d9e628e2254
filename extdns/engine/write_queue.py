"""The write queue of one zone: planned changes, the batch in flight, and how each outcome is handled.

See docs/design/retries.md, "Outcomes of a batch".
"""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine.batches import find_names, find_offending_names, select_for_batch
from extdns.engine.contended_records import ContendedRecords
from extdns.engine.retries import Failure, GiveUpRule, Retry, RetryTable, WriteRate
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
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from extdns.model.dns_name import DnsName
    from extdns.model.zone import Capabilities

FailedOutcome = WriteConflict | Refused | Forbidden | TryLater | Unknown

_FORBIDDEN_AFTER: Final = 3
"""After so many consecutive single names were refused for lack of permission, the whole zone counts as forbidden."""

_FORBIDDEN_PAUSE_S: Final = 30.0
_FAILING_AFTER: Final = 5
"""After so many pauses for write conflicts, a name counts as failing."""

_TOGETHER_S: Final = 10.0
"""Refused names whose pauses end within this time are tried together."""


class WriteQueue:
    """The change sets of one zone that are queued or being written, and the retries of those that failed.

    Attributes:
        queued: by name, the change sets that are planned and not sent.
        in_flight: the batch that has no outcome yet.
        unconfirmed: the names to read before they are written. Nothing is sent while a batch has no answer; if
            writes of the service are not conditional, nothing is sent while any name must be read.
        retries: the names that wait after a failure.
        forbidden: the message of the service if it allows no change of the zone, "" otherwise.
        retry: the pause of the zone, after throttling or a lost answer, or while it is forbidden.
    """

    def __init__(self) -> None:
        """Start without changes."""
        self.queued: dict[DnsName, tuple[ChangeSet, ...]] = {}
        self.in_flight: Batch | None = None
        self.unconfirmed = UnconfirmedWrites()
        self.retries = RetryTable()
        self.forbidden = ""
        self.retry = Retry(Failure.ZONE_WRITE)
        self._contended = ContendedRecords(self.retries)
        self._write_rate = WriteRate(self.retries)
        self._sent: dict[DnsName, tuple[ChangeSet, ...]] = {}
        self._halves: deque[tuple[DnsName, ...]] = deque()  # of refused batches
        self._single_refusals = 0
        self._last_tried: DnsName | None = None
        self._blocks: dict[DnsName, Blocked] = {}  # why the last batch with the name failed
        self._just_read: frozenset[DnsName] = frozenset()

    def is_writing(self, name: DnsName) -> bool:
        """Return whether the batch in flight changes *name*. Its outcome will make the name dirty."""
        return name in self._sent

    @property
    def unfinished(self) -> int:
        """The number of names whose changes are queued or being written."""
        return len(self.queued) + len(self._sent)

    @property
    def backing_off(self) -> int:
        """The number of names whose changes wait after a refusal or because they are contended."""
        refused = sum(1 for _ in self.retries.select(Failure.REFUSED))
        return refused + sum(retry.is_waiting for _, retry in self.retries.select(Failure.CONTENDED))

    @property
    def conflicting(self) -> int:
        """The number of names that count as failing after repeated write conflicts."""
        return sum(retry.failures >= _FAILING_AFTER for _, retry in self.retries.select(Failure.WRITE_CONFLICT))

    def names_being_written(self) -> set[DnsName]:
        """Return all names that the batch in flight writes, including those of ownership records."""
        batch = self.in_flight or self.unconfirmed.unanswered_batch
        return {write.key.name for write in batch.writes} if batch else set()

    def review(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> Blocked | None:
        """Return why *sets*, all change sets of *name*, cannot be sent now; None if they can. Nothing is stored."""
        retries = self.retries.by_name.get(name)
        refused = retries.get(Failure.REFUSED) if retries else None
        if not (sets or refused):
            return None
        if name in self.unconfirmed.names:
            return self._blocks.get(name)
        if refused and not refused.has_ended(now_s) and are_equivalent(refused.changes, sets):
            return refused.block
        if not sets:
            return None
        if name in self._contended.names and (contended := self._contended.review(name, sets, now_s)):
            return contended
        if self.forbidden:
            return Blocked(reason=Reason.ZONE_FORBIDDEN, detail=self.forbidden)
        block = self._blocks.get(name)
        return block if block and max(self.retry.until_at, self._find_ready_at(name)) > now_s else None

    def replace(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> None:
        """Replace the queued changes of *name* by *sets*. Queue nothing while it must be read or waits for a retry."""
        if name in self.unconfirmed.names:
            self.queued.pop(name, None)
            return
        retries = self.retries.by_name.get(name)
        if refused := retries.get(Failure.REFUSED) if retries else None:
            if not are_equivalent(refused.changes, sets):
                self.retries.remove(name, Failure.REFUSED)
            elif not refused.has_ended(now_s):
                self.queued.pop(name, None)
                return
        if not sets:
            self.queued.pop(name, None)
            self._blocks.pop(name, None)
            if retries:
                self.retries.remove(name, Failure.WRITE_CONFLICT)
        elif name in self._contended.names and self._contended.postpone(name, sets, now_s):
            self.queued.pop(name, None)
        else:
            self.queued[name] = sets

    def discard(self, name: DnsName) -> None:
        """Drop the queued changes of *name*."""
        self.queued.pop(name, None)

    def find_queued_before(self, names: Collection[str]) -> list[ChangeSet]:
        """Return, of *names*, the queued change sets, else those in flight, and those of a batch without an answer."""
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
        for by_name in (self.queued, self._blocks):
            for name in [name for name in by_name if not belongs(name)]:
                del by_name[name]
        self.retries.retain(belongs)

    def take_due(self, now_s: float) -> list[DnsName]:
        """Return the names whose retry pause has ended, to plan them again."""
        due = self.retries.take_due(now_s)
        return [name for name, failure in due if failure in {Failure.REFUSED, Failure.CONTENDED}]

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
        known = () if is_blind else [name for name in self.queued if name in just_read]
        names = known or self._select_names(capabilities, now_s)
        if only_creates:
            names = [name for name in names if all(map(_is_create, self.queued[name]))]
        sets = select_for_batch((change_set for name in names for change_set in self.queued[name]), capabilities)
        if not sets:
            return None
        batch = Batch(number=number, zone=sets[0].zone, change_sets=sets)
        if not is_blind and not self.unconfirmed.require_known(batch, just_read):
            return None
        self.in_flight = batch
        self._sent = {name: self.queued.pop(name) for name in find_names(batch)}
        return batch

    def take_read_names(self) -> frozenset[DnsName]:
        """End the read under way. Return the names it confirmed, which the next `take_batch` may write."""
        self._just_read = self.unconfirmed.finish_read()
        return self._just_read

    def _select_names(self, capabilities: Capabilities, now_s: float) -> Iterable[DnsName]:
        """Return the names to send, in the order of the queue; after a refused batch, one half of its names.

        Refused names come last, each in a batch of its own if the service does not name offending records. The same
        applies to names whose write conflict was not confirmed by a second read.
        """
        if self.forbidden:
            return self._select_next_name(now_s)
        while self._halves:
            half = [name for name in self._halves.popleft() if name in self.queued and self._is_ready(name, now_s)]
            if half:
                return half
        fresh = (name for name in self.queued if name not in self.retries.by_name or self._is_fresh(name, now_s))
        first = next(fresh, None)
        if first is not None:
            return chain((first,), fresh)
        ready = [name for name in self.queued if self._is_ready(name, now_s)]
        refused = [name for name in ready if not self._is_false_conflict(name, self.queued[name])]
        return refused if refused and capabilities.names_offending_records else ready[:1]

    def _select_next_name(self, now_s: float) -> Iterable[DnsName]:
        """Return one name that may be sent now, the next one at each call: permission may be denied for some names."""
        names = sorted(name for name in self.queued if self._is_ready(name, now_s))
        later = [name for name in names if self._last_tried is None or name > self._last_tried]
        self._last_tried = next(iter(later or names), self._last_tried)
        return (later or names)[:1]

    def _is_fresh(self, name: DnsName, now_s: float) -> bool:
        """Return whether *name* may be sent now, and had no failure that requires a batch of its own."""
        if not self._is_ready(name, now_s) or self.retries.find(name, Failure.REFUSED):
            return False
        return not self._is_false_conflict(name, self.queued[name])

    def _is_ready(self, name: DnsName, now_s: float) -> bool:
        return self._find_ready_at(name) <= now_s

    def _find_ready_at(self, name: DnsName) -> float:
        """Return the time at which *name* may be sent (monotonic seconds), 0 if it need not wait."""
        retries = self.retries.by_name.get(name, {})
        blocking = (retries.get(Failure.WRITE_CONFLICT), retries.get(Failure.WRITTEN_OFTEN))
        return max((retry.until_at for retry in blocking if retry), default=0.0)

    def _is_false_conflict(self, name: DnsName, sets: tuple[ChangeSet, ...]) -> bool:
        """Return whether the write conflict of *name* was not confirmed: after a read, the same *sets* were planned.

        Then another name of the batch may have caused the conflict.
        """
        conflict = self.retries.find(name, Failure.WRITE_CONFLICT)
        return conflict is not None and are_equivalent(conflict.changes, sets)

    def record_applied(self, batch: Batch, now_s: float) -> None:
        """Reset the failures of the zone and of the names of *batch*, which was applied."""
        self.in_flight, self._sent = None, {}
        self.unconfirmed.confirm_all()
        self.retry.record_success()
        self.forbidden, self._single_refusals = "", 0
        names = find_names(batch)
        for name in names:
            self.retries.remove(name, Failure.REFUSED)
            self.retries.remove(name, Failure.WRITE_CONFLICT)
            self._blocks.pop(name, None)
        self._write_rate.record_writes(names, now_s)
        self._contended.record_writes(batch.change_sets, now_s)

    def record_failure(self, batch: Batch, outcome: FailedOutcome, now_s: float) -> None:
        """Handle the *outcome* of a *batch* that failed or got no answer: begin pauses and schedule reads."""
        if isinstance(outcome, WriteConflict | Refused):  # a missing permission would have been answered with Forbidden
            self.forbidden, self._single_refusals = "", 0
        match outcome:
            case WriteConflict(message=message, offending_names=offending):
                self._record_conflict(batch, message, find_offending_names(batch, offending), now_s)
            case Refused(message=message, offending_names=offending):
                block = Blocked(reason=Reason.REFUSED, detail=message)
                self._isolate(batch, block, find_offending_names(batch, offending), now_s)
            case Forbidden(message=message):
                self._record_forbidden(batch, message, now_s)
            case TryLater(message=message, retry_after_s=retry_after_s):
                self.retry.record_failure(now_s, retry_after_s)
                self._block_names(find_names(batch), Blocked(reason=Reason.TRY_LATER, detail=message))
            case Unknown(message=message):
                self.retry.record_failure(now_s)
                self.unconfirmed.record_unanswered(batch)
                self._block_names(find_names(batch), Blocked(reason=Reason.NO_ANSWER, detail=message))
            case _:
                assert_never(outcome)
        self.in_flight, self._sent = None, {}

    def resolve_unconfirmed(self, read: Collection[DnsName], changed: Collection[DnsName]) -> Collection[DnsName]:
        """Return what `UnconfirmedWrites.resolve` does, and end the pause of the zone if the batch was applied."""
        names = self.unconfirmed.resolve(read, changed)
        if names and not self.unconfirmed.resent:
            self.retry.record_success()
        return names

    def has_sendable(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether a name is queued, other than those that *rule* gives up after repeated write conflicts."""
        for name in self.queued:
            conflict = self.retries.find(name, Failure.WRITE_CONFLICT)
            if not (conflict and rule.is_reached(conflict, now_s)):
                return True
        return False

    def _block_names(self, names: Iterable[DnsName], block: Blocked) -> None:
        self._blocks.update(dict.fromkeys(names, block))

    def _record_conflict(self, batch: Batch, message: str, offending: tuple[DnsName, ...], now_s: float) -> None:
        """Schedule reads of the *offending* names. If it is unclear which names conflict, `_isolate` them instead."""
        names = offending or find_names(batch)
        is_unclear = not (offending or self.unconfirmed.is_resent(batch))
        if is_unclear and (len(names) > 1 or any(self._is_false_conflict(name, self._sent[name]) for name in names)):
            self._isolate(batch, Blocked(reason=Reason.REFUSED, detail=message), (), now_s)
            return
        self._block_names(names, Blocked(reason=Reason.WRITE_CONFLICT, detail=message))
        self.unconfirmed.record_conflict(batch, names)
        for name in names:
            if conflict := self.retries.find(name, Failure.WRITE_CONFLICT):
                conflict.record_failure(now_s)
                self.retries.schedule(name, conflict)
            else:  # the first attempt after it has no pause
                conflict = self.retries.add(name, Failure.WRITE_CONFLICT)
            conflict.changes = self._sent[name]

    def _isolate(self, batch: Batch, block: Blocked, offending: tuple[DnsName, ...], now_s: float) -> None:
        """Delay the *offending* names, or, if the service names none, send the batch in halves until they are found."""
        names = find_names(batch)
        if not offending and len(names) > 1:
            middle = len(names) // 2
            self._halves.extendleft((names[middle:], names[:middle]))
            return
        ends = {retry.until_at for _, retry in self.retries.select(Failure.REFUSED)}
        for name in offending or names:
            retry = self.retries.add(name, Failure.REFUSED)
            retry.changes, retry.block = self._sent[name], block
            retry.record_failure(now_s)
            own_at = retry.until_at
            retry.until_at = min((at_s for at_s in ends if abs(at_s - own_at) <= _TOGETHER_S), default=own_at)
            self.retries.schedule(name, retry)
            ends.add(retry.until_at)

    def _record_forbidden(self, batch: Batch, message: str, now_s: float) -> None:
        self._single_refusals += len(find_names(batch)) == 1
        if self._single_refusals >= _FORBIDDEN_AFTER or self.forbidden:
            self.forbidden = message
            self._halves.clear()
            self.retry.record_failure(now_s, _FORBIDDEN_PAUSE_S)
        else:
            self._isolate(batch, Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message), (), now_s)


def _is_create(change_set: ChangeSet) -> bool:
    return bool(change_set.changes) and all(isinstance(change, Create) for change in change_set.changes)
