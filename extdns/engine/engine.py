"""The state machine: `step(input, now)` takes in one fact and returns what shall be done (design 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, assert_never

from extdns.engine import inputs as facts
from extdns.engine.claims import ClaimIndex
from extdns.engine.decisions import Decisions
from extdns.engine.doubts import names_of
from extdns.engine.effects import Confirm, Effect, Submit, TellDecisions, TellHeld, TellOutcome, Wake
from extdns.engine.judge import Judge
from extdns.engine.keeping import Keeping
from extdns.engine.leadership import Leadership
from extdns.engine.orphans import Orphans
from extdns.engine.patience import Patience
from extdns.engine.planning import Planning
from extdns.engine.readiness import Readiness
from extdns.engine.reading import Reading
from extdns.engine.zones import Zones
from extdns.model.cluster import Phase
from extdns.model.outcome import Applied

if TYPE_CHECKING:
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import ZoneState
    from extdns.model.change import Batch
    from extdns.model.decision import Decision
    from extdns.model.name import DnsName
    from extdns.model.outcome import Outcome
    from extdns.model.zone import Zone


class Engine:
    """Keeps the zones in step with the claims.

    Attributes:
        settings, claims: what a person set, and who asks for what.
        zones: what the zones hold, and what is on its way there.
        decisions: how every name ended.
        readiness: whether planning may begin.
        leadership: whether we lead, or stand by.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Start with nothing known."""
        self.settings = settings
        self.claims = ClaimIndex()
        self.zones = Zones(settings.deletes, longest_only=settings.traits.longest_only)
        self.decisions = Decisions()
        self.leadership = Leadership(settings, self.zones, self.decisions)
        self.readiness = Readiness(settings.kinds.values(), settings.source_patience_s)
        self._judge = Judge(self.claims, settings)
        self._planning = Planning(settings, self.claims, self._judge, self.zones)
        self._reading = Reading(settings, self.claims, self.zones)
        self._patience = Patience(settings)
        self._keeping = Keeping(settings, self.zones)
        self._shown: dict[str, tuple[object, ...]] = {}
        self._dirty: set[DnsName] = set()
        self._gather_until_s = 0.0
        self._written: set[DnsName] = set()
        self._orphans = Orphans()
        self._batches = 0
        self._effects: list[Effect] = []
        self._now_s = 0.0

    def step(self, item: facts.Input, now_s: float) -> tuple[Effect, ...]:
        """Take in *item* at *now_s* (monotonic seconds) and return what to do, in order.

        Names at which stands now just what was planned are planned again by the next step, which comes at
        once: nothing rests on it, and the next batch is on its way meanwhile.

        What a step that raises wanted done is returned by the next one: something waits for it.
        """
        self._now_s = now_s
        self._dirty |= self._written
        self._written = set()
        self._effects.extend(self._take(item, now_s))
        self._effects.extend(self._advance(now_s))
        effects, self._effects = self._effects, []
        wake_s = self._wake_s(now_s)
        return (*effects, Wake(at_s=wake_s)) if wake_s is not None else tuple(effects)

    @property
    def planned(self) -> bool:
        """Whether every name that can be planned has been: the first full pass is over."""
        read = self.zones.open and all(self._patience.read(state, self._now_s) for state in self.zones)
        seen = self.readiness.open and self.readiness.complete(self._now_s)
        decides = self._keeping.open or not self.leadership.leads
        due = self._dirty or self._written
        return read and seen and decides and not due and not self._judge.awaiting

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way any more, but for what fails and is not waited for."""
        states = self.zones if self.leadership.leads else ()
        written = self.planned and all(self._patience.written(state, self._now_s) for state in states)
        return written and not (self.settings.once and self._keeping.busy(self._now_s))

    def rests(self, name: DnsName) -> bool:
        """Whether what is decided about *name* rests on all that was taken in, and nothing of it is on its way."""
        if name in self._dirty or name in self._written or not (self.readiness.open and self.zones.open):
            return False
        states = self.zones.of(name)
        return all(
            (state.mirror.whole or state.audit.backoff.failures) and not state.writes.busy(name) for state in states
        )

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Objects and manifests that cannot be read, with the reason."""
        return tuple(self._judge.problems())

    def _take(self, item: facts.Input, now_s: float) -> Iterable[Effect]:  # noqa: C901, PLR0912 - one case a fact
        match item:
            case facts.Observed(observations=observations):
                for seen in observations:
                    self._observe(seen, now_s)
            case facts.KindReported(state=state):
                matters, was_open = self._judge.report(state), self.readiness.open
                self.readiness.report(state, now_s)
                if state.phase is Phase.NOT_SERVED:
                    self.claims.void(state.kind)
                if self.readiness.open and (matters or not was_open):
                    self._soil(self._everything())
            case facts.ProblemReported(problem=problem):
                self._judge.note(problem)
                self._soil(self._orphans.all())
            case facts.Existence(key=key, exists=exists):
                for counting in self._judge.confirm(key, exists=exists, now_s=now_s):
                    self._soil(self._orphans.of(counting))
            case facts.ZonesListed(zones=found):
                self._reading.listed(found, now_s)
                if self.zones.update(found, now_s):
                    self._keeping.adopt(now_s)
                    self._soil(self._everything())
            case facts.PageRead():
                self._soil(self._reading.page(item, now_s))
            case facts.NamesRead():
                self._soil(self._reading.names(item))
            case facts.ReadFailed():
                self._soil(self._reading.failed(item, now_s))
            case facts.Submitted(zone=zone, number=number, outcome=outcome):
                zone_state = self.zones.state(zone)
                if zone_state and (batch := zone_state.writes.in_flight) and batch.number == number:
                    return self._landed(zone_state, batch, outcome, now_s)
            case facts.StateLoaded(saved=saved):
                self._soil(self._keeping.loaded(saved, now_s))
            case facts.StateAnswered(released=codes):
                self._soil(self._keeping.answered(codes, now_s))
            case facts.StateFailed():
                self._soil(self._keeping.failed(now_s))
            case facts.Approved():
                self._keeping.writes = self.settings.writes
            case facts.Led(leads=leads):
                self._lead(leads=leads, now_s=now_s)
            case facts.Tick():
                if self.readiness.tick(now_s):
                    self._soil(self._everything())
            case _:
                assert_never(item)
        return ()

    def _lead(self, *, leads: bool, now_s: float) -> None:
        self._keeping.lead(leads=leads, now_s=now_s)
        self._reading.lead(leads=leads, now_s=now_s)
        self._soil(self.leadership.change(leads=leads))

    def _observe(self, seen: facts.Observation, now_s: float) -> None:
        self._judge.observe(seen)
        if seen.parked_on:
            self.readiness.need(seen.parked_on)
        failing = self.claims.failing
        names = self.claims.update(seen) | self._orphans.of(seen.key)
        if (failing is None) is not (self.claims.failing is None):
            names |= self._orphans.of(None)
        self._soil(names, now_s + self.settings.gather_s)

    def _landed(self, state: ZoneState, batch: Batch, outcome: Outcome, now_s: float) -> Iterable[Effect]:
        names = names_of(batch)
        was_forbidden = bool(state.writes.forbidden)
        keys = [write.key for write in batch.writes]
        state.audit.touch(key.name for key in keys)
        if isinstance(outcome, Applied):
            state.mirror.wrote(keys, outcome.records)
            state.writes.applied(batch, now_s)
            self._written |= self._reading.with_related(names)
        else:
            state.writes.failed(batch, outcome, now_s)
            self._soil(self._reading.with_related(names))
        if bool(state.writes.forbidden) is not was_forbidden:
            self._soil(state.writes.pending)
        return (TellOutcome(batch=batch, outcome=outcome),)

    def _soil(self, names: Iterable[DnsName], gather_until_s: float = 0.0) -> None:
        """Plan *names* again, at once or after their companions have gathered."""
        if not self._dirty:
            self._gather_until_s = gather_until_s
        self._dirty.update(names)

    def _everything(self) -> Iterator[DnsName]:
        yield from self.claims.names()
        for state in self.zones:
            yield from state.mirror.plannable(self.settings.plan.managed_types)

    def _advance(self, now_s: float) -> Iterator[Effect]:
        if self._patience.lost(self.zones.backoff, now_s) and self.zones.despair():
            self._soil(self._everything())
        if self.readiness.open and self.zones.open:
            for state in self.zones:
                self._dirty.update(state.writes.retriable(now_s))
            if told := self.leadership.told(self._plan_due(now_s), self._dirty):
                yield TellDecisions(decisions=told)
            yield from self._held()
        for key in self._judge.ask(now_s):
            yield Confirm(key=key)
        if self.planned and not self.readiness.missing() and (ready := self._keeping.acceptable):
            self._keeping.accept(ready - self.decisions.open_at(self._orphans.all()), now_s)
        yield from self._keeping.due(now_s)
        if self._keeping.writes and not self._dirty:
            yield from self._submissions(now_s)
        yield from self._reading.due(now_s)

    def _plan_due(self, now_s: float) -> tuple[Decision, ...]:
        """Plan what is dirty, and then what may go because of that or of the time; returns the new decisions."""
        if self._dirty and now_s < self._gather_until_s:
            return ()
        told = [*self._plan_dirty(now_s)]
        while self._keeping.open and (moved := {name for state in self.zones for name in state.deletes.advance(now_s)}):
            self._dirty |= self._reading.with_related(moved)
            told += self._plan_dirty(now_s)
        in_force = [decision for decision in told if decision in self.decisions.of(decision.name)]
        return tuple(sorted(in_force, key=lambda decision: decision.order))

    def _held(self) -> Iterator[Effect]:
        """Tell what is held in each zone, when that is something else than before, or for another reason."""
        for state in self.zones:
            if state.deletes.shown != self._shown.get(state.zone.id, ("", ())):
                self._shown[state.zone.id] = state.deletes.shown
                yield TellHeld(zone=state.zone, code=state.deletes.releases.code, held=state.deletes.held)

    def _plan_dirty(self, now_s: float) -> list[Decision]:
        """Plan what is dirty, in the order of names; then what stepped back for a plan that is no more."""
        told: list[Decision] = []
        planned: set[DnsName] = set()
        more: Counter[Zone] = Counter()  # records that are ours; all names together, since one may pass to another
        while self._dirty:
            names, self._dirty = self._dirty, set()
            planned |= names
            withdrawn = [(state.writes, state.writes.withdraw(names)) for state in self.zones]
            for name in sorted(names):
                former = self.decisions.of(name)
                decided = self._planning.plan(name, former, now_s)
                self._file_orphans(name, decided)
                told += self.decisions.put(name, decided)
                more.update(_owned(decided))
                more.subtract(_owned(former))
            for writes, sets in withdrawn:
                self._dirty |= self._reading.with_related(writes.lacking(sets)) - planned
        for zone, count in more.items():
            if count and (state := self.zones.state(zone)):
                state.deletes.budget.own(count, now_s)
        return told

    def _file_orphans(self, name: DnsName, decided: Iterable[Decision]) -> None:
        """Remember what stands for the sake of an object that does not ask for it, so that news of it count."""
        keys = {
            key
            for decision in decided
            if decision.held and decision.held.ours and not decision.wanted
            for key in self._judge.behind(decision.held)
        }
        for key in self._orphans.put(name, keys):
            self._judge.forget(key)

    def _submissions(self, now_s: float) -> Iterator[Effect]:
        for state in self.zones:
            batch = state.writes.next_batch(self._batches + 1, self.settings.traits, now_s)
            if batch:
                self._batches += 1
                yield Submit(batch=batch)

    def _wake_s(self, now_s: float) -> float | None:
        if self._written:
            return now_s
        times = [*self._reading.times(), *self._judge.doubts.values(), *self._patience.times(self.zones)]
        times.append(self.readiness.patient_until_s(now_s))
        if self._dirty:
            times.append(self._gather_until_s)
        times += [state.writes.wake_s(now_s) or 0.0 for state in self.zones]
        times += [state.deletes.wake_s for state in self.zones if self._keeping.open]
        times.append(self._keeping.wake_s)
        return min((time_s for time_s in times if time_s > now_s), default=None)


def _owned(decisions: Iterable[Decision]) -> list[Zone]:
    """The zone of each record of ours, as often as there are any."""
    return [one.zone for one in decisions if one.zone and one.held and one.held.ours]
