"""Contended records, which another writer keeps changing back: what was written to each, and how long to wait.

`WriteHistory` stores what was written to each record in the last ten minutes. `ContendedRecords` finds the records in
it whose change was undone repeatedly, and delays further changes of their names (docs/design/retries.md).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable, Sequence
from typing import Final

from extdns.engine.retries import POLICIES, Failure, RetryTable
from extdns.model.change import Blocked, Change, ChangeSet, Delete
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, RecordKey
from extdns.model.value import Value

_WINDOW_S: Final = 600.0
_MAX_REPEATED_WRITES: Final = 3
_MAX_DELETES: Final = 5000

Times = tuple[float, ...]


class _Writes(Value, frozen=True):
    """The times, oldest first, at which the same content (None: no record) was repeatedly written to a record."""

    content: DesiredRecord | None
    written_at: Times


class WriteHistory:
    """For each record, the content that was written last, and the last times, at most three, at which it was written.

    Only the times since other content was last written count.

    Each write also drops a few entries older than ten minutes, so its cost does not depend on the number of records. Of
    deleted records only the last 5,000 are stored, because new names may come and go without end.
    """

    def __init__(self) -> None:
        """Start with no recorded writes."""
        self._written: OrderedDict[RecordKey, _Writes] = OrderedDict()  # by the last write, oldest first
        self._deleted: OrderedDict[RecordKey, _Writes] = OrderedDict()

    def __len__(self) -> int:
        """Return for how many records writes are stored."""
        return len(self._written) + len(self._deleted)

    def add(self, changes: Iterable[Change], now_s: float, needed: Container[DnsName]) -> set[DnsName]:
        """Record that *changes* were written at *now_s*. Outdated entries are dropped, except those of *needed* names.

        Returns:
            The names of the changes that were written so often in a row that their records may be contended.
        """
        once = (now_s,)  # shared by all records, since there are as many as names
        repeated: set[DnsName] = set()
        for change in changes:
            key, content = change.key, _get_content(change)
            former = self._written.pop(key, None) or self._deleted.pop(key, None)
            is_repeated = former is not None and former.content == content
            times = (*former.written_at[1 - _MAX_REPEATED_WRITES :], now_s) if former and is_repeated else once
            for writes in (self._written, self._deleted):
                _forget_oldest(writes, now_s - _WINDOW_S, needed)
            writes = self._deleted if content is None else self._written
            writes[key] = _Writes(content, times)
            if len(self._deleted) > _MAX_DELETES:
                self._deleted.popitem(last=False)
            if len(times) == _MAX_REPEATED_WRITES:
                repeated.add(key.name)
        return repeated

    def find_repeated(self) -> set[DnsName]:
        """Return all names with a record that may be contended."""
        found = (writes.items() for writes in (self._written, self._deleted))
        return {key.name for items in found for key, one in items if len(one.written_at) == _MAX_REPEATED_WRITES}

    def find(self, change: Change) -> Times:
        """Return the times at which the record was written with the content of *change*, the oldest first.

        Only the last writes of this process in a row count: () if the last one had other content, or there was none.
        """
        found = self._written.get(change.key) or self._deleted.get(change.key)
        return found.written_at if found and found.content == _get_content(change) else ()


def _forget_oldest(writes: OrderedDict[RecordKey, _Writes], begin_s: float, needed: Container[DnsName]) -> None:
    """Remove those of the two oldest *writes* that were made before *begin_s* and whose names are not in *needed*.

    Each added write examines two entries, so outdated entries are removed faster than new ones are added. A needed
    entry becomes the newest one, so that the next call examines others.
    """
    for _ in range(min(2, len(writes))):
        key = next(iter(writes))
        if writes[key].written_at[-1] > begin_s:
            return
        if key.name in needed:
            writes.move_to_end(key)
        else:
            del writes[key]


class ContendedRecords:
    """Detects contended records and delays writes to them.

    If the same content was written three times within ten minutes, the fourth write waits for five minutes. Then one
    attempt is made. If it is changed back again, the next pause is twice as long. Other content is written at once.

    Attributes:
        names: the names with a record to which the same content was written three times. Changes of other names are
            never delayed here, so `review` and `postpone` need not be called for them.
    """

    def __init__(self, retries: RetryTable) -> None:
        """Start with an empty history; the pauses of names are stored in *retries*."""
        self._retries = retries
        self._history = WriteHistory()
        self._next_cleanup_at = 0.0
        self.names: set[DnsName] = set()

    def record_writes(self, sets: Iterable[ChangeSet], now_s: float) -> None:
        """Record that the changes of *sets* were written at *now_s*."""
        if now_s >= self._next_cleanup_at:
            self._next_cleanup_at = now_s + _WINDOW_S
            self._remove_outdated(now_s)
        changes = [change for change_set in sets for change in change_set.changes]
        self.names |= self._history.add(changes, now_s, self._retries.by_name)

    def review(self, name: DnsName, sets: Iterable[ChangeSet], now_s: float) -> Blocked | None:
        """Return why *sets*, all change sets of *name*, must wait because a record is contended; None if they need not.

        Nothing is stored.
        """
        times = self._find_times(sets)
        return self._find_block(name, times, now_s) if all(times) else None

    def postpone(self, name: DnsName, sets: Iterable[ChangeSet], now_s: float) -> bool:
        """Begin a pause if *sets*, all change sets of *name*, must wait. Return whether they must.

        If their content differs from what was written before, end the pause of the name.
        """
        times = self._find_times(sets)
        if not all(times):
            self._retries.remove(name, Failure.CONTENDED)
            return False
        block = self._find_block(name, times, now_s)
        if block is None:
            return False
        retry = self._retries.find(name, Failure.CONTENDED)
        if retry and retry.until_at <= now_s - _WINDOW_S:
            self._retries.remove(name, Failure.CONTENDED)
            retry = None
        if retry is None or retry.has_ended(now_s):
            self._retries.record_failure(name, Failure.CONTENDED, now_s, block.detail)
        return True

    def _find_times(self, sets: Iterable[ChangeSet]) -> list[Times]:
        return [self._history.find(change) for change_set in sets for change in change_set.changes]

    def _find_block(self, name: DnsName, times: Sequence[Times], now_s: float) -> Blocked | None:
        """Return why the changes of *name* must wait, None if they need not.

        *times* has for each change when the same content was written before.

        Change sets that only write ownership records have no changes, and never wait.
        """
        if not times:
            return None
        retry = self._retries.find(name, Failure.CONTENDED)
        if retry is None or retry.until_at <= now_s - _WINDOW_S:
            if not any(
                len(written_at) == _MAX_REPEATED_WRITES and written_at[0] > now_s - _WINDOW_S for written_at in times
            ):
                return None
            return _block(POLICIES[Failure.CONTENDED].first_s)
        if not retry.has_ended(now_s):
            return Blocked(reason=Reason.CONTENDED, detail=retry.message)
        if max(written_at[-1] for written_at in times) < retry.until_at:
            return None  # the one attempt after the pause
        return _block(retry.compute_pause_s())

    def _remove_outdated(self, now_s: float) -> None:
        """Remove the pauses that ended more than ten minutes ago, and the names that are no longer contended."""
        for name in [
            name for name, retry in self._retries.select(Failure.CONTENDED) if retry.until_at <= now_s - _WINDOW_S
        ]:
            self._retries.remove(name, Failure.CONTENDED)
        self.names = self._history.find_repeated().union(name for name, _ in self._retries.select(Failure.CONTENDED))


def _block(pause_s: float) -> Blocked:
    detail = f"another writer changed it back each time; it is not written again for {round(pause_s / 60)} minutes"
    return Blocked(reason=Reason.CONTENDED, detail=detail)


def _get_content(change: Change) -> DesiredRecord | None:
    return None if isinstance(change, Delete) else change.desired
