"""Delete budgets and holds across restarts, crashes and lists of zones (docs/design/state.md)."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.engine import reconcile
from extdns.engine.effects import SubmitBatch
from extdns.engine.inputs import Cause
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import ALL_ZONES
from extdns.model.reason import Reason
from extdns.model.zone import Zone, ZoneList
from tests.builders import INGRESS, SERVICE, ZONE, change_phase, host, observe_new
from tests.unit.engine.forty_services import (
    DELETES,
    NAMES,
    WITHIN_BUDGET,
    build_records,
    delete_services,
    restart_with,
    run_forty,
    run_up_to,
    start_with_orphan,
)
from tests.world import World, build_world

SUB: Final = Zone(name=host("sub"), id="sub")
HELD_NAMES: Final = ("h0", "h1", "h2", "h0.sub", "h1.sub", "h2.sub")
OTHER_NAMES: Final = tuple(f"h{number}{below}" for number in range(3, 10) for below in ("", ".sub"))


def test_deletes_made_before_a_restart_count_in_the_delete_budget_after_it() -> None:
    before = run_forty(has_state_store=True)
    before.run(delete_services(*NAMES[:12]), for_s=120.0)
    assert len(before.list_records()) == 28
    after = start_with_orphan(*NAMES[12:], before=before)
    after.run(delete_services(*NAMES[12:20]), for_s=120.0)
    assert len(after.list_records()) == 29, "28 records and the orphan"


def test_deletes_count_in_the_budget_after_a_crash_right_after_the_write() -> None:
    world = run_forty(has_state_store=True)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    world.answer()
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    after = restart_with(world, NAMES[WITHIN_BUDGET:])
    after.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=120.0)
    assert after.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


@pytest.mark.parametrize("has_state_store", [True, False])
def test_deletes_in_flight_count_in_the_delete_budget(*, has_state_store: bool) -> None:
    world = run_forty(has_state_store=has_state_store)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    world.feed(delete_services(*NAMES[WITHIN_BUDGET : WITHIN_BUDGET + 3]))
    world.now_s += 1.0
    world.run(for_s=120.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_in_flight_count_in_the_delete_budget_even_if_planning_their_names_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = run_forty()
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "plan_in_zones", lambda *_: 1 / 0)
        world.feed(change_phase(INGRESS, Phase.FAILING))  # all names are planned again
        world.feed(change_phase(INGRESS))
    world.run(for_s=60.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=120.0)
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def hold_for_all_zones() -> World:
    """Start a process with two zones, in which the budget over all zones holds the deletes of `HELD_NAMES`."""
    names = (*HELD_NAMES, *OTHER_NAMES)
    records = build_records(*names)
    zones = {zone: [one for one in records if one.name.within(SUB.name) is (zone is SUB)] for zone in (ZONE, SUB)}
    world = build_world(zones=zones, deletes=DELETES, has_state_store=True)
    world.run(observe_new(*names), change_phase(SERVICE), change_phase(INGRESS), for_s=20.0)
    world.run(delete_services(*HELD_NAMES, cause=Cause.MISSING), for_s=120.0)
    assert [one.scope for one in world.engine.delete_guard.held_sets()] == [ALL_ZONES]
    return world


def test_a_delete_held_by_the_budget_of_all_zones_stays_held_after_its_zone_left_the_list_and_returned() -> None:
    world = hold_for_all_zones()
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(for_s=900.0)
    assert [one.zone for one in world.engine.zones] == [SUB]
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 6


def test_a_delete_held_by_the_budget_of_all_zones_stays_held_after_a_start_at_which_its_zone_is_not_listed() -> None:
    before = hold_for_all_zones()
    world = build_world(zones={ZONE: (), SUB: ()}, deletes=DELETES, has_state_store=True)
    world.provider.inner, world.state, world.now_s = before.provider.inner, before.state, before.now_s
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(observe_new(*OTHER_NAMES), change_phase(SERVICE), change_phase(INGRESS), for_s=900.0)
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 6


def test_deletes_in_flight_count_in_the_delete_budget_even_if_their_zone_leaves_the_list() -> None:
    world = run_forty()
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    submitted = world.waiting.popleft()
    assert isinstance(submitted, SubmitBatch)
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=430.0)
    assert not tuple(world.engine.zones)
    world.provider.submit(ZONE, submitted.batch)
    world.provider.zone_list = None
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=150.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_in_a_zone_still_count_in_its_budget_after_the_zone_left_the_list_and_returned() -> None:
    """Test that the budget of a missing zone is also part of the saved state."""
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:WITHIN_BUDGET]), for_s=61.0)
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=430.0)
    assert not tuple(world.engine.zones)
    assert len(world.state.find_zone(ZONE.id).whole.made) == 1
    world.provider.zone_list = None
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=150.0)
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]
