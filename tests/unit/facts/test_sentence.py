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
