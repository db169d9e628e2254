"""When a thread counts as stuck or broken."""

from __future__ import annotations

import pytest

from extdns.controller.cluster_thread import Heartbeat


@pytest.mark.parametrize(
    ("after_s", "healthy"), [pytest.param(59.9, True, id="in time"), pytest.param(60.0, False, id="stuck")]
)
def test_a_thread_without_progress_for_a_minute_counts_as_stuck(after_s: float, healthy: bool) -> None:
    assert Heartbeat(1000.0).is_healthy(1000.0 + after_s) is healthy


def test_each_success_of_a_thread_restarts_the_time_until_it_counts_as_stuck() -> None:
    heartbeat = Heartbeat(0.0)
    heartbeat.record_success(1000.0)
    assert heartbeat.is_healthy(1050.0)


@pytest.mark.parametrize(("misses", "broken"), [pytest.param(4, False, id="four"), pytest.param(5, True, id="five")])
def test_a_thread_counts_as_broken_after_five_failures_in_a_row(misses: int, broken: bool) -> None:
    heartbeat = Heartbeat(0.0)
    for _ in range(misses):
        heartbeat.record_failure()
    assert heartbeat.is_broken is broken
    assert heartbeat.is_healthy(0.0) is not broken


def test_a_success_of_a_thread_resets_its_count_of_failures() -> None:
    heartbeat = Heartbeat(0.0)
    for _ in range(20):
        heartbeat.record_failure()
        heartbeat.record_success(0.0)
    assert not heartbeat.is_broken


def test_a_broken_thread_still_counts_as_broken_after_a_success() -> None:
    heartbeat = Heartbeat(0.0)
    for _ in range(5):
        heartbeat.record_failure()
    heartbeat.record_success(1.0)
    assert heartbeat.is_broken
