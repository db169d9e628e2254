"""Grace period, budgets and insufficient evidence, without an engine (docs/design/delete-safety.md)."""

from __future__ import annotations

import pytest

from extdns.model.change import APPROVAL, GRACE, Blocked, Create, Delete
from extdns.model.cluster import ClusterIdentity
from extdns.model.dns_name import DnsName
from extdns.model.evidence import ALL_ZONES, DeleteStatus, Evidence, PendingDelete, Scope
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.saved_state import Saved
from extdns.model.zone import Zone
from extdns.planner.deletes import block_changes
from extdns.planner.proposal import Proposal
from tests.unit.engine.guarded_zones import GONE, GRACE_S, ZONE, record, records, start_guard

# grace period


def test_a_delete_waits_until_its_evidence_has_lasted_for_the_grace_period() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    scene.pass_time(GRACE_S - 0.1)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(0.1)
    assert scene.deleted == ["h1.acme.test"]


def test_the_grace_period_starts_again_after_the_evidence_was_interrupted() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    scene.pass_time(50.0)
    scene.end_evidence([record(1)])
    scene.observe_evidence([record(1)])
    scene.pass_time(50.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(10.0)
    assert scene.deleted == ["h1.acme.test"]


def test_the_grace_period_continues_when_one_evidence_replaces_another() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.HOSTNAME_REMOVED)
    scene.pass_time(30.0)
    scene.observe_evidence([record(1)], Evidence.OBJECT_DELETED)
    scene.pass_time(30.0)
    assert scene.deleted == ["h1.acme.test"]


def test_a_delete_is_made_even_if_its_evidence_changes_at_the_end_of_its_grace_period() -> None:
    scene = start_guard(*records(100))
    scene.pass_time(600.0)
    scene.observe_evidence([record(1)])
    scene.now_s += GRACE_S
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time()
    assert scene.deleted == ["h1.acme.test"]


@pytest.mark.parametrize("evidence", [Evidence.ABSENT, Evidence.ORPHAN_GONE])
def test_a_record_whose_object_is_confirmed_as_absent_needs_no_further_grace_period(evidence: Evidence) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], evidence)
    scene.pass_time()
    assert scene.deleted == ["h1.acme.test"]


@pytest.mark.parametrize(
    ("first", "then"), [(Evidence.UNRESOLVED_EXPIRED, GONE), (GONE, Evidence.UNRESOLVED_EXPIRED)], ids=str
)
def test_the_grace_period_starts_again_when_an_expired_unresolved_claim_replaces_other_evidence_or_the_reverse(
    first: Evidence, then: Evidence
) -> None:
    scene = start_guard(*records(100), unresolved_timeout_s=3600.0)
    scene.observe_evidence([record(1)], first)
    scene.pass_time(50.0)
    scene.observe_evidence([record(1)], then)
    due_s = 3600.0 if then is Evidence.UNRESOLVED_EXPIRED else GRACE_S
    scene.pass_time(due_s - 1.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(1.0)
    assert scene.deleted == ["h1.acme.test"]


@pytest.mark.parametrize("then", [Evidence.UNRESOLVED_EXPIRED, Evidence.ABSENT], ids=str)
def test_a_grant_is_not_valid_for_other_evidence_that_needs_another_wait_or_budget(then: Evidence) -> None:
    scene = start_guard(*records(100), unresolved_timeout_s=3600.0)
    scene.observe_evidence([record(1)], GONE)
    scene.pass_time(GRACE_S, makes_deletes=False)
    assert scene.plan(record(1)) is None
    scene.evidence[ZONE.id, "h1.acme.test"] = then
    assert scene.plan(record(1)) is Reason.IN_GRACE
    assert scene.deleted == []


def test_the_status_of_a_waiting_delete_shows_when_its_grace_period_ends() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    assert scene.guard.list_statuses(ZONE.id) == {
        record(1).key: DeleteStatus(evidence=GONE, grace_ends_s=1000.0 + GRACE_S)
    }


def test_with_compat_deletes_are_granted_at_once() -> None:
    scene = start_guard(record(1), immediate=True)
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    assert scene.plan(record(1)) is None


def test_a_proposed_delete_is_blocked_and_no_pending_delete_is_stored() -> None:
    scene = start_guard(*records(100))
    create = Proposal(
        key=record(2).key,
        outcome=Create(desired=DesiredRecord(name=record(2).record.name, type="A", targets=("192.0.2.1",))),
    )
    delete = Proposal(key=record(1).key, outcome=Delete(current=record(1), evidence=GONE), current=record(1))
    replaced = Proposal(
        key=record(3).key, outcome=Delete(current=record(3), evidence=Evidence.REPLACED), current=record(3)
    )
    deletes = [PendingDelete(owned=record(1), evidence=GONE)]
    first, second, third = block_changes(scene.build_view(record(1)), (create, delete, replaced), deletes)
    assert (first, third) == (create, replaced)
    assert getattr(second.outcome, "reason", None) is Reason.IN_GRACE
    assert scene.guard.list_statuses(ZONE.id) == {}
    assert scene.guard.revision == 0


# budgets


def test_all_deletes_within_the_budget_are_made() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(30))
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 30


