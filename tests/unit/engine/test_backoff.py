"""Pauses grow, and are no longer than they should be."""

from __future__ import annotations

import pytest

from extdns.engine.backoff import Backoff


def test_pauses_double_up_to_the_longest() -> None:
    backoff, pauses = Backoff(most_s=10.0), list[float]()
    for _ in range(6):
        backoff.fail(100.0)
        pauses.append(backoff.until_s - 100.0)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert backoff.failures == 6


@pytest.mark.parametrize(
    ("asked_s", "pause_s"),
    [
        pytest.param(None, 1.0, id="nothing"),
        pytest.param(0.5, 1.0, id="less than we would pause"),
        pytest.param(-5.0, 1.0, id="nonsense"),
        pytest.param(60.0, 60.0, id="more"),
        pytest.param(1e9, 3600.0, id="more than can be meant"),
    ],
)
def test_what_the_service_asks_for_is_kept_to_within_reason(asked_s: float | None, pause_s: float) -> None:
    backoff = Backoff()
    backoff.fail(100.0, asked_s)
    assert backoff.until_s == 100.0 + pause_s
    assert not backoff.over(100.0 + pause_s - 0.1)
    assert backoff.over(100.0 + pause_s)


def test_it_remembers_since_when_and_why_it_fails_until_something_succeeds() -> None:
    backoff = Backoff()
    backoff.fail(100.0, message="down")
    backoff.fail(110.0, message="denied", refused=True)
    assert (backoff.since_s, backoff.message, backoff.refused) == (100.0, "denied", True)
    backoff.succeed()
    assert (backoff.failures, backoff.until_s, backoff.message, backoff.refused) == (0, 0.0, "", False)
    backoff.fail(120.0)
    assert backoff.since_s == 120.0
