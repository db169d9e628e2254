"""How many calls may be made, and how fast."""

from __future__ import annotations

import pytest

from providers.remote.allowance import Allowance, Bucket, Rate
from tests.route53 import Hurry


def _allowance(clock: Hurry, pause_s: float = 0.0) -> Allowance:
    return Allowance(pause_s=pause_s, monotonic_s=clock.monotonic_s, wait=clock.wait)


def test_a_burst_is_free_and_the_rest_comes_at_the_rate_of_the_service() -> None:
    clock = Hurry()
    allowance = _allowance(clock)
    for _ in range(50):
        allowance.take("Change", changes=2)
    assert clock.now_s == 0
    for _ in range(20):
        allowance.take("Change", changes=2)
    assert clock.now_s == pytest.approx(2, abs=0.01)


def test_reads_leave_the_last_tokens_of_the_account_to_writes() -> None:
    clock = Hurry()
    allowance = _allowance(clock)
    for _ in range(45):
        allowance.take("List")
    for _ in range(5):
        allowance.take("Change", changes=2)
    assert clock.now_s == 0
    allowance.take("List")
    assert clock.now_s == pytest.approx(0.6, abs=0.01)


def test_between_two_writes_lies_the_pause_that_was_asked_for() -> None:
    clock = Hurry()
    allowance = _allowance(clock, pause_s=1.0)
    allowance.take("Change", changes=2)
    allowance.take("List")
    assert clock.now_s == 0
    allowance.take("Change", changes=2)
    assert clock.now_s == pytest.approx(1)


def test_throttling_halves_the_rate_and_success_brings_it_back() -> None:
    bucket = Bucket.full(Rate(), 0.0)
    bucket.throttled(0.0)
    assert (bucket.tokens, bucket.rate) == (0.0, 5.0)
    assert bucket.wait_s(0.0) == pytest.approx(0.2)
    for _ in range(9):
        bucket.throttled(0.0)
    assert bucket.rate == 1.0
    for _ in range(4):
        bucket.worked()
    assert bucket.rate == 10.0


def test_changes_are_paced_once_the_service_says_again_and_again_that_there_were_too_many() -> None:
    clock = Hurry()
    allowance = _allowance(clock)
    for _ in range(4):
        allowance.take("Change", changes=1000)
        allowance.worked("Change")
    assert clock.now_s == 0, "nothing is held back for a limit that may not be there"
    for _ in range(6):
        allowance.take("Change", changes=640)
        allowance.throttled("Change", changes=640)
    before_s = clock.now_s
    for _ in range(2):
        allowance.take("Change", changes=640)
        allowance.worked("Change")
    assert clock.now_s - before_s == pytest.approx(12.8, abs=0.1)
    clock.wait(600.0)
    before_s = clock.now_s
    for _ in range(4):
        allowance.take("Change", changes=1000)
    assert clock.now_s == before_s


def test_a_batch_larger_than_the_bucket_waits_for_a_full_one_and_no_longer() -> None:
    bucket = Bucket.full(Rate(), 0.0)
    bucket.take(50)
    assert bucket.wait_s(0.0, count=1000) == pytest.approx(5)


def test_a_throttled_account_waits_before_its_next_call() -> None:
    clock = Hurry()
    allowance = _allowance(clock)
    allowance.take("Change", changes=2)
    allowance.throttled("Change")
    allowance.take("Change", changes=2)
    assert clock.now_s == pytest.approx(0.2, abs=0.01)


def test_where_the_service_is_still_busy_only_that_action_waits() -> None:
    clock = Hurry()
    allowance = _allowance(clock)
    allowance.busy("Change")
    allowance.take("List")
    assert clock.now_s == 0
    allowance.take("Change", changes=2)
    assert clock.now_s == pytest.approx(0.2, abs=0.01)
    allowance.worked("Change")
    assert {budget.per_s for budget in allowance.budgets()} == {10}


def test_time_that_goes_back_gives_no_tokens() -> None:
    bucket = Bucket.full(Rate(), 10.0)
    bucket.take(50)
    assert bucket.wait_s(5.0) == pytest.approx(0.1)


def test_an_account_can_be_given_fewer_calls() -> None:
    clock = Hurry()
    allowance = Allowance(rate=Rate(per_s=2, burst=3), monotonic_s=clock.monotonic_s, wait=clock.wait)
    for _ in range(3):
        allowance.take("Change", changes=2)
    assert clock.now_s == 0
    for _ in range(4):
        allowance.take("Change", changes=2)
    assert clock.now_s == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("rate", [Rate(per_s=1, burst=1), Rate(per_s=1, burst=3)])
def test_reads_go_on_where_the_burst_is_smaller_than_what_is_kept_for_writes(rate: Rate) -> None:
    clock = Hurry()
    allowance = Allowance(rate=rate, monotonic_s=clock.monotonic_s, wait=clock.wait)
    for _ in range(5):
        allowance.take("List")
    assert clock.now_s <= 5 * rate.burst


def test_a_rate_below_one_a_second_stays_what_it_is_when_throttled() -> None:
    bucket = Bucket.full(Rate(per_s=0.5, burst=1), 0.0)
    bucket.throttled(0.0)
    assert bucket.rate == 0.5


def test_what_is_left_is_told_of_the_account_and_of_each_action() -> None:
    clock = Hurry()
    allowance = Allowance("prod", monotonic_s=clock.monotonic_s, wait=clock.wait)
    assert [(one.action, one.left) for one in allowance.budgets()] == [("", 50)]
    for action, changes in (("List", 0), ("Change", 2)):
        allowance.take(action, changes=changes)
    allowance.throttled("Change", changes=2)
    found = [(one.account, one.action, one.left, one.per_s, one.throttled) for one in allowance.budgets()]
    assert found == [("prod", "", 0, 5, 1), ("prod", "Change", 0, 5, 1), ("prod", "List", 49, 10, 0)]
    clock.wait(2.0)
    assert allowance.budgets()[0].left == 10
