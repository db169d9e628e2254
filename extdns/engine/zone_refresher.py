"""When zones are listed and read again, and how fast (docs/design/pace.md).

`ZoneRefresher` requests lists of zones, pages and names, and stores the answers in the caches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from extdns.engine.effects import ListZones, ReadNames, ReadPage
from extdns.engine.inputs import Call
from extdns.engine.retries import Failure
from extdns.model.change import ZONES, Applied, Awaited, Wait, WriteConflict
from extdns.model.reason import Category, select_reasons
from extdns.model.value import compute_backoff_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from extdns.engine.claims import ClaimIndex
    from extdns.engine.decisions import Waits
    from extdns.engine.inputs import NamesRead, PageRead, ReadFailed
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.change import Batch, Decision, Outcome
    from extdns.model.dns_name import DnsName
    from extdns.model.zone import ZoneList

_FOREIGN: Final = select_reasons(Category.FOREIGN)
_NO_NAMES: Final[frozenset[DnsName]] = frozenset()
_STANDBY_FACTOR: Final = 4.0
"""A standby refreshes zones four times less often than the leader."""

_QUIET_FACTOR: Final = 4.0
"""Quiet zones are refreshed with a quarter of the calls a minute."""

_MAX_LIST_INTERVAL_S: Final = 300.0
"""Zones are listed at least this often, or every interval if that is longer: it shows whether the DNS service can be
reached."""


class ZoneRefresher:
    """Requests lists of zones, pages and names.

    Zones are refreshed at a limited rate, but the first read of a zone is not limited. The interval between two
    refreshes of a zone doubles, up to a limit, while they find only what the cache has; the zone is *quiet* then. So
    does the interval between two lists of zones while these do not change.
    """

    def __init__(self, settings: EngineSettings, claims: ClaimIndex, zones: Zones, waits: Waits) -> None:
        """Keep the caches of *zones* up to date; *waits* has the names that wait for the next list of zones."""
        self._settings = settings
        self._claims = claims
        self._zones = zones
        self._waits = waits
        self._factor = _STANDBY_FACTOR if settings.has_election else 1.0
        self._next_refresh_at = 0.0
        self._next_quiet_at = 0.0  # the same for quiet zones
        self._quiet_lists = 0  # in a row, that were as the one before
        self._listed_at = -math.inf
        self._next_list_at = 0.0
        self._slowed_until_at = 0.0  # zones are not listed before this time

    def change_leadership(self, *, is_leader: bool, now_s: float) -> None:
        """Change the refresh rate to that of a leader or standby. A new leader reads all zones again at once.

        The former leader may have written what claims requested for a moment only, so that neither the cache nor the
        queue shows that the zone differs.
        """
        self._factor = 1.0 if is_leader else _STANDBY_FACTOR
        if is_leader:
            self._next_refresh_at = self._next_list_at = now_s
            self._quiet_lists = 0
            for zone_state in self._zones:
                zone_state.refresh.start_over(now_s)
        for zone_state in self._zones:
            zone_state.seen.clear()

    def find_due(self, now_s: float) -> Iterator[ListZones | ReadPage | ReadNames]:
        """Return the reads that are due now, and count them as requested."""
        zones = self._zones
        if not zones.is_listing and now_s >= self._find_list_at():
            zones.is_listing, self._listed_at = True, now_s
            self._next_list_at = now_s + self._compute_list_interval_s()
            self._next_refresh_at = max(self._next_refresh_at, now_s) + self._pause_s
            self._next_quiet_at = max(self._next_quiet_at, now_s) + self._pause_s * _QUIET_FACTOR
            yield ListZones()
        due: list[ZoneState] = []
        for zone_state in zones:
            refresh, reads = zone_state.refresh, zone_state.queue.reads
            if reads.names and now_s >= refresh.retry.until_at and (names := reads.start()):
                yield ReadNames(zone=zone_state.zone, names=names)
            if not refresh.is_requested and now_s >= self._find_page_at(zone_state):
                if refresh.reads_all:
                    yield self._read_page(zone_state, now_s)
                else:
                    due.append(zone_state)
        if due and not self._settings.once:
            zone_state = min(due, key=lambda zone_state: zone_state.refresh.requested_at)
            self._next_refresh_at = now_s + self._pause_s
            if self._is_quiet(zone_state):
                self._next_quiet_at = now_s + self._pause_s * _QUIET_FACTOR
            yield self._read_page(zone_state, now_s)

    @property
    def _interval_s(self) -> float:
        return self._settings.interval_s * self._factor

    @property
    def _pause_s(self) -> float:
        return 60.0 / self._settings.refresh_calls_per_minute * self._factor

    def _compute_interval_s(self, quiet_rounds: int) -> float:
        """Return the time from the start of one round of reading to that of the next, in seconds.

        So many *quiet_rounds* in a row found no sign of another writer.
        """
        interval_s = self._interval_s
        return compute_backoff_s(interval_s, quiet_rounds, max(interval_s, self._settings.max_refresh_interval_s))

    def _compute_list_interval_s(self) -> float:
        most_s = max(self._interval_s, _MAX_LIST_INTERVAL_S)
        return min(self._compute_interval_s(self._quiet_lists), most_s)

    def _is_quiet(self, zone_state: ZoneState) -> bool:
        return zone_state.refresh.quiet_rounds > 0 and self._settings.max_refresh_interval_s > self._interval_s

    def _find_list_at(self) -> float:
        """Return the monotonic time of the next list of zones.

        While names wait for a zone, the interval between two lists does not double.
        """
        zones, at_s = self._zones, self._next_list_at
        if self._waits.names(ZONES):
            at_s = min(at_s, max(self._listed_at + self._interval_s, self._slowed_until_at))
        if zones.unknown_accounts:
            at_s = min(at_s, zones.account_retry.until_at)
        return max(at_s, zones.retry.until_at)

    def _find_page_at(self, zone_state: ZoneState) -> float:
        """Return when the next page of a zone can be requested. A round that reads to the end has no rate limit."""
        at_s = zone_state.refresh.next_page_at
        if not zone_state.refresh.reads_all:
            at_s = max(at_s, self._next_refresh_at, self._next_quiet_at if self._is_quiet(zone_state) else 0.0)
        return at_s

    def _read_page(self, zone_state: ZoneState, now_s: float) -> ReadPage:
        refresh = zone_state.refresh
        refresh.start_page(now_s)
        return ReadPage(zone=zone_state.zone, after=refresh.after, reads_to_end=refresh.reads_to_end)

    def take_list(self, found: ZoneList, now_s: float) -> bool:
        """Replace the zones by those of a list. Return whether all names must be planned again because of that.

        If the list took many calls, the next refresh and list are delayed, so that at least half of all calls are
        refreshes.
        """
        self._next_refresh_at += (found.calls - 1) * self._pause_s
        self._slowed_until_at = now_s + 2 * found.calls * self._pause_s
        is_changed = self._zones.update(found, now_s)
        self._quiet_lists = 0 if is_changed or found.failed else self._quiet_lists + 1
        self._next_list_at = max(self._listed_at + self._compute_list_interval_s(), self._slowed_until_at)
        return is_changed

    def take_page(self, item: PageRead, now_s: float) -> AbstractSet[DnsName]:
        """Store the page of *item* in the zone cache. Return the names to plan again."""
        zone_state = self._zones.find(item.zone)
        if zone_state is None or item.after != zone_state.refresh.after:
            return _NO_NAMES
        changed, is_last = zone_state.refresh.take_page(
            item.page, zone_state.cache, zone_state.queue.names_being_written()
        )
        if changed or (is_last and any(zone_state.queue.retries.select(Failure.CONTENDED))):
            zone_state.refresh.expect_changes(now_s, self._interval_s)
        if not is_last:
            return self.add_related(changed) if zone_state.cache.is_complete else _NO_NAMES
        zone_state.refresh.end_round(now_s, self._compute_interval_s)
        waiting, zone_state.names_awaiting_read = zone_state.names_awaiting_read, set()
        if zone_state.cache.is_complete:
            return waiting.union(self.add_related(changed))
        zone_state.cache.is_complete = True
        waiting |= self._waits.names(Wait(Awaited.ZONE, zone_state.zone.id))
        return waiting.union(zone_state.cache.find_plannable_names(self._settings.plan.managed_types))

    def take_names(self, item: NamesRead, now_s: float) -> AbstractSet[DnsName]:
        """Store the records of single names in the zone cache. Return the names to plan again."""
        zone_state = self._zones.find(item.zone)
        if zone_state is None:
            return _NO_NAMES
        zone_state.refresh.retry.record_success()
        read = zone_state.queue.take_read_names()
        zone_state.refresh.skip_names(read)
        changed = zone_state.cache.replace_names(read, [record for record in item.records if record.name in read])
        if changed:
            zone_state.refresh.expect_changes(now_s, self._interval_s)
        return self.add_related(read)

    def take_outcome(self, zone_state: ZoneState, batch: Batch, outcome: Outcome, now_s: float) -> None:
        """Ignore the names that *batch* wrote in the pages of the present round, because these may be older.

        If it failed, names that were ignored meanwhile are read, if the zone had to be read to its end. After a write
        conflict, also refresh the zone soon.
        """
        ignored, zone_state.refresh.ignored = zone_state.refresh.ignored, set()
        if isinstance(outcome, Applied):
            zone_state.refresh.skip_names(write.key.name for write in batch.writes)
        elif ignored:
            zone_state.queue.reads.require([one for one in batch.change_sets if one.name in ignored])
        if isinstance(outcome, WriteConflict):
            zone_state.refresh.expect_changes(now_s, self._interval_s)

    def take_decisions(self, decisions: Iterable[Decision], now_s: float) -> None:
        """Refresh zones soon in which a foreign record is at a requested name: a person may remove it."""
        foreign = (one for one in decisions if one.requested_by and one.reason in _FOREIGN)
        for zone in {one.zone for one in foreign}:
            if zone and (zone_state := self._zones.find(zone)):
                zone_state.refresh.expect_changes(now_s, self._interval_s)

    def take_failure(self, item: ReadFailed, now_s: float) -> AbstractSet[DnsName]:
        """Schedule a failed read again after a pause. Return the names to plan again."""
        if item.zone is None:
            self._next_list_at = 0.0
            self._zones.record_failure(now_s, item)
            return _NO_NAMES
        zone_state = self._zones.find(item.zone)
        if zone_state is None:
            return _NO_NAMES
        zone_state.refresh.retry.record_failure(
            now_s, item.retry_after_s, message=item.message, is_forbidden=item.forbidden
        )
        if item.call is Call.NAMES:
            zone_state.queue.reads.record_failure()
        else:
            zone_state.refresh.record_failure()
        return zone_state.names_awaiting_read

    def add_related(self, names: Iterable[DnsName]) -> set[DnsName]:
        """Return *names* and their related names.

        Most related names are left out: those with no claim and no record that is unreadable or of a managed type.
        """
        found, related = set(names), set[str]()
        for name in found:
            for home in self._zones.containing(name):
                related.update(self._settings.registry.related_names(name, home.zone))
        types = self._settings.plan.managed_types
        claimed = {self._claims.claims(one)[0].name for one in self._claims.names() & related}
        return found.union(claimed, *(one.cache.find_names_with(related, types) for one in self._zones))

    def find_deadlines(self) -> list[float]:
        """Return the times at which the next reads are due."""
        times = [] if self._zones.is_listing else [self._find_list_at()]
        for zone_state in self._zones:
            if not zone_state.refresh.is_requested:
                times.append(self._find_page_at(zone_state))
            if zone_state.queue.reads.names:
                times.append(zone_state.refresh.retry.until_at)
        return times
