"""Limits and window of a delete budget (docs/design/delete-safety.md, "Budgets")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.delete_budget import WINDOW_S, CountedName, DeleteBudget, DeleteBudgets, DeleteCount, OwnedMaximum
from extdns.engine.delete_settings import DeleteLimits
from extdns.model.evidence import Scope
from tests.builders import ZONE, observe_new, owned, ownership_record, record
from tests.world import start_world


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
def test_a_delete_limit_is_exceeded_only_if_both_its_count_and_its_percentage_are_exceeded(
    deletes: int, of: int, by_absence: bool, exceeded: bool
) -> None:
    assert DeleteLimits().are_exceeded(deletes, of=of, by_absence=by_absence) is exceeded


def test_with_max_delete_percent_100_the_delete_budget_holds_nothing() -> None:
    assert not DeleteLimits(count=0, percent=100).are_exceeded(1000, of=1000, by_absence=True)


def test_deletes_by_absence_have_a_budget_of_their_own() -> None:
    budget = DeleteBudget(DeleteLimits())
    budget.add_owned(10, 0.0)
    for name in list_names(5):
        budget.spend(name, 1.0, by_absence=True)
    assert is_exceeded(budget, 1, 2.0, by_absence=True)
    assert not is_exceeded(budget, 10, 2.0, by_absence=False)


def test_a_delete_counts_in_the_budget_for_ten_minutes() -> None:
    budget = DeleteBudget(DeleteLimits(count=1, percent=1))
    budget.add_owned(10, 0.0)
    budget.spend(list_names(1)[0], 5.0, by_absence=False)
    assert is_exceeded(budget, 1, 4.0 + WINDOW_S, by_absence=False)
    assert not is_exceeded(budget, 1, 5.0 + WINDOW_S, by_absence=False)
    assert not budget.delete_counts


@pytest.mark.parametrize("end_s", [5.0, 400.0], ids=["at-once", "later"])
def test_a_name_counts_once_however_many_of_its_records_are_deleted_wait_or_are_held(end_s: float) -> None:
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


def test_the_percentage_refers_to_the_most_records_owned_within_ten_minutes() -> None:
    budget = DeleteBudget(DeleteLimits())
    budget.add_owned(100, 0.0)
    budget.add_owned(-60, 10.0)
    assert not is_exceeded(budget, 30, 10.0 + WINDOW_S - 1, by_absence=False)
    assert is_exceeded(budget, 30, 10.0 + WINDOW_S, by_absence=False)


def test_deletes_of_an_earlier_process_count_after_its_state_is_restored() -> None:
    budget = DeleteBudget(DeleteLimits())
    budget.add_owned(40, 100.0)
    budget.load((DeleteCount(50.0, by_absence=False, names=20),), (OwnedMaximum(60.0, 100),))
    assert is_exceeded(budget, 11, 100.0, by_absence=False)
    assert not is_exceeded(budget, 10, 100.0, by_absence=False)
    assert budget.delete_counts[0] == DeleteCount(50.0, by_absence=False, names=20)
    assert budget.owned_maxima == (OwnedMaximum(60.0, 100), OwnedMaximum(100.0, 0))


def test_saved_deletes_of_one_time_all_count_as_after_the_clock_was_set_back() -> None:
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
def test_the_stored_maximum_of_owned_records_equals_the_maximum_of_the_full_history(
    steps: list[tuple[float, int]],
) -> None:
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


def test_the_count_of_owned_records_is_right_after_an_ownership_record_moved_to_another_record() -> None:
    world = start_world(*owned("web", resource=""), record("api"))
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.provider.put_records(ZONE, ownership_record("api", resource=""))
    world.run(for_s=900.0)
    saved = world.engine.delete_guard.save(world.now_s).find_zone(ZONE.id)
    assert world.engine.delete_guard.budget(ZONE.id).owned == 1
    assert all(records <= 1 for _, records in saved.whole.most)


def test_budgets_of_namespaces_that_no_longer_own_records_are_dropped_even_if_no_state_is_saved() -> None:
    budgets = DeleteBudgets(DeleteLimits())
    for number in range(1000):
        budgets.add_owned({Scope("Z1", f"preview-{number}"): 1}, number * 60.0)
        budgets.add_owned({Scope("Z1", f"preview-{number}"): -1}, number * 60.0 + 30.0)
    assert len(budgets._budgets) < 200


def test_records_that_pass_to_another_namespace_count_only_once_in_the_budget_of_their_zone() -> None:
    names = [f"h{number}" for number in range(10)]
    records = [one for name in names for one in owned(name, resource=f"service/shop/{name}")]
    world = start_world(*records, first=[observe_new(*names)])
    world.provider.put_records(ZONE, *[ownership_record(name, resource="service/lab/web") for name in names])
    world.run(for_s=900.0)
    budget = world.engine.delete_guard.budget(ZONE.id)
    assert max(budget.owned, *(one.names for one in budget.owned_maxima)) == 10
