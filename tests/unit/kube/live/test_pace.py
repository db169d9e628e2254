"""Pauses grow, spread and never fall short of what the server asks for."""

from __future__ import annotations

import pytest

from extdns.kube.live.pace import Pace, Rhythm

RHYTHM = Rhythm(first_pause_s=1, longest_pause_s=6, shortest_watch_s=300, longest_watch_s=600)
ALMOST_ONE = 1 - 2**-53


def pauses(pace: Pace, count: int) -> list[float]:
    return [pace.fail(None) for _ in range(count)]


def test_pauses_double_up_to_the_longest() -> None:
    assert pauses(Pace(RHYTHM, lambda: 1.0), 5) == [1, 2, 4, 6, 6]


def test_pauses_spread_over_their_upper_half() -> None:
    assert pauses(Pace(RHYTHM, lambda: 0.0), 4) == [0.5, 1, 2, 3]


def test_success_forgets_the_failures() -> None:
    pace = Pace(RHYTHM, lambda: 1.0)
    pauses(pace, 3)
    assert pace.failures == 3
    pace.succeed()
    assert (pace.failures, pace.fail(None)) == (0, 1)


@pytest.mark.parametrize(
    ("asked_s", "pause_s"),
    [pytest.param(0.0, 1.0, id="less"), pytest.param(5.0, 5.0, id="more"), pytest.param(60.0, 60.0, id="much-more")],
)
def test_the_server_may_ask_for_a_longer_pause(asked_s: float, pause_s: float) -> None:
    assert Pace(RHYTHM, lambda: 1.0).fail(asked_s) == pause_s


def test_however_many_failures_there_are_a_pause_can_be_told() -> None:
    assert pauses(Pace(RHYTHM, lambda: 1.0), 2000)[-1] == 6


def test_watches_end_at_different_times() -> None:
    early, late = Pace(RHYTHM, lambda: 0.0), Pace(RHYTHM, lambda: ALMOST_ONE)
    assert (early.watch_s(), late.watch_s()) == (300, 600)


def test_a_dead_watch_is_known_before_it_would_end() -> None:
    assert 2 * 75 > Rhythm().silence_s > 75  # a bookmark a minute, give or take a quarter
    assert Rhythm().silence_s < Rhythm().shortest_watch_s
