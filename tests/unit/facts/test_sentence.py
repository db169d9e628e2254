"""The state of the whole in one sentence."""

from __future__ import annotations

import pytest

from extdns.engine.inputs import Led
from extdns.facts.live import Live
from extdns.facts.names import State
from extdns.facts.sentence import sentence
from extdns.facts.snapshot import Snapshot
from tests.unit.controller.scene import BEGINNING
from tests.unit.engine.stage import owned, running, seen, wants


@pytest.mark.parametrize(
    ("leads", "expected"),
    [
        pytest.param(True, "The one name is published.", id="leader"),
        pytest.param(False, "This process stands by; another one writes. The one name is published.", id="standby"),
    ],
)
def test_who_stands_by_says_so_first(leads: bool, expected: str) -> None:
    world = running(*owned("web"), first=[seen("web", wants("web", "web"))], elects=True)
    world.run(Led(leads=leads))
    live = Live(Snapshot(world.engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), settled=True)
    assert sentence(live, {State.PUBLISHED: 1}) == expected


@pytest.mark.parametrize(
    ("settled", "counts", "expected"),
    [
        pytest.param(False, {}, "The first pass is not over yet.", id="start"),
        pytest.param(True, {}, "No object asks for a name.", id="nothing"),
        pytest.param(True, {State.PUBLISHED: 1388, State.LEFT_OUT: 2}, "All 1,388 names are published.", id="all"),
        pytest.param(
            True,
            {State.PUBLISHED: 1, State.FAILING: 1, State.CHANGING: 2, State.KEPT: 1},
            "1 of 5 names is published, 1 fails, 2 are changing and 1 is kept as it stands.",
            id="some",
        ),
        pytest.param(
            True,
            {State.PUBLISHED: 2, State.UNKNOWN: 1},
            "2 of 3 names are published, 1 is not known.",
            id="not-all-was-read",
        ),
    ],
)
def test_the_answer_comes_first(settled: bool, counts: dict[State, int], expected: str) -> None:
    world = running()
    live = Live(Snapshot(world.engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), settled=settled)
    assert sentence(live, counts) == expected
