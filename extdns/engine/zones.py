"""The zones in reach, each with its mirror, audit and write queue (design 4, "Zone placement")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from extdns.engine.audit import Audit
from extdns.engine.backoff import Backoff
from extdns.engine.deletes import Deletes
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.inputs import ReadFailed
from extdns.engine.mirror import Mirror
from extdns.engine.writes import Writes
from extdns.model.name import DnsName
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.placement import Placement

_GONE_AFTER_S = 300.0
_LONGEST_PAUSE_S = 60.0  # no more often than where nothing fails


@dataclass(slots=True, eq=False)
class ZoneState:
    """What the engine keeps of one zone.

    Attributes:
        waiting: names to plan once the zone has been read whole.
        missing_since_s: monotonic time of the first complete list that lacked the zone, None while
            it is listed.
    """

    zone: Zone
    deletes: Deletes
    mirror: Mirror = field(default_factory=Mirror)
    audit: Audit = field(default_factory=Audit)
    writes: Writes = field(default_factory=Writes)
    waiting: set[DnsName] = field(default_factory=set)
    missing_since_s: float | None = None

    def sure(self, name: DnsName) -> bool:
        """Tell whether all that stands at *name* is known."""
        return self.mirror.whole and not (self.writes.busy(name) or self.writes.doubts.about(name))


class Zones:
    """All zones, by id.

    Attributes:
        listed: whether the zones were listed at least once.
        open: whether names may be placed: there is a list, or none has come for long enough.
        asked: whether a list is on its way.
        next_s: monotonic time at which they are listed again.
        failed: accounts whose zones could not be listed the last time.
        unknown: of these, the accounts that have not answered since start: what they hold is not
            known, so new names wait. A permanent refusal is an answer: none of its zones is in reach.
    """

    def __init__(self, deletes: DeleteSettings, *, longest_only: bool = False) -> None:
        """Start without any zone; *deletes* is for each of them, *longest_only* as in `Traits`."""
        self._deletes = deletes
        self._longest_only = longest_only
        self._states: dict[str, ZoneState] = {}
        self._by_name: dict[str, list[ZoneState]] = {}
        self._placement = Placement(())
        self.listed = self.open = self.asked = False
        self.next_s = 0.0
        self.failed: tuple[AccountFailure, ...] = ()
        self.unknown: tuple[str, ...] = ()
        self.backoff = Backoff(most_s=_LONGEST_PAUSE_S)
        self._partial = Backoff(most_s=_LONGEST_PAUSE_S)

    def __iter__(self) -> Iterator[ZoneState]:
        """All states, sorted by zone."""
        return iter(self._states.values())

    def state(self, zone: Zone) -> ZoneState | None:
        """The state of *zone*, None if it is no longer kept."""
        return self._states.get(zone.id)

    @property
    def placement(self) -> Placement:
        """Which names belong where; never changed, but replaced."""
        return self._placement

    def of(self, name: DnsName) -> list[ZoneState]:
        """The zones that *name* belongs to."""
        return [self._states[zone.id] for zone in self._placement.zones_of(name)]

    def left_behind(self, name: DnsName, home: Sequence[ZoneState]) -> list[ZoneState]:
        """The zones that hold records of *name* although it belongs to those of *home*, innermost first."""
        if len(home) == len(self._states):
            return []
        found: list[ZoneState] = []
        ancestor: str = name
        while ancestor:
            found += [state for state in self._by_name.get(ancestor, ()) if state.mirror.of(name) and state not in home]
            ancestor = ancestor.partition(".")[2]
        return found

    def fail(self, now_s: float, failed: ReadFailed) -> None:
        """The list did not come; it is asked for again after a pause."""
        self.asked, self.next_s = False, 0.0
        self.backoff.fail(now_s, failed.retry_after_s, message=failed.message, refused=failed.forbidden)

    def despair(self) -> bool:
        """The list is not waited for any more; returns whether that changes what becomes of names.

        A refusal for good counts as an empty list. Otherwise names wait, and that is told.
        """
        if self.listed:
            return False
        before = self.open, self.unknown
        self.open, self.unknown = True, () if self.backoff.refused else ("",)
        return before != (self.open, self.unknown)

    def update(self, found: ZoneList, now_s: float) -> bool:
        """Take in a list; returns whether names may belong elsewhere now, or wait no more.

        An account that failed keeps the zones it had. A zone that a complete list lacks stays until
        another one, five minutes later, lacks it too.
        """
        before = ([(state.zone, state.missing_since_s) for state in self], self.unknown)
        failing = {failure.account for failure in found.failed}
        unknown = (failure.account for failure in found.failed if not failure.permanent)
        self.unknown = tuple(account for account in unknown if not self.listed or account in self.unknown)
        self.asked, self.failed = False, found.failed
        self.listed = self.open = True
        self.backoff.succeed()
        self._hurry(now_s)
        self._retain({zone.id for zone in found.zones}, failing, now_s)
        for zone in found.zones:
            if zone.id not in self._states:
                self._states[zone.id] = ZoneState(zone, Deletes(zone, self._deletes))
            self._states[zone.id].zone = zone
        self._states = {state.zone.id: state for state in sorted(self, key=lambda state: state.zone)}
        self._place()
        return before != ([(state.zone, state.missing_since_s) for state in self], self.unknown)

    def _hurry(self, now_s: float) -> None:
        """An account that has not answered yet holds up new names: it is asked before the next list is due."""
        if self.unknown:
            self._partial.fail(now_s)
            self.next_s = min(self.next_s, self._partial.until_s)
        else:
            self._partial.succeed()

    def _retain(self, listed: set[str], failing: set[str], now_s: float) -> None:
        for state in tuple(self):
            if state.zone.id in listed or state.zone.account in failing:
                state.missing_since_s = None
            elif state.missing_since_s is None:
                state.missing_since_s = now_s
            elif now_s - state.missing_since_s >= _GONE_AFTER_S:
                del self._states[state.zone.id]

    def _place(self) -> None:
        self._placement = Placement((state.zone for state in self), longest_only=self._longest_only)
        self._by_name = {}
        for state in self:
            self._by_name.setdefault(state.zone.name, []).append(state)
            belongs = partial(self._belongs, state)
            state.writes.retain(belongs)
            state.deletes.retain(belongs)

    def _belongs(self, state: ZoneState, name: DnsName) -> bool:
        return state in self.of(name)
