"""The zone cache, which holds the records as last read or written, and its refresh (docs/design/retries.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain

from extdns.engine.inputs import group_by_name
from extdns.engine.retries import Failure, Retry
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import ZonePage

_ATTEMPTS_FOR_CURSOR = 3


class ZoneCache:
    """The records of one zone, by name.

    Attributes:
        is_complete: whether the zone was fully read since the process started.
        revision: grows with every change.
    """

    def __init__(self) -> None:
        """Start without records."""
        self._names: dict[DnsName, tuple[Record, ...]] = {}
        self.is_complete = False
        self.revision = 0

    def copy(self) -> ZoneCache:
        """Return an unchanging copy."""
        copied = ZoneCache()
        copied._names = dict(self._names)
        copied.is_complete, copied.revision = self.is_complete, self.revision
        return copied

    def records(self, name: DnsName) -> tuple[Record, ...]:
        """Return the records of *name*, sorted by key."""
        return self._names.get(name, ())

    def records_around(self, name: DnsName, related: Iterable[DnsName]) -> list[Record]:
        """Return the records of *name*, then those of the *related* names, sorted by name."""
        by_name = self._names
        records = list(by_name.get(name, ()))
        for other in sorted(by_name.keys() & related):
            records += by_name[other]
        return records

    def find_names_with(self, names: Iterable[DnsName], types: AbstractSet[str]) -> set[DnsName]:
        """Return those of *names* that have a record of one of *types*."""
        by_name = self._names
        return {name for name in by_name.keys() & names if any(record.type in types for record in by_name[name])}

    def names(self) -> Iterable[DnsName]:
        """Return every name that has a record."""
        return self._names.keys()

    def all_records(self) -> Iterator[Record]:
        """Return every record, name by name."""
        return chain.from_iterable(self._names.values())

    def find_plannable_names(self, types: AbstractSet[str]) -> Iterable[DnsName]:
        """Return the names that have a record of one of *types*, or an unreadable record.

        Other names, such as those of ownership records, are not planned by themselves.
        """
        matter = {*types, rrtype.UNREADABLE}
        return (name for name, records in self._names.items() if any(record.type in matter for record in records))

    def replace_names(self, names: Iterable[DnsName], records: Sequence[Record]) -> set[DnsName]:
        """Replace the records of *names* by *records*; return the names that changed."""
        found = group_by_name(records)
        return {name for name in names if self._set(name, found.get(name, ()))}

    def record_write(self, keys: Iterable[RecordKey], records: Iterable[Record]) -> None:
        """Store the effect of a write: replace the records with *keys* by *records*. Other records stay."""
        written = set(keys)
        new = group_by_name(tuple(records))
        for name in {key.name for key in written}:
            now = new.get(name, ())
            if others := [record for record in self.records(name) if record.key not in written]:
                now = tuple(sorted((*others, *now), key=lambda record: record.key))
            self._set(name, now)

    def _set(self, name: DnsName, records: tuple[Record, ...]) -> bool:
        if self._names.get(name, ()) == records:
            return False
        self.revision += 1
        if records:
            self._names[name] = records
        else:
            del self._names[name]
        return True


@dataclass(slots=True)
class ZoneRefresh:
    """The state of reading one zone page by page, in repeated rounds. The first round completes the cache.

    A name counts as absent only at the end of a round, if no page had it. Names written or read by name during
    a round are ignored in its pages, because a page may be older.

    Attributes:
        is_requested: whether a page was requested and not answered.
        requested_at: monotonic time at which the last page was requested.
        after: cursor of the next page.
        next_round_at: monotonic time at which the next round may begin.
        quiet_rounds: rounds in a row during which there was no sign of another writer.
        pages: pages read in this round, for progress reports.
        completed_at: monotonic time at which the last complete round began, None before there is one.
        retry: failures in a row to read pages or names.
    """

    is_requested: bool = False
    requested_at: float = 0.0
    after: str | None = None
    next_round_at: float = 0.0
    quiet_rounds: int = 0
    pages: int = 0
    completed_at: float | None = None
    retry: Retry = field(default_factory=lambda: Retry(Failure.ZONE_READ))
    _reads_to_end: bool = False
    _began_at: float = 0.0
    _is_quiet: bool = False
    _seen: set[DnsName] = field(default_factory=set)
    _skipped: set[DnsName] = field(default_factory=set)
    _cut_off: tuple[Record, ...] = ()

    @property
    def next_page_at(self) -> float:
        """The time from which the next page may be requested (monotonic seconds), before the rate limit applies."""
        return max(self.retry.until_at, 0.0 if self.pages else self.next_round_at)

    def start_page(self, now_s: float, *, reads_to_end: bool = False) -> None:
        """Record that the next page is requested at *now_s*; with *reads_to_end*, all remaining pages."""
        self._reads_to_end = reads_to_end
        if self.pages == 0:
            self._began_at = now_s
        self.is_requested, self.requested_at = True, now_s

    def skip_names(self, names: Iterable[DnsName]) -> None:
        """Ignore *names* in the pages of this round, because the cache has newer records of them."""
        if self.is_requested or self.pages:
            self._skipped.update(names)

    def take_page(self, page: ZonePage, cache: ZoneCache, being_written: set[DnsName]) -> tuple[set[DnsName], bool]:
        """Store the requested page in *cache*.

        Args:
            page: the answer.
            cache: the cache of the zone.
            being_written: names with a write in flight.

        Returns:
            The names that changed, and whether the page was the last one of the round.
        """
        self.is_requested = self._reads_to_end and page.after is not None
        self.retry.record_success()
        self._skipped |= being_written
        self.after, self.pages = page.after, self.pages + 1
        records = self._cut_off + page.records
        self._cut_off = ()
        if page.after is not None and records:
            last = records[-1].name  # a page may end in the middle of a name
            self._cut_off = tuple(record for record in records if record.name == last)
            records = tuple(record for record in records if record.name != last)
        names = {record.name for record in records}
        self._seen |= names
        known = [record for record in records if record.name not in self._skipped]
        changed = cache.replace_names(names - self._skipped, known)
        if page.after is not None:
            return changed, False
        absent = set(cache.names()) - self._seen - self._skipped
        return changed | cache.replace_names(absent, ()), True

    def expect_changes(self, now_s: float, interval_s: float) -> None:
        """Begin the next round at *interval_s* after the last one began, because another writer may change the zone."""
        self.quiet_rounds, self._is_quiet = 0, False
        self.next_round_at = min(self.next_round_at, max(now_s, self._began_at + interval_s))

    def end_round(self, now_s: float, compute_interval_s: Callable[[int], float]) -> None:
        """End the round.

        Args:
            now_s: monotonic seconds.
            compute_interval_s: returns, for the number of quiet rounds, how long after the start of this round the next
                one begins.
        """
        self.quiet_rounds = self.quiet_rounds + 1 if self._is_quiet else 0
        self._is_quiet = True
        self.after, self.pages = None, 0
        self.next_round_at = max(now_s, self._began_at + compute_interval_s(self.quiet_rounds))
        self.completed_at = self._began_at
        self._seen, self._skipped, self._cut_off = set(), set(), ()

    def record_failure(self) -> None:
        """Record that reading a page failed; it is requested again after the pause of `retry`.

        After three failures in a row the round begins again, because the cursor may have expired.
        """
        self.is_requested = False
        if self.retry.failures % _ATTEMPTS_FOR_CURSOR == 0:
            self.after, self.pages = None, 0
            self._seen, self._cut_off = set(), ()