def test_no_delete_of_a_scope_over_budget_is_made() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(31)) == {Reason.HELD}
    assert not scene.deleted


def test_a_delete_that_exceeds_the_budget_also_holds_granted_deletes_that_were_not_made_yet() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(30))
    scene.pass_time(GRACE_S, makes_deletes=False)
    scene.observe_evidence([record(30)])
    scene.pass_time(makes_deletes=False)
    assert scene.list_reasons(records(30)) == {Reason.HELD}


def test_deletes_by_absence_are_held_by_their_own_smaller_budget() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(16), Evidence.ABSENT)
    scene.observe_evidence(records(30, first=30))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(16)) == {Reason.HELD}
    assert len(scene.deleted) == 30


def test_a_namespace_over_its_budget_does_not_hold_deletes_of_other_namespaces() -> None:
    scene = start_guard(*records(60, "lost"), *records(20, "fine", first=60))
    scene.observe_evidence(records(59, "lost"))
    scene.observe_evidence([record(70, "fine")])
    scene.pass_time(GRACE_S)
    assert scene.deleted == ["h70.acme.test"]
    assert {scope: len(names) for scope, names in scene.find_held().items()} == {Scope(ZONE.id, "lost"): 59}


def test_deletes_of_namespaces_within_their_budgets_are_held_if_the_zone_is_over_budget() -> None:
    tenants = [f"t{number}" for number in range(8)]
    everyone = [record(number * 10 + one, name) for number, name in enumerate(tenants) for one in range(10)]
    scene = start_guard(*everyone)
    scene.observe_evidence([one for one in everyone if one.record.name.partition(".")[0][-1] in "01234"])
    scene.pass_time(GRACE_S)
    assert {scope: len(names) for scope, names in scene.find_held().items()} == {Scope(ZONE.id): 40}
    assert not scene.deleted


def test_held_deletes_of_a_namespace_do_not_count_in_the_budget_of_the_zone() -> None:
    scene = start_guard(*records(40, "large"), *records(40, "small", first=40), *records(5, "third", first=80))
    scene.observe_evidence([*records(12, "large"), *records(14, "small", first=40)])
    scene.pass_time(GRACE_S)
    assert set(scene.find_held()) == {Scope(ZONE.id, "small")}, "14 of 40 exceed 30 percent, 12 do not"
    assert len(scene.deleted) == 12
    scene.observe_evidence([record(80, "third")])
    scene.pass_time(GRACE_S)
    assert "h80.acme.test" in scene.deleted


