"""Grace period and insufficient evidence of deletes, without an engine (docs/design/delete-safety.md)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from extdns.engine.delete_settings import DeleteLimits
from extdns.model.change import APPROVAL, GRACE, Blocked
from extdns.model.cluster import ClusterIdentity
from extdns.model.evidence import DeleteStatus, Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.saved_state import Saved
from tests.unit.engine.guarded_zones import GONE, GRACE_S, ZONE, record, records, start_guard

# grace period


def test_delete_waits_until_evidence_has_lasted_for_the_grace_period() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    scene.pass_time(GRACE_S - 0.1)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(0.1)
    assert scene.deleted == ["h1.acme.test"]


def test_grace_period_restarts_after_the_evidence_was_interrupted() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    scene.pass_time(50.0)
    scene.end_evidence([record(1)])
    scene.observe_evidence([record(1)])
    scene.pass_time(50.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(10.0)
    assert scene.deleted == ["h1.acme.test"]


def test_grace_period_continues_when_one_evidence_replaces_another() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.HOSTNAME_REMOVED)
    scene.pass_time(30.0)
    scene.observe_evidence([record(1)], Evidence.OBJECT_DELETED)
    scene.pass_time(30.0)
    assert scene.deleted == ["h1.acme.test"]


def test_delete_is_made_if_evidence_changes_when_the_grace_period_ends() -> None:
    scene = start_guard(*records(100))
    scene.pass_time(600.0)
    scene.observe_evidence([record(1)])
    scene.now_s += GRACE_S
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time()
    assert scene.deleted == ["h1.acme.test"]


@pytest.mark.parametrize("evidence", [Evidence.ABSENT, Evidence.ORPHAN_GONE])
def test_no_grace_period_after_absence_is_confirmed(evidence: Evidence) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], evidence)
    scene.pass_time()
    assert scene.deleted == ["h1.acme.test"]


@pytest.mark.parametrize(
    ("first", "then"), [(Evidence.UNRESOLVED_EXPIRED, GONE), (GONE, Evidence.UNRESOLVED_EXPIRED)], ids=str
)
def test_grace_period_restarts_when_expiry_replaces_evidence_or_the_reverse(first: Evidence, then: Evidence) -> None:
    scene = start_guard(*records(100), unresolved_timeout_s=3600.0)
    scene.observe_evidence([record(1)], first)
    scene.pass_time(50.0)
    scene.observe_evidence([record(1)], then)
    due_s = 3600.0 if then is Evidence.UNRESOLVED_EXPIRED else GRACE_S
    scene.pass_time(due_s - 1.0)
    assert scene.plan(record(1)) is Reason.IN_GRACE
    scene.pass_time(1.0)
    assert scene.deleted == ["h1.acme.test"]


def test_status_shows_when_the_grace_period_ends() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)])
    assert scene.guard.list_statuses(ZONE.id) == {
        record(1).key: DeleteStatus(evidence=GONE, grace_ends_s=1000.0 + GRACE_S)
    }


def test_transfer_held_for_another_cluster_names_the_cluster() -> None:
    scene = start_guard(*records(1))
    scene.guard.load(Saved(cluster=ClusterIdentity(uid="blue")), scene.now_s)
    scene.guard.cluster.identify(ClusterIdentity(uid="green"))
    delete = PendingDelete(owned=record(0), evidence=GONE, is_transfer=True)
    detail = f"the objects come from cluster {scene.guard.cluster.other_id}"
    assert scene.find_block(delete) == Blocked(reason=Reason.OTHER_CLUSTER, detail=detail, waits_for=(APPROVAL,))


# insufficient evidence


def test_orphan_whose_object_may_exist_is_held_and_counts_in_no_budget() -> None:
    scene = start_guard(*records(10))
    scene.observe_evidence(records(8), Evidence.ORPHAN_UNCLAIMED)
    scene.observe_evidence(records(2, first=8), Evidence.ABSENT)
    scene.pass_time()
    assert scene.list_reasons(records(8)) == {Reason.ORPHAN_UNCLAIMED}
    assert scene.guard.has_insufficient_evidence(ZONE.id)
    assert len(scene.deleted) == 2


def test_orphan_counts_in_the_absence_budget_after_settings_were_accepted() -> None:
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


# without saved state


@pytest.mark.parametrize(
    ("saved", "wait_s"),
    [
        pytest.param(None, 600.0, id="none-yet"),
        pytest.param(Saved(is_new=True), 600.0, id="lost"),
        pytest.param(Saved(), 0.0, id="loaded"),
    ],
)
def test_delete_by_absence_waits_ten_minutes_without_saved_state(saved: Saved | None, wait_s: float) -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    if saved:
        scene.guard.load(saved, scene.now_s)
    scene.observe_evidence([record(1)], Evidence.ABSENT)
    scene.pass_time(max(wait_s - 1.0, 0.0))
    assert scene.deleted == ([] if wait_s else ["h1.acme.test"])
    scene.observe_evidence([record(2)])
    scene.pass_time(GRACE_S)
    assert scene.deleted == ["h1.acme.test", "h2.acme.test"]


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
def test_missing_state_is_given_as_detail_only_for_deletes_by_absence(evidence: Evidence, detail: str) -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    block = scene.find_block(PendingDelete(owned=record(1), evidence=evidence))
    assert block == Blocked(reason=Reason.IN_GRACE, detail=detail, waits_for=(GRACE,))


def test_missing_state_is_not_given_as_detail_if_grace_period_ends_later() -> None:
    scene = start_guard(*records(100), stateless_wait_s=600.0)
    scene.guard.accept_settings(ZONE.id)
    scene.pass_time(590.0)
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time(20.0)
    delete = PendingDelete(owned=record(1), evidence=Evidence.ORPHAN_UNCLAIMED)
    assert scene.find_block(delete) == Blocked(reason=Reason.IN_GRACE, detail="", waits_for=(GRACE,))


@pytest.mark.parametrize(("percent", "expected"), [(30, True), (100, False)])
def test_deletes_by_absence_are_held_together_unless_the_limits_are_off(percent: int, expected: bool) -> None:
    guard = start_guard(limits=DeleteLimits(percent=percent)).guard
    guard.set_holds_absence(holds_absence=True)
    assert guard.holds_absence is expected
    guard.set_holds_absence(holds_absence=False)
    assert not guard.holds_absence


def test_every_change_that_has_to_be_saved_raises_the_revision() -> None:
    scene = start_guard(*records(100))
    revisions = [scene.guard.revision]
    for change in (
        lambda: scene.guard.cluster.identify(ClusterIdentity(uid="a")),
        lambda: scene.guard.accept_settings(ZONE.id),
        lambda: scene.observe_evidence(records(31)),
        lambda: scene.pass_time(GRACE_S),
        lambda: scene.approve(*scene.find_codes().values()),
        scene.pass_time,
        lambda: scene.guard.cluster.identify(ClusterIdentity(uid="b")),
    ):
        change()
        revisions.append(scene.guard.revision)
    assert revisions == sorted(revisions)
    rises = [after > before for before, after in pairwise(revisions)]
    assert rises == [True, True, False, True, True, True, True]
