"""How far long work has come, for the log and for readiness."""

from __future__ import annotations

import pytest

from extdns.controller.progress import Progress
from extdns.engine.inputs import Input, Tick
from extdns.log import Event
from extdns.model.zone import Traits
from tests.unit.controller.scene import MovedClock, fields, told
from tests.unit.engine.stage import INGRESS, SERVICE, Stage, new, phase, record, stage

PAIRS = Traits(atomic=True, conditional=True, max_batch_writes=2)
NAMES = tuple(f"n{number}" for number in range(8))


class Desk:
    """A process whose every call takes a while."""

    def __init__(self, *, writes: bool = True, elects: bool = False, took_s: float = 4.0) -> None:
        held = [record(f"old-{number}") for number in range(16)]
        self.stage: Stage = stage(*held, page_size=4, traits=PAIRS, writes=writes, elects=elects)
        self.clock = MovedClock(self.stage.now_s)
        self.progress = Progress(self.stage.engine, self.clock, writes=writes)
        self.took_s = took_s
        self.seen: list[dict[str, object]] = []

    def run(self, *items: Input, calls: int) -> None:
        """Feed *items*, then carry out so many calls, one after the other."""
        for item in items:
            self.step(item)
        for _ in range(calls):
            while not self.stage.waiting:
                self.stage.now_s += 0.01
                self.step(Tick())
            self.stage.now_s += self.took_s
            self.step(self.stage.answer())

    def step(self, item: Input) -> None:
        ended = len(self.stage.outcomes)
        self.stage.feed(item)
        for batch, outcome in self.stage.outcomes[ended:]:
            self.progress.ended(batch, outcome)
        self.clock.now_s = self.stage.now_s
        self.progress.look()

    def shown(self) -> dict[str, object]:
        found = self.progress.shown()["progress"]
        assert isinstance(found, dict)
        return found


def test_pages_are_counted_while_a_zone_is_read() -> None:
    desk = Desk()
    desk.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=3)
    assert (desk.shown()["zones"], desk.shown()["zonesRead"], desk.shown()["pages"]) == (1, 0, 2)
    assert desk.shown()["secondsLeft"] is None


def test_names_and_the_time_that_is_left_are_told_while_they_are_written() -> None:
    desk = Desk()
    desk.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=5)
    assert (desk.shown()["zonesRead"], desk.shown()["namesWaiting"]) == (1, 8)
    desk.run(calls=3)
    assert (desk.shown()["namesWaiting"], desk.shown()["namesWritten"], desk.shown()["batches"]) == (5, 3, 3)
    assert desk.shown()["secondsLeft"] == pytest.approx(20, abs=8)
    desk.stage.run(for_s=30.0)
    desk.step(Tick())
    assert desk.progress.shown() == {}


def test_long_work_is_logged_now_and_then_and_short_work_is_not(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=13)
    lines = fields(caplog, Event.PROGRESS)
    assert 3 <= len(lines) <= 6
    assert (lines[0]["read"], lines[0]["pages"], lines[0]["left_s"]) == (0, 3, None)
    assert all(line["read"] == 1 for line in lines[1:])
    assert lines[-1]["batches"]
    assert lines[-1]["left_s"]
    caplog.clear()
    quick = Desk(took_s=0.05)
    quick.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=13)
    assert told(caplog) == []


def test_work_that_gets_nowhere_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=2)
    caplog.clear()
    for _ in range(10):
        desk.stage.now_s += 30.0
        desk.step(Tick())
    assert len(fields(caplog, Event.PROGRESS)) <= 1


@pytest.mark.parametrize(
    ("writes", "elects"), [pytest.param(False, False, id="dry-run"), pytest.param(True, True, id="stands-by")]
)
def test_nothing_waits_to_be_written_where_nothing_is_written(*, writes: bool, elects: bool) -> None:
    desk = Desk(writes=writes, elects=elects)
    desk.run(new(*NAMES), phase(SERVICE), phase(INGRESS), calls=5)
    desk.stage.run(for_s=2.0)
    desk.step(Tick())
    assert desk.progress.shown() == {}
