"""A plan that a person has to approve before anything is written (`extdns apply`)."""

from __future__ import annotations

from extdns.engine.inputs import PlanApproved
from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.builders import build_claim, observe
from tests.world import start_world


def test_nothing_is_written_or_saved_before_a_person_approves_the_plan() -> None:
    world = start_world(
        first=[observe("web", build_claim("web", "web"))],
        needs_approval=True,
        has_state_store=True,
        settings_digest="f",
    )
    world.run(for_s=100.0)
    assert world.engine.is_planned
    assert not world.engine.is_idle
    assert world.list_decisions("web") == [("A", Action.CREATE, Reason.REQUESTED)]
    assert world.list_records() == {}
    assert world.state.zones == ()


def test_an_approved_plan_is_written_and_the_state_is_saved() -> None:
    world = start_world(
        first=[observe("web", build_claim("web", "web"))],
        needs_approval=True,
        has_state_store=True,
        settings_digest="f",
    )
    world.run(PlanApproved(), for_s=1.0)
    assert world.engine.is_idle
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [zone.fingerprint for _, zone in world.state.zones] == ["f"]


def test_an_approved_plan_is_not_written_in_a_dry_run() -> None:
    world = start_world(first=[observe("web", build_claim("web", "web"))], has_writer=False, has_state_store=True)
    world.run(PlanApproved(), for_s=1.0)
    assert world.calls == []
    assert world.list_records() == {}
