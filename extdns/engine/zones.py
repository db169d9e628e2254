"""The zones of all accounts: the names that belong to each, its cache, its refresh and its write queue.

The cache holds the records as last read or written (docs/design/retries.md, "Reading zones").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from extdns.engine.inputs import ReadFailed, group_by_name
from extdns.engine.retries import Failure, GiveUpRule, Retry
from extdns.engine.write_queue import WriteQueue
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.value import group_by
from extdns.model.zone import Zone, ZonePage, ZonePlacement

if TYPE_CHECKING:
    from extdns.model.zone import AccountFailure, ZoneList

_GONE_AFTER_S: Final = 300.0
_ATTEMPTS_FOR_CURSOR: Final = 3


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
        """Return a copy, which later changes of this cache do not affect."""
        copied = ZoneCache()
        copied._names = dict(self._names)
        copied.is_complete, copied.revision = self.is_complete, self.revision
        return copied

    def records(self, name: DnsName) -> tuple[Record, ...]:
        """Return the records of *name*, sorted by key."""
        return self._names.get(name, ())

    def records_around(self, name: DnsName, related: Iterable[str]) -> list[Record]:
        """Return the records of *name*, then those of the *related* names, sorted by name."""
        by_name = self._names
        records = list(by_name.get(name, ()))
        for other in sorted(by_name.keys() & related):
            records += by_name[other]
        return records

    def find_names_with(self, names: Iterable[str], types: AbstractSet[str]) -> set[DnsName]:
        """Return those of *names* that have a record of one of *types*."""
        found = [self._names[name] for name in self._names.keys() & names]
        return {records[0].name for records in found if any(record.type in types for record in records)}

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
        return (
            name
            for name, records in self._names.items()
            if any(record.type in types or rrtype.is_unreadable(record.type) for record in records)
        )

    def replace_names(self, names: Iterable[DnsName], records: Sequence[Record]) -> set[DnsName]:
        """Replace the records of *names* by *records*; return the names that changed."""
        found = group_by_name(records)
        return {name for name in names if self._set(name, found.get(name, ()))}

    def record_write(self, keys: Iterable[RecordKey], records: Iterable[Record]) -> None:
        """Store the effect of a write: replace the records with *keys* by *records*. Other records stay."""
        written = set(keys)
        new = group_by_name(records)
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
        reads_to_end: whether this round reads page after page without pauses, as the first one does.
        starts_over: whether the next round begins as soon as no page is awaited, and reads to the end.
        retry: failures in a row to read pages or names.
        ignored: the names that a round which reads to the end ignored because the batch in flight writes them.
    """

    is_requested: bool = False
    requested_at: float = 0.0
    after: str | None = None
    next_round_at: float = 0.0
    quiet_rounds: int = 0
    pages: int = 0
    completed_at: float | None = None
    reads_to_end: bool = True
    starts_over: bool = False
    retry: Retry = field(default_factory=lambda: Retry(Failure.ZONE_READ))
    ignored: set[DnsName] = field(default_factory=set)
    _began_at: float = 0.0
    _is_quiet: bool = False
    _seen: set[DnsName] = field(default_factory=set)
    _skipped: set[DnsName] = field(default_factory=set)
    _cut_off: tuple[Record, ...] = ()

    @property
    def next_page_at(self) -> float:
        """The time from which the next page may be requested (monotonic seconds), before the rate limit applies."""
        return max(self.retry.until_at, 0.0 if self.pages else self.next_round_at)

    @property
    def reads_all(self) -> bool:
        """Whether the zone was not read to its end since the start, or since this process leads."""
        return self.starts_over or self.reads_to_end

    def start_over(self, now_s: float) -> None:
        """Begin a new round soon that reads to the end: another process may have written anything in the zone.

        The first round is not broken off, because planning waits for it.
        """
        self.starts_over = self.is_requested or self.pages > 0 or self.completed_at is not None
        self.expect_changes(now_s, 0.0)

    def _restart(self) -> None:
        self.after, self.pages = None, 0
        self._seen, self._cut_off = set(), ()

    def start_page(self, now_s: float) -> None:
        """Record that the next page is requested at *now_s*; if this round reads to the end, all remaining pages."""
        if self.starts_over and self.completed_at is not None:
            self.starts_over, self.reads_to_end = False, True
            self._restart()
            self._skipped = set()
        if self.pages == 0:
            self._began_at = now_s
        self.is_requested, self.requested_at = True, now_s

    def skip_names(self, names: Iterable[DnsName]) -> None:
        """Ignore *names* in the pages of this round, because the cache has newer records of them."""
        if self.is_requested or self.pages:
            self._skipped.update(names)

    def take_page(self, page: ZonePage, cache: ZoneCache, being_written: set[DnsName]) -> tuple[set[DnsName], bool]:
        """Store the requested page in *cache*, but not the names *being_written*.

        Return the names that changed, and whether the page was the last one of the round.
        """
        self.is_requested = self.reads_to_end and page.after is not None
        self.retry.record_success()
        self._skipped |= being_written
        self.ignored |= being_written if self.reads_to_end else set()
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
        """Begin the next round at most *interval_s* after the last one began: another writer may change the zone."""
        self.quiet_rounds, self._is_quiet = 0, False
        self.next_round_at = min(self.next_round_at, max(now_s, self._began_at + interval_s))

    def end_round(self, now_s: float, compute_interval_s: Callable[[int], float]) -> None:
        """End the round.

        *compute_interval_s* returns, for the number of quiet rounds, how long after the start of this round the next
        one begins.
        """
        self.quiet_rounds = self.quiet_rounds + 1 if self._is_quiet else 0
        self._is_quiet, self.reads_to_end = True, False
        self._restart()
        self._skipped = set()
        self.next_round_at = max(now_s, self._began_at + compute_interval_s(self.quiet_rounds))
        if self.starts_over:
            self.next_round_at = now_s
        self.completed_at = self._began_at

    def record_failure(self) -> None:
        """Record that reading a page failed; it is requested again after the pause of `retry`.

        After every third failure in a row the round begins again, because the cursor may have expired.
        """
        self.is_requested = False
        if self.retry.failures % _ATTEMPTS_FOR_CURSOR == 0:
            self._restart()


