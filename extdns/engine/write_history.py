"""What was written lately: limits how often a name is written, and finds contended records.

Another writer keeps changing a contended record back (docs/design/retries.md, "The retry table").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.engine.retries import Failure, Retry, RetryTable
from extdns.model.change import Blocked, ChangeSet, Delete
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from extdns.model.dns_name import DnsName
    from extdns.model.record import DesiredRecord, RecordKey

_WINDOW_S: Final = 600.0
_OFTEN_S: Final = 60.0
_MAX_WRITES: Final = 3
_MAX_RECORDS: Final = 20_000  # new names may come and go without end

Times = tuple[float, ...]
"""The last times of a write, at most three, oldest first."""


class _Written(NamedTuple):
    """What was written to a record last (None: it was deleted), and when this content was written in a row."""

    content: DesiredRecord | None
    times: Times


class WriteHistory:
    """The writes of one zone in the last ten minutes, and the pauses of names that follow from them.

    - A name that was written three times within a minute waits for five seconds.
    - If the same content was written to a record three times within ten minutes, the fourth write waits for five
      minutes. Then one attempt is made. If it is changed back again, the next pause is twice as long. Other content is
      written at once.

    Attributes:
        repeated: the names with a record to which the same content was written three times. Changes of other names are
            never contended, so `review` and `postpone` need not be called for them.
    """

    def __init__(self, retries: RetryTable) -> None:
        """Start without writes; the pauses of names are stored in *retries*."""
        self._retries = retries
        self._records: dict[RecordKey, _Written] = {}  # by the last write, oldest first
        self._names: dict[DnsName, Times] = {}  # likewise
        self._next_cleanup_at = 0.0
        self.repeated: set[DnsName] = set()

    def __len__(self) -> int:
        """Return for how many records writes are stored."""
        return len(self._records)

    def record_writes(self, sets: Iterable[ChangeSet], now_s: float) -> None:
        """Record that *sets* were written at *now_s*, and begin a pause for each name that was written too often."""
        self._remove_outdated(now_s)
        once = (now_s,)  # shared by all names
        for name in dict.fromkeys(one.name for one in sets):
            former = self._names.pop(name, ())
            times = self._names[name] = (*former[1 - _MAX_WRITES :], now_s) if former else once
            if len(times) == _MAX_WRITES and times[0] > now_s - _OFTEN_S:
                self._retries.record_failure(name, Failure.WRITTEN_OFTEN, now_s)
        for key, content in _list_contents(sets).items():
            written = self._records.pop(key, None)
            is_repeated = written is not None and written.content == content
            times = (*written.times[1 - _MAX_WRITES :], now_s) if written and is_repeated else once
            self._records[key] = _Written(content, times)
            if len(times) == _MAX_WRITES:
                self.repeated.add(key.name)
        while len(self._records) > _MAX_RECORDS:
            del self._records[next(iter(self._records))]

    def review(self, name: DnsName, sets: Iterable[ChangeSet], now_s: float) -> dict[RecordKey, Blocked]:
        """Return, by key, which of *sets*, change sets of *name*, must wait because a record is contended, and why.

        Nothing is stored. Change sets that only write ownership records have no changes, and never wait.
        """
        retry = self._find_retry(name, now_s)
        is_paused = retry is not None and not retry.has_ended(now_s)
        block = _block(retry or Retry(Failure.CONTENDED), is_paused=is_paused)
        return {one.key: block for one in sets if self._is_contended(one, retry, now_s)}

    def _is_contended(self, change_set: ChangeSet, retry: Retry | None, now_s: float) -> bool:
        contents = _list_contents([change_set])
        found = [(self._records.get(key), content) for key, content in contents.items()]
        written = [one for one, content in found if one is not None and one.content == content]
        if retry and contents and contents.items() <= _list_contents(retry.changes).items():
            return not retry.has_ended(now_s) or any(one.times[-1] >= retry.until_at for one in written)
        is_repeated = any(len(one.times) == _MAX_WRITES and one.times[0] > now_s - _WINDOW_S for one in written)
        return is_repeated and len(written) == len(contents)

    def postpone(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> tuple[ChangeSet, ...]:
        """Begin a pause if some of *sets*, change sets of *name*, must wait. Return the others.

        If a contended record gets other content than what was written before, end the pause of the name.
        """
        blocks, retry = self.review(name, sets, now_s), self._find_retry(name, now_s)
        contended = [one for one in sets if one.key in blocks]
        if retry is None or (not blocks and _has_other(_list_contents(sets), retry)):
            self._retries.remove(name, Failure.CONTENDED)
        if blocks and (retry is None or retry.has_ended(now_s)):
            detail = next(iter(blocks.values())).detail
            self._retries.record_failure(name, Failure.CONTENDED, now_s, detail).changes = tuple(contended)
        elif blocks and retry:
            retry.changes = tuple({one.key: one for one in (*retry.changes, *contended)}.values())
        return tuple([one for one in sets if one.key not in blocks])

    def _find_retry(self, name: DnsName, now_s: float) -> Retry | None:
        """Return the pause of *name* because a record is contended; None if there is none, or it ended long ago."""
        retry = self._retries.find(name, Failure.CONTENDED)
        return retry if retry and retry.until_at > now_s - _WINDOW_S else None

    def _remove_outdated(self, now_s: float) -> None:
        """Once a minute, remove outdated writes and pauses, and the names that are no longer contended."""
        if now_s < self._next_cleanup_at:
            return
        self._next_cleanup_at = now_s + _OFTEN_S
        for name in [name for name, times in self._names.items() if times[-1] <= now_s - _OFTEN_S]:
            del self._names[name]
            self._retries.remove(name, Failure.WRITTEN_OFTEN)
        for key in [key for key, one in self._records.items() if one.times[-1] <= now_s - _WINDOW_S]:
            del self._records[key]
        contended = {name for name, _ in self._retries.select(Failure.CONTENDED)}
        for name in [name for name in contended if self._find_retry(name, now_s) is None]:
            self._retries.remove(name, Failure.CONTENDED)
            contended.remove(name)
        self.repeated = contended.union(key.name for key, one in self._records.items() if len(one.times) == _MAX_WRITES)


def _block(retry: Retry, *, is_paused: bool) -> Blocked:
    cause = "another writer changed it back each time, or the DNS service does not keep it"
    detail = f"{cause}; it is not written again for {round(retry.compute_pause_s() / 60)} minutes"
    return Blocked(reason=Reason.CONTENDED, detail=retry.message if is_paused else detail)


def _has_other(contents: Mapping[RecordKey, DesiredRecord | None], retry: Retry) -> bool:
    """Return whether *contents* have other content for a record that *retry* is about."""
    return any(contents.get(key, content) != content for key, content in _list_contents(retry.changes).items())


def _list_contents(sets: Iterable[ChangeSet]) -> dict[RecordKey, DesiredRecord | None]:
    """Return by record what *sets* make of it; None if they delete it."""
    changes = (change for one in sets for change in one.changes)
    return {change.key: None if isinstance(change, Delete) else change.desired for change in changes}
