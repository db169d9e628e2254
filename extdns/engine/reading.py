"""What is read of the zones, when, and what the answers make due (design 4, "Audit")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from extdns.engine.effects import ListZones, ReadNames, ReadPage
from extdns.engine.inputs import Call, NamesRead, PageRead, ReadFailed

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from extdns.engine.claims import ClaimIndex
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.name import DnsName
    from extdns.model.zone import ZoneList

_NOTHING: AbstractSet[DnsName] = frozenset()
_STANDBY: Final = 4.0
"""Times slower than the audit of who leads is that of who stands by."""


class Reading:
    """Asks for lists of zones, pages and names. Audits keep a pace; the first reading of a zone does not."""

    def __init__(self, settings: EngineSettings, claims: ClaimIndex, zones: Zones) -> None:
        """Keep the mirrors of *zones* in step with what they hold."""
        self._settings = settings
        self._claims = claims
        self._zones = zones
        self._slowness = _STANDBY if settings.elects else 1.0
        self._next_audit_s = 0.0

    def lead(self, *, leads: bool, now_s: float) -> None:
        """Keep another pace; who has just come to lead begins at once to read what the former leader left."""
        self._slowness = 1.0 if leads else _STANDBY
        if leads:
            self._next_audit_s = self._zones.next_s = now_s
            for state in self._zones:
                state.audit.next_s = now_s

    def due(self, now_s: float) -> Iterator[ListZones | ReadPage | ReadNames]:
        """What to read now."""
        zones = self._zones
        if not zones.asked and zones.backoff.over(now_s) and now_s >= zones.next_s:
            zones.asked, zones.next_s = True, now_s + self._interval_s
            self._next_audit_s = max(self._next_audit_s, now_s) + self._pause_s
            yield ListZones()
        audits: list[ZoneState] = []
        for state in zones:
            if state.writes.doubts and state.audit.backoff.over(now_s) and (names := state.writes.doubts.ask()):
                yield ReadNames(zone=state.zone, names=names)
            if not state.audit.asked and now_s >= state.audit.due_s:
                if state.mirror.whole:
                    audits.append(state)
                else:
                    yield self._page(state, now_s)
        if audits and not self._settings.once and now_s >= self._next_audit_s:
            self._next_audit_s = now_s + self._pause_s
            yield self._page(min(audits, key=lambda state: state.audit.asked_s), now_s)

    @property
    def _interval_s(self) -> float:
        return self._settings.interval_s * self._slowness

    @property
    def _pause_s(self) -> float:
        return 60.0 / self._settings.audit_calls_per_minute * self._slowness

    def _page(self, state: ZoneState, now_s: float) -> ReadPage:
        onward = not state.mirror.whole
        state.audit.ask(now_s, onward=onward)
        return ReadPage(zone=state.zone, after=state.audit.after, onward=onward)

    def listed(self, found: ZoneList, now_s: float) -> None:
        """The zones were listed, in however many calls and however often: at least as many are left to audits."""
        self._next_audit_s += (found.calls - 1) * self._pause_s
        self._zones.next_s = max(self._zones.next_s, now_s + 2 * found.calls * self._pause_s)

    def page(self, item: PageRead, now_s: float) -> AbstractSet[DnsName]:
        """Take in a page; returns the names to plan again."""
        state = self._zones.state(item.zone)
        if state is None or item.asked != state.audit.after:
            return _NOTHING
        changed, complete = state.audit.read(item.page, state.mirror, state.writes.names_in_flight())
        if complete:
            state.audit.end_round(now_s, self._interval_s)
        if state.mirror.whole:
            return self.with_related(changed)
        if not complete:
            return _NOTHING
        state.mirror.whole = True
        waiting, state.waiting = state.waiting, set()
        return waiting.union(state.mirror.plannable(self._settings.plan.managed_types))

    def names(self, item: NamesRead) -> AbstractSet[DnsName]:
        """Take in names read by themselves; returns the names to plan again."""
        state = self._zones.state(item.zone)
        if state is None:
            return _NOTHING
        state.audit.backoff.succeed()
        read = state.writes.answered()
        state.audit.touch(read)
        changed = state.mirror.read(read, [record for record in item.records if record.name in read])
        return self.with_related(read | set(state.writes.weigh(read, changed)))

    def failed(self, item: ReadFailed, now_s: float) -> AbstractSet[DnsName]:
        """A call failed; returns the names to plan again."""
        if item.zone is None:
            self._zones.fail(now_s, item)
            return _NOTHING
        state = self._zones.state(item.zone)
        if state is None:
            return _NOTHING
        state.audit.backoff.fail(now_s, item.retry_after_s, message=item.message, refused=item.forbidden)
        if item.call is Call.NAMES:
            state.writes.doubts.failed()
        else:
            state.audit.fail()
        return state.waiting

    def with_related(self, names: Iterable[DnsName]) -> set[DnsName]:
        """*names*, and those that their records decide about, or that decide about them."""
        found, types = set(names), self._settings.plan.managed_types
        asked, mirrors = self._claims.names(), [state.mirror for state in self._zones]
        for name in tuple(found):
            around = self._settings.registry.related(name)  # at most of these there is nothing to plan
            found |= asked & around
            for mirror in mirrors:
                found |= mirror.holding(around, types)
        return found

    def times(self) -> Iterator[float]:
        """When something may be read next."""
        if not self._zones.asked:
            yield max(self._zones.next_s, self._zones.backoff.until_s)
        for state in self._zones:
            if not state.audit.asked:
                yield max(state.audit.due_s, self._next_audit_s if state.mirror.whole else 0.0)
            if state.writes.doubts:
                yield state.audit.backoff.until_s