@dataclass(slots=True, eq=False)
class ZoneState:
    """The state of one zone in the engine.

    Attributes:
        cache: what the zone held when it was last read or written.
        names_awaiting_read: names that are planned once the zone was fully read.
        missing_since_at: monotonic time of the first complete list without the zone, None while it is listed.
        seen: by name at which ownership records are shared with other zones, the keys of the records that this zone
            held there when the name was planned last. Empty until the zone was read since this process leads: to a
            standby, what the leader creates seems to be somebody else's.
    """

    zone: Zone
    cache: ZoneCache = field(default_factory=ZoneCache)
    refresh: ZoneRefresh = field(default_factory=ZoneRefresh)
    queue: WriteQueue = field(default_factory=WriteQueue)
    names_awaiting_read: set[DnsName] = field(default_factory=set)
    missing_since_at: float | None = None
    seen: dict[DnsName, AbstractSet[RecordKey]] = field(default_factory=dict)

    def is_fully_known(self, name: DnsName) -> bool:
        """Return whether the cache has all records of *name*, with no write of unknown effect."""
        is_doubtful = self.queue.is_writing(name) or self.queue.is_unsure(name) or name in self.queue.reads.names
        return self.cache.is_complete and not is_doubtful

    def is_read(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether the zone was fully read, or reading it was given up by *rule*."""
        return self.cache.is_complete or rule.is_reached(self.refresh.retry, now_s)

    def is_written(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether no change is left to write, other than those given up by *rule*."""
        if rule.is_reached(self.queue.retry, now_s):
            return True
        if self.queue.reads.names:
            return rule.is_reached(self.refresh.retry, now_s)
        return not (self.queue.in_flight or self.queue.has_sendable(rule, now_s))


class Zones:
    """All zones, by id.

    Attributes:
        is_listed: whether the zones were listed at least once.
        is_ready: whether names can be planned: the zones were listed, or listing them was given up.
        is_listing: whether a list has been requested and not answered.
        failed_accounts: accounts whose zones could not be listed the last time.
        unknown_accounts: those of them that have not answered since the start. New names wait for their zones. An
            account without the permission to list zones counts as answered, with no zones.
        excluded: the names of the zones that the filters exclude, sorted.
        placement: the index of zones by name; immutable, and replaced when the list of zones changes.
        retry: failures in a row to list zones.
        account_retry: lists in a row in which an account in `unknown_accounts` failed.
    """

    def __init__(self, *, longest_only: bool = False, is_single_pass: bool = False) -> None:
        """Start without zones. *longest_only* is `Capabilities.longest_match_only`."""
        self._longest_only, self._is_single_pass = longest_only, is_single_pass
        self._states: dict[str, ZoneState] = {}
        self._by_name: dict[str, list[ZoneState]] = {}
        self.placement = ZonePlacement(())
        self.is_listed = self.is_ready = self.is_listing = False
        self.failed_accounts: tuple[AccountFailure, ...] = ()
        self.unknown_accounts: tuple[str, ...] = ()
        self.excluded: tuple[str, ...] = ()
        self.retry = Retry(Failure.ZONE_LIST)
        self.account_retry = Retry(Failure.ZONE_LIST)

    def __iter__(self) -> Iterator[ZoneState]:
        """Iterate over the states of all zones, sorted by zone."""
        return iter(self._states.values())

    def find(self, zone: Zone) -> ZoneState | None:
        """Return the state of *zone*, None if it is no longer listed."""
        return self._states.get(zone.id)

    def containing(self, name: DnsName) -> list[ZoneState]:
        """Return the zones that *name* belongs to."""
        return [self._states[zone.id] for zone in self.placement.find_zones(name)]

    def find_by_name(self, name: DnsName) -> Sequence[ZoneState]:
        """Return the zones whose own name is *name*, sorted."""
        return self._by_name.get(name, ())

    def find_former_zones(self, name: DnsName, home: Sequence[ZoneState]) -> list[ZoneState]:
        """Return the zones that have records of *name* but are not among its zones *home*, longest zone name first."""
        if len(home) == len(self._states):
            return []
        found: list[ZoneState] = []
        ancestor: str = name
        while ancestor:
            same_name = self._by_name.get(ancestor, ())
            found += [
                zone_state for zone_state in same_name if zone_state.cache.records(name) and zone_state not in home
            ]
            ancestor = ancestor.partition(".")[2]
        return found

    def record_failure(self, now_s: float, failed: ReadFailed) -> None:
        """Record that listing the zones failed, and schedule a retry."""
        self.is_listing = False
        self.retry.record_failure(
            now_s,
            failed.retry_after_s,
            message=failed.message,
            is_forbidden=failed.forbidden,
            lacks_credentials=failed.lacks_credentials,
        )

    def stop_waiting(self) -> bool:
        """Allow planning although the zones were never listed. Return whether names must be planned because of that.

        Without the permission to list zones, there are no zones. With any other failure names wait for the list.
        """
        if self.is_listed:
            return False
        before = self.is_ready, self.unknown_accounts
        self.is_ready, self.unknown_accounts = True, () if self.retry.is_forbidden else ("",)
        return before != (self.is_ready, self.unknown_accounts)

    def update(self, found: ZoneList, now_s: float) -> bool:
        """Replace the zones by those of a list. Return whether all names must be planned again because of that.

        An account that failed keeps its zones. A zone missing in a complete list is kept until another list, at least
        five minutes later, does not have it either.
        """
        before = ([(one.zone, one.missing_since_at) for one in self], self.unknown_accounts)
        failing = {failure.account for failure in found.failed}
        unknown = (failure.account for failure in found.failed if not failure.permanent)
        self.unknown_accounts = tuple(
            account for account in unknown if not self.is_listed or account in self.unknown_accounts
        )
        self.is_listing, self.failed_accounts, self.excluded = False, found.failed, found.excluded
        self.is_listed = self.is_ready = True
        self.retry.record_success()
        if self.unknown_accounts:
            self.account_retry.record_failure(now_s)
        else:
            self.account_retry.record_success()
        self._remove_missing({zone.id for zone in found.zones}, failing, now_s)
        for zone in found.zones:
            new = ZoneState(zone, queue=WriteQueue(is_single_pass=self._is_single_pass))
            self._states.setdefault(zone.id, new).zone = zone
        self._states = {one.zone.id: one for one in sorted(self, key=lambda one: one.zone)}
        is_changed = before != ([(one.zone, one.missing_since_at) for one in self], self.unknown_accounts)
        if is_changed:
            self._index()
        return is_changed

    def find_deadlines(self, rule: GiveUpRule) -> Iterable[float]:
        """Return the times at which *rule* gives up failing reads and writes."""
        retries = [self.retry]
        for zone_state in self._states.values():
            retries += (zone_state.refresh.retry, zone_state.queue.retry)
        return rule.find_deadlines(retries)

    def _remove_missing(self, listed: set[str], failing: set[str], now_s: float) -> None:
        for zone_state in tuple(self):
            if zone_state.zone.id in listed or zone_state.zone.account in failing:
                zone_state.missing_since_at = None
            elif zone_state.missing_since_at is None:
                zone_state.missing_since_at = now_s
            elif now_s - zone_state.missing_since_at >= _GONE_AFTER_S:
                del self._states[zone_state.zone.id]

    def _index(self) -> None:
        self.placement = ZonePlacement((zone_state.zone for zone_state in self), longest_only=self._longest_only)
        self._by_name = group_by(self, lambda one: one.zone.name)
        for zone_id, belongs in self.get_membership_tests().items():
            self._states[zone_id].queue.retain(belongs)

    def get_membership_tests(self) -> dict[str, Callable[[DnsName], bool]]:
        """Return, by zone id, a function that returns whether a name belongs to the zone."""
        return {zone_state.zone.id: partial(self._belongs, zone_state) for zone_state in self}

    def _belongs(self, zone_state: ZoneState, name: DnsName) -> bool:
        return zone_state in self.containing(name)
