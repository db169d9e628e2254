"""The write queue of one zone: planned changes, the batch in flight, and how each outcome is handled.

See docs/design/retries.md, "Outcomes of a batch".
"""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine.batches import find_names, find_offending_names, select_for_batch
from extdns.engine.contended_records import ContendedRecords
from extdns.engine.retries import POLICIES, Failure, GiveUpRule, Retry, RetryTable, WriteRate
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
_SILENT_AFTER: Final = 3
"""If more single names than this got no answer since a batch was applied, the zone pauses after each of them."""

_FAILING_AFTER: Final = 5
"""After so many pauses for write conflicts, a name counts as failing."""


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
        self._halves: deque[tuple[DnsName, ...]] = deque()  # of refused batches, and of those without an answer
        self._single_refusals = 0
        self._unanswered_alone: set[DnsName] = set()  # names sent alone without an answer since a batch was applied
        self._unanswered: Mapping[DnsName, tuple[ChangeSet, ...]] = {}  # what the last batch with unknown effect sent
        self._repeated: Blocked | None = None  # what it is blocked by, if one of these names had no answer before
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
        """The number of names whose last changes were refused, or whose changes wait because they are contended."""
        refused = sum(1 for _ in self.retries.select(Failure.REFUSED))
        return refused + sum(retry.is_waiting for _, retry in self.retries.select(Failure.CONTENDED))

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
        return block if block and max(self.retry.until_at, self.retries.find_ready_at(name)) > now_s else None

    def replace(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> None:
        """Queue *sets* in place of the changes of *name*; none while it must be read or *sets* wait for a retry."""
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
        for by_name in (self.queued, self._blocks):
            for name in [name for name in by_name if not belongs(name)]:
                del by_name[name]
        self.retries.retain(belongs)

    def take_due(self, now_s: float) -> list[DnsName]:
        """Return the names to plan again: their pause after a refusal, or for a contended record, has ended."""
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
            half = [
                name for name in self._halves.popleft() if name in self.queued and self.retries.is_ready(name, now_s)
            ]
            if half:
                return half
        fresh = (name for name in self.queued if name not in self.retries.by_name or self._is_fresh(name, now_s))
        first = next(fresh, None)
        if first is not None:
            return chain((first,), fresh)
        ready = [name for name in self.queued if self.retries.is_ready(name, now_s)]
        refused = [name for name in ready if not self._is_tried_alone(name)]
        return refused if refused and capabilities.names_offending_records else ready[:1]

    def _select_next_name(self, now_s: float) -> Iterable[DnsName]:
        """Return one name that may be sent now, the next one at each call: permission may be denied for some names."""
        names = sorted(name for name in self.queued if self.retries.is_ready(name, now_s))
        later = [name for name in names if self._last_tried is None or name > self._last_tried]
        self._last_tried = next(iter(later or names), self._last_tried)
        return (later or names)[:1]

    def _is_fresh(self, name: DnsName, now_s: float) -> bool:
        """Return whether *name* may be sent now, and had no failure that requires a batch of its own."""
        if not self.retries.is_ready(name, now_s) or self.retries.find(name, Failure.REFUSED):
            return False
        return not self.retries.is_false_conflict(name, self.queued[name])

    def _is_tried_alone(self, name: DnsName) -> bool:
        """Return whether *name* may be the reason for a write conflict or a lost answer of other names."""
        refused = self.retries.find(name, Failure.REFUSED)
        is_unanswered = refused is not None and refused.block is not None and refused.block.reason is Reason.NO_ANSWER
        return is_unanswered or self.retries.is_false_conflict(name, self.queued[name])

    def record_applied(self, batch: Batch, now_s: float) -> None:
        """Reset the failures of the zone and of the names of *batch*, which was applied."""
        self.in_flight, self._sent = None, {}
        self.unconfirmed.confirm_all()
        self.retry.record_success()
        self.forbidden, self._single_refusals, self._unanswered_alone = "", 0, set()
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
                self._isolate(batch, self._sent, block, find_offending_names(batch, offending), now_s)
            case Forbidden(message=message):
                self._record_forbidden(batch, message, now_s)
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
            self._isolate(batch, self._unanswered, self._repeated, (), now_s)
            self._just_read = frozenset()  # the halves are read again before they are written
        return names

    def _is_delayed(self, batch: Batch) -> bool:
        """Return whether *batch* has only one name, which was delayed for a refusal or a lost answer before."""
        names = find_names(batch)
        return len(names) == 1 and self.retries.find(names[0], Failure.REFUSED) is not None

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
        is_clear = offending or self.unconfirmed.is_resent(batch)
        may_be_others = len(names) > 1 or any(self.retries.is_false_conflict(name, self._sent[name]) for name in names)
        if may_be_others and not is_clear:
            self._isolate(batch, self._sent, Blocked(reason=Reason.REFUSED, detail=message), (), now_s)
            return
        self._block_names(names, Blocked(reason=Reason.WRITE_CONFLICT, detail=message))
        self._unanswered, self._repeated = self._sent, None  # this batch was answered, and is not sent in halves
        self.unconfirmed.record_conflict(batch, names)
        for name in names:
            if conflict := self.retries.find(name, Failure.WRITE_CONFLICT):
                conflict.record_failure(now_s)
                self.retries.schedule(name, conflict)
            else:  # the first attempt after it has no pause
                conflict = self.retries.add(name, Failure.WRITE_CONFLICT)
            conflict.changes = self._sent[name]

    def _isolate(
        self,
        batch: Batch,
        sent: Mapping[DnsName, tuple[ChangeSet, ...]],
        block: Blocked,
        offending: tuple[DnsName, ...],
        now_s: float,
    ) -> None:
        """Delay the *offending* names, or, if the service names none, send the batch in halves until they are found."""
        names, is_unanswered = find_names(batch), block.reason is Reason.NO_ANSWER
        if offending or len(names) == 1:
            # A lost answer need not be the fault of the name.
            longest_s = POLICIES[Failure.ZONE_WRITE if is_unanswered else Failure.REFUSED].max_s
            self.retries.delay_refused({name: sent[name] for name in offending or names}, block, now_s, longest_s)
            return
        first, second = names[: len(names) // 2], names[len(names) // 2 :]
        if is_unanswered:  # after halves that are left: one of them will be answered, which ends the pause of the zone
            self._halves.extend((first, second))
        else:
            self._halves.extendleft((second, first))

    def _record_forbidden(self, batch: Batch, message: str, now_s: float) -> None:
        self._single_refusals += len(find_names(batch)) == 1
        if self._single_refusals >= _FORBIDDEN_AFTER or self.forbidden:
            self.forbidden = message
            self._halves.clear()
            self.retry.record_failure(now_s, _FORBIDDEN_PAUSE_S)
        else:
            self._isolate(batch, self._sent, Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message), (), now_s)


def _is_create(change_set: ChangeSet) -> bool:
    return bool(change_set.changes) and all(isinstance(change, Create) for change in change_set.changes)
