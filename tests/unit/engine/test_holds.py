"""Holds, codes and approvals, without an engine (docs/design/delete-safety.md, "Holds and approval")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.engine.approvals import APPROVAL_S
from extdns.engine.delete_budget import WINDOW_S
from extdns.engine.state_sync import build_saved
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.saved_state import Approval, Saved
from extdns.model.zone import Zone
from tests.unit.engine.guarded_zones import GRACE_S, ZONE, GuardedZones, record, records, start_guard


def hold_deletes(count: int = 31) -> GuardedZones:
    """Return a scene with a hundred records, the deletes of *count* of which are held."""
    scene = start_guard(*records(100))
    scene.observe_evidence(records(count))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(count)) == {Reason.HELD}
    return scene


def test_a_held_delete_is_still_held_after_a_long_time() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(30))
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 30
    scene.observe_evidence(records(15, first=30))
    scene.pass_time(30 * 24 * 3600.0)
    assert scene.list_reasons(records(15, first=30)) == {Reason.HELD}
    assert len(scene.deleted) == 30


def test_held_deletes_count_in_the_budget_for_ten_minutes() -> None:
    scene = hold_deletes()
    scene.observe_evidence([record(50)])
    scene.pass_time(WINDOW_S - GRACE_S - 1.0)
    assert scene.plan(record(50)) is Reason.HELD
    scene.pass_time(10.0 + GRACE_S)
    scene.observe_evidence([record(51)])
    scene.pass_time(GRACE_S)
    assert scene.deleted == ["h51.acme.test"]
    assert scene.plan(record(50)) is Reason.HELD


def test_a_delete_stays_held_if_its_evidence_is_interrupted() -> None:
    scene = hold_deletes()
    scene.end_evidence(records(31))
    scene.pass_time(3600.0)
    assert len(scene.find_held()["namespace shop in zone acme.test"]) == 31
    scene.observe_evidence([record(1)], Evidence.HOSTNAME_REMOVED)
    scene.pass_time(3600.0)
    assert scene.plan(record(1)) is Reason.HELD


def test_a_hold_ends_when_an_object_requests_the_record() -> None:
    scene = hold_deletes()
    scene.request([record(1)])
    scene.pass_time(WINDOW_S)
    assert len(scene.find_held()["namespace shop in zone acme.test"]) == 30
    scene.observe_evidence([record(1)])
    scene.pass_time(GRACE_S)
    assert scene.deleted == ["h1.acme.test"]


def test_a_hold_ends_when_the_record_is_gone_or_foreign() -> None:
    scene = hold_deletes()
    del scene.zones[ZONE.id]["h1.acme.test"]
    scene.plan(record(1))
    foreign = record(2).__class__(record=record(2).record)
    scene.guard.replace(ZONE, record(2).record.name, (), scene.now_s, current=(foreign,))
    scene.pass_time()
    assert len(scene.find_held()["namespace shop in zone acme.test"]) == 29


@pytest.mark.parametrize("is_restarted", [False, True])
def test_codes_are_forgotten_with_the_last_hold_that_they_stand_for(*, is_restarted: bool) -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    if is_restarted:
        scene.zones[ZONE.id] = {}
        after = start_guard(now_s=scene.now_s)
        after.guard.restore(build_saved(scene.guard, scene.now_s), scene.now_s)
        after.guard.drop_restored(ZONE.id)
        scene = after
    else:
        scene.pass_time(GRACE_S)
        assert len(scene.deleted) == 31
    assert scene.guard.state.codes._sets == {}


def restart(scene: GuardedZones) -> GuardedZones:
    """Return the next process."""
    return scene.restart()


def remove_and_return_zone(scene: GuardedZones) -> GuardedZones:
    """Let the zone leave the list of zones and return."""
    scene.guard.retain_zones({}, scene.now_s)
    for _, owned in scene.zones[ZONE.id].values():
        scene.plan(owned)
    scene.guard.drop_restored(ZONE.id)
    return scene


@pytest.mark.parametrize("reload", [None, restart, remove_and_return_zone])
def test_an_edited_record_stays_held_under_a_new_code(reload: Callable[[GuardedZones], GuardedZones] | None) -> None:
    scene = hold_deletes()
    (before,) = scene.find_codes().values()
    scene.zones[ZONE.id]["h1.acme.test"] = ZONE, record(1, target="192.0.2.99")
    scene = reload(scene) if reload else scene
    scene.plan(record(1))
    scene.pass_time()
    (after,) = scene.find_codes().values()
    assert before != after
    scene.approve(before)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 30
    assert scene.plan(record(1)) is Reason.HELD


def test_a_delete_stays_held_after_restarts() -> None:
    scene = hold_deletes()
    for _ in range(3):
        scene = scene.restart()
        scene.pass_time(3600.0)
    assert scene.list_reasons(records(31)) == {Reason.HELD}
    assert not scene.deleted


def test_a_code_is_the_same_after_a_restart() -> None:
    scene = hold_deletes()
    (code,) = scene.find_codes().values()
    after = scene.restart()
    after.pass_time()
    assert set(after.find_codes().values()) == {code}
    after.approve(code)
    after.pass_time(GRACE_S)
    assert len(after.deleted) == 31


def test_an_approval_that_is_loaded_late_applies_to_deletes_held_before_the_load() -> None:
    before = hold_deletes()
    before.approve(*before.find_codes().values())
    approved = build_saved(before.guard, before.now_s)
    scene = start_guard(*records(100), now_s=before.now_s)
    scene.guard.set_state_unavailable(scene.now_s)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}
    scene.guard.restore(approved, scene.now_s)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31


def test_a_delete_stays_held_after_a_change_of_the_leader() -> None:
    scene = hold_deletes()
    scene.guard.demote()
    scene.pass_time(WINDOW_S)
    scene.guard.set_state_unavailable(scene.now_s)
    scene.pass_time(3600.0)
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_a_new_leader_replaces_its_own_holds_by_those_that_the_former_leader_saved() -> None:
    scene = hold_deletes()
    scene.guard.demote()
    scene.guard.restore(Saved(), scene.now_s)
    scene.pass_time(2 * WINDOW_S)
    assert not scene.find_held() or scene.list_reasons(records(31)) == {Reason.HELD}, (
        "still over budget, and held again"
    )


def test_a_delete_is_held_again_when_its_zone_returns_to_the_list() -> None:
    scene = hold_deletes()
    scene.guard.retain_zones({}, scene.now_s)
    assert scene.find_held() == {} or all(not names for names in scene.find_held().values())
    scene.pass_time(3600.0)
    scene.observe_evidence([record(1)])
    scene.pass_time(3600.0)
    assert scene.plan(record(1)) is Reason.HELD


def test_a_hold_ends_when_the_name_moves_to_another_zone() -> None:
    scene = hold_deletes()
    scene.guard.retain_zones({ZONE.id: lambda name: name != record(1).record.name}, scene.now_s)
    scene.pass_time()
    assert len(scene.find_held()["namespace shop in zone acme.test"]) == 30


# approval


def test_an_approval_applies_only_to_the_published_deletes_which_do_not_count_in_the_budget() -> None:
    scene = hold_deletes()
    (code,) = scene.find_codes().values()
    scene.observe_evidence([record(40)])
    scene.approve(code)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 32
    assert scene.guard.budget(ZONE.id).deleted == 1


def test_an_approved_delete_still_waits_for_its_grace_period() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time()
    (code,) = scene.find_codes().values()
    scene.approve(code)
    scene.pass_time(GRACE_S - 1.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(1.0)
    assert scene.deleted == ["h1.acme.test"]


def test_an_approval_does_not_apply_to_a_record_that_was_requested_again_meanwhile() -> None:
    scene = hold_deletes(62)
    (code,) = scene.find_codes().values()
    scene.request(records(31))
    scene.observe_evidence(records(31))
    scene.approve(code)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_the_next_process_knows_by_which_code_and_by_whom_a_delete_was_approved() -> None:
    scene = hold_deletes()
    approvals = [Approval(code=code, claimed_user="alice") for code in scene.find_codes().values()]
    scene.guard.approve(approvals, scene.now_s)
    saved = scene.guard.state.approvals.save_by_digest()
    assert {user for _, _, user in saved} == {"alice"}
    assert {code for _, code, _ in saved} == {approval.code for approval in approvals}
    assert scene.restart().guard.state.approvals.save_by_digest() == saved


def test_an_approval_is_used_up_by_its_delete() -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    scene.pass_time(GRACE_S)
    assert not scene.guard.state.approvals.save()
    scene.add_records(records(31))
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_an_unused_approval_expires_after_a_day_and_the_hold_remains() -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    scene.end_evidence(records(31))
    scene.pass_time(APPROVAL_S + 1.0)
    scene.observe_evidence(records(31))
    scene.pass_time(3600.0)
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_an_approval_stays_valid_if_the_evidence_is_interrupted() -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    scene.end_evidence(records(31))
    scene.pass_time(3600.0)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31


def test_an_unknown_code_approves_nothing() -> None:
    scene = hold_deletes()
    scene.approve("0000-0000")
    scene.pass_time(3600.0)
    assert not scene.deleted


def test_a_code_in_a_flag_approves_only_the_held_deletes_with_this_code() -> None:
    (code,) = hold_deletes().find_codes().values()
    same = start_guard(*records(100), approved_codes=(code,))
    same.observe_evidence(records(31))
    same.pass_time(GRACE_S)
    assert len(same.deleted) == 31
    other = start_guard(*records(100), approved_codes=(code,))
    other.observe_evidence(records(32))
    other.pass_time(3600.0)
    assert not other.deleted


def test_a_code_of_held_deletes_is_published_only_after_it_was_saved() -> None:
    scene = start_guard(*records(100))
    scene.guard.confirm_saved(0, scene.now_s)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.find_codes() == {}
    assert scene.guard.state.codes.published == {}
    scene.guard.confirm_saved(scene.guard.state.revision, scene.now_s)
    assert len(scene.find_codes()) == 1


def test_a_granted_delete_is_made_only_after_the_grant_was_saved() -> None:
    scene = start_guard(*records(100))
    scene.guard.confirm_saved(0, scene.now_s)
    scene.observe_evidence([record(1)])
    scene.pass_time(GRACE_S)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    assert scene.guard.confirm_saved(scene.guard.state.revision, scene.now_s) == {record(1).record.name}
    assert scene.plan(record(1)) is None


# why a delete is held


def find_detail(scene: GuardedZones, evidence: Evidence, *, number: int = 1, zone: Zone = ZONE) -> str:
    """Return the detail of the held delete of a record."""
    block = scene.guard.find_block(zone, PendingDelete(owned=record(number, zone=zone), evidence=evidence))
    assert block is not None
    assert block.reason is Reason.HELD
    return block.detail


def test_the_detail_of_a_delete_held_by_a_budget_names_the_scope_that_holds_it() -> None:
    scene = start_guard(*records(100), *records(100, "other", first=100))
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert find_detail(scene, Evidence.OBJECT_DELETED) == (
        "the deletes in namespace shop in zone acme.test within ten minutes exceeded --max-delete-count and "
        "--max-delete-percent"
    )


def test_the_detail_of_a_delete_by_absence_held_over_all_zones_names_all_zones_and_the_smaller_budget() -> None:
    zones = [Zone(name=DnsName(f"z{number}.test"), id=f"Z{number}") for number in range(3)]
    scene = start_guard()
    for zone in zones:
        scene.add_records(records(10, zone=zone), zone)
        scene.observe_evidence([record(1, zone=zone)], Evidence.ABSENT, zone)
    scene.pass_time()
    assert find_detail(scene, Evidence.ABSENT, zone=zones[0]) == (
        "the deletes in all zones within ten minutes exceeded a fifth of --max-delete-count and --max-delete-percent"
    )


@pytest.mark.parametrize("is_restarted", [False, True])
def test_the_detail_of_a_delete_held_for_insufficient_evidence_says_so_after_the_evidence_became_sufficient(
    *,
    is_restarted: bool,
) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time()
    scene.observe_evidence([record(1)], Evidence.OBJECT_DELETED)
    scene = scene.restart() if is_restarted else scene
    assert find_detail(scene, Evidence.OBJECT_DELETED) == "the evidence was insufficient when the hold began"


@pytest.mark.parametrize(
    ("owner", "evidence", "cause"),
    [
        pytest.param("", Evidence.ABSENT, "the evidence was insufficient when the hold began", id="without-owner"),
        pytest.param(
            "me",
            Evidence.ORPHAN_UNCLAIMED,
            "the deletes in namespace shop in zone acme.test within ten minutes exceeded a fifth of --max-delete-count "
            "and --max-delete-percent",
            id="accepted-settings",
        ),
    ],
)
def test_a_held_delete_has_the_cause_of_its_hold_whatever_the_evidence_is(
    owner: str, evidence: Evidence, cause: str
) -> None:
    scene = start_guard(*records(30), owner=owner)
    if owner:
        scene.guard.state.accept_settings(ZONE.id)
    scene.observe_evidence(records(20), evidence)
    scene.pass_time(GRACE_S)
    assert {one.cause for found in scene.guard.held_sets() for one in found.held} == {cause}
