"""What outlives the process: taken over at start, given away when it changed (design 6, "State")."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.engine.budget import Made, Most
from extdns.engine.effects import Effect, LoadState, LookForReleases, SaveState
from extdns.model.saved import Saved, SavedZone

if TYPE_CHECKING:
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.held import Held
    from extdns.model.name import DnsName
    from extdns.model.zone import Zone

_AGAIN_S: Final = 300.0
_LOOK_S: Final = 10.0
_NAMED: Final = 50  # of the records that are held in a zone: what is kept has to fit into a ConfigMap


class Keeping:
    """Keeps budgets, held sets, releases and accepted settings of all zones.

    Attributes:
        writes: whether anything may be written now, state or records.
        open: whether deletes may be decided: we lead, and the state was loaded or there is none to be had.
    """

    def __init__(self, settings: EngineSettings, zones: Zones) -> None:
        """Start with nothing loaded."""
        self._fingerprint = settings.fingerprint
        self._keeps = settings.keeps_state
        self._writer = settings.writes
        self._leads = not settings.elects
        self.writes = self._writer and self._leads and not settings.asks
        self._zones = zones
        self._loaded: Saved | None = None  # and what was given away since
        self._adopted: set[str] = set()
        self._given: tuple[tuple[str, int], ...] = ()
        self._asked = self._void = False
        self._next_s = self._look_s = 0.0
        self.open = self._leads and not self._keeps

    def lead(self, *, leads: bool, now_s: float) -> None:
        """Who leads loads what another process may have kept meanwhile; who stands by neither loads nor saves."""
        self._leads, self.writes, self.open = leads, leads and self._writer, leads and not self._keeps
        self._loaded, self._adopted, self._given = None, set(), ()
        self._void, self._next_s = self._asked, now_s

    def loaded(self, saved: Saved, now_s: float) -> set[DnsName]:
        """Take over what a former process kept; returns the names whose deletes waited for that."""
        if self._is_void():
            return set()
        self._loaded, self._asked, self._next_s, self.open = saved, False, now_s, True
        return self.adopt(now_s)

    def adopt(self, now_s: float) -> set[DnsName]:
        """Give zones that are new, or there again, what was kept of them.

        Returns:
            The names whose deletes waited for that.
        """
        names: set[DnsName] = set()
        self._adopted &= {state.zone.id for state in self._zones}
        for state in self._zones:
            if self._loaded and state.zone.id not in self._adopted:
                self._adopted.add(state.zone.id)
                self._restore(state, self._loaded, now_s)
                names |= state.deletes.keep(state.deletes.changes if self.writes else math.inf)
        return names

    def answered(self, released: Iterable[str], now_s: float) -> set[DnsName]:
        """What was given away arrived, or a person *released* the held deletes that show these codes.

        Returns:
            The names whose deletes waited for that.
        """
        if self._is_void():
            return set()
        self._asked = False
        for state in self._zones:
            state.deletes.release(released, now_s)
        given = dict(self._given)
        known = (state.deletes for state in self._zones if state.zone.id in given)
        return {name for deletes in known for name in deletes.keep(given[deletes.zone.id])}

    def failed(self, now_s: float) -> set[DnsName]:
        """Loading or saving failed: it is tried again after a while, and nothing waits for it.

        Returns:
            The names whose deletes have waited for that.
        """
        if self._is_void():
            return set()
        self._asked, self._next_s, self._given, self.open = False, now_s + _AGAIN_S, (), True
        return {name for state in self._zones for name in state.deletes.keep(math.inf)}

    @property
    def acceptable(self) -> set[Zone]:
        """The zones that were read whole, and in which no orphan is held, under settings that are new to them.

        Ask at the end of a full pass in which every source was synced.
        """
        new = [state for state in self._zones if self._loaded and not state.deletes.accepted]
        return {state.zone for state in new if state.mirror.whole and not state.deletes.undecided}

    def accept(self, zones: Container[Zone], now_s: float) -> None:
        """*zones* are in order under the settings of now."""
        for state in self._zones:
            if state.zone in zones:
                state.deletes.accept(now_s)

    def due(self, now_s: float) -> Iterator[Effect]:
        """What to load or to save now."""
        if not (self._keeps and self._leads) or self._asked or now_s < self._next_s:
            return
        if self._loaded is None:
            self._asked = True
            yield LoadState()
        elif now_s >= self._look_s and self._holds:
            self._asked, self._look_s = True, now_s + _LOOK_S
            yield LookForReleases()
        elif self.writes and (changes := self._changes()) != self._given:
            self._asked, self._given, self._loaded = True, changes, self._snapshot(now_s)
            yield SaveState(saved=self._loaded)

    def busy(self, now_s: float) -> bool:
        """Whether something is being loaded or saved, or is to be."""
        unsaved = self.writes and self._changes() != self._given
        return self._keeps and (self._asked or (now_s >= self._next_s and (self._loaded is None or unsaved)))

    @property
    def wake_s(self) -> float:
        """When `due` has something to do though nothing happens (monotonic seconds), infinity if never."""
        if not (self._keeps and self._leads) or self._asked:
            return math.inf
        return max(self._next_s, self._look_s) if self._holds else self._next_s or math.inf

    def _is_void(self) -> bool:
        """Whether the answer that came is to what was asked before it was known who leads now."""
        void, self._void = self._void, False
        if void:
            self._asked = False
        return void

    def _restore(self, state: ZoneState, saved: Saved, now_s: float) -> None:
        deletes, kept = state.deletes, saved.of(state.zone.id)
        deletes.budget.restore((Made(*one) for one in kept.made), (Most(*one) for one in kept.most))
        shown = {code: frozenset(digests) for code, digests in kept.shown}
        deletes.releases.restore(shown, dict(kept.released), saved.released)
        if kept.fingerprint and kept.fingerprint == self._fingerprint:
            deletes.accept(now_s)

    def _changes(self) -> tuple[tuple[str, int], ...]:
        return tuple((state.zone.id, state.deletes.changes) for state in self._zones)

    @property
    def _holds(self) -> bool:
        return any(state.deletes.releases.code for state in self._zones)

    def _snapshot(self, now_s: float) -> Saved:
        zones = dict(self._loaded.zones) if self._loaded else {}
        zones |= {state.zone.id: self._kept(state, now_s) for state in self._zones}
        return Saved(zones=tuple(sorted(zones.items())), released=self._loaded.released if self._loaded else ())

    def _kept(self, state: ZoneState, now_s: float) -> SavedZone:
        deletes = state.deletes
        before = self._loaded.of(state.zone.id) if self._loaded else SavedZone()
        return replace(
            before,
            name=str(state.zone.name),
            fingerprint=self._fingerprint if deletes.accepted else before.fingerprint,
            made=(*deletes.budget.made, *_at(now_s, deletes.granted)),
            most=(*deletes.budget.most[:1], (now_s, deletes.budget.owned)),
            shown=tuple((code, tuple(sorted(digests))) for code, digests in deletes.releases.shown.items()),
            held=deletes.releases.code,
            records=tuple(map(_named, deletes.held[:_NAMED])),
            released=tuple(sorted(deletes.releases.until_s.items())),
        )


def _at(now_s: float, by_absence: Iterable[bool]) -> tuple[tuple[float, bool], ...]:
    return tuple((now_s, absent) for absent in by_absence)


def _named(held: Held) -> tuple[str, str, str, str]:
    record = held.owned.record
    return str(record.name), record.type, record.set_identifier, held.evidence.value
