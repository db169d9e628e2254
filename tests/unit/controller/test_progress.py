"""The progress of long work, in the log and for readiness."""

from __future__ import annotations

import pytest

from extdns.controller.progress import ProgressTracker
from extdns.engine.effects import ReportOutcome
from extdns.engine.inputs import Input, TimePassed
from extdns.log import Event
from extdns.model.capabilities import Capabilities
from tests.builders import INGRESS, SERVICE, change_phase, observe_new, record
from tests.fakes.clocks import MovedClock
from tests.log_lines import find_logged_events, find_logged_fields
from tests.world import World, build_world

PAIRS = Capabilities(atomic=True, conditional=True, max_batch_writes=2)
NAMES = tuple(f"n{number}" for number in range(8))


class ProgressScene:
    """An engine with its progress report. Each call takes time."""

    def __init__(self, *, writes: bool = True, elects: bool = False, took_s: float = 4.0) -> None:
        held = [record(f"old-{number}") for number in range(16)]
        self.world: World = build_world(*held, page_size=4, capabilities=PAIRS, has_writer=writes, has_election=elects)
        self.clock = MovedClock(self.world.now_s)
        self.progress = ProgressTracker(self.world.engine, self.clock, writes=writes)
        self.took_s = took_s
        self.seen: list[dict[str, object]] = []

    def run(self, *items: Input, calls: int) -> None:
        """Feed *items* to the engine, then execute *calls* of its calls one by one."""
        for item in items:
            self.step(item)
        for _ in range(calls):
            while not self.world.waiting:
                self.world.now_s += 0.01
                self.step(TimePassed())
            self.world.now_s += self.took_s
            self.step(self.world.answer())

    def step(self, item: Input) -> None:
        ended = len(self.world.outcomes)
        self.world.feed(item)
        outcomes = self.world.outcomes[ended:]
        self.progress.after_step([ReportOutcome(batch=batch, outcome=outcome) for batch, outcome in outcomes])
        self.clock.now_s = self.world.now_s
        self.progress.update()

    def shown(self) -> dict[str, object]:
        found = self.progress.describe()["progress"]
        assert isinstance(found, dict)
        return found


def test_progress_counts_pages_while_a_zone_is_read() -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=3)
    assert (scene.shown()["zones"], scene.shown()["zonesRead"], scene.shown()["pages"]) == (1, 0, 2)
    assert scene.shown()["secondsLeft"] is None


def test_progress_shows_waiting_and_written_names_and_the_estimated_time_while_writing() -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=5)
    assert (scene.shown()["zonesRead"], scene.shown()["namesWaiting"]) == (1, 8)
    scene.run(calls=3)
    assert (scene.shown()["namesWaiting"], scene.shown()["namesWritten"], scene.shown()["batches"]) == (5, 3, 3)
    assert scene.shown()["secondsLeft"] == pytest.approx(20, abs=8)
    scene.world.run(for_s=30.0)
    scene.step(TimePassed())
    assert scene.progress.describe() == {}


def test_progress_is_logged_only_if_the_work_takes_long(caplog: pytest.LogCaptureFixture) -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=13)
    lines = find_logged_fields(caplog, Event.PROGRESS)
    assert 3 <= len(lines) <= 6
    assert (lines[0]["read"], lines[0]["pages"], lines[0]["left_s"]) == (0, 3, None)
    assert all(line["read"] == 1 for line in lines[1:])
    assert lines[-1]["batches"]
    assert lines[-1]["left_s"]
    caplog.clear()
    quick = ProgressScene(took_s=0.05)
    quick.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=13)
    assert find_logged_events(caplog) == []


def test_at_most_one_progress_line_is_logged_while_no_work_is_completed(caplog: pytest.LogCaptureFixture) -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=2)
    caplog.clear()
    for _ in range(10):
        scene.world.now_s += 30.0
        scene.step(TimePassed())
    assert len(find_logged_fields(caplog, Event.PROGRESS)) <= 1


@pytest.mark.parametrize(
    ("writes", "elects"), [pytest.param(False, False, id="dry-run"), pytest.param(True, True, id="standby")]
)
def test_a_dry_run_or_standby_shows_no_progress_of_writing(*, writes: bool, elects: bool) -> None:
    scene = ProgressScene(writes=writes, elects=elects)
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=5)
    scene.world.run(for_s=2.0)
    scene.step(TimePassed())
    assert scene.progress.describe() == {}
