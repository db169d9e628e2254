"""Delete budgets, without an engine (docs/design/delete-safety.md, "Budgets")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.delete_budget import WINDOW_S, CountedName, DeleteBudget, DeleteBudgets, DeleteCount, OwnedMaximum
from extdns.engine.delete_settings import DeleteLimits
from extdns.model.dns_name import DnsName
from extdns.model.evidence import ALL_ZONES, Evidence, PendingDelete, Scope
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from tests.unit.engine.guarded_zones import GONE, GRACE_S, ZONE, record, records, start_guard


def list_names(count: int, first: int = 0) -> list[CountedName]:
    """Return *count* names as budgets count them, numbered from *first*."""
    return [("Z1", f"h{number}.acme.test", "") for number in range(first, first + count)]


def is_exceeded(budget: DeleteBudget, waiting: int, now_s: float, *, by_absence: bool) -> bool:
    """Return whether *budget* is exceeded while deletes of *waiting* further names wait."""
    names = list_names(waiting, first=1000)
    for name in names:
        budget.add(name, 1, by_absence=by_absence)
    exceeded = budget.is_exceeded(now_s, by_absence=by_absence)
    for name in names:
        budget.add(name, -1, by_absence=by_absence)
    return exceeded


@pytest.mark.parametrize(
    ("deletes", "of", "by_absence", "exceeded"),
    [
        pytest.param(10, 10, False, False, id="only-the-count-is-exceeded"),
        pytest.param(11, 11, False, True, id="both-are-exceeded"),
        pytest.param(30, 100, False, False, id="30-percent-of-100"),
        pytest.param(31, 100, False, True, id="31-percent-of-100"),
        pytest.param(11, 8000, False, False, id="11-of-8000"),
        pytest.param(5, 5, True, False, id="5-of-5-by-absence"),
        pytest.param(6, 6, True, True, id="6-of-6-by-absence"),
        pytest.param(15, 100, True, False, id="15-percent-of-100-by-absence"),
        pytest.param(16, 100, True, True, id="16-percent-of-100-by-absence"),
    ],
)
def test_exceeded_only_if_count_and_percentage_are_exceeded(
    deletes: int, of: int, by_absence: bool, exceeded: bool
) -> None:
    assert DeleteLimits().are_exceeded(deletes, of=of, by_absence=by_absence) is exceeded


def test_holds_nothing_if_max_delete_percent_is_100() -> None:
    assert not DeleteLimits(count=0, percent=100).are_exceeded(1000, of=1000, by_absence=True)


def test_delete_counts_for_ten_minutes() -> None:
    budget = DeleteBudget(DeleteLimits(count=1, percent=1))
    budget.add_owned(10, 0.0)
    budget.spend(list_names(1)[0], 5.0, by_absence=False)
    assert is_exceeded(budget, 1, 4.0 + WINDOW_S, by_absence=False)
    assert not is_exceeded(budget, 1, 5.0 + WINDOW_S, by_absence=False)
    assert not budget.delete_counts


@pytest.mark.parametrize("end_s", [5.0, 400.0], ids=["at-once", "later"])
def test_name_counts_once_if_several_of_its_records_are_deleted(end_s: float) -> None:
    budget = DeleteBudget(DeleteLimits(count=1, percent=1))
    (name,) = list_names(1)
    for _ in range(2):
        budget.add(name, 2, by_absence=False)
    for at_s in (5.0, end_s):
        budget.spend(name, at_s, by_absence=False)
        budget.add(name, -2, by_absence=False)
        assert not is_exceeded(budget, 0, 400.0, by_absence=False)
        assert budget.deleted == 1
    assert is_exceeded(budget, 1, end_s + WINDOW_S - 1.0, by_absence=False)
    assert not is_exceeded(budget, 1, end_s + WINDOW_S, by_absence=False)


def test_saved_numbers_of_owned_names_that_increased_count_with_the_largest() -> None:
    budget = DeleteBudget(DeleteLimits())
    budget.load((), (OwnedMaximum(50.0, 0), OwnedMaximum(60.0, 100)))
    assert budget.owned_maxima == (OwnedMaximum(60.0, 100),)


def test_saved_deletes_of_one_time_all_count_after_clock_was_set_back() -> None:
    budget = DeleteBudget(DeleteLimits())
    budget.load((DeleteCount(50.0, by_absence=True, names=3), DeleteCount(50.0, by_absence=True, names=3)), ())
    assert budget.deleted == 6


def test_deletes_within_one_second_are_stored_as_one_count() -> None:
    budget = DeleteBudget(DeleteLimits(count=1, percent=1))
    budget.add_owned(100, 0.0)
    for number, name in enumerate(list_names(50)):
        budget.spend(name, 10.0 + number / 100, by_absence=False)
    assert [one.names for one in budget.delete_counts] == [50]
    assert budget.deleted == 50


STEPS = st.lists(st.tuples(st.floats(0, 400), st.integers(-5, 9)), max_size=30)


@given(STEPS)
def test_stored_maximum_equals_maximum_of_the_full_history(steps: list[tuple[float, int]]) -> None:
    budget = DeleteBudget(DeleteLimits(count=0, percent=99))
    now_s, owned = 0.0, 0
    history = [(0.0, 0)]
    for pause_s, change in steps:
        now_s += pause_s
        more = max(change, -owned)
        owned += more
        budget.add_owned(more, now_s)
        history.append((now_s, owned))
        current = max(index for index, (at_s, _) in enumerate(history) if at_s <= now_s - WINDOW_S or index == 0)
        most = max(number for _, number in history[current:])
        assert is_exceeded(budget, most, now_s, by_absence=False) is (most > 0)
        assert not is_exceeded(budget, most * 99 // 100, now_s, by_absence=False)


def test_budgets_of_namespaces_without_records_are_dropped() -> None:
    budgets = DeleteBudgets(DeleteLimits())
    for number in range(1000):
        budgets.add_owned({Scope("Z1", f"preview-{number}"): 1}, number * 60.0)
        budgets.add_owned({Scope("Z1", f"preview-{number}"): -1}, number * 60.0 + 30.0)
    assert len(budgets._budgets) < 200


# budgets


def test_excess_holds_grants_not_yet_used() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(30))
    scene.pass_time(GRACE_S, makes_deletes=False)
    scene.observe_evidence([record(30)])
    scene.pass_time(makes_deletes=False)
    assert scene.list_reasons(records(30)) == {Reason.HELD}


def test_deletes_by_absence_are_held_by_their_smaller_budget() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(16), Evidence.ABSENT)
    scene.observe_evidence(records(30, first=30))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(16)) == {Reason.HELD}
    assert len(scene.deleted) == 30


def test_held_if_zone_is_over_budget_though_namespaces_are_not() -> None:
    tenants = [f"t{number}" for number in range(8)]
    everyone = [record(number * 10 + one, name) for number, name in enumerate(tenants) for one in range(10)]
    scene = start_guard(*everyone)
    scene.observe_evidence([one for one in everyone if one.record.name.partition(".")[0][-1] in "01234"])
    scene.pass_time(GRACE_S)
    assert {scope: len(names) for scope, names in scene.find_held().items()} == {Scope(ZONE.id): 40}
    assert not scene.deleted


def test_held_deletes_of_namespace_do_not_count_for_the_zone() -> None:
    scene = start_guard(*records(40, "large"), *records(40, "small", first=40), *records(5, "third", first=80))
    scene.observe_evidence([*records(12, "large"), *records(14, "small", first=40)])
    scene.pass_time(GRACE_S)
    assert set(scene.find_held()) == {Scope(ZONE.id, "small")}, "14 of 40 exceed 30 percent, 12 do not"
    assert len(scene.deleted) == 12
    scene.observe_evidence([record(80, "third")])
    scene.pass_time(GRACE_S)
    assert "h80.acme.test" in scene.deleted


def test_held_deletes_by_absence_of_a_namespace_count_for_the_zone_too() -> None:
    scene = start_guard(*records(100, "large"), *records(100, "other", first=100))
    for lost in (records(16, "large"), records(15, "other", first=100)):
        scene.observe_evidence(lost, Evidence.ABSENT)
        scene.pass_time()
    assert not scene.deleted


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


def test_deletes_after_a_deleted_event_do_not_count_for_all_zones() -> None:
    scene = start_guard()
    zones = [Zone(name=DnsName(f"z{number}.test"), id=f"Z{number}") for number in range(30)]
    for zone in zones:
        scene.add_records(records(2, zone=zone), zone)
        scene.observe_evidence(records(2, zone=zone), GONE, zone)
    scene.pass_time(GRACE_S)
    assert len(scene.deleted) == 60


# unknown outcomes, and changes of the leader


@pytest.mark.parametrize("is_made", [True, False], ids=["made", "not-made"])
def test_delete_with_unknown_outcome_counts_until_its_record_is_read(is_made: bool) -> None:
    scene = start_guard(*records(100))
    one = record(1)
    scene.observe_evidence([one])
    scene.pass_time(GRACE_S, makes_deletes=False)
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=(one,), is_known=False)
    assert scene.guard.budget(ZONE.id).deleted == 1
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=() if is_made else (one,))
    assert scene.guard.budget(ZONE.id).deleted == is_made


def test_counts_once_if_evidence_changed_while_the_write_had_no_answer() -> None:
    scene = start_guard(*records(100))
    one = record(1)
    scene.observe_evidence([one])
    scene.pass_time(GRACE_S, makes_deletes=False)
    delete = PendingDelete(owned=one, evidence=Evidence.HOSTNAME_REMOVED)
    scene.guard.observe(ZONE, one.record.name, (delete,), scene.now_s, current=(one,), is_known=False)
    scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=())
    assert scene.guard.budget(ZONE.id).deleted == 1


@pytest.mark.parametrize("is_made", [True, False], ids=["made", "not-made"])
def test_deletes_that_may_have_been_made_before_they_were_approved_count(is_made: bool) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(30))
    scene.pass_time(GRACE_S, makes_deletes=False)
    scene.observe_evidence([record(30)])
    scene.pass_time(makes_deletes=False)
    scene.approve(*scene.find_codes().values())
    for one in records(31):
        scene.guard.observe(ZONE, one.record.name, (), scene.now_s, current=() if is_made else (one,))
    assert scene.guard.budget(ZONE.id).deleted == 30 * is_made


def test_made_deletes_count_once_however_often_the_leader_changes() -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence(records(5))
    scene.pass_time(GRACE_S)
    for _ in range(3):
        saved = scene.guard.save(scene.now_s)
        scene.guard.demote(scene.now_s)
        scene.guard.load(saved, scene.now_s)
    for scope in (Scope(ZONE.id), Scope(ZONE.id, "shop")):
        assert scene.guard.budgets.budget(scope).deleted == len(scene.deleted) == 5
