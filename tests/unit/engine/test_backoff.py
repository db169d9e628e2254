"""Exponential backoff of retries (docs/design/retries.md)."""

from __future__ import annotations

import pytest

from extdns.engine.retries import Failure, Retry


def test_each_failure_in_a_row_doubles_the_backoff_from_one_second_up_to_five_minutes() -> None:
    retry, delays = Retry(Failure.PLANNING), list[float]()
    for _ in range(10):
        retry.record_failure(100.0)
        delays.append(retry.until_at - 100.0)
    assert delays == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0]
    assert retry.failures == 10


@pytest.mark.parametrize(
    ("stated_s", "pause_s"),
    [
        pytest.param(None, 1.0, id="none-stated"),
        pytest.param(0.5, 1.0, id="shorter-than-the-backoff"),
        pytest.param(-5.0, 1.0, id="negative"),
        pytest.param(60.0, 60.0, id="longer-than-the-backoff"),
        pytest.param(1e9, 3600.0, id="longer-than-the-limit"),
    ],
)
def test_a_retry_after_longer_than_the_backoff_replaces_it_up_to_one_hour(
    stated_s: float | None, pause_s: float
) -> None:
    retry = Retry(Failure.PLANNING)
    retry.record_failure(100.0, stated_s)
    assert retry.until_at == 100.0 + pause_s
    assert not retry.has_ended(100.0 + pause_s - 0.1)
    assert retry.has_ended(100.0 + pause_s)


def test_a_retry_stores_the_time_of_the_first_failure_in_a_row_and_the_message_of_the_last() -> None:
    retry = Retry(Failure.PLANNING)
    retry.record_failure(100.0, message="down")
    retry.record_failure(110.0, message="denied", is_forbidden=True)
    assert (retry.since_at, retry.message, retry.is_forbidden) == (100.0, "denied", True)
    retry.record_success()
    assert (retry.failures, retry.until_at, retry.message, retry.is_forbidden) == (0, 0.0, "", False)
    retry.record_failure(120.0)
    assert retry.since_at == 120.0
