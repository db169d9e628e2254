"""The zones of all accounts: the names that belong to each, its cache and its write queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.engine.retries import Failure, GiveUpRule, Retry
from extdns.engine.write_queue import WriteQueue
from extdns.engine.zone_cache import ZoneCache, ZoneRefresh
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone, ZonePlacement

if TYPE_CHECKING:
    from extdns.engine.inputs import ReadFailed
    from extdns.model.record import Record
    from extdns.model.zone import AccountFailure, ZoneList
    from extdns.ports import Registry

_GONE_AFTER_S: Final = 300.0


@dataclass(slots=True, eq=False)
class ZoneState:
    """The state of one zone in the engine.

    Attributes:
        cache: what the zone held when it was last read or written.
        refresh: the progress of reading the zone again, page by page.
        queue: the changes to write.
        names_awaiting_read: names that are planned once the zone was fully read.
        missing_since_at: monotonic time of the first complete list without the zone, None while it is listed.
        leftovers: by the name of a zone below, the ownership records in this zone whose records were deleted.
    """

    zone: Zone
    cache: ZoneCache = field(default_factory=ZoneCache)
    refresh: ZoneRefresh = field(default_factory=ZoneRefresh)
    queue: WriteQueue = field(default_factory=WriteQueue)
    names_awaiting_read: set[DnsName] = field(default_factory=set)
    missing_since_at: float | None = None
    leftovers: dict[DnsName, tuple[Record, ...]] = field(default_factory=dict)

    def is_fully_known(self, name: DnsName) -> bool:
        """Return whether the cache has all records of *name*, with no write of unknown effect."""
        return self.cache.is_complete and not (self.queue.is_writing(name) or name in self.queue.unconfirmed.names)

    def is_read(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether the zone was fully read, or reading it was given up by *rule*."""
        return self.cache.is_complete or rule.is_reached(self.refresh.retry, now_s)

    def is_written(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether no change is left to write, other than those given up by *rule*."""
        if self.queue.forbidden or rule.is_reached(self.queue.retry, now_s):
            return True
        if self.queue.unconfirmed.names:
            return rule.is_reached(self.refresh.retry, now_s)
        return not (self.queue.in_flight or self.queue.has_sendable(rule, now_s))


class SharingZones(NamedTuple):
    """The zones besides its own in which the ownership records of a name matter; only the name of a zone has any.

    Attributes:
        above: the zone that holds the ownership records, None if the name's own zone does.
        all: the zones whose records at the name have ownership records in common with those of its own zone: the zone
            above, and other zones of the name below it.
    """

    above: ZoneState | None = None
    all: tuple[ZoneState, ...] = ()


_NO_SHARING: Final = SharingZones()


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
        retry: failures in a row to list zones.
        account_retry: lists in a row in which an account in `unknown_accounts` failed.
    """

    def __init__(self, *, longest_only: bool = False) -> None:
        """Start without zones. *longest_only* is `Capabilities.longest_match_only`."""
        self._longest_only = longest_only
        self._states: dict[str, ZoneState] = {}
        self._by_name: dict[str, list[ZoneState]] = {}
        self._placement = ZonePlacement(())
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

    @property
    def placement(self) -> ZonePlacement:
        """The index of zones by name; immutable, and replaced when the list of zones changes."""
        return self._placement

    def containing(self, name: DnsName) -> list[ZoneState]:
        """Return the zones that *name* belongs to."""
        return [self._states[zone.id] for zone in self._placement.find_zones(name)]

    def find_zone_above(self, home: ZoneState, name: DnsName, registry: Registry) -> ZoneState | None:
        """Return the zone other than *home* that holds the ownership records of *name*; None if there is none.

        Only the ownership records of the name of a zone itself can be in another zone.
        """
        if name != home.zone.name:
            return None
        ownership_name = registry.ownership_name(name)
        if ownership_name is None or ownership_name.within(home.zone.name):
            return None
        found = [state for state in self.containing(ownership_name) if home.zone.name != state.zone.name]
        return next((state for state in found if state.zone.private is home.zone.private), next(iter(found), None))

    def find_sharing_zones(self, home: ZoneState, name: DnsName, registry: Registry) -> SharingZones:
        """Return the zones other than *home* in which the ownership records of *name* matter."""
        if name not in self._by_name:
            return _NO_SHARING
        above = self.find_zone_above(home, name, registry)
        holder = above or home
        below = [state for state in self._by_name[name] if self.find_zone_above(state, name, registry) is holder]
        return SharingZones(above, tuple(state for state in (holder, *below) if state is not home))

    def find_former_zones(self, name: DnsName, home: Sequence[ZoneState]) -> list[ZoneState]:
        """Return the zones that have records of *name* but are not among its zones *home*, longest zone name first."""
        if len(home) == len(self._states):
            return []
        found: list[ZoneState] = []
        ancestor: str = name
        while ancestor:
            same_name = self._by_name.get(ancestor, ())
            found += [state for state in same_name if state.cache.records(name) and state not in home]
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
        before = ([(state.zone, state.missing_since_at) for state in self], self.unknown_accounts)
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
            if zone.id not in self._states:
                self._states[zone.id] = ZoneState(zone)
            self._states[zone.id].zone = zone
        self._states = {state.zone.id: state for state in sorted(self, key=lambda state: state.zone)}
        self._index()
        return before != ([(state.zone, state.missing_since_at) for state in self], self.unknown_accounts)

    def find_deadlines(self, rule: GiveUpRule) -> Iterable[float]:
        """Return the times at which *rule* gives up failing reads and writes."""
        retries = [self.retry]
        for state in self._states.values():
            retries += (state.refresh.retry, state.queue.retry)
        return rule.find_deadlines(retries)

    def _remove_missing(self, listed: set[str], failing: set[str], now_s: float) -> None:
        for state in tuple(self):
            if state.zone.id in listed or state.zone.account in failing:
                state.missing_since_at = None
            elif state.missing_since_at is None:
                state.missing_since_at = now_s
            elif now_s - state.missing_since_at >= _GONE_AFTER_S:
                del self._states[state.zone.id]

    def _index(self) -> None:
        self._placement = ZonePlacement((state.zone for state in self), longest_only=self._longest_only)
        self._by_name = {}
        for state in self:
            self._by_name.setdefault(state.zone.name, []).append(state)
        for state in self:
            state.queue.retain(partial(self._belongs, state))

    def get_membership_tests(self) -> dict[str, Callable[[DnsName], bool]]:
        """Return, by zone id, a function that returns whether a name belongs to the zone."""
        return {state.zone.id: partial(self._belongs, state) for state in self}

    def _belongs(self, state: ZoneState, name: DnsName) -> bool:
        is_zone_below = name != state.zone.name and name.within(state.zone.name) and name in self._by_name
        return is_zone_below or state in self.containing(name)  # ownership records of a zone below may be here
