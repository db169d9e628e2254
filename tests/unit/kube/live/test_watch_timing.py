"""Backoff of watches grows, has jitter, and is never shorter than the server's `Retry-After`."""

from __future__ import annotations

import pytest

from extdns.kube.live.watch_timing import WatchBackoff, WatchTiming

TIMING = WatchTiming(initial_backoff_s=1, max_backoff_s=6, min_watch_s=300, max_watch_s=600)
ALMOST_ONE = 1 - 2**-53


def count_failures(backoff: WatchBackoff, count: int) -> list[float]:
    return [backoff.count_failure(None) for _ in range(count)]


def test_the_backoff_of_a_watch_doubles_up_to_its_maximum() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 1.0), 5) == [1, 2, 4, 6, 6]


def test_jitter_reduces_the_backoff_of_a_watch_by_at_most_half() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 0.0), 4) == [0.5, 1, 2, 3]


def test_the_backoff_of_a_watch_begins_again_after_its_failures_are_set_to_0() -> None:
    backoff = WatchBackoff(TIMING, lambda: 1.0)
    count_failures(backoff, 3)
    assert backoff.failures == 3
    backoff.failures = 0
    assert (backoff.failures, backoff.count_failure(None)) == (0, 1)


def test_a_watch_resets_its_backoff_only_after_it_was_open_for_long_enough() -> None:
    backoff = WatchBackoff(TIMING, lambda: 1.0)
    count_failures(backoff, 3)
    assert not backoff.reset_if_healthy(1000.0)  # no watch was opened
    backoff.start_watch(1000.0)
    assert not backoff.reset_if_healthy(1000.0 + TIMING.healthy_after_s - 0.1)
    assert backoff.failures == 3
    backoff.start_watch(2000.0)
    assert backoff.reset_if_healthy(2000.0 + TIMING.healthy_after_s)
    assert backoff.failures == 0
    assert not backoff.reset_if_healthy(3000.0)


@pytest.mark.parametrize(
    ("retry_after_s", "pause_s"),
    [pytest.param(0.0, 1.0, id="less"), pytest.param(5.0, 5.0, id="more"), pytest.param(60.0, 60.0, id="much-more")],
)
def test_the_retry_after_header_can_lengthen_the_backoff_of_a_watch(retry_after_s: float, pause_s: float) -> None:
    assert WatchBackoff(TIMING, lambda: 1.0).count_failure(retry_after_s) == pause_s


def test_the_backoff_of_a_watch_is_finite_after_any_number_of_failures() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 1.0), 2000)[-1] == 6


def test_watches_are_requested_with_random_timeouts_between_five_and_ten_minutes() -> None:
    early, late = WatchBackoff(TIMING, lambda: 0.0), WatchBackoff(TIMING, lambda: ALMOST_ONE)
    assert (early.choose_watch_s(), late.choose_watch_s()) == (300, 600)


def test_the_idle_timeout_of_a_watch_is_longer_than_the_bookmark_interval_and_shorter_than_the_watch() -> None:
    assert 2 * 75 > WatchTiming().idle_timeout_s > 75  # the server sends a bookmark every 60 s, plus or minus 25 %
    assert WatchTiming().idle_timeout_s < WatchTiming().min_watch_s
