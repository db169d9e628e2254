"""The rolling budget of a zone (design 6)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.budget import WINDOW_S, Budget, Limits, Made, Most
from tests.unit.engine.stage import ZONE, mark, owned, record, running


@pytest.mark.parametrize(
    ("deletes", "of", "by_absence", "exceeded"),
    [
        pytest.param(10, 10, False, False, id="the-count-alone-is-not-enough"),
        pytest.param(11, 11, False, True, id="both"),
        pytest.param(30, 100, False, False, id="30-percent-of-100"),
        pytest.param(31, 100, False, True, id="31-percent-of-100"),
        pytest.param(11, 8000, False, False, id="a-few-of-many"),
        pytest.param(2, 2, True, False, id="absence-has-a-fifth-of-the-count"),
        pytest.param(3, 3, True, True, id="absence-both"),
        pytest.param(6, 100, True, False, id="absence-6-percent-of-100"),
        pytest.param(7, 100, True, True, id="absence-7-percent-of-100"),
    ],
)
def test_deletes_wait_when_both_limits_are_exceeded(deletes: int, of: int, by_absence: bool, exceeded: bool) -> None:
    assert Limits().exceeded(deletes, of=of, by_absence=by_absence) is exceeded


def test_100_percent_switches_the_budget_off() -> None:
    assert not Limits(count=0, percent=100).exceeded(1000, of=1000, by_absence=True)


def test_both_kinds_have_a_sum_of_their_own() -> None:
    budget = Budget(Limits())
    budget.own(10, 0.0)
    for _ in range(2):
        budget.spend(1.0, by_absence=True)
    assert budget.exceeded(1, 2.0, by_absence=True)
    assert not budget.exceeded(10, 2.0, by_absence=False)


def test_a_delete_counts_for_ten_minutes() -> None:
    budget = Budget(Limits(count=1, percent=1))
    budget.own(10, 0.0)
    budget.spend(5.0, by_absence=False)
    assert budget.eases_s == 5.0 + WINDOW_S
    assert budget.exceeded(1, 4.0 + WINDOW_S, by_absence=False)
    assert not budget.exceeded(1, 5.0 + WINDOW_S, by_absence=False)
    assert math.isinf(budget.eases_s)


def test_the_most_records_of_the_window_are_what_counts() -> None:
    budget = Budget(Limits())
    budget.own(100, 0.0)
    budget.own(-60, 10.0)
    assert not budget.exceeded(30, 10.0 + WINDOW_S - 1, by_absence=False)
    assert budget.exceeded(30, 10.0 + WINDOW_S, by_absence=False)


def test_a_new_process_takes_over_the_window() -> None:
    budget = Budget(Limits())
    budget.own(40, 100.0)
    budget.restore((Made(50.0, by_absence=False),) * 20, (Most(60.0, 100),))
    assert budget.exceeded(11, 100.0, by_absence=False)
    assert not budget.exceeded(10, 100.0, by_absence=False)
    assert budget.made[0] == Made(50.0, by_absence=False)
    assert budget.most == (Most(60.0, 100), Most(100.0, 0))


STEPS = st.lists(st.tuples(st.floats(0, 400), st.integers(-5, 9)), max_size=30)


@given(STEPS)
def test_the_window_knows_what_a_full_record_would(steps: list[tuple[float, int]]) -> None:
    budget = Budget(Limits(count=0, percent=99))
    now_s, owned = 0.0, 0
    history = [(0.0, 0)]
    for pause_s, change in steps:
        now_s += pause_s
        more = max(change, -owned)
        owned += more
        budget.own(more, now_s)
        history.append((now_s, owned))
        current = max(index for index, (at_s, _) in enumerate(history) if at_s <= now_s - WINDOW_S or index == 0)
        most = max(number for _, number in history[current:])
        assert budget.exceeded(most, now_s, by_absence=False) is (most > 0)
        assert not budget.exceeded(most * 99 // 100, now_s, by_absence=False)


def test_a_record_that_is_ours_instead_of_another_is_not_one_more() -> None:
    world = running(*owned("web", resource=""), record("api"))
    world.provider.remove(ZONE, mark("web").key)
    world.provider.put(ZONE, mark("api", resource=""))
    world.run(for_s=900.0)
    (kept,) = world.engine.zones
    assert kept.deletes.budget.owned == 1
    assert all(one.records <= 1 for one in kept.deletes.budget.most)
