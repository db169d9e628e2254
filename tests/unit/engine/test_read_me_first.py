"""Read this first: the event that docs/design/architecture.md follows, step by step through the code.

The load balancer of the Service `web`, which requests the name `web`, gets another address. Most tests look only at
what goes into the engine and what comes out of it.
"""

from __future__ import annotations

from extdns.engine.effects import ReportDecisions, ReportOutcome
from extdns.engine.gather import gather_view
from extdns.engine.inputs import BatchCompleted, TimePassed
from extdns.engine.reconcile import reconcile
from extdns.model.change import Action, Applied, Update
from extdns.model.reason import Reason
from extdns.planner.plan_name import NamePlan, plan_name
from tests.builders import build_claim, host, observe
from tests.world import start_published

WEB = host("web")


def test_one_event_passes_the_steps_of_the_architecture_page() -> None:
    world = start_published()
    engine, parts, now_s = world.engine, world.engine._parts, world.now_s

    # Watch, claims: the source makes a claim of the new version of the Service.
    claim = build_claim("web", "web", "192.0.2.7")

    # Desired state: the claim differs from the one before, so the name is dirty.
    (observation,) = observe("web", claim).observations
    assert engine.claims.update(observation, is_planning=True) == {WEB}

    # Current state, gather: what decides about the name is gathered, as frozen values.
    (zone_state,) = engine.zones.containing(WEB)
    view = gather_view(zone_state, (), WEB, parts, claims=(claim,), former=engine.decisions.decisions(WEB))
    (current,) = view.current
    assert view.claims == (claim,)
    assert (current.record.targets, current.is_ours, current.resource) == (("192.0.2.1",), True, "service/shop/web")

    # Plan: the planner proposes an update. Nothing is deleted, so the delete guard has nothing to hold.
    plan = plan_name(view, parts.planner)
    assert isinstance(plan, NamePlan)
    ((change,), writes) = plan.sets[0].changes, plan.sets[0].writes
    assert isinstance(change, Update)
    assert plan.deletes == ()

    # The registry added the ownership record: it is written again, with the condition that it is unchanged.
    (ownership,) = [one for one in writes if one.key.type == "TXT"]
    assert ownership.old == current.ownership_records[0]
    assert ownership.new is not None
    assert ownership.new.targets == current.ownership_records[0].targets

    # Store: the decision with its reason, and the change set, which leaves the write queue at once, as a batch.
    (decision,) = reconcile(WEB, parts, now_s)
    assert (decision.action, decision.reason) == (Action.UPDATE, Reason.CHANGED)
    batch = zone_state.queue.take_batch(1, parts.settings.capabilities, now_s, only_creates=False)
    assert batch is not None
    assert batch.change_sets == plan.sets

    # Write: a worker submits it, in one call.
    outcome = world.provider.submit(zone_state.zone, batch)
    assert isinstance(outcome, Applied)

    # Outcome: it updates the zone cache. The name is planned once more, and is published.
    effects = engine.step(BatchCompleted(zone=zone_state.zone, number=1, outcome=outcome), now_s)
    assert ReportOutcome(batch=batch, outcome=outcome) in effects
    reported = [one for one in engine.step(TimePassed(), now_s) if isinstance(one, ReportDecisions)]
    assert [(one.action, one.reason) for one in reported[0].decisions] == [(Action.KEEP, Reason.PUBLISHED)]
    assert world.list_records() == {"web A": ("192.0.2.7",)}
