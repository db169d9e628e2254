"""Calls of a service: their rate, their failures, and what these mean for a batch."""

from __future__ import annotations

import pytest

from extdns.errors import CredentialsError, ForbiddenError
from extdns.model.change import Forbidden, Outcome, Refused, TryLater, Unknown
from providers.common.api_calls import (
    CallFailedError,
    FailureKind,
    RateLimit,
    RateLimiter,
    TokenBucket,
    convert_to_outcome,
)
from tests.route53 import FastClock


def _limiter(clock: FastClock, pause_s: float = 0.0) -> RateLimiter:
    return RateLimiter(pause_s=pause_s, monotonic_s=clock.monotonic_s, wait=clock.wait, choose=lambda: 0.0)


def test_after_a_burst_api_calls_wait_for_the_sustained_rate() -> None:
    clock = FastClock()
    limiter = _limiter(clock)
    for _ in range(50):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == 0
    for _ in range(20):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(2, abs=0.01)


def test_an_action_can_have_a_limit_of_its_own() -> None:
    clock = FastClock()
    rates = {"Change": RateLimit(per_s=1.0, burst=2.0)}
    limiter = RateLimiter(actions=rates, monotonic_s=clock.monotonic_s, wait=clock.wait)
    for action in ("Change", "Change", "List"):
        limiter.acquire(action, changes=2)
    assert clock.now_s == 0
    limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(1, abs=0.01)


def test_reads_leave_the_last_calls_of_the_burst_to_writes() -> None:
    clock = FastClock()
    limiter = _limiter(clock)
    for _ in range(45):
        limiter.acquire("List")
    for _ in range(5):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == 0
    limiter.acquire("List")
    assert clock.now_s == pytest.approx(0.6, abs=0.01)


def test_two_writes_are_separated_by_the_configured_pause() -> None:
    clock = FastClock()
    limiter = _limiter(clock, pause_s=1.0)
    limiter.acquire("Change", changes=2)
    limiter.acquire("List")
    assert clock.now_s == 0
    limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(1)


def test_throttling_halves_the_rate_once_a_second_and_successful_calls_restore_it() -> None:
    bucket = TokenBucket.full(RateLimit(), 0.0)
    bucket.record_throttle(0.0)
    assert (bucket.tokens, bucket.rate) == (0.0, 5.0)
    assert bucket.compute_wait_s(0.0) == pytest.approx(0.2)
    for second in range(1, 9):
        bucket.record_throttle(float(second))
    assert bucket.rate == 0.1
    for _ in range(21):
        bucket.record_success()
    assert bucket.rate == 10.0


def test_calls_throttled_within_one_second_halve_the_rate_only_once() -> None:
    bucket = TokenBucket.full(RateLimit(), 0.0)
    for number in range(8):
        bucket.record_throttle(number * 0.1)
    assert (bucket.rate, bucket.throttle_count) == (5.0, 8)


def test_while_other_processes_use_up_the_rate_limit_few_calls_are_made_and_the_rate_recovers_within_a_minute() -> None:
    clock, attempts = FastClock(), list[float]()
    limiter = _limiter(clock)
    while clock.now_s < 60.0:
        limiter.acquire("List")
        limiter.record_throttle("List")
        attempts.append(clock.now_s)
        clock.wait(0.1)
    assert len([at_s for at_s in attempts if at_s < 5.0]) <= 25
    assert len([at_s for at_s in attempts if at_s >= 10.0]) <= 6
    for _ in range(21):
        limiter.acquire("List")
        limiter.record_success("List")
    assert clock.now_s < 120.0
    assert {one.per_s for one in limiter.read_rate_limits()} == {10}


def test_after_throttling_a_call_waits_a_random_time_up_to_twice_as_long_as_needed() -> None:
    waited_s = []
    for chosen in (0.0, 0.5, 0.999):
        clock = FastClock()
        limiter = RateLimiter(monotonic_s=clock.monotonic_s, wait=clock.wait, choose=lambda chosen=chosen: chosen)  # type: ignore[misc]
        limiter.record_throttle("List")
        limiter.acquire("List")
        waited_s.append(clock.now_s)
    assert waited_s == [pytest.approx(seconds, abs=0.001) for seconds in (0.2, 0.3, 0.4)]


def test_without_throttling_calls_wait_exactly_as_long_as_needed() -> None:
    clock = FastClock()
    limiter = RateLimiter(monotonic_s=clock.monotonic_s, wait=clock.wait, choose=lambda: 0.9)
    for _ in range(51):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(0.1, abs=0.001)


def test_no_read_starts_while_a_write_waits_after_throttling() -> None:
    clock, begun = FastClock(), list[str]()

    def wait(seconds: float) -> None:  # while the write waits, a read tries to begin again and again
        for _ in range(10):
            clock.now_s += seconds / 10
            if not limiter.try_acquire("List"):
                begun.append("read")

    limiter = RateLimiter(monotonic_s=clock.monotonic_s, wait=wait, choose=lambda: 0.0)
    limiter.record_throttle("List")
    limiter.acquire("Change", changes=2)
    assert begun == []
    clock.now_s += 1.0
    assert limiter.try_acquire("List") == 0.0, "no write waits any more"


