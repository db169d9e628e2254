"""The zones in reach, each with its mirror, audit and write queue (design 4, "Zone placement")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extdns.engine.audit import Audit
from extdns.engine.backoff import Backoff
from extdns.engine.mirror import Mirror
from extdns.engine.writes import Writes
from extdns.model.name import DnsName
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.placement import Placement

_GONE_AFTER_S = 300.0


@dataclass(slots=True)
class ZoneState:
    """What the engine keeps of one zone.

    Attributes:
        to_read: names that must be read before they are planned again.
        reading: whether names are being read.
        missing_since_s: monotonic time of the first complete list that lacked the zone, None while
            it is listed.
    """

    zone: Zone
    mirror: Mirror = field(default_factory=Mirror)
    audit: Audit = field(default_factory=Audit)
    writes: Writes = field(default_factory=Writes)
    to_read: set[DnsName] = field(default_factory=set)
    reading: bool = False
    missing_since_s: float | None = None


class Zones:
    """All zones, by id.

    Attributes:
        listed: whether the zones were listed at least once.
        asked: whether a list is on its way.
        next_s: monotonic time at which they are listed again.
        failed: accounts whose zones could not be listed the last time.
    """

    def __init__(self) -> None:
        """Start without any zone."""
        self._states: dict[str, ZoneState] = {}
        self._placement = Placement(())
        self.listed = self.asked = False
        self.next_s = 0.0
        self.failed: tuple[AccountFailure, ...] = ()
        self.backoff = Backoff()

    def __iter__(self) -> Iterator[ZoneState]:
        """All states, sorted by zone."""
        return iter(sorted(self._states.values(), key=lambda state: state.zone))

    def state(self, zone: Zone) -> ZoneState | None:
        """The state of *zone*, None if it is no longer kept."""
        return self._states.get(zone.id)

    def of(self, name: DnsName) -> list[ZoneState]:
        """The zones that *name* belongs to."""
        return [self._states[zone.id] for zone in self._placement.zones_of(name)]

    def holding(self, name: DnsName) -> list[ZoneState]:
        """The zones that hold records of *name*, whether it belongs there or not."""
        return [state for state in self if state.mirror.of(name)]

    def unknown(self) -> tuple[str, ...]:
        """Accounts that fail for a while: what they hold is not known, so new names wait."""
        return tuple(failure.account for failure in self.failed if not failure.permanent)

    def update(self, found: ZoneList, now_s: float) -> bool:
        """Take in a list; returns whether the set of zones changed.

        An account that failed keeps the zones it had. A zone that a complete list lacks stays until
        another one, five minutes later, lacks it too.
        """
        self.asked, self.listed, self.failed = False, True, found.failed
        self.backoff.succeed()
        failing = {failure.account for failure in found.failed}
        listed = {zone.id: zone for zone in found.zones}
        changed = False
        for state in list(self._states.values()):
            if state.zone.id in listed or state.zone.account in failing:
                state.missing_since_s = None
            elif state.missing_since_s is None:
                state.missing_since_s = now_s
            elif now_s - state.missing_since_s >= _GONE_AFTER_S:
                del self._states[state.zone.id]
                changed = True
        for zone in found.zones:
            known = self._states.get(zone.id)
            if known is None or known.zone != zone:
                self._states[zone.id] = ZoneState(zone)
                changed = True
        self._placement = Placement(state.zone for state in self._states.values())
        return changed
