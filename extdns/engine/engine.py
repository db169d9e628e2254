"""The state machine: `step(input, now)` takes one input and returns effects (docs/design/architecture.md).

Each step stores the input, plans the names that it makes dirty, and returns what the controller has to do: report
decisions, read, submit batches, and when to step again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, assert_never

from extdns.engine import inputs
from extdns.engine.adjustments import Adjustments
from extdns.engine.batches import find_names
from extdns.engine.bulk_updates import BulkUpdates
from extdns.engine.claims import ClaimIndex
from extdns.engine.decisions import Decisions, Waits, ZoneWait
from extdns.engine.delete_guard import DeleteGuard
from extdns.engine.dirty_names import DirtyNames
from extdns.engine.effects import (
    CheckExistence,
    Effect,
    ReportDecisions,
    ReportDefect,
    ReportHeldDeletes,
    ReportOutcome,
    RequestAdjustments,
    SubmitBatch,
    Wake,
)
from extdns.engine.gather import build_planner
from extdns.engine.observations import ExistenceChecks, KindPhases, ObjectProblems, Readiness
from extdns.engine.parent_zones import find_parent_zone
from extdns.engine.parts import EngineParts
from extdns.engine.reconcile import reconcile, should_wait_for_others
from extdns.engine.retries import Failure, GiveUpRule, RetryTable
from extdns.engine.rule_state import RuleState
from extdns.engine.state_sync import Leadership, StateSync
from extdns.engine.zone_refresher import ZoneRefresher
from extdns.engine.zones import Zones
from extdns.model.change import ADJUSTMENT, COMPUTED, PLAN, RULES, Applied, Awaited, Wait
from extdns.model.claim import ResolvedClaim
from extdns.model.cluster import KindState, Phase
from extdns.model.value import group_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from extdns.engine.settings import EngineSettings
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName
    from extdns.model.saved_state import Saved
    from extdns.model.zone import ZoneList

_LONGEST_DIRTY_S: Final = 600.0
"""How long some name may always be dirty, or some object due, before deletes are granted all the same."""


class Engine:
    """Plans every name, and decides what to read and write to bring the zones in line with the claims.

    Attributes:
        settings: the configuration.
        claims, rules: who requests what, and who may publish what.
        zones: what the zones hold, and what is queued for them.
        decisions: what was concluded for every record.
        delete_guard: which deletes may be made.
        readiness, leadership: whether planning may begin, and whether this process is the leader.
        problems: objects and manifests that cannot be read.
        adjustments: desired records to show to the DNS service, one request at a time.
        bulk_updates: whether the first pass changed many records of ours without saved state.
        planned_all_at: since when every name that could be planned first has been planned, however often others become
            dirty (monotonic seconds); infinity before.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Start without claims and zones."""
        self.settings = settings
        self.claims = ClaimIndex(settings.plan)
        self.zones = Zones(longest_only=settings.capabilities.longest_match_only, is_single_pass=settings.once)
        self.delete_guard = DeleteGuard(settings.deletes, settings.settings_digest)
        self.decisions = Decisions()
        self.leadership = Leadership(settings, self.zones, self.decisions, self.delete_guard)
        self.readiness = Readiness(settings.kinds.values(), settings.source_timeout_s, is_single_pass=settings.once)
        self._phases = KindPhases(settings.kinds.values())
        self.problems = ObjectProblems()
        self._checks = ExistenceChecks(settings)
        self._waits = Waits()
        self._plan_retries = RetryTable()
        self.rules = RuleState(settings, self._phases)
        self.adjustments = Adjustments(settings.adjust)
        self._parts = EngineParts(
            settings=settings,
            claims=self.claims,
            planner=build_planner(settings, self.adjustments, self.rules),
            phases=self._phases,
            problems=self.problems,
            adjustments=self.adjustments,
            checks=self._checks,
            zones=self.zones,
            leadership=self.leadership,
            delete_guard=self.delete_guard,
            waits=self._waits,
            decisions=self.decisions,
            plan_retries=self._plan_retries,
            rules=self.rules,
        )
        self._refresher = ZoneRefresher(settings, self.claims, self.zones, self._waits)
        self._give_up = GiveUpRule(is_single_pass=settings.once, timeout_s=settings.source_timeout_s)
        self._state_sync = StateSync(settings, self.zones, self.delete_guard, self.leadership)
        self.bulk_updates = BulkUpdates(settings, self.delete_guard)
        self._dirty = DirtyNames(settings.names_per_step, self._weigh, self._find_namespaces)
        self._plan_at = self._now_s = self._dirty_since_at = 0.0
        self._expects_observations = False
        self._unplanned: set[DnsName] | None = None  # of the names that could be planned first
        self.planned_all_at = math.inf
        self._written: dict[str | None, set[DnsName]] = {}  # by namespace
        # for each name that cannot be planned before an answer comes: the namespaces whose objects changed
        self._unanswered: dict[DnsName, set[str]] = {}
        self._batches = 0
        self._effects: list[Effect] = []
        self._is_started = False

    def step(self, item: inputs.Input, now_s: float) -> tuple[Effect, ...]:
        """Process the input *item* at *now_s* (monotonic seconds) and return the effects, in order.

        The names that an applied batch wrote are planned by the step after it, which follows immediately; the next
        batch does not wait for that. If a step raises an exception, the effects that it had requested until then are
        returned by the next step: the engine waits for an answer to each of them.
        """
        self._now_s = now_s
        if not self._is_started:
            self._is_started = True
            self.delete_guard.start(now_s)
        if self.planned_all_at == math.inf or not (self._dirty or self._expects_observations):
            self._dirty_since_at = now_s
        for namespace, names in self._written.items():
            self._dirty.add(names, namespace)
        self._written = {}
        self._effects.extend(self._take(item, now_s))
        self._effects.extend(self._advance(now_s))
        effects, self._effects = self._effects, []
        next_at = now_s if self._written or self._has_slices else self.find_next(now_s)
        return (*effects, Wake(at_s=next_at)) if next_at is not None else tuple(effects)

    @property
    def _can_plan(self) -> bool:
        return self.readiness.is_open and self.zones.is_ready

    @property
    def _has_slices(self) -> bool:
        """Whether this step left names that the next step plans, which follows immediately."""
        return bool(self._dirty) and self._can_plan and self._plan_at <= self._now_s

    @property
    def is_planned(self) -> bool:
        """Whether every name that can be planned has been planned: then the first full pass is over."""
        if self._dirty or self._written or not self._can_plan:
            return False
        if self._checks.awaits_answers or not self.readiness.is_complete(self._now_s):
            return False
        if self.rules.is_active and self.rules.awaits_answers:
            return False
        if self.adjustments.is_active and self.adjustments.is_awaited(self._give_up, self._now_s):
            return False
        if self.leadership.is_leader and not self._is_cluster_compared(self._now_s):
            return False
        return all(
            zone_state.cache.is_complete or zone_state.is_read(self._give_up, self._now_s) for zone_state in self.zones
        )

    @property
    def is_overdue(self) -> bool:
        """Whether every name was planned, but for ten minutes some name has always been dirty, or some object due."""
        return self._dirty_since_at + _LONGEST_DIRTY_S <= self._now_s

    @property
    def is_idle(self) -> bool:
        """Whether all writes, and in a single pass all saves, are done or have failed for good."""
        if not self.is_planned:
            return False
        states = self.zones if self.leadership.is_leader else ()
        is_written = all(zone_state.is_written(self._give_up, self._now_s) for zone_state in states)
        return is_written and not (self.settings.once and self._state_sync.is_busy(self._now_s))

    def is_final(self, name: DnsName) -> bool:
        """Return whether the decisions about *name* consider all inputs, and no write of it is in flight."""
        if name in self._dirty or any(name in written for written in self._written.values()) or not self._can_plan:
            return False
        if self._awaits_answer(name):
            return False
        return all(
            (zone_state.cache.is_complete or zone_state.refresh.retry.failures)
            and not zone_state.queue.is_writing(name)
            for zone_state in self.zones.containing(name)
        )

    def _awaits_answer(self, name: DnsName) -> bool:
        """Return whether *name* waits for an answer of the DNS service or of rules about a requested record."""
        return name in self._waits.names(ADJUSTMENT) or name in self._waits.names(RULES)

    @property
    def state_problem(self) -> str:
        """Why the saved state is unknown or cannot be saved, for people; "" if there is no problem."""
        return self._state_sync.problem

    def _take(self, item: inputs.Input, now_s: float) -> Iterable[Effect]:  # noqa: C901, PLR0912 - one case an input
        """Store the input *item*, and enqueue the names that it concerns."""
        match item:
            case inputs.Observed(observations=observations, has_more=has_more):
                self._expects_observations = has_more
                for observation in observations:
                    self._observe(observation, now_s)
            case inputs.KindStateChanged(state=state):
                self._take_kind_state(state, now_s)
            case inputs.ProblemChanged(problem=problem):
                self.problems.report(problem)
                key = problem.key  # None: it may be any object
                about = Wait(Awaited.OBJECT, key) if key else COMPUTED
                self._enqueue(self._waits.names(about), namespace=key.namespace if key else None)
            case inputs.ExistenceChecked(key=key, exists=exists):
                for answered in self._checks.answer(key, exists=exists, now_s=now_s):
                    self._enqueue(self._waits.names(Wait(Awaited.ANSWER, answered)))
            case inputs.ZonesListed(zones=found):
                self._take_zones(found, now_s)
            case inputs.PageRead():
                self._enqueue(self._refresher.take_page(item, now_s))
            case inputs.NamesRead():
                # what was read must be written immediately if writes of the service are not conditional
                self._enqueue(self._refresher.take_names(item, now_s), at_once=True)
            case inputs.ReadFailed():
                self._enqueue(self._refresher.take_failure(item, now_s))
            case inputs.AdjustmentsLoaded():
                self._enqueue_answered(self.adjustments.answer(item, now_s))
            case inputs.BatchCompleted():
                return self._take_outcome(item, now_s)
            case inputs.StateLoaded(saved=saved):
                self._take_state(saved, now_s)
            case inputs.StateAnswered(approved=codes):
                self._enqueue(self._state_sync.handle_answer(codes, now_s))
                self._enqueue(self._find_all_names() if self.delete_guard.cluster.adopt() else ())
            case inputs.StateFailed():
                self._enqueue(self._state_sync.handle_failure(item, now_s))
            case inputs.ClusterIdentified(identity=identity):
                if self.delete_guard.cluster.identify(identity):
                    self._enqueue(self._find_all_names())
            case inputs.PlanApproved():
                self._state_sync.is_approved = True
            case inputs.LeadershipChanged(is_leader=is_leader):
                self._enqueue(self.leadership.change(is_leader=is_leader, now_s=now_s))
                self._state_sync.change_leadership(now_s)
                self._refresher.change_leadership(is_leader=is_leader, now_s=now_s)
            case inputs.RulesChanged() | inputs.RulesRevised():
                self._enqueue(self.rules.take(item, self._find_all_names()))
            case inputs.RulesAnswered():
                self._enqueue_answered(self.rules.take_answers(item))
            case inputs.TimePassed():
                if self.readiness.tick(now_s):
                    self._enqueue(self._find_all_names())
            case _:
                assert_never(item)
        return ()

    def _take_kind_state(self, state: KindState, now_s: float) -> None:
        """Store the phase of a kind. Enqueue all names if that can change decisions or lets planning begin."""
        matters, was_open = self._phases.report(state), self.readiness.is_open
        self.readiness.report(state, now_s)
        if state.phase is Phase.NOT_SERVED:
            self.claims.invalidate_kind(state.kind)
        if self.readiness.is_open and (matters or not was_open):
            self._enqueue(self._find_all_names())

    def _take_zones(self, found: ZoneList, now_s: float) -> None:
        """Store a list of zones. Enqueue all names if they may belong to other zones now."""
        if self._refresher.take_list(found, now_s):
            self.delete_guard.zone_names.update({one.zone.id: str(one.zone.name) for one in self.zones})
            self.delete_guard.retain_zones(self.zones.get_membership_tests(), now_s)
            self._enqueue(self._find_all_names())

    def _observe(self, observation: inputs.Observation, now_s: float) -> None:
        """Store the claims of one observation, and enqueue the names whose claims changed.

        If the object exists, its existence check is dropped, and so are those of dependencies that it found again.
        """
        key, is_present = observation.key, observation.cause in inputs.PRESENT
        found = self.claims.missing_dependencies(key) if is_present and not observation.failure else ()
        observed = [one for one in found if one not in observation.missing_dependencies]
        if is_present:
            observed.append(key)
        for one in observed:
            self._checks.forget(one)
        if observation.awaited_kind:
            self.readiness.require(observation.awaited_kind)
        before = self.claims.uncertainty
        names = self.claims.update(observation, is_planning=self.readiness.is_open)
        if self.settings.has_rules:
            names |= self.rules.observe(observation, self.claims)
        if self._waits.all_names():
            ended = [Wait(Awaited.OBJECT, key), *(Wait(Awaited.ANSWER, one) for one in observed)]
            if before != self.claims.uncertainty:
                ended.append(COMPUTED)
            names = names.union(*map(self._waits.names, ended))
        if self.adjustments.is_active or self.rules.has_server:
            for name in names:
                self._unanswered.setdefault(name, set()).add(key.namespace)
        should_wait = not self._dirty and should_wait_for_others(names, self._parts)
        plan_at = now_s + self.settings.wait_for_others_s if should_wait else 0.0
        self._enqueue(names, plan_at, namespace=key.namespace)

    def _take_state(self, saved: Saved, now_s: float) -> None:
        """Load the state that another process saved, and enqueue the names that it concerns."""
        self._enqueue(self._state_sync.handle_loaded(saved, now_s))
        is_other = self.delete_guard.cluster.adopt() or self.delete_guard.cluster.is_other
        needs_all = is_other or self.delete_guard.has_any_unread
        # That of a zone at least: its ownership record may be in a zone that the saved state names, and is not listed.
        self._enqueue(self._find_all_names() if needs_all else [zone_state.zone.name for zone_state in self.zones])

    def _take_outcome(self, item: inputs.BatchCompleted, now_s: float) -> Iterable[Effect]:
        """Record the outcome of the batch in flight. Ignore the outcome of any other batch."""
        zone_state, outcome = self.zones.find(item.zone), item.outcome
        if not (zone_state and (batch := zone_state.queue.in_flight) and batch.number == item.number):
            return ()
        self._plan_at = 0.0  # the next batch can be sent
        names: dict[str | None, set[DnsName]] = {None: set(find_names(batch))}
        for key, sets in group_by(batch.change_sets, lambda one: one.namespace).items():
            names[key] = self._refresher.add_related([one.name for one in sets]) - names[None]
        self._refresher.take_outcome(zone_state, batch, outcome, now_s)
        if isinstance(outcome, Applied):
            zone_state.cache.record_write((write.key for write in batch.writes), outcome.records)
            zone_state.queue.record_applied(batch, now_s)
            for namespace, found in names.items():
                self._written.setdefault(namespace, set()).update(found)
        else:
            zone_state.queue.record_failure(batch, outcome, now_s)
            for namespace, found in names.items():
                self._enqueue(found, namespace=namespace)
        return (ReportOutcome(batch=batch, outcome=outcome),)

    def _enqueue(
        self,
        names: Iterable[DnsName],
        plan_at: float = 0.0,
        *,
        namespace: str | None = None,
        at_once: bool = False,
    ) -> None:
        """Make *names* dirty. They are planned in this step, or at *plan_at* (monotonic seconds).

        If an object changed, or got an answer of rules or of the DNS service, *namespace* is that of the object. If
        *names* are related to a name that was written, it is that of the change.

        While other names wait already, they are planned together with those. With *at_once*, they are not planned in
        slices, however many they are.
        """
        if not self._dirty:
            self._plan_at = plan_at
        self._dirty.add(names, namespace, at_once=at_once)

    def _enqueue_answered(self, answered: Mapping[str | None, Iterable[DnsName]]) -> None:
        """Make the names dirty about whose records there are answers: by namespace that requests them.

        Each is also dirty for the namespaces that changed it before, and whose changes waited for the answers.
        """
        for namespace, names in answered.items():
            self._enqueue(names, namespace=namespace)
            others: dict[str, list[DnsName]] = {}
            for name in names:
                for other in self._unanswered.get(name, set[str]()) - {namespace}:
                    others.setdefault(other, []).append(name)
            for other, found in others.items():
                self._enqueue(found, namespace=other)

    def _weigh(self, name: DnsName) -> int:
        """Return as how many names *name* counts in a slice: several with many claims, decisions or long targets."""
        size = 10 * len(self.decisions.decisions(name))
        for claim in self.claims.claims(name):
            targets = claim.desired.targets if isinstance(claim, ResolvedClaim) else ()
            size += 10 + len(targets) + sum(map(len, targets)) // 20
        return 1 + size // 80

    def _find_namespaces(self, name: DnsName) -> set[str]:
        """Return the namespaces that request *name* or have our records, "" if there is none."""
        found = {claim.provenance.ref.key.namespace for claim in self.claims.claims(name)}
        current = [one.current for one in self.decisions.decisions(name) if one.current]
        return found.union([owned.namespace for owned in current if owned.is_ours]) or {""}

    def _find_all_names(self) -> Iterator[DnsName]:
        yield from self.claims.names()
        yield from self.decisions.unjudged_by_name
        for zone_state in self.zones:
            if find_parent_zone(self.zones, zone_state, zone_state.zone.name, self.settings.registry):
                yield zone_state.zone.name  # an ownership record may be left over there
            yield from zone_state.cache.find_plannable_names(self.settings.plan.managed_types)

    def _advance(self, now_s: float) -> Iterator[Effect]:
        """Plan the dirty and due names, and yield the effects that the engine needs in its new state."""
        if self._give_up.is_reached(self.zones.retry, now_s) and self.zones.stop_waiting():
            self._enqueue(self._find_all_names())
        if self._can_plan:
            self._enqueue(self._state_sync.update_awaited(now_s))
            self._enqueue_due(now_s)
            new = self._plan_due(now_s)
            self._refresher.take_decisions(new, now_s)
            if decisions := self.leadership.select_reportable(new, self._dirty):
                self.bulk_updates.collect(decisions)
                yield ReportDecisions(decisions=decisions)
            for held in self.delete_guard.take_changed_held_sets():
                yield ReportHeldDeletes(held=held)
        self.bulk_updates.expire(now_s)
        for key in self._checks.take_due(now_s):
            yield CheckExistence(key=key)
        if self.adjustments.is_active and (records := self.adjustments.take_due(now_s)):
            yield RequestAdjustments(records=records)
        yield from self.rules.take_due() if self.rules.has_server else ()
        if self.is_planned:
            self._end_pass(now_s)
        yield from self._state_sync.take_due(now_s)
        if self._state_sync.may_write and (not self._dirty or self._has_slices):
            yield from self._submit_batches(now_s)
        yield from self._refresher.find_due(now_s)

    def _enqueue_due(self, now_s: float) -> None:
        """Enqueue the names whose retry pause has ended."""
        for retries in (self._plan_retries, *(zone_state.queue.retries for zone_state in self.zones)):
            if retries.next_deadline_at <= now_s:
                self._dirty.add(retries.take_due(now_s))

    def _end_pass(self, now_s: float) -> None:
        """After every name was planned, drop loaded holds that match no record, and accept the present settings."""
        self._state_sync.end_pass(self.decisions.unjudged, now_s, is_complete=not self.readiness.find_missing())
        if self.leadership.is_leader and not self.leadership.unreported:
            self.bulk_updates.end_pass(now_s)

    def _plan_due(self, now_s: float) -> tuple[Decision, ...]:
        """Plan dirty names. Then plan those whose deletes the guard grants; return the new decisions.

        It grants none while names are dirty or objects are due that depend on a changed one, unless `is_overdue`.
        """
        if self._dirty and now_s < self._plan_at:
            return ()
        if self._unplanned is None:
            self._unplanned = set(self._dirty)
        new = self._plan_dirty(now_s)
        holds_absence = self.settings.deletes.reads_manifests and self.claims.is_empty
        self.delete_guard.set_holds_absence(holds_absence=holds_absence)
        while (self.is_overdue or not (self._dirty or self._expects_observations)) and self._is_cluster_compared(now_s):
            if not (granted := self.delete_guard.advance(now_s)):
                break
            self._dirty.add(self._refresher.add_related(granted))
            new = self._select_in_force(new + self._plan_dirty(now_s))
        return tuple(sorted(new, key=lambda decision: decision.sort_key))

    def _select_in_force(self, new: list[Decision]) -> list[Decision]:
        """Return those of the decisions *new* that no later ones have replaced."""
        in_force = {one for name in {decision.name for decision in new} for one in self.decisions.decisions(name)}
        return [*in_force.intersection(new)]

    def _plan_dirty(self, now_s: float) -> list[Decision]:
        """Plan a slice of the dirty names, sorted; return the new decisions.

        With rules, also plan their PTR records, each after the dirty names that are in it.

        A name that was blocked by the queued change of another name is planned again if that change is withdrawn.
        """
        new: list[Decision] = []
        planned: set[DnsName] = set()
        due = self._dirty.take()
        while due:
            reverse = self.claims.ptr_claims.find_names(due) if self.rules.is_active else set()
            if self._dirty and self.rules.is_active:
                late = self._dirty.postpone({name: self.claims.find_ptr_hosts(name) for name in due | reverse})
                due, reverse = due - late, reverse - late
            names, due = due | reverse, set()
            if self._unplanned:
                self._unplanned -= names
            planned |= names
            withdrawn = [
                (zone_state.queue, zone_state.queue.withdraw(names))
                for zone_state in self.zones
                if zone_state.queue.queued
            ]
            for name in (*sorted(names - reverse), *sorted(reverse)):
                new += self._reconcile(name, now_s)
            if names != planned:  # reverse names can have been planned before
                new = self._select_in_force(new)
            for queue, sets in withdrawn:
                if changed := queue.find_changed(sets):
                    due |= self._refresher.add_related(changed) - planned
        if not self._unplanned:
            self.planned_all_at = min(self.planned_all_at, now_s)
        # Of all names at once: a record can pass from one namespace to another.
        if any((added := self.decisions.take_added_owned()).values()):
            self.delete_guard.budgets.add_owned(added, now_s)
        return new

    def _reconcile(self, name: DnsName, now_s: float) -> tuple[Decision, ...]:
        """Plan *name*; return the new decisions."""
        new: tuple[Decision, ...] = ()
        try:
            new = reconcile(name, self._parts, now_s)
        except Exception as exc:  # noqa: BLE001 - law 3: it cannot even store that planning this name failed
            self._plan_retries.record_failure(name, Failure.PLANNING, now_s)
            self._waits.replace(name, (ZoneWait("", PLAN),))
            self._effects.append(ReportDefect(error=exc))
        if name in self._unanswered and not self._awaits_answer(name):
            del self._unanswered[name]
        return new

    def _is_cluster_compared(self, now_s: float) -> bool:
        """Return whether the cluster was compared with that of the saved state, or writes need not wait for that."""
        return not self._state_sync.describe_awaited(now_s)

    def _submit_batches(self, now_s: float) -> Iterator[Effect]:
        """Send the next batch of each zone in which none is in flight.

        Only creates are sent until the cluster was compared with that of the saved state; with `--compat`, none wait
        for that. Once no manifest requests a name, only creates are sent until all names were planned: then deletes by
        absence are held.
        """
        only_creates = not (self.settings.deletes.immediate or self._is_cluster_compared(now_s))
        only_creates |= self.delete_guard.holds_absence and bool(self._dirty)
        capabilities = self.settings.capabilities
        for zone_state in self.zones:
            queue, number = zone_state.queue, self._batches + 1
            is_outdated = self._dirty.is_dirty_for
            if batch := queue.take_batch(number, capabilities, now_s, is_outdated, only_creates=only_creates):
                self._batches = number
                yield SubmitBatch(batch=batch)

    def find_next(self, now_s: float) -> float | None:
        """Return the first time after *now_s* at which the engine has work if nothing happens before, None if none."""
        return min((at_s for at_s in self._find_deadlines() if now_s < at_s < math.inf), default=None)

    def _find_deadlines(self) -> list[float]:
        times = [self._state_sync.next_deadline_at, self._state_sync.loss_until_at, self._plan_retries.next_deadline_at]
        times.append(self.bulk_updates.shown_until_at)
        if self._dirty:
            times.append(self._plan_at)
        for zone_state in self.zones:
            times += zone_state.queue.find_deadlines()
        times += self.zones.find_deadlines(self._give_up)
        times += [*self.readiness.find_deadlines(), *self.adjustments.find_deadlines(), self._checks.next_at]
        times += self._refresher.find_deadlines()
        if self._state_sync.is_ready:
            grants_at = self._dirty_since_at + _LONGEST_DIRTY_S if self._expects_observations else 0.0
            times.append(max(grants_at, self.delete_guard.next_deadline_at))
            times.append(self.delete_guard.cluster.identity_deadline_at)
        return times
