"""Decide which zones, pages and names to read and when, and store the answers in the zone caches.

See docs/design/retries.md, "Reading zones".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.engine.effects import ListZones, ReadNames, ReadPage
from extdns.engine.inputs import Call, NamesRead, PageRead, ReadFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from extdns.engine.claims import ClaimIndex
    from extdns.engine.retries import Deadlines
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.dns_name import DnsName
    from extdns.model.zone import ZoneList

_NO_NAMES: Final[AbstractSet[DnsName]] = frozenset()
_STANDBY_FACTOR: Final = 4.0
"""A standby refreshes zones four times less often than the leader."""


class ZoneRefresher:
    """Requests lists of zones, pages and names.

    Zones are refreshed at a limited rate, but the first read of a zone is not limited.
    """

    def __init__(self, settings: EngineSettings, claims: ClaimIndex, zones: Zones, deadlines: Deadlines) -> None:
        """Keep the caches of *zones* up to date."""
        self._settings = settings
        self._claims = claims
        self._zones = zones
        self._factor = _STANDBY_FACTOR if settings.has_election else 1.0
        self._next_refresh_at = 0.0
        deadlines.register(self._find_deadlines)

    def change_leadership(self, *, is_leader: bool, now_s: float) -> None:
        """Change the refresh rate to that of a leader or standby. A new leader refreshes all zones at once."""
        self._factor = 1.0 if is_leader else _STANDBY_FACTOR
        if is_leader:
            self._next_refresh_at = self._zones.next_list_at = now_s
            for state in self._zones:
                state.refresh.next_round_at = now_s

    def find_due(self, now_s: float) -> Iterator[ListZones | ReadPage | ReadNames]:
        """Return the reads that are due now, and count them as requested."""
        zones = self._zones
        if not zones.is_listing and now_s >= zones.retry.until_at and now_s >= zones.next_list_at:
            zones.is_listing, zones.next_list_at = True, now_s + self._interval_s
            self._next_refresh_at = max(self._next_refresh_at, now_s) + self._pause_s
            yield ListZones()
        due: list[ZoneState] = []
        for state in zones:
            refresh, unconfirmed = state.refresh, state.queue.unconfirmed
            if unconfirmed.names and now_s >= refresh.retry.until_at and (names := unconfirmed.start_read()):
                yield ReadNames(zone=state.zone, names=names)
            if not refresh.is_requested and now_s >= refresh.next_page_at:
                if state.cache.is_complete:
                    due.append(state)
                else:
                    yield self._read_page(state, now_s)
        if due and not self._settings.once and now_s >= self._next_refresh_at:
            self._next_refresh_at = now_s + self._pause_s
            yield self._read_page(min(due, key=lambda state: state.refresh.requested_at), now_s)

    @property
    def _interval_s(self) -> float:
        return self._settings.interval_s * self._factor

    @property
    def _pause_s(self) -> float:
        return 60.0 / self._settings.refresh_calls_per_minute * self._factor

    def _read_page(self, state: ZoneState, now_s: float) -> ReadPage:
        reads_to_end = not state.cache.is_complete
        state.refresh.start_page(now_s, reads_to_end=reads_to_end)
        return ReadPage(zone=state.zone, after=state.refresh.after, reads_to_end=reads_to_end)

    def slow_down_after_list(self, found: ZoneList, now_s: float) -> None:
        """Delay the next reads if listing zones took many calls, so that at least half of all calls are refreshes."""
        self._next_refresh_at += (found.calls - 1) * self._pause_s
        self._zones.next_list_at = max(self._zones.next_list_at, now_s + 2 * found.calls * self._pause_s)

    def take_page(self, item: PageRead, now_s: float) -> AbstractSet[DnsName]:
        """Store the page of *item* in the zone cache. Return the names to plan again."""
        state = self._zones.find(item.zone)
        if state is None or item.after != state.refresh.after:
            return _NO_NAMES
        changed, is_last = state.refresh.take_page(item.page, state.cache, state.queue.names_being_written())
        if is_last:
            state.refresh.end_round(now_s, self._interval_s)
        if state.cache.is_complete:
            return self.add_related(changed)
        if not is_last:
            return _NO_NAMES
        state.cache.is_complete = True
        waiting, state.names_awaiting_read = state.names_awaiting_read, set()
        return waiting.union(state.cache.find_plannable_names(self._settings.plan.managed_types))

    def take_names(self, item: NamesRead) -> AbstractSet[DnsName]:
        """Store the records of single names in the zone cache. Return the names to plan again."""
        state = self._zones.find(item.zone)
        if state is None:
            return _NO_NAMES
        state.refresh.retry.record_success()
        read = state.queue.take_read_names()
        state.refresh.skip_names(read)
        changed = state.cache.replace_names(read, [record for record in item.records if record.name in read])
        return self.add_related(read | set(state.queue.resolve_unconfirmed(read, changed)))

    def take_failure(self, item: ReadFailed, now_s: float) -> AbstractSet[DnsName]:
        """Schedule a failed read again after a pause. Return the names to plan again."""
        if item.zone is None:
            self._zones.record_failure(now_s, item)
            return _NO_NAMES
        state = self._zones.find(item.zone)
        if state is None:
            return _NO_NAMES
        state.refresh.retry.record_failure(now_s, item.retry_after_s, message=item.message, is_forbidden=item.forbidden)
        if item.call is Call.NAMES:
            state.queue.unconfirmed.record_read_failure()
        else:
            state.refresh.record_failure()
        return state.names_awaiting_read

    def add_related(self, names: Iterable[DnsName]) -> set[DnsName]:
        """Return *names* and their related names.

        Related names without a claim or a plannable record are left out, which are most of them.
        """
        found, types = set(names), self._settings.plan.managed_types
        requested, caches = self._claims.names(), [state.cache for state in self._zones]
        for name in tuple(found):
            related = self._settings.registry.related_names(name)
            found |= requested & related
            for cache in caches:
                found |= cache.find_names_with(related, types)
        return found

    def _find_deadlines(self, _now_s: float) -> list[float]:
        """Return the times at which the next reads are due."""
        zones = self._zones
        times = [] if zones.is_listing else [max(zones.next_list_at, zones.retry.until_at)]
        for state in zones:
            refresh = state.refresh
            if not refresh.is_requested:
                times.append(max(refresh.next_page_at, self._next_refresh_at if state.cache.is_complete else 0.0))
            if state.queue.unconfirmed.names:
                times.append(refresh.retry.until_at)
        return times
