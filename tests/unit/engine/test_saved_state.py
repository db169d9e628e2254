"""What a process saves for the next one, and what it does if saving or loading fails (docs/design/state.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.effects import SaveState
from extdns.engine.inputs import StateFailed, StateLoaded
from extdns.engine.state_sync import NO_SAVED_STATE
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.saved_state import Saved
from tests.builders import INGRESS, SERVICE, change_phase, observe, observe_gone, observe_new
from tests.unit.engine.forty_services import (
    DELETES,
    NAMES,
    WITHIN_BUDGET,
    build_records,
    delete_services,
    run_forty,
    run_up_to,
    start_without_answer,
)
from tests.world import build_world

# restart and crash


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


def test_deletes_are_made_within_the_budget_if_state_cannot_be_saved() -> None:
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


# failures


def test_delete_stays_held_for_a_budget_if_state_is_loaded_late() -> None:
    """Test that the hold for missing settings, which ends when they are loaded, does not replace the saved hold."""
    before = run_forty(has_state_store=True, settings_digest="today")
    removed = [observe(name) for name in NAMES[:13]]
    before.run(*removed, for_s=120.0)
    before.run(observe_new(*NAMES[1:13]), for_s=20.0)
    assert before.list_decisions("h00") == [("A", Action.KEEP, Reason.HELD)]
    world = build_world(*build_records(*NAMES), deletes=DELETES, has_state_store=True, settings_digest="today")
    world.state, world.now_s, world.state_fails = before.state, before.now_s, 1000
    world.run(observe_new(*NAMES[1:]), observe("h00"), change_phase(SERVICE), change_phase(INGRESS), for_s=120.0)
    assert world.list_decisions("h00") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    world.state_fails = 0
    world.run(for_s=600.0)
    assert world.list_decisions("h00") == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_and_approvals_do_not_wait_if_saves_fail_and_approvals_can_be_read() -> None:
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:20]), for_s=120.0)
    world.state_fails, world.state_forbidden, world.failing_calls = 1000, False, (SaveState,)
    world.run(delete_services(NAMES[20]), for_s=120.0)
    world.approvals = (world.held[-1].code,)
    assert world.held[-1].code
    world.run(for_s=30.0)
    assert {f"{name} A" for name in NAMES[:21]}.isdisjoint(world.list_records())
    assert "cannot be saved" in world.engine.state_problem


def test_failed_load_is_retried_within_two_seconds() -> None:
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


def test_problem_is_the_last_error_until_a_load_or_save_succeeds() -> None:
    world = start_without_answer()
    assert "was not read: no answer yet" in world.engine.state_problem
    world.feed(StateFailed(message="500"))
    assert world.engine.state_problem.endswith("was not read: 500")
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=10.0)
    assert world.engine.state_problem == ""
    world.state_fails, world.state_forbidden = 1000, True
    world.run(delete_services(*NAMES[:2]), for_s=120.0)
    assert world.engine.state_problem == "the state cannot be saved: no right"
    world.state_fails = 0
    world.run(for_s=30.0)
    assert world.engine.state_problem == ""


@pytest.mark.parametrize("records", [(), NAMES], ids=["no-records-of-ours", "records-of-ours"])
def test_missing_state_is_reported_for_ten_minutes_if_records_exist(records: tuple[str, ...]) -> None:
    world = build_world(*build_records(*records), deletes=DELETES, has_state_store=True, settings_digest="today")
    world.state = Saved(is_new=True)
    world.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), for_s=500.0)
    assert not world.state.is_new, "the state was saved"
    assert world.engine.state_problem == (NO_SAVED_STATE if records else "")
    world.run(for_s=100.0)
    assert world.engine.state_problem == ""


# --once
def test_single_pass_ends_after_its_state_was_saved() -> None:
    world = start_without_answer(once=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    assert not world.engine.is_planned, "the saved holds are not loaded yet"
    world.feed(StateLoaded(saved=Saved()))
    assert world.engine.is_planned
    assert not world.engine.is_idle
    world.run()
    assert world.engine.is_idle
    assert world.state != Saved()


@pytest.mark.parametrize("denied", [{}, {"forbidden": True}, {"unauthorized": True}], ids=str)
def test_single_pass_retries_a_failed_load_unless_a_person_has_to_act(denied: dict[str, bool]) -> None:
    world = start_without_answer(once=True)
    failed = StateFailed(message="no", **denied)
    world.run(change_phase(SERVICE), change_phase(INGRESS), failed, for_s=0.0)
    assert world.engine.is_idle is bool(denied)
    world.run(for_s=2.0)
    assert world.engine.is_idle
    assert denied or world.state != Saved()