def test_deletes_by_absence_count_in_one_budget_for_all_zones() -> None:
    scene = start_guard()
    zones = [Zone(name=DnsName(f"z{number}.test"), id=f"Z{number}") for number in range(30)]
    for zone in zones:
        scene.add_records(records(2, zone=zone), zone)
    for zone in zones:
        scene.observe_evidence(records(2, zone=zone), Evidence.ORPHAN_GONE, zone)
    scene.pass_time(3600.0)
    assert not scene.deleted
    assert {scope: len(names) for scope, names in scene.find_held().items()} == {ALL_ZONES: 2}


def test_deletes_after_a_deleted_event_do_not_count_in_the_budget_for_all_zones() -> None:
    scene = start_guard()
    zones = [Zone(name=DnsName(f"z{number}.test"), id=f"Z{number}") for number in range(30)]
    for zone in zones:
        scene.add_records(records(2, zone=zone), zone)
        scene.observe_evidence(records(2, zone=zone), GONE, zone)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 60


def test_deletes_by_absence_in_a_small_zone_are_held_if_a_large_zone_exceeds_the_common_budget() -> None:
    large, small = ZONE, Zone(name=DnsName("small.test"), id="Z2")
    scene = start_guard(*records(1000))
    scene.add_records(records(2, zone=small), small)
    scene.observe_evidence(records(1000), Evidence.ABSENT, large)
    scene.observe_evidence(records(2, zone=small), Evidence.ABSENT, small)
    scene.pass_time(3600.0)
    assert not scene.deleted


def test_the_transfer_of_a_record_to_another_namespace_counts_in_no_delete_budget() -> None:
    scene = start_guard(*records(40))
    for number in range(20):
        one = record(number)
        delete = PendingDelete(owned=one, evidence=GONE, is_transfer=True)
        scene.guard.observe(ZONE, one.record.name, (delete,), scene.now_s, current=(one,), requested={one.key})
    scene.observe_evidence([record(30)])
    scene.pass_time(GRACE_S)
    assert scene.deleted == ["h30.acme.test"]
    delete = PendingDelete(owned=record(1), evidence=GONE, is_transfer=True)
    assert scene.find_block(delete) is None


# insufficient evidence


@pytest.mark.parametrize("is_made", [True, False], ids=["made", "not-made"])
def test_a_delete_with_an_unknown_outcome_counts_in_the_budget_until_its_record_is_read_again(is_made: bool) -> None:
    scene = start_guard(*records(100))
    one = record(1)
    scene.observe_evidence([one])
    scene.pass_time(GRACE_S, makes_deletes=False)
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=(one,), is_known=False)
    assert scene.guard.budget(ZONE.id).deleted == 1
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=() if is_made else (one,))
    assert scene.guard.budget(ZONE.id).deleted == is_made


def test_a_granted_delete_whose_evidence_changed_while_its_write_had_no_answer_counts_once() -> None:
    scene = start_guard(*records(100))
    one = record(1)
    scene.observe_evidence([one])
    scene.pass_time(GRACE_S, makes_deletes=False)
    delete = PendingDelete(owned=one, evidence=Evidence.HOSTNAME_REMOVED)
    scene.guard.observe(ZONE, one.record.name, (delete,), scene.now_s, current=(one,), is_known=False)
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=())
    assert scene.guard.budget(ZONE.id).deleted == 1


def test_deletes_that_were_made_count_once_however_often_the_process_becomes_the_leader_again() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(5))
    scene.pass_time(GRACE_S)
    for _ in range(3):
        saved = scene.guard.save(scene.now_s)
        scene.guard.demote(scene.now_s)
        scene.guard.load(saved, scene.now_s)
    assert scene.guard.budget(ZONE.id).deleted == len(scene.deleted) == 5


def test_an_orphan_whose_object_may_exist_is_held_and_its_delete_counts_in_no_budget() -> None:
    scene = start_guard(*records(10))
    scene.observe_evidence(records(8), Evidence.ORPHAN_UNCLAIMED)
    scene.observe_evidence(records(2, first=8), Evidence.ABSENT)
    scene.pass_time()
    assert scene.list_reasons(records(8)) == {Reason.ORPHAN_UNCLAIMED}
    assert scene.guard.has_insufficient_evidence(ZONE.id)
    assert len(scene.deleted) == 2


