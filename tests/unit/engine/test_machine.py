"""A Hypothesis state machine of the engine, without threads and sockets, that checks the laws (docs/design/laws.md).

`make soak` runs more steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from extdns.engine.effects import SubmitBatch
from extdns.engine.engine import Engine
from extdns.engine.inputs import Cause, Input, TimePassed
from extdns.errors import ProviderError
from extdns.model.capabilities import Capabilities
from extdns.model.change import Batch, ChangeSet, Forbidden, Outcome, Refused, Write
from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import ZoneList
from extdns.planner.settings import Policy
from extdns.rules.rule_input import Operation
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, PLAN, PODS, REGISTRY, SERVICE, ZONE, host
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.rules import FakeRule, change_rules, deny_targets
from tests.unit.engine import laws, waiting_laws
from tests.unit.engine.cluster import Cluster
from tests.unit.engine.delete_accounts import DeleteAccounts
from tests.unit.engine.machine_strategies import (
    DENIED,
    KEYS,
    capabilities,
    claims_of,
    delete_accounts,
    foreign_records,
    keys,
    kinds,
    names,
    outcomes,
    read_failures,
    soon,
    versions,
    zone_lists,
)
from tests.unit.engine.machine_zones import INNER, ZONES, known_with_ownership, select_ownership_in_parent
from tests.world import World, engine_settings

Version = tuple[ObjectKey, tuple[Claim, ...]]


class EngineMachine(RuleBasedStateMachine):
    """Effects wait until a rule executes them; their answers wait until a rule delivers them."""

    world: World
    cluster: Cluster
    answers: list[Input]
    checked: int
    accounts: DeleteAccounts
    policies: tuple[FakeRule, ...] = ()

    @initialize(
        seeds=st.lists(foreign_records(), max_size=4),
        page_size=st.sampled_from((1, 2, 3, 300)),
        capabilities=capabilities,
        policy=st.sampled_from((*[Policy.SYNC] * 4, Policy.UPSERT_ONLY, Policy.CREATE_ONLY)),
        claims=st.tuples(*(claims_of(key) for key in KEYS)),
        synced=st.sampled_from((True, True, True, False)),
        accounts=delete_accounts,
        names_per_step=st.sampled_from((1, 2, 1000)),
    )
    def start(
        self,
        *,
        seeds: list[Record],
        page_size: int,
        capabilities: Capabilities,
        policy: Policy,
        claims: Sequence[tuple[Claim, ...]],
        synced: bool,
        accounts: DeleteAccounts,
        names_per_step: int,
    ) -> None:
        inner = InMemoryProvider(seed=dict.fromkeys(ZONES, ()), page_size=page_size)
        provider = FaultyProvider(inner=inner)
        self.plan = replace(PLAN, policy=policy)
        self.settings = engine_settings(
            provider,
            plan=self.plan,
            capabilities=capabilities,
            interval_s=300.0,
            deletes=accounts.settings,
            has_state_store=True,
            settings_digest="today",
            names_per_step=names_per_step,
        )
        self.world = World(engine=Engine(self.settings), reader=provider, writer=provider)
        self.cluster, self.answers, self.checked = Cluster(), [], 0
        self.world.exists = self.cluster.exists
        self.accounts = accounts
        self.accounts.restart(self.world.now_s)
        for seed in seeds:
            self.edit(seed, remove=False)
        for key, requested in zip(KEYS, claims, strict=True):
            self.feed(self.cluster.see(key, requested))
        if synced:
            self.sync()
            self.wait(1.0)

    def feed(self, item: Input) -> None:
        waiting, engine = len(self.world.waiting), self.world.engine
        self.cluster.note_delivered(item)
        self.accounts.note(self.cluster, self.world)
        self.world.feed(item)
        for effect in list(self.world.waiting)[waiting:]:
            if isinstance(effect, SubmitBatch):
                batch, now_s = effect.batch, self.world.now_s
                is_approved = partial(self.accounts.is_approved, batch.zone.id, now_s=now_s)
                laws.check_intentions(batch, self.cluster, self.plan, is_approved)
                self.accounts.check_batch(batch, self.cluster, engine, now_s)
        self.accounts.note_held(engine)

    def run_call(self, index: int) -> Input:
        self.world.waiting.rotate(-index)
        item = self.world.answer()
        self.world.waiting.rotate(index)
        for submission in self.world.provider.submissions[self.checked :]:
            zone = submission.batch.zone
            known = known_with_ownership(self.world.engine, zone)
            in_parent = select_ownership_in_parent(known.values()) if zone.id == INNER.id else {}
            laws.check_submission(submission, REGISTRY, known, in_parent, [one.name for one in ZONES])
            self.accounts.check_budget(submission, self.world.now_s)
        self.checked = len(self.world.provider.submissions)
        return item

    def drain(self) -> None:
        """Execute and deliver everything, in order."""
        while self.answers or self.world.waiting:
            self.feed(self.answers.pop(0) if self.answers else self.run_call(0))

    # the cluster

    @rule(version=versions(), cause=st.sampled_from((Cause.VERSION, Cause.VERSION, Cause.DEPENDENCY)), soon=soon)
    def see(self, version: Version, cause: Cause, soon: bool) -> None:
        self.feed(self.cluster.see(*version, cause))
        if soon:
            self.wait(0.1)

    @rule(key=keys, soon=soon)
    def see_again(self, key: ObjectKey, soon: bool) -> None:
        """Modify the object; it requests the same records."""
        self.see((key, tuple(replace(claim) for claim in self.cluster.requests.get(key, ()))), Cause.VERSION, soon)

    @rule(version=versions(), outcome=outcomes, found=foreign_records())
    def see_amid_faults(self, version: Version, outcome: Outcome | NoAnswer | None, found: Record) -> None:
        self.world.provider.answers.append(outcome)
        self.world.provider.edits.append(lambda: self.edit(found, remove=False))
        self.see(version, Cause.VERSION, soon=True)

    @rule(key=keys, cause=st.sampled_from((Cause.DELETED, Cause.MISSING)), exists=st.booleans(), soon=soon)
    def drop(self, key: ObjectKey, cause: Cause, exists: bool, soon: bool) -> None:
        self.feed(self.cluster.drop(key, cause, exists=exists and cause is Cause.MISSING))
        if soon:
            self.wait(0.1)

    @rule(key=keys, exists=st.booleans(), soon=soon)
    def lose_pod(self, key: ObjectKey, exists: bool, soon: bool) -> None:
        """Leave a Pod of the object out of a list: a record that had two targets now has one."""
        claims = tuple(map(_with_one_target, self.cluster.requests.get(key, ())))
        self.feed(self.cluster.lose_pod(key, claims, exists=exists))
        if soon:
            self.wait(0.1)

    @rule(key=keys, returns=st.booleans())
    def find_pod(self, key: ObjectKey, returns: bool) -> None:
        """Let the missing Pod be listed again, or let its DELETED event arrive."""
        if key in self.cluster.missing_pods:
            _, before = self.cluster.missing_pods[key]
            self.feed(self.cluster.find_pod(key, before if returns else self.cluster.requests.get(key, ())))

    @rule(key=keys, is_waiting=st.booleans())
    def fail(self, key: ObjectKey, is_waiting: bool) -> None:
        self.feed(self.cluster.fail(key, PODS if is_waiting else None))

    @rule(
        kind=kinds, phase=st.sampled_from((Phase.SYNCED, Phase.SYNCED, Phase.FAILING, Phase.LISTING, Phase.FORBIDDEN))
    )
    def report(self, kind: Kind, phase: Phase) -> None:
        self.feed(self.cluster.report(kind, phase))

    @rule()
    def sync(self) -> None:
        for kind in (SERVICE, INGRESS):
            self.feed(self.cluster.report(kind, Phase.SYNCED))
        self.feed(self.cluster.report(Kind("", "v1", "Pod", "pods"), Phase.SYNCED))

    @rule(answers=st.booleans())
    def answer_existence_checks(self, answers: bool) -> None:
        self.cluster.answers = answers

    @precondition(lambda self: self.accounts.forgets)
    @rule(times=st.integers(1, 3))
    def arm_state(self, times: int) -> None:
        self.world.state_fails = times

    @rule(denied=st.sampled_from(DENIED), is_valid=st.sampled_from((True, True, False)))
    def change_rules(self, denied: tuple[str, ...], is_valid: bool) -> None:
        """Let a rule deny records with one of the targets *denied*; without any, remove all rules."""
        self.cluster.denied_targets, self.cluster.has_rule_answers = frozenset(denied), is_valid
        self.policies = (deny_targets(*denied, is_valid=is_valid, operations=frozenset(Operation)),) if denied else ()
        self.feed(change_rules(*self.policies))

    # the service

    @rule(found=st.lists(outcomes, min_size=1, max_size=3))
    def arm_writes(self, found: list[Outcome | NoAnswer | None]) -> None:
        self.world.provider.answers.extend(found)

    @rule(found=st.lists(read_failures, min_size=1, max_size=4))
    def arm_reads(self, found: list[ProviderError | None]) -> None:
        self.world.provider.failures.extend(found)

    @rule(found=st.one_of(st.none(), zone_lists))
    def list_zones(self, found: ZoneList | None) -> None:
        self.world.provider.zone_list = found

    @rule(bad=st.one_of(st.none(), names), outcome=st.sampled_from((Refused(message="no"), Forbidden(message="no"))))
    def refuse(self, bad: str | None, outcome: Outcome) -> None:
        names_ = {host(bad)} if bad else set()
        self.world.provider.rule = lambda batch: outcome if names_ & {one.name for one in batch.change_sets} else None

    @rule(found=foreign_records(), remove=st.booleans(), later=st.integers(0, 2))
    def meddle(self, found: Record, remove: bool, later: int) -> None:
        if later == 0:
            self.edit(found, remove=remove)
        else:
            idle = [lambda: None] * (later - 1)
            self.world.provider.edits.extend([*idle, lambda: self.edit(found, remove=remove)])

    def edit(self, found: Record, *, remove: bool) -> None:
        """Write *found* as another writer, or remove the record with its key, if the service allows that."""
        inner, zone = self.world.provider.inner, INNER if found.name.within(INNER.name) else ZONE
        old = self.world.provider.contents(zone).get(found.key)
        new = DesiredRecord(
            name=found.name, type=found.type, targets=found.targets, set_identifier=found.set_identifier
        )
        if not remove or old is not None:
            write = Write(old=old, new=None if remove else new)
            change_set = ChangeSet(zone=zone, name=found.name, changes=(), writes=(write,))
            inner.submit(zone, Batch(number=0, zone=zone, change_sets=(change_set,)))

    # time and order

    @rule(seconds=st.sampled_from((0.03, 1.0, 8.0, 70.0, 400.0)))
    def wait(self, seconds: float) -> None:
        """Let time pass, and execute and deliver everything meanwhile."""
        end_s = self.world.now_s + seconds
        self.feed(TimePassed())
        while True:
            self.drain()
            if self.world.wake_s is None or self.world.wake_s > end_s:
                break
            self.world.now_s = max(self.world.now_s, self.world.wake_s)
            self.feed(TimePassed())
        self.world.now_s = end_s

    @rule(seconds=st.sampled_from((0.03, 1.0, 8.0, 70.0)))
    def hang(self, seconds: float) -> None:
        """Let time pass, while the service is slow."""
        self.world.now_s += seconds
        self.feed(TimePassed())

    @precondition(lambda self: self.world.waiting)
    @rule(index=st.integers(0, 5))
    def call(self, index: int) -> None:
        self.answers.append(self.run_call(index % len(self.world.waiting)))

    @precondition(lambda self: self.answers)
    @rule(index=st.integers(0, 5))
    def deliver(self, index: int) -> None:
        self.feed(self.answers.pop(index % len(self.answers)))

    @rule(deleted=st.one_of(st.none(), keys), new=st.one_of(st.none(), versions()))
    def restart(self, deleted: ObjectKey | None, new: Version | None) -> None:
        """Kill the process and start another; meanwhile one object may be deleted, and one created or changed.

        Pending calls are dropped. Calls that were made have had their effect.
        """
        if deleted is not None:
            self.cluster.lose(deleted)
        if new is not None:
            self.cluster.see(*new)
        self.world.waiting.clear()
        self.answers.clear()
        self.world.held.clear()
        self.accounts.restart(self.world.now_s)
        self.world.engine = Engine(self.settings)
        self.feed(change_rules(*self.policies))
        for item in self.cluster.restart():
            self.feed(item)

    @precondition(lambda self: self.world.held and self.world.held[-1].held)
    @rule()
    def approve(self) -> None:
        """Approve the deletes that were shown last, so that the process sees the approval."""
        self.accounts.approve(self.world.held[-1], self.world.now_s)
        self.world.approvals = (self.world.held[-1].code,)

    # laws

    @invariant()
    def every_claim_and_record_has_its_decision(self) -> None:
        engine = self.world.engine
        quiet = not (self.world.waiting or self.answers or engine._dirty)
        if quiet and engine.is_planned:
            laws.check_decisions(engine, self.cluster, self.plan.managed_types)

    @invariant()
    def whatever_a_decision_waits_for_can_come(self) -> None:
        engine = self.world.engine
        if engine.readiness.is_open and engine.zones.is_ready:
            waiting_laws.check_waits(engine, self.world, self.answers)

    def recover(self) -> None:
        """End all faults; check that the zones then become as requested, and that nothing more is written."""
        provider = self.world.provider
        self.change_rules((), is_valid=True)
        provider.answers.clear()
        provider.failures.clear()
        provider.edits.clear()
        provider.rule, provider.zone_list = (lambda _: None), None
        self.cluster.answers, self.world.state_fails = True, 0
        for key in sorted(self.cluster.failing | (self.cluster.existing - self.cluster.requests.keys())):
            self.feed(self.cluster.see(key, self.cluster.requests.get(key, ())))
        for key in sorted(self.cluster.missing_pods):
            self.feed(self.cluster.find_pod(key, self.cluster.requests.get(key, ())))
        self.sync()
        self.wait(7200.0)
        laws.check_converged(self.world.engine, self.world, ZONES, REGISTRY)
        self.every_claim_and_record_has_its_decision()
        before = [provider.contents(zone) for zone in ZONES]
        self.wait(600.0)
        assert [provider.contents(zone) for zone in ZONES] == before

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.recover()


def _with_one_target(claim: Claim) -> Claim:
    if isinstance(claim, ResolvedClaim):
        return replace(claim, desired=replace(claim.desired, targets=claim.desired.targets[:1]))
    return claim


TestEngine = EngineMachine.TestCase
