"""Whether a thread gets on with its work."""

from __future__ import annotations

import pytest

from extdns.controller.pulse import Pulse


@pytest.mark.parametrize(
    ("after_s", "healthy"), [pytest.param(119.9, True, id="in time"), pytest.param(120.0, False, id="stuck")]
)
def test_a_thread_that_does_nothing_for_long_is_stuck(after_s: float, healthy: bool) -> None:
    assert Pulse(1000.0).healthy(1000.0 + after_s) is healthy


def test_each_beat_counts_anew() -> None:
    pulse = Pulse(0.0)
    pulse.beat(1000.0)
    assert pulse.healthy(1100.0)


@pytest.mark.parametrize(("misses", "broken"), [pytest.param(4, False, id="four"), pytest.param(5, True, id="five")])
def test_defects_in_a_row_break_it(misses: int, broken: bool) -> None:
    pulse = Pulse(0.0)
    for _ in range(misses):
        pulse.miss()
    assert pulse.broken is broken
    assert pulse.healthy(0.0) is not broken


def test_a_success_between_defects_mends_it() -> None:
    pulse = Pulse(0.0)
    for _ in range(20):
        pulse.miss()
        pulse.beat(0.0)
    assert not pulse.broken


def test_what_is_broken_stays_broken() -> None:
    pulse = Pulse(0.0)
    for _ in range(5):
        pulse.miss()
    pulse.beat(1.0)
    assert pulse.broken
