"""The settings of the engine that follow from flags."""

from __future__ import annotations

import pytest

from tests.cluster_world import COMPAT, HOUR_S, start_cluster
from tests.objects import service


@pytest.mark.parametrize(
    ("flags", "rounds"),
    [
        pytest.param((), 7, id="quiet"),
        pytest.param(COMPAT, 60, id="compat"),
        pytest.param(("--max-refresh-interval=1m",), 60, id="fixed"),
        pytest.param(("--max-refresh-interval=5m",), 13, id="at-most-five-minutes"),
    ],
)
def test_flags_decide_how_often_an_unchanged_zone_is_read_in_an_hour(flags: tuple[str, ...], rounds: int) -> None:
    world = start_cluster(service("web"), flags=["--interval=1m", *flags])
    world.calls.clear()
    world.run(for_s=HOUR_S)
    assert world.calls.count("ReadPage") == pytest.approx(rounds, abs=1)
