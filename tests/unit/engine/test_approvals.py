"""Approvals of held deletes, without an engine (docs/design/delete-safety.md, "Holds and approval")."""

from __future__ import annotations

from extdns.engine.delete_guard import APPROVAL_S
from extdns.model.dns_name import DnsName
from extdns.model.evidence import ALL_ZONES, Evidence, PendingDelete, Scope
from extdns.model.reason import Reason
from extdns.model.saved_state import Approval
from extdns.model.zone import Zone
from tests.unit.engine.guarded_zones import GRACE_S, ZONE, hold_deletes, record, records, start_guard


def test_approved_delete_still_waits_for_its_grace_period() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time()
    (code,) = scene.find_codes().values()
    scene.approve(code)
    scene.pass_time(GRACE_S - 1.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(1.0)
    assert scene.deleted == ["h1.acme.test"]


def test_does_not_apply_if_record_was_requested_again_meanwhile() -> None:
    scene = hold_deletes(62)
    (code,) = scene.find_codes().values()
    scene.request(records(31))
    scene.observe_evidence(records(31))
    scene.approve(code)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_code_and_approver_are_still_stored_after_a_restart() -> None:
    scene = hold_deletes()
    approvals = [Approval(code=code, claimed_user="alice") for code in scene.find_codes().values()]
    scene.guard.approve(approvals, scene.now_s)
    saved = scene.guard.save(scene.now_s).approved_by
    assert {user for _, _, user in saved} == {"alice"}
    assert {code for _, code, _ in saved} == {approval.code for approval in approvals}
    assert scene.restart().guard.save(scene.now_s).approved_by == saved


def test_code_does_not_approve_deletes_in_a_zone_that_was_not_listed() -> None:
    other = Zone(name=DnsName("other.test"), id="Z2")
    (unseen,) = records(1, zone=other, first=5)
    scene = start_guard(*records(5))
    scene.add_records([unseen], other)
    scene.observe_evidence(records(5), Evidence.ABSENT)
    scene.observe_evidence([unseen], Evidence.ABSENT, other)
    scene.pass_time(GRACE_S)
    assert scene.find_held() == {ALL_ZONES: {"h0", "h1", "h2", "h3", "h4", "h5"}}

    not_listed = scene.zones.pop(other.id)
    scene = scene.restart(is_complete=False)
    scene.pass_time()
    assert scene.find_held() == {ALL_ZONES: {"h0", "h1", "h2", "h3", "h4"}}
    code = scene.find_codes()[ALL_ZONES]

    scene.zones[other.id] = not_listed
    scene = scene.restart()
    scene.approve(code)
    scene.pass_time(GRACE_S)
    assert scene.deleted == [f"h{number}.acme.test" for number in range(5)]
    assert scene.list_reasons([unseen], other) == {Reason.HELD}


def test_used_up_after_its_delete() -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    scene.pass_time(GRACE_S)
    assert not scene.guard.save(scene.now_s).approved
    scene.add_records(records(31))
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_stays_valid_while_an_expired_unresolved_claim_requests_the_record() -> None:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    one = record(1)
    delete = PendingDelete(owned=one, evidence=Evidence.UNRESOLVED_EXPIRED)
    scene.guard.observe(ZONE, one.record.name, (delete,), scene.now_s, current=(one,), requested={one.key})
    assert scene.guard.find_approval(ZONE, one)


def test_code_in_a_flag_approves_only_deletes_held_with_this_code() -> None:
    (code,) = hold_deletes().find_codes().values()
    same = start_guard(*records(100), approved_codes=(code,))
    same.observe_evidence(records(31))
    same.pass_time(GRACE_S)
    assert len(same.deleted) == 31
    other = start_guard(*records(100), approved_codes=(code,))
    other.observe_evidence(records(32))
    other.pass_time(3600.0)
    assert not other.deleted


def test_code_is_published_only_after_it_was_saved() -> None:
    scene = start_guard(*records(100))
    scene.guard.confirm_saved(0, scene.now_s)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.find_codes() == {}
    assert not list(scene.guard.take_changed_held_sets())
    scene.guard.confirm_saved(scene.guard.revision, scene.now_s)
    assert len(scene.find_codes()) == 1


def test_approval_of_delete_never_held_ends_when_record_is_requested() -> None:
    scene = start_guard(*records(100))
    scene.guard.approve_plan([(ZONE.id, record(1).key)])
    scene.observe_evidence([record(1)])
    scene.evidence.clear()
    after = scene.restart()
    assert after.guard.describe(ZONE, record(1)).is_approved
    after.request([record(1)])
    assert not after.guard.describe(ZONE, record(1)).is_approved


def test_code_approves_nothing_if_unused_for_a_day() -> None:
    (code,) = hold_deletes().find_codes().values()
    scene = start_guard(*records(100), approved_codes=(code,))
    scene.pass_time(APPROVAL_S + 1.0)
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}


def test_zone_code_does_not_approve_what_moved_to_a_namespace_and_was_requested() -> None:
    mine = records(40, "a")
    scene = start_guard(*mine, *records(40, "b", first=40), *records(5, "c", first=80))
    scene.observe_evidence([*mine[:12], *records(12, "b", first=40), *records(3, "c", first=80)])
    scene.pass_time(GRACE_S)
    code = scene.find_codes()[Scope(ZONE.id)]
    scene.observe_evidence([mine[12]])
    scene.pass_time(GRACE_S)
    assert len(scene.find_held()[Scope(ZONE.id, "a")]) == 13
    scene.request(mine)
    scene.pass_time(3600.0)
    scene.observe_evidence(mine[:13])
    scene.pass_time(GRACE_S)
    scene.approve(code)
    scene.pass_time(GRACE_S)
    assert not {str(one.record.name) for one in mine} & set(scene.deleted)


def test_deletes_of_an_applied_plan_are_approved_for_a_day() -> None:
    scene = start_guard(*records(100))
    scene.guard.approve_plan([(ZONE.id, one.key) for one in records(31)])
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 31
    assert scene.guard.budget(ZONE.id).deleted == 0
