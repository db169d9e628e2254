"""How objects stand, as a process tells it that leads at times."""

from __future__ import annotations

import math

from extdns.engine.inputs import Led
from tests.unit.controller.test_standings import Desk
from tests.unit.engine.stage import INGRESS, SERVICE, owned, phase, ref, seen, wants


def test_who_stands_by_tells_nothing_and_everything_once_it_leads() -> None:
    desk = Desk(*owned("web"), elects=True)
    assert desk.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS)) == []
    assert desk.standings.wake_s == math.inf
    (told,) = desk.run(Led(leads=True))
    assert told.key == ref("web").key
    desk.shelf.forgotten.clear()
    assert desk.run(Led(leads=False)) == []
    assert desk.shelf.forgotten == [ref("web").key]
    assert len(desk.run(Led(leads=True))) == 1


def test_who_stands_by_ends_without_a_last_word() -> None:
    desk = Desk(*owned("web"), elects=True)
    assert desk.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS)) == []
    desk.standings.close(1.0)
    assert desk.shelf.told == []
    assert desk.shelf.closed