def test_batches_are_spread_over_time_only_after_writes_were_throttled_repeatedly() -> None:
    clock = FastClock()
    limiter = _limiter(clock)
    for _ in range(4):
        limiter.acquire("Change", changes=1000)
        limiter.record_success("Change")
    assert clock.now_s == 0, "nothing is held back for a limit that may not be there"
    for _ in range(6):
        limiter.acquire("Change", changes=640)
        limiter.record_throttle("Change", changes=640)
    before_s = clock.now_s
    for _ in range(2):
        limiter.acquire("Change", changes=640)
        limiter.record_success("Change")
    assert clock.now_s - before_s == pytest.approx(12.8, abs=0.1)
    clock.wait(600.0)
    before_s = clock.now_s
    for _ in range(4):
        limiter.acquire("Change", changes=1000)
    assert clock.now_s == before_s


def test_a_batch_larger_than_the_whole_burst_waits_only_until_the_burst_is_available() -> None:
    bucket = TokenBucket.full(RateLimit(), 0.0)
    bucket.take(50)
    assert bucket.compute_wait_s(0.0, count=1000) == pytest.approx(5)


def test_a_service_that_is_busy_with_one_api_action_does_not_delay_calls_of_other_actions() -> None:
    clock = FastClock()
    limiter = _limiter(clock)
    limiter.record_busy("Change")
    limiter.acquire("List")
    assert clock.now_s == 0
    limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(0.2, abs=0.01)
    for _ in range(4):
        limiter.record_success("Change")
    assert {budget.per_s for budget in limiter.read_rate_limits()} == {10}


def test_a_clock_that_jumps_back_allows_no_additional_calls() -> None:
    bucket = TokenBucket.full(RateLimit(), 10.0)
    bucket.take(50)
    assert bucket.compute_wait_s(5.0) == pytest.approx(0.1)


def test_the_rate_of_an_account_can_be_configured() -> None:
    clock = FastClock()
    limiter = RateLimiter(rate=RateLimit(per_s=2, burst=3), monotonic_s=clock.monotonic_s, wait=clock.wait)
    for _ in range(3):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == 0
    for _ in range(4):
        limiter.acquire("Change", changes=2)
    assert clock.now_s == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("rate", [RateLimit(per_s=1, burst=1), RateLimit(per_s=1, burst=3)])
def test_reads_are_possible_even_if_the_burst_is_smaller_than_the_reserve_for_writes(rate: RateLimit) -> None:
    clock = FastClock()
    limiter = RateLimiter(rate=rate, monotonic_s=clock.monotonic_s, wait=clock.wait)
    for _ in range(5):
        limiter.acquire("List")
    assert clock.now_s <= 5 * rate.burst


def test_throttling_does_not_lower_the_rate_below_one_call_in_ten_seconds() -> None:
    bucket = TokenBucket.full(RateLimit(per_s=0.15, burst=1), 0.0)
    bucket.record_throttle(0.0)
    assert bucket.rate == 0.1
    slow = TokenBucket.full(RateLimit(per_s=0.05, burst=1), 0.0)
    slow.record_throttle(0.0)
    assert slow.rate == 0.05


def test_the_remaining_calls_are_reported_for_the_account_and_for_each_api_action() -> None:
    clock = FastClock()
    limiter = RateLimiter("prod", monotonic_s=clock.monotonic_s, wait=clock.wait)
    assert [(one.action, one.calls_left) for one in limiter.read_rate_limits()] == [("", 50)]
    for action, changes in (("List", 0), ("Change", 2)):
        limiter.acquire(action, changes=changes)
    limiter.record_throttle("Change", changes=2)
    found = [
        (one.account, one.action, one.calls_left, one.per_s, one.throttle_count) for one in limiter.read_rate_limits()
    ]
    assert found == [("prod", "", 0, 5, 1), ("prod", "Change", 0, 5, 1), ("prod", "List", 49, 10, 0)]
    clock.wait(2.0)
    assert limiter.read_rate_limits()[0].calls_left == 10


# Failed calls, their messages and outcomes


def failed(trouble: FailureKind) -> CallFailedError:
    return CallFailedError(trouble, "dns.change", "zone z", "Code", "words")


def test_the_message_about_a_failed_call_has_the_call_its_object_and_the_text_of_the_service() -> None:
    assert str(failed(FailureKind.RETRYABLE)) == "dns.change on zone z: Code: words"
    assert str(CallFailedError(FailureKind.RETRYABLE, "dns.list", "", "Code", "")) == "dns.list: Code"


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [
        (FailureKind.REFUSED, Refused(message="dns.change on zone z: Code: words")),
        (FailureKind.FORBIDDEN, Forbidden(message="dns.change on zone z: Code: words")),
        (FailureKind.CREDENTIALS, TryLater(message="dns.change on zone z: Code: words")),
        (FailureKind.RETRYABLE, TryLater(message="dns.change on zone z: Code: words")),
        (FailureKind.UNANSWERED, Unknown(message="dns.change on zone z: Code: words")),
    ],
)
def test_the_kind_of_failure_of_a_call_decides_the_outcome_of_its_batch(trouble: FailureKind, outcome: Outcome) -> None:
    assert convert_to_outcome(failed(trouble)) == outcome


@pytest.mark.parametrize("trouble", FailureKind)
def test_a_failed_read_is_reported_as_forbidden_as_without_credentials_or_as_retryable(trouble: FailureKind) -> None:
    special = {FailureKind.FORBIDDEN: ForbiddenError, FailureKind.CREDENTIALS: CredentialsError}
    kinds = {kind for kind in (ForbiddenError, CredentialsError) if isinstance(failed(trouble), kind)}
    assert kinds == ({special[trouble]} if trouble in special else set())
    assert isinstance(failed(trouble), CallFailedError)