def test_with_accepted_settings_an_orphan_is_deleted_after_the_grace_period_within_the_absence_budget() -> None:
    scene = start_guard(*records(100))
    scene.guard.accept_settings(ZONE.id)
    scene.observe_evidence(records(15), Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 15
    scene = start_guard(*records(100))
    scene.guard.accept_settings(ZONE.id)
    scene.observe_evidence(records(16), Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(16)) == {Reason.HELD}


def test_without_an_owner_id_a_delete_by_absence_is_held() -> None:
    scene = start_guard(*records(10), owner="")
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time(GRACE_S)
    assert scene.plan(record(1)) is Reason.ORPHAN_UNCLAIMED


# without saved state


def test_without_saved_state_deletes_by_absence_wait_for_ten_minutes_after_the_start() -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.observe_evidence([record(2)])
    scene.pass_time(599.0)
    assert scene.deleted == ["h2.acme.test"]
    scene.pass_time(1.0)
    assert scene.deleted == ["h2.acme.test", "h1.acme.test"]


@pytest.mark.parametrize(
    ("evidence", "detail"),
    [
        pytest.param(
            Evidence.ABSENT,
            "no saved state is known: deletes by absence wait until extdns has run for ten minutes",
            id="by-absence",
        ),
        pytest.param(GONE, "", id="not-by-absence"),
    ],
)
def test_only_the_decision_about_a_delete_by_absence_gives_missing_saved_state_as_detail(
    evidence: Evidence, detail: str
) -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    block = scene.find_block(PendingDelete(owned=record(1), evidence=evidence))
    assert block == Blocked(reason=Reason.IN_GRACE, detail=detail, waits_for=(GRACE,))


def test_the_decision_does_not_give_missing_saved_state_as_detail_if_the_grace_period_ends_later() -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    scene.guard.accept_settings(ZONE.id)
    scene.pass_time(590.0)
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time(20.0)
    delete = PendingDelete(owned=record(1), evidence=Evidence.ORPHAN_UNCLAIMED)
    assert scene.find_block(delete) == Blocked(reason=Reason.IN_GRACE, detail="", waits_for=(GRACE,))


def test_the_decision_about_a_granted_delete_says_that_it_waits_until_the_state_is_saved() -> None:
    scene = start_guard(*records(100))
    scene.guard.load(Saved(), scene.now_s)
    scene.guard.confirm_saved(0.0, scene.now_s)
    scene.observe_evidence([record(1)])
    scene.pass_time(GRACE_S)
    detail = "the grace period is over: the delete is made once the saved state contains its grant"
    block = scene.find_block(PendingDelete(owned=record(1), evidence=GONE))
    assert block == Blocked(reason=Reason.IN_GRACE, detail=detail, waits_for=(GRACE,))


def test_with_saved_state_a_delete_by_absence_does_not_wait_for_ten_minutes() -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    scene.guard.load(Saved(), scene.now_s)
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time()
    assert scene.deleted == ["h1.acme.test"]


def test_after_a_loss_of_the_saved_state_a_delete_by_absence_waits_for_ten_minutes() -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    scene.guard.load(Saved(is_new=True), scene.now_s)
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time(599.0)
    assert not scene.deleted


def test_a_transfer_that_is_held_for_another_cluster_names_the_cluster() -> None:
    scene = start_guard(*records(1))
    scene.guard.load(Saved(cluster=ClusterIdentity(uid="blue")), scene.now_s)
    scene.guard.cluster.identify(ClusterIdentity(uid="green"))
    delete = PendingDelete(owned=record(0), evidence=GONE, is_transfer=True)
    detail = f"the objects come from cluster {scene.guard.cluster.other_id}"
    assert scene.find_block(delete) == Blocked(reason=Reason.OTHER_CLUSTER, detail=detail, waits_for=(APPROVAL,))
