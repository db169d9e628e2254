"""The progress of long work, and when a run ends, with its metrics and log lines (docs/design/differences.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from extdns.controller.progress import ProgressTracker, SyncRuns
from extdns.controller.reporter import ActivityReporter
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.effects import ReportOutcome
from extdns.engine.inputs import Input, TimePassed
from extdns.errors import RetryableError
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, Forbidden, Refused, TryLater
from extdns.model.claim import InvalidClaim
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.inmemory.provider import InMemoryProvider
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    observe_new,
    origin,
    owned,
    record,
)
from tests.fakes.clocks import BEGINNING, MovedClock
from tests.log_lines import find_logged_events, find_logged_fields
from tests.unit.metrics.scrape import series
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


# progress


def test_counts_pages_while_a_zone_is_read() -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=3)
    assert (scene.shown()["zones"], scene.shown()["zonesRead"], scene.shown()["pages"]) == (1, 0, 2)
    assert scene.shown()["secondsLeft"] is None


def test_shows_waiting_and_written_names_and_the_time_left_while_writing() -> None:
    scene = ProgressScene()
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=5)
    assert (scene.shown()["zonesRead"], scene.shown()["namesWaiting"]) == (1, 8)
    scene.run(calls=3)
    assert (scene.shown()["namesWaiting"], scene.shown()["namesWritten"], scene.shown()["batches"]) == (5, 3, 3)
    assert scene.shown()["secondsLeft"] == pytest.approx(20, abs=8)
    scene.world.run(for_s=30.0)
    scene.step(TimePassed())
    assert scene.progress.describe() == {}


def test_logged_only_if_the_work_takes_long(caplog: pytest.LogCaptureFixture) -> None:
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


def test_at_most_one_line_while_no_work_is_completed(caplog: pytest.LogCaptureFixture) -> None:
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
def test_dry_run_or_standby_shows_no_progress_of_writing(*, writes: bool, elects: bool) -> None:
    scene = ProgressScene(writes=writes, elects=elects)
    scene.run(observe_new(*NAMES), change_phase(SERVICE), change_phase(INGRESS), calls=5)
    scene.world.run(for_s=2.0)
    scene.step(TimePassed())
    assert scene.progress.describe() == {}


FAILING = "external_dns_controller_consecutive_soft_errors"
SYNCED = "external_dns_controller_last_sync_timestamp_seconds"
RECONCILED = "external_dns_controller_last_reconcile_timestamp_seconds"
IDLE = "external_dns_controller_no_op_runs_total"
DELETES = DeleteSettings(owner="me", grace_s=120.0, limits=DeleteLimits(percent=100))


class RunsScene:
    """An engine and its `SyncRuns`, with one clock."""

    def __init__(self, *records: Record, writes: bool = True, **changes: object) -> None:
        self.world: World = build_world(*records, has_writer=writes, **changes)  # type: ignore[arg-type]
        self.clock = MovedClock(self.world.now_s)
        self.metrics = Metrics()
        self.reporter = ActivityReporter(self.metrics, "me")
        self.runs = SyncRuns(self.world.engine, self.reporter, self.clock, interval_s=60.0, writes=writes)

    def sync(self) -> None:
        """Complete the first full pass with `web` as the only Service."""
        self.world.run(
            observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS), for_s=1.0
        )

    def update(self, *, after_s: float = 0.0) -> bool:
        """Advance the clock and call `update` of `SyncRuns`. Return whether the first pass just ended."""
        if after_s:
            self.world.run(TimePassed(), for_s=after_s)
        self.clock.now_s = self.world.now_s
        self.reporter.report_decisions(self.world.reported)
        self.world.reported.clear()
        was_done = self.runs.first_pass_done.is_set()
        self.runs.update()
        return self.runs.first_pass_done.is_set() is not was_done

    def sample(self, name: str) -> float:
        return series(self.metrics, name)[()]

    def synced_s(self) -> float:
        """Return the seconds from the start to the last sync, from the metric."""
        return self.sample(SYNCED) - BEGINNING.timestamp()


# runs


def start_synced(*records: Record, **changes: Any) -> RunsScene:  # noqa: ANN401 - as RunsScene
    """Return a scene whose first run, with `web` as the only Service, has ended."""
    scene = RunsScene(*records, **changes)
    scene.sync()
    assert scene.update()
    return scene


def test_first_full_pass_ends_a_run() -> None:
    scene = RunsScene()
    assert not scene.update()
    scene.sync()
    assert scene.update()
    assert scene.runs.first_pass_done.is_set()
    assert scene.synced_s() == 1.0
    assert scene.sample(RECONCILED) == scene.sample(SYNCED)


def test_each_tick_of_the_interval_ends_a_run() -> None:
    scene = start_synced()
    assert [scene.update(after_s=after_s) for after_s in (59.0, 1.0, 59.0, 1.0)] == [False] * 4
    assert scene.synced_s() == 121.0
    assert scene.sample(IDLE) == 2  # the first run had changes


def test_line_of_external_dns_is_logged_after_a_run_without_changes(caplog: pytest.LogCaptureFixture) -> None:
    start_synced(*owned("web"))
    assert Event.UP_TO_DATE in find_logged_events(caplog)
    assert str(Event.UP_TO_DATE) == "All records are already up to date"


@pytest.mark.parametrize(
    "current",
    [
        pytest.param((record("web", "192.0.2.9"),), id="a-name-is-not-published"),
        pytest.param((*owned("web"), *owned("old", resource="")), id="a-delete-is-held"),
    ],
)
def test_not_up_to_date_if_a_record_is_not_as_requested(
    current: tuple[Record, ...], caplog: pytest.LogCaptureFixture
) -> None:
    scene = start_synced(*current)
    scene.update(after_s=60.0)
    assert Event.UP_TO_DATE not in find_logged_events(caplog)
    assert Event.NO_CHANGES in find_logged_events(caplog)


def test_not_up_to_date_while_a_delete_or_change_waits(caplog: pytest.LogCaptureFixture) -> None:
    scene = RunsScene(*owned("web"), *owned("api", resource="service/shop/api"), deletes=DELETES)
    scene.world.run(observe("api", build_claim("api", "api")))
    scene.sync()
    scene.update()
    assert Event.UP_TO_DATE in find_logged_events(caplog)
    caplog.clear()
    scene.world.run(observe_gone("api"), for_s=10.0)
    assert scene.world.list_decisions("api") == [("A", Action.KEEP, Reason.IN_GRACE)]
    scene.update(after_s=60.0)
    scene.world.provider.rule = lambda _: TryLater(message="busy")
    scene.world.run(observe("new", build_claim("new", "new")), for_s=1.0)
    scene.update(after_s=60.0)
    scene.update(after_s=60.0)
    assert Event.UP_TO_DATE not in find_logged_events(caplog)


def test_not_up_to_date_after_a_run_with_a_change(caplog: pytest.LogCaptureFixture) -> None:
    scene = start_synced()
    assert Event.DESIRED_CHANGE in find_logged_events(caplog)
    assert Event.UP_TO_DATE not in find_logged_events(caplog)
    scene.update(after_s=60.0)
    assert Event.UP_TO_DATE in find_logged_events(caplog)


def test_dry_run_logs_a_planned_change_once_and_never_up_to_date(caplog: pytest.LogCaptureFixture) -> None:
    scene = start_synced(writes=False)
    for _ in range(3):
        scene.update(after_s=60.0)
    assert find_logged_events(caplog).count(Event.DESIRED_CHANGE) == 1
    assert Event.UP_TO_DATE not in find_logged_events(caplog)
    assert scene.sample(IDLE) == 0
    assert scene.synced_s() == 181.0


def test_dry_run_logs_a_planned_change_again_if_it_differs(caplog: pytest.LogCaptureFixture) -> None:
    scene = start_synced(writes=False)
    scene.world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=1.0)
    scene.update(after_s=60.0)
    assert find_logged_events(caplog).count(Event.DESIRED_CHANGE) == 2


def an_object_fails(scene: RunsScene) -> None:
    scene.world.feed(observe("web", failure="planted"))


def a_zone_is_forbidden(scene: RunsScene) -> None:
    scene.world.provider.rule = lambda _: Forbidden(message="planted")
    scene.world.run(*(observe(name, build_claim(name, name)) for name in ("a", "b", "c")), for_s=5.0)


class Unlisted(InMemoryProvider):
    """A provider whose listing of zones always fails."""

    def list_zones(self) -> ZoneList:
        raise RetryableError("planted")


class Unread(InMemoryProvider):
    """A provider whose reads of zones always fail."""

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        raise RetryableError(f"{zone} {after}: planted")


def zones_cannot_be_listed(scene: RunsScene) -> None:
    scene.world.reader = Unlisted(seed={ZONE: ()})


def a_zone_cannot_be_read_again(scene: RunsScene) -> None:
    scene.world.reader = Unread(seed={ZONE: ()})
    scene.world.run(for_s=5.0)  # the first call lists the zones


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(a_zone_is_forbidden, id="a zone"),
        pytest.param(zones_cannot_be_listed, id="the list of zones"),
        pytest.param(a_zone_cannot_be_read_again, id="an audit"),
    ],
)
def test_last_sync_stands_still_while_zones_cannot_be_read_or_written(
    fail: Callable[[RunsScene], None], caplog: pytest.LogCaptureFixture
) -> None:
    scene = start_synced()
    fail(scene)
    scene.update(after_s=60.0)
    scene.update(after_s=60.0)
    assert scene.synced_s() == 1.0
    assert scene.sample(FAILING) == 2
    assert scene.runs.failing
    assert Event.UP_TO_DATE not in find_logged_events(caplog)
    scene.world.provider.rule, scene.world.reader = lambda _: None, scene.world.provider
    scene.world.run(observe("web", build_claim("web", "web")), for_s=300.0)
    scene.update()
    assert scene.sample(FAILING) == 0
    assert scene.synced_s() == scene.world.now_s - 1000.0


def a_name_is_refused(scene: RunsScene) -> None:
    scene.world.provider.rule = lambda _: Refused(message="planted")
    scene.world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))


def a_hostname_is_not_a_name(scene: RunsScene) -> None:
    claim = InvalidClaim(
        provenance=origin("typo"), reason=Reason.INVALID_NAME, value="a..b.example.org", allowed="labels"
    )
    scene.world.feed(observe("typo", claim))


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(an_object_fails, id="an object"),
        pytest.param(a_name_is_refused, id="a refused name"),
        pytest.param(a_hostname_is_not_a_name, id="a hostname that is not a name"),
    ],
)
def test_last_sync_advances_although_one_object_fails(fail: Callable[[RunsScene], None]) -> None:
    scene = start_synced()
    fail(scene)
    scene.update(after_s=60.0)
    assert scene.runs.failing
    assert scene.synced_s() == 61.0
    assert scene.sample(RECONCILED) == scene.sample(SYNCED)
    assert scene.sample(FAILING) == 0


def test_last_sync_advances_while_a_delete_is_held() -> None:
    scene = start_synced(*owned("web"), *owned("old", resource=""))
    scene.update(after_s=60.0)
    assert scene.world.engine.decisions.reasons[Reason.ORPHAN_UNCLAIMED] == 1
    assert scene.synced_s() == 61.0


def test_first_full_pass_that_fails_is_a_failing_run() -> None:
    scene = RunsScene()
    scene.world.provider.failures.extend([RetryableError("planted")] * 99)
    scene.world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    assert not scene.update()
    assert scene.runs.failing == ("zones cannot be listed: planted",)
    assert not scene.update(after_s=28.0)
    assert scene.sample(FAILING) == 0
    assert scene.update(after_s=1.0)  # the first full pass no longer waits for it
    scene.update(after_s=60.0)
    assert scene.sample(FAILING) == 2
    assert scene.sample(SYNCED) == 0


def test_first_full_pass_that_takes_long_is_a_failing_run_each_interval() -> None:
    scene = RunsScene()
    scene.world.feed(change_phase(SERVICE))
    for _ in range(2):
        scene.clock.now_s += 60.0
        scene.runs.update()
        assert not scene.runs.first_pass_done.is_set()
    assert scene.sample(FAILING) == 2
    assert scene.sample(SYNCED) == 0


@pytest.mark.parametrize("names", [99, 1], ids=["more-than-can-be-planned", "one-that-is-always-written"])
def test_first_full_pass_ends_although_some_name_always_changes(names: int) -> None:
    scene = RunsScene(names_per_step=2)
    scene.sync()
    for number in range(70):
        claims = [build_claim("many", f"many{one}", f"192.0.2.{number}") for one in range(names)]
        scene.world.feed(observe("many", *claims))
        scene.world.now_s += 10.0
        scene.update()
    assert not scene.world.engine.is_idle
    assert scene.runs.first_pass_done.is_set()


def test_idle_process_updates_its_metrics_once_an_interval() -> None:
    scene = start_synced()
    assert scene.runs.next_deadline_at == scene.clock.now_s + 60.0
    scene.update(after_s=60.0)
    assert scene.runs.next_deadline_at == scene.clock.now_s + 60.0


def test_failures_are_computed_at_most_once_a_second() -> None:
    scene = start_synced()
    scene.world.feed(observe("api", failure="planted"))
    scene.update()
    assert not scene.runs.failing
    assert scene.runs.next_deadline_at == scene.clock.now_s + 1.0
    scene.update(after_s=1.0)
    assert scene.runs.failing == ("Service shop/api: planted",)
    assert scene.runs.next_deadline_at == scene.clock.now_s + 59.0


def test_object_without_an_address_is_not_a_failure() -> None:
    scene = RunsScene()
    scene.world.run(
        observe("web", build_unresolved("web", "web", Reason.NO_ADDRESS)),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=1.0,
    )
    assert scene.update()
    assert scene.runs.failing == ()
    assert scene.synced_s() == 1.0
