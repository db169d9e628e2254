"""What a process saves for the next one, and what it does if saving or loading fails (docs/design/state.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from extdns.engine import reconcile
from extdns.engine.effects import Effect, SaveState, SubmitBatch
from extdns.engine.inputs import Cause, StateFailed, StateLoaded, TimePassed
from extdns.engine.state_sync import NO_SAVED_STATE
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import ALL_ZONES, Evidence
from extdns.model.reason import Reason
from extdns.model.saved_state import Saved
from extdns.model.zone import Zone, ZoneList
from tests.builders import INGRESS, SERVICE, ZONE, change_phase, host, observe, observe_gone, observe_new
from tests.unit.engine.forty_services import (
    DELETES,
    NAMES,
    WITHIN_BUDGET,
    build_records,
    delete_services,
    run_forty,
    start_with_orphan,
    start_without_answer,
)
from tests.world import World, build_world

SUB: Final = Zone(name=host("sub"), id="sub")
HELD_NAMES: Final = ("h0", "h1", "h0.sub", "h1.sub")
OTHER_NAMES: Final = tuple(f"h{number}{below}" for number in range(2, 10) for below in ("", ".sub"))


def restart(before: World, names: list[str]) -> World:
    """Return the next process, with the Services *names* and their records."""
    world = build_world(*build_records(*names), deletes=DELETES, has_state_store=True)
    world.state, world.now_s = before.state, before.now_s
    world.run(observe_new(*names), change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    return world


def run_up_to(world: World, kind: type[Effect]) -> None:
    """Carry out effects and let time pass until an effect of *kind* is the next one."""
    while not (found := [effect for effect in world.waiting if isinstance(effect, kind)]):
        if world.waiting:
            world.feed(world.answer())
        else:
            assert world.wake_s is not None
            world.now_s = max(world.now_s, world.wake_s)
            world.feed(TimePassed())
    world.waiting.remove(found[0])
    world.waiting.appendleft(found[0])


# accepted settings


def test_settings_are_not_accepted_while_the_delete_of_an_orphan_is_held() -> None:
    world = start_with_orphan(*NAMES, settings_digest="today")
    world.run(for_s=3600.0)
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    assert [str(one.owned.record.name) for one in world.held[-1].held] == ["old.example.org"]
    assert world.state.find_zone("example.org").fingerprint == ""


def test_an_orphan_is_deleted_after_the_grace_period_if_the_settings_were_accepted_before() -> None:
    before = run_forty(has_state_store=True, settings_digest="today")
    after = start_with_orphan(*NAMES, before=before, settings_digest="today")
    after.run(for_s=58.0)
    assert "old A" in after.list_records()
    after.run(for_s=5.0)
    assert "old A" not in after.list_records()
    assert after.evidence == [Evidence.ORPHAN_UNCLAIMED]


def test_the_delete_of_an_orphan_is_held_if_other_settings_were_accepted_before() -> None:
    before = run_forty(has_state_store=True, settings_digest="today")
    after = start_with_orphan(*NAMES, before=before, settings_digest="tomorrow")
    after.run(for_s=3600.0)
    assert "old A" in after.list_records()
    assert after.state.find_zone("example.org").fingerprint == "today"


def test_settings_are_not_accepted_while_a_source_fails() -> None:
    world = build_world(
        *build_records(*NAMES, "old"), deletes=DELETES, has_state_store=True, settings_digest="tomorrow"
    )
    world.run(
        observe_new(*NAMES), observe("old"), change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), for_s=600.0
    )
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.state.find_zone("example.org").fingerprint == ""
    world.run(change_phase(INGRESS), for_s=600.0)
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]


def test_settings_are_accepted_after_the_delete_of_the_orphan_was_approved() -> None:
    world = start_with_orphan(*NAMES, settings_digest="tomorrow")
    world.approvals = (world.held[-1].code,)
    world.run(for_s=61.0)
    assert "old A" not in world.list_records()
    assert world.state.find_zone("example.org").fingerprint == "tomorrow"


# restart and crash


def test_deletes_made_before_a_restart_count_in_the_delete_budget_after_it() -> None:
    before = run_forty(has_state_store=True)
    before.run(delete_services(*NAMES[:12]), for_s=120.0)
    assert len(before.list_records()) == 28
    after = start_with_orphan(*NAMES[12:], before=before)
    after.run(delete_services(*NAMES[12:20]), for_s=120.0)
    assert len(after.list_records()) == 29, "28 records and the orphan"


def test_an_approval_stored_while_no_process_ran_is_loaded_with_the_state() -> None:
    before = run_forty(has_state_store=True, settings_digest="today")
    before.run(delete_services(*NAMES), for_s=61.0)
    after = build_world(
        *build_records(*NAMES), deletes=DELETES, has_state_store=True, has_writer=False, settings_digest="today"
    )
    after.state, after.now_s, after.approvals = before.state, before.now_s, (before.held[-1].code,)
    after.exists = lambda _: False
    after.run(change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert {after.decision(name).action for name in NAMES} == {"delete"}
    assert "ReadApprovals" not in after.calls


def test_deletes_count_in_the_budget_after_a_crash_right_after_the_write() -> None:
    world = run_forty(has_state_store=True)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    world.answer()
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    after = restart(world, NAMES[WITHIN_BUDGET:])
    after.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=120.0)
    assert after.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_wait_until_the_state_is_saved_and_creates_do_not() -> None:
    world = run_forty(has_state_store=True)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SaveState)
    save = world.waiting.popleft()
    world.run(observe_new("fresh"))
    assert len(world.list_records()) == len(NAMES) + 1
    assert world.list_decisions(NAMES[0]) == [("A", Action.KEEP, Reason.IN_GRACE)]
    world.waiting.append(save)
    world.run()
    assert len(world.list_records()) == len(NAMES) + 1 - WITHIN_BUDGET


def test_deletes_are_made_within_the_budget_if_the_state_cannot_be_saved() -> None:
    world = run_forty(has_state_store=True)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SaveState)
    world.waiting.popleft()
    world.run(StateFailed(message="forbidden", forbidden=True))
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    world.run(delete_services(*NAMES[WITHIN_BUDGET:]), for_s=120.0)
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)], (
        "the process counts the deletes without the saved state"
    )


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


def test_deletes_in_flight_count_in_the_delete_budget_although_planning_their_names_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = run_forty()
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "plan_name", lambda *_: 1 / 0)
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


def test_a_delete_held_for_the_budget_of_all_zones_stays_held_when_its_zone_left_the_list_and_returned() -> None:
    world = hold_for_all_zones()
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(for_s=900.0)
    assert [one.zone for one in world.engine.zones] == [SUB]
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 4


def test_a_delete_held_for_the_budget_of_all_zones_stays_held_after_a_start_without_its_zone() -> None:
    before = hold_for_all_zones()
    world = build_world(zones={ZONE: (), SUB: ()}, deletes=DELETES, has_state_store=True)
    world.provider.inner, world.state, world.now_s = before.provider.inner, before.state, before.now_s
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(observe_new(*OTHER_NAMES), change_phase(SERVICE), change_phase(INGRESS), for_s=900.0)
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 4


def test_deletes_in_flight_count_in_the_delete_budget_although_their_zone_left_the_list_meanwhile() -> None:
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


def test_deletes_in_a_zone_count_in_its_budget_after_the_zone_left_the_list_and_returned() -> None:
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


# failures


def test_without_permission_to_load_the_state_deletes_are_made_except_those_of_orphans() -> None:
    world = start_without_answer(*build_records(*NAMES, "old"))
    world.run(
        StateFailed(message="no right", forbidden=True),
        observe("old"),
        change_phase(SERVICE),
        change_phase(INGRESS),
        observe_gone("h00"),
        for_s=120.0,
    )
    assert "h00 A" not in world.list_records()
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    world.state = run_forty(has_state_store=True, settings_digest="today").state
    world.run(for_s=300.0)
    assert "old A" not in world.list_records(), "the accepted settings were loaded with the state"


def test_a_delete_held_for_a_budget_stays_held_if_the_next_process_loads_the_state_late() -> None:
    """Test that the hold for missing settings, which ends when they are loaded, does not replace the saved hold."""
    before = run_forty(has_state_store=True, settings_digest="today")
    removed = [observe(name) for name in NAMES[:13]]
    before.run(*removed, for_s=120.0)
    before.run(observe_new(*NAMES[1:13]), for_s=20.0)
    assert before.list_decisions("h00") == [("A", Action.KEEP, Reason.HELD)]
    world = build_world(*build_records(*NAMES), deletes=DELETES, has_state_store=True, settings_digest="today")
    world.state, world.now_s, world.state_fails = before.state, before.now_s, 1
    world.run(observe_new(*NAMES[1:]), observe("h00"), change_phase(SERVICE), change_phase(INGRESS), for_s=120.0)
    assert world.list_decisions("h00") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    world.run(for_s=600.0)
    assert world.list_decisions("h00") == [("A", Action.KEEP, Reason.HELD)]


def test_a_failed_load_is_retried_within_seconds() -> None:
    world = start_without_answer(*build_records(*NAMES, "old"))
    world.run(StateFailed(message="500"), observe("old"), change_phase(SERVICE), change_phase(INGRESS), for_s=2.0)
    assert world.state != Saved(), "it was loaded and saved"


def test_deletes_wait_for_the_first_retries_of_a_failed_load() -> None:
    world = build_world(
        *build_records(*NAMES), deletes=replace(DELETES, grace_s=0.0), has_state_store=True, settings_digest="today"
    )
    world.feed(observe_new(*NAMES))
    world.state_fails, world.state_forbidden = 1000, False
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe_gone("h00"), for_s=5.0)
    assert "h00 A" in world.list_records()
    world.run(for_s=30.0)
    assert "h00 A" not in world.list_records()


def test_the_state_problem_has_the_error_of_a_failed_load_or_save_until_one_succeeds() -> None:
    world = start_without_answer()
    assert "was not read: no answer yet" in world.engine.state_problem
    world.feed(StateFailed(message="500"))
    assert world.engine.state_problem.endswith("was not read: 500")
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=10.0)
    assert world.engine.state_problem == ""
    world.state_fails, world.state_forbidden = 1, True
    world.run(delete_services(*NAMES[:2]), for_s=120.0)
    assert world.engine.state_problem == "the state cannot be saved: no right"
    world.run(for_s=300.0)
    assert world.engine.state_problem == ""


@pytest.mark.parametrize("records", [(), NAMES], ids=["no-records-of-ours", "records-of-ours"])
def test_a_missing_saved_state_is_reported_for_ten_minutes_if_records_of_ours_exist(records: tuple[str, ...]) -> None:
    world = build_world(*build_records(*records), deletes=DELETES, has_state_store=True, settings_digest="today")
    world.state = Saved(is_new=True)
    world.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), for_s=500.0)
    assert not world.state.is_new, "the state was saved"
    assert world.engine.state_problem == (NO_SAVED_STATE if records else "")
    world.run(for_s=100.0)
    assert world.engine.state_problem == ""


# --once


def test_a_single_pass_ends_after_its_state_was_saved() -> None:
    world = start_without_answer(once=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    assert not world.engine.is_planned, "the saved holds are not loaded yet"
    world.feed(StateLoaded(saved=Saved()))
    assert world.engine.is_planned
    assert not world.engine.is_idle
    world.run()
    assert world.engine.is_idle
    assert world.state != Saved()


def test_a_single_pass_ends_without_permission_to_load_the_state() -> None:
    world = start_without_answer(once=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS), StateFailed(message="no right", forbidden=True))
    assert world.engine.is_idle


def test_a_single_pass_retries_a_failed_load_of_the_state() -> None:
    world = start_without_answer(once=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS), StateFailed(message="500"), for_s=0.0)
    assert not world.engine.is_idle
    world.run(for_s=2.0)
    assert world.engine.is_idle
    assert world.state != Saved()
