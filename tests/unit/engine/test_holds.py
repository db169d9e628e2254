"""Holds, their causes and codes, without an engine (docs/design/delete-safety.md, "Holds and approval")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.engine.delete_budget import WINDOW_S
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.saved_state import Saved
from tests.unit.engine.guarded_zones import GRACE_S, ZONE, GuardedZones, hold_deletes, record, records, start_guard


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


@pytest.mark.parametrize("is_restarted", [False, True])
def test_code_is_forgotten_when_no_delete_has_it(*, is_restarted: bool) -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    if is_restarted:
        scene.zones[ZONE.id] = {}
        after = start_guard(now_s=scene.now_s)
        after.guard.load(scene.guard.save(scene.now_s), scene.now_s)
        after.guard.drop_unread(ZONE.id, after.now_s)
        scene = after
    else:
        scene.pass_time(GRACE_S)
        assert len(scene.deleted) == 31
    saved = scene.guard.save(scene.now_s)
    assert not any(scope.shown for _, zone in saved.zones for _, scope in zone.scopes)


def remove_and_return_zone(scene: GuardedZones) -> GuardedZones:
    scene.guard.retain_zones({}, scene.now_s)
    for _, owned in scene.zones[ZONE.id].values():
        scene.plan(owned)
    scene.guard.drop_unread(ZONE.id, scene.now_s)
    return scene


@pytest.mark.parametrize("reload", [None, GuardedZones.restart, remove_and_return_zone])
def test_edited_record_stays_held_under_a_new_code(reload: Callable[[GuardedZones], GuardedZones] | None) -> None:
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


def test_approval_loaded_late_applies_to_deletes_held_before_the_load() -> None:
    before = hold_deletes()
    before.approve(*before.find_codes().values())
    approved = before.guard.save(before.now_s)
    scene = start_guard(*records(100), now_s=before.now_s)
    scene.guard.set_state_unavailable(scene.now_s)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}
    scene.guard.load(approved, scene.now_s)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31


def test_new_leader_drops_holds_that_the_former_leader_did_not_save() -> None:
    scene = hold_deletes()
    scene.guard.demote(scene.now_s)
    assert all(scene.guard.describe(ZONE, one).hold for one in records(31))
    scene.guard.load(Saved(), scene.now_s)
    assert not any(scene.guard.describe(ZONE, one).hold for one in records(31))


def test_hold_by_a_budget_is_the_only_one_if_the_delete_becomes_a_transfer() -> None:
    scene = hold_deletes()
    held = scene.find_held()
    delete = PendingDelete(owned=record(0), evidence=Evidence.ORPHAN_UNCLAIMED, is_transfer=True)
    scene.guard.observe(ZONE, record(0).record.name, (delete,), scene.now_s, current=(record(0),))
    scene.pass_time(1.0)
    assert scene.find_held() == held
    for one in records(31):
        scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=())
    scene.pass_time(1.0)
    assert not scene.guard.needs_approval


def test_held_delete_is_not_counted_if_another_writer_deletes_the_record() -> None:
    before = hold_deletes()
    scene = start_guard(*records(100), now_s=before.now_s)
    scene.observe_evidence([record(0)])
    scene.guard.load(before.guard.save(before.now_s), scene.now_s)  # while the grace period runs
    scene.pass_time(GRACE_S)
    assert scene.list_reasons([record(0)]) == {Reason.HELD}
    del scene.zones[ZONE.id]["h0.acme.test"]
    scene.plan(record(0))
    assert scene.guard.budget(ZONE.id).deleted == 0


def test_transfer_of_held_record_goes_on_and_counts_in_no_budget() -> None:
    scene = hold_deletes()
    transfer = PendingDelete(owned=record(0), evidence=Evidence.OBJECT_DELETED, is_transfer=True)
    scene.guard.observe(ZONE, record(0).record.name, (transfer,), scene.now_s, current=(record(0),))
    scene.pass_time(GRACE_S)
    assert scene.find_block(transfer) is None
    assert scene.guard.save(scene.now_s).find_zone(ZONE.id).granted == ()


# causes


@pytest.mark.parametrize("is_restarted", [False, True])
def test_insufficient_evidence_stays_the_cause_after_evidence_improves(*, is_restarted: bool) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time()
    scene.observe_evidence([record(1)], Evidence.OBJECT_DELETED)
    scene = scene.restart() if is_restarted else scene
    block = scene.find_block(PendingDelete(owned=record(1), evidence=Evidence.OBJECT_DELETED))
    assert block is not None
    assert (block.reason, block.detail) == (Reason.HELD, "the evidence was insufficient when the hold began")


@pytest.mark.parametrize(
    ("owner", "evidence", "cause"),
    [
        pytest.param("", Evidence.ABSENT, "the evidence was insufficient when the hold began", id="without-owner"),
        pytest.param(
            "me",
            Evidence.ORPHAN_UNCLAIMED,
            "the deletes by absence in namespace shop in zone acme.test within ten minutes exceeded half of "
            "--max-delete-count and --max-delete-percent",
            id="accepted-settings",
        ),
    ],
)
def test_cause_is_that_for_which_the_hold_began(owner: str, evidence: Evidence, cause: str) -> None:
    scene = start_guard(*records(30), owner=owner)
    if owner:
        scene.guard.accept_settings(ZONE.id)
    scene.observe_evidence(records(20), evidence)
    scene.pass_time(GRACE_S)
    assert {one.cause for found in scene.guard.held_sets() for one in found.held} == {cause}
