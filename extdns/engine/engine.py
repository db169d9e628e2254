"""The state machine: `step(input, now)` takes in one fact and returns what shall be done (design 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, assert_never

from extdns.engine import inputs as facts
from extdns.engine.claims import ClaimIndex
from extdns.engine.decisions import Decisions
from extdns.engine.effects import (
    Confirm,
    Effect,
    ListZones,
    ReadNames,
    ReadPage,
    Submit,
    TellDecisions,
    TellOutcome,
    Wake,
)
from extdns.engine.judge import Judge
from extdns.engine.planning import Planning
from extdns.engine.readiness import Readiness
from extdns.engine.zones import Zones, ZoneState
from extdns.model.decision import Decision, Verdict
from extdns.model.outcome import Applied, Unknown

if TYPE_CHECKING:
    from extdns.engine.backoff import Backoff
    from extdns.engine.settings import EngineSettings
    from extdns.model.change import Batch
    from extdns.model.cluster import ObjectKey
    from extdns.model.name import DnsName
    from extdns.model.outcome import Outcome

# Failures in a row after which a single pass leaves a zone alone; with pauses of 1, 2, 4 and 8 seconds.
_ATTEMPTS = 5


class Engine:
    """Keeps the zones in step with the claims.

    Attributes:
        claims: who asks for what.
        zones: what the zones hold, and what is on its way there.
        decisions: how every name ended.
        readiness: whether planning may begin.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Start with nothing known."""
        self._settings = settings
        self.claims = ClaimIndex()
        self.zones = Zones()
        self.decisions = Decisions()
        self.readiness = Readiness(settings.kinds.values(), settings.source_patience_s)
        self._judge = Judge(self.claims, settings)
        self._planning = Planning(settings, self.claims, self._judge, self.zones)
        self._dirty: set[DnsName] = set()
        self._gather_until_s = 0.0
        self._orphans: dict[ObjectKey | None, set[DnsName]] = {}
        self._asked_about: set[ObjectKey] = set()
        self._batches = 0
        self._next_audit_s = 0.0
        self._now_s = 0.0

    def step(self, item: facts.Input, now_s: float) -> tuple[Effect, ...]:
        """Take in *item* at *now_s* (monotonic seconds) and return what to do, in order."""
        self._now_s = now_s
        effects = [*self._take(item, now_s), *self._advance(now_s)]
        wake_s = self._wake_s(now_s)
        return (*effects, Wake(at_s=wake_s)) if wake_s is not None else tuple(effects)

    @property
    def planned(self) -> bool:
        """Whether every name that can be planned has been: the first full pass is over."""
        zones_read = self.zones.listed and all(
            state.mirror.whole or self._given_up(state.audit.backoff) for state in self.zones
        )
        listed = zones_read or self._given_up(self.zones.backoff)
        seen = self.readiness.open and self.readiness.complete(self._now_s)
        return listed and seen and not self._dirty and not self._asked_about

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way any more; after a single pass, what failed too often is left."""
        return self.planned and not any(self._unsettled(state) for state in self.zones)

    def _unsettled(self, state: ZoneState) -> bool:
        if state.writes.in_flight:
            return True
        if state.writes.doubtful or state.to_read:
            return not self._given_up(state.audit.backoff)
        return bool(state.writes.pending) and not self._given_up(state.writes.backoff)

    def _given_up(self, backoff: Backoff) -> bool:
        return self._settings.once and backoff.failures >= _ATTEMPTS

    def _take(self, item: facts.Input, now_s: float) -> Iterable[Effect]:  # noqa: C901, PLR0912 - one line a case
        match item:
            case facts.Observed(observations=observations):
                for seen in observations:
                    self._observe(seen, now_s)
            case facts.KindReported(state=state):
                self._judge.report(state)
                if self.readiness.report(state, now_s):
                    self._soil(self._everything(), now_s)
            case facts.Existence(key=key, exists=exists):
                self._asked_about.discard(key)
                self._judge.confirm(key, exists=exists, now_s=now_s)
                self._soil(self._orphans.pop(key, ()) if exists is not None else (), now_s)
            case facts.ZonesListed(zones=found):
                if self.zones.update(found, now_s):
                    self._soil(self._everything(), now_s)
            case facts.PageRead():
                self._page(item, now_s)
            case facts.NamesRead():
                self._names(item, now_s)
            case facts.ReadFailed():
                self._read_failed(item, now_s)
            case facts.Submitted(zone=zone, number=number, outcome=outcome):
                zone_state = self.zones.state(zone)
                if zone_state and (batch := zone_state.writes.in_flight) and batch.number == number:
                    return self._landed(zone_state, batch, outcome, now_s)
            case facts.Tick():
                if self.readiness.tick(now_s):
                    self._soil(self._everything(), now_s)
            case _:
                assert_never(item)
        return ()

    def _observe(self, seen: facts.Observation, now_s: float) -> None:
        if seen.cause in {facts.Cause.VERSION, facts.Cause.DEPENDENCY}:
            self._judge.revive(seen.key)
        if seen.parked_on:
            self.readiness.need(seen.parked_on)
        self._soil(self.claims.update(seen), now_s)
        self._soil(self._orphans.pop(seen.key, ()), now_s)

    def _page(self, item: facts.PageRead, now_s: float) -> None:
        state = self.zones.state(item.zone)
        if state is None:
            return
        changed, complete = state.audit.read(item.page, state.mirror, state.writes.names_in_flight())
        if complete:
            state.audit.end_round(now_s, self._settings.interval_s)
        if complete and not state.mirror.whole:
            state.mirror.whole = True
            self._soil(self._everything(), now_s)
        elif state.mirror.whole:
            self._soil(self._with_related(changed), now_s)

    def _names(self, item: facts.NamesRead, now_s: float) -> None:
        state = self.zones.state(item.zone)
        if state is None:
            return
        state.reading = False
        state.to_read -= set(item.names)
        state.audit.backoff.succeed()
        changed = state.mirror.read(item.names, item.records)
        if state.writes.doubtful:
            written = {write.key.name for write in state.writes.doubtful.writes}
            if changed and not written <= set(item.names):
                state.to_read |= written  # it may have been applied: look at all of it
            else:
                self._soil(state.writes.settle(), now_s)
        self._soil(self._with_related(changed | set(item.names)), now_s)

    def _read_failed(self, item: facts.ReadFailed, now_s: float) -> None:
        if item.zone is None:
            self.zones.asked = False
            self.zones.backoff.fail(now_s, item.retry_after_s)
            return
        state = self.zones.state(item.zone)
        if state is None:
            return
        state.audit.fail(now_s, item.retry_after_s)
        state.reading = False

    def _landed(self, state: ZoneState, batch: Batch, outcome: Outcome, now_s: float) -> Iterable[Effect]:
        names = {change_set.name for change_set in batch.sets}
        written = {write.key.name for write in batch.writes}
        state.audit.touch(written)
        if isinstance(outcome, Applied):
            state.mirror.wrote((write.key for write in batch.writes), outcome.records)
            state.writes.applied(batch)
            self._soil(self._with_related(names), now_s)
        else:
            reread = set(state.writes.failed(batch, outcome, now_s))
            state.to_read |= {key for name in reread for key in _written_for(batch, name)}
            if isinstance(outcome, Unknown):
                state.to_read |= _written_for(batch, batch.sets[0].name) | _written_for(batch, batch.sets[-1].name)
            else:
                self._soil(names - reread, now_s)
        return (TellOutcome(batch=batch, outcome=outcome),)

    def _soil(self, names: Iterable[DnsName], now_s: float) -> None:
        before = len(self._dirty)
        self._dirty.update(names)
        if before == 0 and self._dirty:
            self._gather_until_s = now_s + self._settings.gather_s

    def _everything(self) -> Iterator[DnsName]:
        yield from self.claims.names()
        for state in self.zones:
            yield from state.mirror.names()

    def _with_related(self, names: Iterable[DnsName]) -> set[DnsName]:
        found = set(names)
        for name in tuple(found):
            found.update(other for other in self._settings.registry.related(name) if self._matters(other))
        return found

    def _matters(self, name: DnsName) -> bool:
        return bool(self.claims.of(name)) or any(state.mirror.of(name) for state in self.zones.of(name))

    def _advance(self, now_s: float) -> Iterator[Effect]:
        yield from self._reads(now_s)
        if self._may_plan(now_s):
            decided = self._plan_dirty(now_s)
            if decided:
                yield TellDecisions(decisions=decided)
        yield from self._confirmations(now_s)
        if self._settings.writes:
            yield from self._submissions(now_s)

    def _may_plan(self, now_s: float) -> bool:
        """Sources first, then zones, so that nothing is planned twice; a zone that fails holds up no other."""
        reading = any(not state.mirror.whole and not state.audit.backoff.failures for state in self.zones)
        return self.readiness.open and self.zones.listed and not reading and now_s >= self._gather_until_s

    def _plan_dirty(self, now_s: float) -> tuple[Decision, ...]:
        for state in self.zones:
            self._dirty.update(state.writes.retriable(now_s))
        told: list[Decision] = []
        for name in sorted(self._dirty):
            decided = self._planning.plan(name, now_s)
            if decided is None:
                continue  # its write is in flight; the outcome makes it dirty again
            self._file_orphans(name, decided)
            told += self.decisions.put(name, decided)
        self._dirty.clear()
        return tuple(told)

    def _file_orphans(self, name: DnsName, decided: Iterable[Decision]) -> None:
        """Remember names kept for the sake of an object, so that news of it make them dirty."""
        for decision in decided:
            if decision.verdict is Verdict.KEEP and decision.held and decision.held.ours and not decision.wanted:
                self._orphans.setdefault(self._judge.object_of(decision.held.resource), set()).add(name)

    def _confirmations(self, now_s: float) -> Iterator[Effect]:
        for key in self._judge.doubts_due(now_s):
            if key not in self._asked_about:
                self._asked_about.add(key)
                yield Confirm(key=key)

    def _submissions(self, now_s: float) -> Iterator[Effect]:
        for state in self.zones:
            batch = state.writes.next_batch(self._batches + 1, self._settings.traits, now_s)
            if batch:
                self._batches += 1
                yield Submit(batch=batch)

    def _reads(self, now_s: float) -> Iterator[Effect]:
        if not self.zones.asked and self.zones.backoff.over(now_s) and now_s >= self.zones.next_s:
            self.zones.asked, self.zones.next_s = True, now_s + self._settings.interval_s
            yield ListZones()
        for state in self.zones:
            if state.to_read and not state.reading and state.audit.backoff.over(now_s):
                state.reading = True
                yield ReadNames(zone=state.zone, names=tuple(sorted(state.to_read)))
            if state.audit.due(now_s) and self._may_audit(state, now_s):
                state.audit.ask(now_s)
                yield ReadPage(zone=state.zone, after=state.audit.after)

    def _may_audit(self, state: ZoneState, now_s: float) -> bool:
        """Audits keep a pace; the first reading of a zone does not."""
        if not state.mirror.whole:
            return True
        if self._settings.once or now_s < self._next_audit_s:
            return False
        self._next_audit_s = now_s + 60.0 / self._settings.audit_calls_per_minute
        return True

    def _wake_s(self, now_s: float) -> float | None:
        times = [self.zones.next_s, self.zones.backoff.until_s]
        if self._dirty:
            times.append(self._gather_until_s)
        times += self._judge.doubts.values()
        if not self.readiness.open:
            times.append(self.readiness.patient_until_s(now_s))
        for state in self.zones:
            times += [state.audit.next_s, state.audit.backoff.until_s, self._next_audit_s]
            times.append(state.writes.wake_s(now_s) or 0.0)
        return min((time_s for time_s in times if time_s > now_s), default=None)


def _written_for(batch: Batch, name: DnsName) -> set[DnsName]:
    return {write.key.name for change_set in batch.sets if change_set.name == name for write in change_set.writes}
