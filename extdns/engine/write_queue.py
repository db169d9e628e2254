"""The write queue of one zone: planned changes, the batch in flight, and how each outcome is handled.

See docs/design/retries.md, "Outcomes of a batch".
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine.batches import find_offending, halve, select_for_batch
from extdns.engine.names_to_read import NamesToRead, find_written_names
from extdns.engine.retries import Failure, GiveUpRule, Retry, RetryTable, Turn, select_others
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
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, RecordKey
from extdns.model.value import group_by, take_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from extdns.model.capabilities import Capabilities

FailedOutcome = WriteConflict | Refused | Forbidden | TryLater | Unknown

_ALONE_AFTER: Final = 12
"""After so many failures in a row, change sets are sent one at a time."""

_TRY_S: Final = 1.0
"""The least time from one such batch to the next, counted from start to start."""

_RETRY_S: Final = 60.0
"""The same between those of change sets that failed alone before with the same content."""

_MAX_UNANSWERED_PAUSE_S: Final = 5.0
"""The longest pause of the zone after a lost answer, because it may be the fault of a name."""

_APART_AFTER: Final = 3
"""After so many pauses of the zone in a row, a batch is of one namespace, because another one may be to blame."""

_MAX_LOST: Final = 1000
"""It is known of so many names which of their creates got no answer."""

_STOPPED_AFTER: Final = 3
"""After so many failures in a row, of which the last need not be the fault of a name, the whole zone is to blame."""

_FAILING_AFTER: Final = 5
"""After so many pauses for write conflicts, a name counts as failing."""

Sets = tuple[ChangeSet, ...]
"""All change sets of one name."""

_Records = dict[RecordKey, DesiredRecord]

Line = dict[DnsName, Sets]
"""The queued change sets of one namespace."""


class WriteQueue:
    """The change sets of one zone that are queued or being written, and the retries of those that failed.

    A batch that fails without naming a record is sent in halves, until the change sets that fail are found. See `Turn`
    for what is never sent together.

    Attributes:
        queued: by name, the change sets that are planned and not sent.
        in_flight: the batch that has no outcome yet.
        reads: the names to read before they are written again. If writes of the service are not conditional, nothing
            is sent while any name must be read.
        retries: the names and change sets that wait after a failure.
        retry: the pause of the zone, after throttling or a lost answer.
    """

    def __init__(self, *, is_single_pass: bool = False) -> None:
        """Start without changes. In a single pass, a change set that fails alone is not tried again."""
        self.queued: dict[DnsName, Sets] = {}
        # the same change sets by namespace; the one that was served last is the last, and an empty one keeps its place
        self._by_namespace: OrderedDict[str, Line] = OrderedDict()
        self.in_flight: Batch | None = None
        self.reads = NamesToRead()
        self.retries = RetryTable()
        self.retry = Retry(Failure.ZONE_WRITE)
        self._is_single_pass = is_single_pass
        self._history = WriteHistory(self.retries)
        self._sent: dict[DnsName, list[ChangeSet]] = {}  # the change sets in flight
        self._created: dict[DnsName, _Records] = {}  # by name, what was to be created since it was planned
        self._lost: dict[DnsName, _Records] = {}  # what got no answer, and was neither applied nor refused since
        self._turn = Turn.RETRY  # of the last batch
        self._sent_at = dict.fromkeys(Turn, -math.inf)  # when the last batch was sent, unless it was applied
        self._retries_together = True  # until such a batch fails again
        self._failures: deque[Blocked] = deque(maxlen=_ALONE_AFTER)  # the last failures in a row
        self._just_read: frozenset[DnsName] = frozenset()

    @property
    def problem(self) -> str:
        """The last message of the service if no change of the zone succeeds, "" otherwise."""
        is_stopped = len(self._failures) >= _STOPPED_AFTER and self._failures[-1].reason is not Reason.REFUSED
        return self._failures[-1].detail if is_stopped else ""

    @property
    def _is_sent_alone(self) -> bool:
        """Whether change sets are sent one at a time, because nothing was applied for long."""
        return len(self._failures) >= _ALONE_AFTER

    @property
    def _is_given_up(self) -> bool:
        """Whether a single pass sends nothing more, because each further call would wait in vain for its answer."""
        return self._is_single_pass and self._is_sent_alone and self._failures[-1].reason is Reason.NO_ANSWER

    def find_deadlines(self) -> tuple[float, ...]:
        """Return the times at which a pause of a name or of the zone ends or ended (monotonic seconds)."""
        return (self.retries.next_deadline_at, self.retry.until_at, *map(self._find_start_at, Turn))

    def is_writing(self, name: DnsName) -> bool:
        """Return whether the batch in flight changes *name*. Its outcome will make the name dirty."""
        return name in self._sent

    def is_unsure(self, name: DnsName) -> bool:
        """Return whether changes of *name* got no answer, so that they may have been applied."""
        return name in self.retries.by_name and any(failed.is_unsure for failed in self.retries.list_sets(name))

    def list_created(self, name: DnsName) -> list[DesiredRecord]:
        """Return the records at *name* that were to be created since it was planned, or without an answer."""
        return [*self._lost.get(name, {}).values(), *self._created.get(name, {}).values()]

    def record_plan(self, name: DnsName, *, is_requested: bool) -> None:
        """Record that *name* was planned, and that all of its records were known."""
        self._created.pop(name, None)
        if not is_requested:
            self._lost.pop(name, None)

    @property
    def unfinished(self) -> int:
        """The number of names whose changes are queued or being written."""
        return len(self.queued) + len(self._sent)

    @property
    def backing_off(self) -> int:
        """The number of names with changes that were refused, or that wait because they are contended."""
        failed = (any(one.turn > Turn.PART for one in self.retries.list_sets(name)) for name in self.retries.by_name)
        return sum(failed) + sum(retry.is_waiting for _, retry in self.retries.select(Failure.CONTENDED))

    @property
    def conflicting(self) -> int:
        """The number of names that count as failing after repeated write conflicts."""
        return sum(retry.failures >= _FAILING_AFTER for _, retry in self.retries.select(Failure.WRITE_CONFLICT))

    def names_being_written(self) -> set[DnsName]:
        """Return all names that the batch in flight writes; ownership names included."""
        return set(find_written_names(self.in_flight.change_sets if self.in_flight else ()))

    def review(self, name: DnsName, sets: Sets, now_s: float) -> dict[RecordKey, Blocked]:
        """Return, by key, which of *sets*, all change sets of *name*, cannot be sent now, and why; store nothing."""
        failed = self.retries.list_sets(name)
        blocks = self._history.review(name, sets, now_s) if name in self._history.repeated else {}
        if not failed:
            return blocks
        last = max(failed, key=lambda one: one.place).block
        is_delayed = max(self.retry.until_at, self.retries.find_ready_at(name)) > now_s
        is_delayed |= name in self.reads.names or bool(self._list_doubtful(name, sets))
        others = {one.key for one in select_others(sets, [one.sent for one in failed if one.failures])}
        for one in sets:
            if one.key not in others or (is_delayed and one.key not in blocks):  # also while it is sent again
                found = self.retries.find_set(one)
                blocks[one.key] = found.block if found else last
        return blocks

    def replace(self, name: DnsName, sets: Sets, now_s: float) -> None:
        """Queue *sets* in place of the changes of *name*; none while it must be read or *sets* wait for a retry."""
        self.discard(name)
        has_failed = name in self.retries.by_name
        if has_failed and name not in self.reads.names and (doubtful := self._list_doubtful(name, sets)):
            self.reads.require(doubtful)
        if name in self.reads.names:
            return
        if has_failed:
            sets = self._select_unpaused(name, sets, now_s)
        if name in self._history.repeated:
            sets = self._history.postpone(name, sets, now_s)
        if sets:
            self.queued[name] = sets
        for one in sets:
            line = self._by_namespace.setdefault(one.namespace, {})
            line[name] = (*line.get(name, ()), one)

    def _list_doubtful(self, name: DnsName, sets: Sets) -> list[ChangeSet]:
        """Return the change sets of *name* that may have been applied, although they are not among *sets*."""
        return select_others([failed.sent for failed in self.retries.list_sets(name) if failed.is_unsure], sets)

    def _select_unpaused(self, name: DnsName, sets: Sets, now_s: float) -> Sets:
        """Return those of *sets*, all change sets of *name*, that need not wait. Forget the failures of others."""
        if not sets:
            self.retries.remove(name, Failure.WRITE_CONFLICT)
        planned = {one.key: one for one in sets}
        for failed in self.retries.list_sets(name):
            key = failed.sent.key
            if key not in planned:
                self.retries.remove(name, key)
            elif not are_equivalent((planned[key],), (failed.sent,)):
                failed.record_success()
                failed.turn = min(failed.turn, Turn.CHANGED)
            elif not failed.has_ended(now_s):
                del planned[key]
        return tuple(planned.values())

    def discard(self, name: DnsName) -> Sets:
        """Remove the queued changes of *name* from the queue and return them."""
        sets = self.queued.pop(name, ())
        for namespace in {one.namespace for one in sets} if sets else ():
            del self._by_namespace[namespace][name]
        return sets

    def list_outstanding(self, names: Collection[str]) -> list[ChangeSet]:
        """Return the change sets of each of *names* that are queued, in flight, or may have been applied."""
        found: dict[tuple[DnsName, RecordKey], ChangeSet] = {}
        waiting = (self.queued.keys() & names).union(self._sent.keys() & names, self.retries.by_name.keys() & names)
        for name in sorted(waiting):
            unsure = (failed.sent for failed in self.retries.list_sets(name) if failed.is_unsure)
            for one in chain(unsure, self._sent.get(name, ()), self.queued.get(name, ())):
                found[name, one.key] = one
        return [*found.values()]

    def read_again(self) -> None:
        """Have all queued names read and planned again, because another process may have written them."""
        self.reads.require(chain.from_iterable(self.withdraw(self.queued.keys()).values()))

    def withdraw(self, names: AbstractSet[DnsName]) -> dict[DnsName, Sets]:
        """Remove the queued changes of *names* from the queue and return them, before the names are planned again."""
        return {name: self.discard(name) for name in names & self.queued.keys()}

    def find_changed(self, sets: Mapping[DnsName, Sets]) -> set[DnsName]:
        """Return the names whose queued changes differ from those in *sets*."""
        return {name for name, former in sets.items() if not are_equivalent(self.queued.get(name, ()), former)}

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Drop the changes and retries of all names for which *belongs* returns False."""
        for name in [name for name in self.queued if not belongs(name)]:
            self.discard(name)
        self._created = {name: created for name, created in self._created.items() if belongs(name)}
        self._lost = {name: lost for name, lost in self._lost.items() if belongs(name)}
        self.retries.retain(belongs)

    def take_batch(
        self,
        number: int,
        capabilities: Capabilities,
        now_s: float,
        is_outdated: Callable[[DnsName, AbstractSet[str]], bool] = lambda *_: False,
        *,
        only_creates: bool = False,
    ) -> Batch | None:
        """Build the batch to send now and count it as in flight. Return None if nothing can be sent now.

        Changes wait while *is_outdated* returns true for their name and namespaces: they are planned again first.

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

        def is_ready(one: ChangeSet) -> bool:
            if only_creates and not all(map(_is_create, self.queued[one.name])):
                return False
            return self.retries.find_ready_at(one.name) <= now_s and not is_outdated(one.name, one.namespaces)

        known = {} if is_blind else {name: self.queued[name] for name in sorted(just_read & self.queued.keys())}
        found = self._select([known], lambda one: one.name in known and is_ready(one), now_s)
        sets = select_for_batch(found or self._select(self._by_namespace.values(), is_ready, now_s), capabilities)
        if not sets:
            return None
        if not (is_blind or find_written_names(sets) <= just_read):
            self.reads.require(sets)
            return None
        self._begin(sets, number, now_s)
        return self.in_flight

    def _begin(self, sets: Sets, number: int, now_s: float) -> None:
        """Count the batch of *sets* as in flight."""
        self.in_flight = Batch(number=number, zone=sets[0].zone, change_sets=sets)
        self._sent = group_by(sets, lambda one: one.name)
        for one in sets:
            if created := _list_created(one):
                self._created[one.name] = self._created.get(one.name, {}) | created
        for name in self._sent:
            self.discard(name)
        for namespace in dict.fromkeys([one.namespace for one in sets]):
            if line := self._by_namespace.pop(namespace):
                self._by_namespace[namespace] = line
        self._turn = self.retries.find_turn(sets[0])
        if not self._is_single_pass:
            self._sent_at[self._turn] = now_s

    def take_read_names(self) -> frozenset[DnsName]:
        """End the read under way. Return the names that were read, which the next `take_batch` may write."""
        self._just_read = self.reads.finish()
        for failed in self.retries.list_all_sets():
            if failed.is_unsure and find_written_names([failed.sent]) <= self._just_read:
                failed.is_unsure = False
        return self._just_read

    def _select(
        self, lines: Iterable[Line], is_ready: Callable[[ChangeSet], bool], now_s: float
    ) -> Iterable[ChangeSet]:
        """Return the change sets of the next turn that has any to send now.

        Only the first one if they are sent alone; only those of its namespace after several pauses of the zone.
        """
        for turn in sorted(Turn, key=lambda turn: (turn - self._turn - 1) % len(Turn)):
            if self._find_start_at(turn) <= now_s:
                found = iter(self._list_ready(turn, lines, is_ready))
                for first in found:
                    if self._is_sent_alone:
                        return (first,)
                    is_apart = self.retry.failures >= _APART_AFTER
                    return chain((first,), (one for one in found if not is_apart or one.namespace == first.namespace))
        return ()

    def _find_start_at(self, turn: Turn) -> float:
        """Return when the next batch of *turn* can be sent (monotonic seconds)."""
        if not self._is_sent_alone:
            return self._sent_at[turn] + _TRY_S if turn is Turn.CHANGED else 0.0
        if turn is Turn.RETRY:
            return self._sent_at[turn] + _RETRY_S
        return max(self._sent_at[one] for one in Turn if one is not Turn.RETRY) + _TRY_S

    def _list_ready(
        self, turn: Turn, lines: Iterable[Line], is_ready: Callable[[ChangeSet], bool]
    ) -> Iterable[ChangeSet]:
        """Return the queued change sets to send next if it is their *turn*, in order.

        Namespaces take turns (docs/design/retries.md, "Namespaces in turn"): those that never failed are taken from
        *lines*, at last of namespaces with records that are told to try later, while that stops the zone; of the
        others, those of the namespace that was served longest ago come first.
        """
        if turn is Turn.FRESH:
            if self.retry.failures >= _APART_AFTER:
                sets = self.retries.list_all_sets()
                late = {one.sent.namespace for one in sets if one.block.reason is Reason.TRY_LATER}
                lines = sorted(
                    lines, key=lambda line: not late.isdisjoint(one.namespace for one in chain(*line.values()))
                )
            return chain.from_iterable(take_turns(self._list_fresh(line, is_ready) for line in lines))
        queued = chain.from_iterable(self.queued.get(name, ()) for name in self.retries.by_name)
        failed = ((self.retries.find_set(one), one) for one in queued if is_ready(one))
        of_turn = [(it.place, one) for it, one in failed if it and it.turn is turn]
        rank = {namespace: number for number, namespace in enumerate(self._by_namespace)} if of_turn else {}
        found = sorted([(rank[one.namespace], place, one) for place, one in of_turn], key=itemgetter(0, 1))
        if turn is Turn.PART:
            return [one for _, place, one in found if place == found[0][1]]
        count = len(found) if turn is Turn.RETRY and self._retries_together else 1
        return [one for _, _, one in found[:count]]

    def _list_fresh(self, line: Line, is_ready: Callable[[ChangeSet], bool]) -> Iterator[Sequence[ChangeSet]]:
        """Yield, for each name of *line* that has any, the change sets to send now that never failed."""
        for name, sets in line.items():
            have_failed = name in self.retries.by_name
            fresh = [one for one in sets if not (have_failed and self.retries.find_turn(one))]
            if ready := list(filter(is_ready, fresh)):
                yield ready

    def record_applied(self, batch: Batch, now_s: float) -> None:
        """Reset the failures of the zone and of *batch*, which was applied.

        If one of its change sets failed alone before, end the pauses of all others, and send them together.
        """
        self.in_flight, self._sent = None, {}
        self.retry.record_success()
        self._failures.clear()
        self._sent_at[self._turn] = -math.inf
        self._settle(batch.change_sets)
        sent = [one for one in batch.change_sets if one.name in self.retries.by_name]
        has_failed_alone = any(failed.failures for one in sent if (failed := self.retries.find_set(one)))
        for one in sent:
            self.retries.remove(one.name, one.key, Failure.WRITE_CONFLICT)
        if has_failed_alone:
            self._retries_together = True
            self.retries.end_backoff(now_s)
        if not self.queued:
            self._by_namespace.clear()
        self._history.record_writes(batch.change_sets, now_s)

    def _settle(self, sets: Sets) -> None:
        """Forget that creates of *sets* got no answer before."""
        for one in sets:
            if lost := self._lost.pop(one.name, {}):
                left = {key: desired for key, desired in lost.items() if key not in _list_created(one)}
                self._lost |= {one.name: left} if left else {}

    def record_failure(self, batch: Batch, outcome: FailedOutcome, now_s: float) -> None:
        """Handle the *outcome* of a *batch* that failed or got no answer: begin pauses and schedule reads."""
        self.in_flight, self._sent = None, {}
        sent = batch.change_sets
        match outcome:
            case WriteConflict(message=message, offending_names=offending):
                self._record_conflict(sent, message, find_offending(batch, offending), now_s)
            case Refused(message=message, offending_names=offending):
                self._settle(sent)
                block = Blocked(reason=Reason.REFUSED, detail=message)
                if found := find_offending(batch, offending):
                    self._delay(found, block, now_s)
                    blamed = set(map(id, found))
                    self.retries.add_sets([one for one in sent if id(one) not in blamed], block, Turn.PART)
                else:
                    self._send_again(sent, block, now_s)
            case Forbidden(message=message):
                self._send_again(sent, Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message), now_s)
            case TryLater(message=message, retry_after_s=retry_after_s):
                is_apart = self.retry.failures >= _APART_AFTER
                self.retry.record_failure(now_s, retry_after_s)
                turn = max(self._turn, Turn.PART) if is_apart else self._turn
                self.retries.add_sets(sent, Blocked(reason=Reason.TRY_LATER, detail=message), turn)
            case Unknown():
                self._record_unanswered(sent, outcome, now_s)
            case _:
                assert_never(outcome)

    def _record_unanswered(self, sent: Sets, outcome: Unknown, now_s: float) -> None:
        """Send the changes in *sent* again after a pause of the zone; in halves if one of them got no answer before."""
        for one in sent:
            if created := _list_created(one):
                self._lost[one.name] = self._lost.pop(one.name, {}) | created
        for name in [*self._lost][:-_MAX_LOST]:
            del self._lost[name]
        former = [failed for failed in map(self.retries.find_set, sent) if failed]
        is_repeated = any(failed.block.reason is Reason.NO_ANSWER for failed in former)
        for failed in former:
            failed.is_unsure = True
        if outcome.unconditional:
            self.reads.require(sent)
        block = Blocked(reason=Reason.NO_ANSWER, detail=outcome.message)
        if is_repeated:
            self._send_again(sent, block, now_s)
        else:
            self.retry.record_failure(now_s)
            self.retry.until_at = min(self.retry.until_at, now_s + _MAX_UNANSWERED_PAUSE_S)
            self._failures.append(block)
            if not any(failed.turn is Turn.PART for failed in self.retries.list_all_sets()):
                self._turn = Turn.PART  # new change sets go first
            self.retries.add_sets(sent, block, Turn.PART)

    def has_sendable(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether a name is queued, other than those that *rule* gives up after repeated write conflicts.

        Unless this is a single pass, names that are written often do not count, nor do, while sets are sent one at a
        time, those whose change sets all failed.
        """
        if self._is_given_up:
            return False
        names = (name for name in self.queued if self._is_single_pass or not self._is_postponed(name))
        conflicts = (self.retries.find(name, Failure.WRITE_CONFLICT) for name in names)
        return any(not (conflict and rule.is_reached(conflict, now_s)) for conflict in conflicts)

    def _is_postponed(self, name: DnsName) -> bool:
        have_failed = self._is_sent_alone and all(map(self.retries.find_turn, self.queued[name]))
        return have_failed or self.retries.find(name, Failure.WRITTEN_OFTEN) is not None

    def _record_conflict(self, sent: Sets, message: str, offending: Sets, now_s: float) -> None:
        """Schedule reads of the names of *offending*, or of the only one. If none is to blame, halve the batch.

        If changes that got no answer conflict, they were probably applied; read all names of the batch. If other
        changes conflict again after the name was read, another name may be to blame.
        """
        is_unsure = any(failed.is_unsure for failed in map(self.retries.find_set, sent) if failed)
        found = group_by(sent if is_unsure or len({one.name for one in sent}) == 1 else offending, lambda one: one.name)
        conflicts = {name: self.retries.find(name, Failure.WRITE_CONFLICT) for name in found}
        is_repeated = any(one and not select_others(found[name], one.changes) for name, one in conflicts.items())
        if not found or (is_repeated and not is_unsure):
            self._send_again(sent, Blocked(reason=Reason.REFUSED, detail=message), now_s)
            return
        block = Blocked(reason=Reason.WRITE_CONFLICT, detail=message)
        self.retries.add_sets([one for one in sent if one.name not in found], block, Turn.PART)
        self.retries.add_sets(chain.from_iterable(found.values()), block, Turn.PART)
        for name, sets in found.items():
            self.reads.require(sets)
            if conflicts[name]:
                self.retries.record_failure(name, Failure.WRITE_CONFLICT, now_s)
            # the first attempt after it has no pause
            self.retries.add(name, Failure.WRITE_CONFLICT).changes = tuple(sets)

    def _send_again(self, sent: Sets, block: Blocked, now_s: float) -> None:
        """Send the two parts of *sent*, a batch that failed, in their turn; delay a single change set instead.

        Those that failed alone before are sent one at a time again.
        """
        if self._turn is not Turn.CHANGED:
            self._failures.append(block)
        if len(sent) == 1:
            self._delay(sent, block, now_s)
        elif self._turn is Turn.RETRY:
            self._retries_together = False
        else:
            for part in halve(sent):
                self.retries.add_sets(part, block, Turn.PART)

    def _delay(self, sets: Sets, block: Blocked, now_s: float) -> None:
        """Begin a pause of each of *sets*, which are to blame for a failure. Read what may have been written.

        If there are several of a name, only one of them may be to blame: send each alone.
        """
        by_name = group_by(sets, lambda one: one.name).values()
        for one in chain.from_iterable(found for found in by_name if len(found) > 1):
            self.retries.add_sets([one], block, Turn.PART)
        for failed in self.retries.add_sets([found[0] for found in by_name if len(found) == 1], block, Turn.RETRY):
            if failed.failure is not (failure := Failure(block.reason)):
                failed.failure, failed.failures = failure, 0
            failed.record_failure(math.inf if self._is_single_pass else now_s)
            self.retries.schedule(failed.sent.name, failed)
            if failed.is_unsure:
                self.reads.require([failed.sent])


def _is_create(change_set: ChangeSet) -> bool:
    """Return whether nothing existing changes. A set without changes writes ownership records to a parent zone."""
    if change_set.changes:
        return all(isinstance(change, Create) for change in change_set.changes)
    return all(write.old is None for write in change_set.writes)


def _list_created(change_set: ChangeSet) -> _Records:
    return {change.key: change.desired for change in change_set.changes if isinstance(change, Create)}
