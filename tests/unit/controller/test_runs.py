"""Runs: when they are, and what metrics and logs say of them (design 5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.controller.runs import Runs
from extdns.controller.teller import Teller
from extdns.engine.inputs import Tick
from extdns.errors import RetryableError
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.outcome import Forbidden
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Page, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.unit.controller.scene import BEGINNING, MovedClock, told
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, Stage, owned, phase, seen, stage, wants, withholds

FAILING = "external_dns_controller_consecutive_soft_errors"
SYNCED = "external_dns_controller_last_sync_timestamp_seconds"
RECONCILED = "external_dns_controller_last_reconcile_timestamp_seconds"
IDLE = "external_dns_controller_no_op_runs_total"


class Desk:
    """Runs of an engine whose time and the runs' are the same."""

    def __init__(self, *records: Record, writes: bool = True, **changes: object) -> None:
        self.stage: Stage = stage(*records, writes=writes, **changes)  # type: ignore[arg-type]
        self.clock = MovedClock(self.stage.now_s)
        self.metrics = Metrics()
        self.teller = Teller(self.metrics, "me")
        self.runs = Runs(self.stage.engine, self.teller, self.clock, interval_s=60.0, writes=writes)

    def sync(self) -> None:
        """The Service `web` is all there is."""
        self.stage.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS), for_s=1.0)

    def look(self, *, after_s: float = 0.0) -> bool:
        """Let time pass, tell what was decided meanwhile, and look."""
        if after_s:
            self.stage.run(Tick(), for_s=after_s)
        self.clock.now_s = self.stage.now_s
        self.teller.decided(self.stage.told)
        self.stage.told.clear()
        return self.runs.look()

    def sample(self, name: str) -> float:
        (line,) = (line for line in self.metrics.text().decode().splitlines() if line.startswith(f"{name} "))
        return float(line.rpartition(" ")[2])

    def synced_s(self) -> float:
        """Seconds from the beginning to the last run without failures."""
        return self.sample(SYNCED) - BEGINNING.timestamp()


def test_the_end_of_the_first_pass_is_a_run() -> None:
    desk = Desk()
    assert not desk.look()
    desk.sync()
    assert desk.look()
    assert desk.runs.settled.is_set()
    assert desk.synced_s() == 1.0
    assert desk.sample(RECONCILED) == desk.sample(SYNCED)


def test_then_each_interval_is_one() -> None:
    desk = Desk()
    desk.sync()
    desk.look()
    assert [desk.look(after_s=after_s) for after_s in (59.0, 1.0, 59.0, 1.0)] == [False] * 4
    assert desk.synced_s() == 121.0
    assert desk.sample(IDLE) == 2  # the first one had something to do


def test_nothing_to_do_is_said_in_the_words_of_the_reference(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(*owned("web"))
    desk.sync()
    desk.look()
    assert Event.UP_TO_DATE in told(caplog)
    assert str(Event.UP_TO_DATE) == "All records are already up to date"


def test_a_change_is_not_nothing(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.sync()
    desk.look()
    assert Event.DESIRED_CHANGE in told(caplog)
    assert Event.UP_TO_DATE not in told(caplog)
    desk.look(after_s=60.0)
    assert Event.UP_TO_DATE in told(caplog)


def test_a_change_that_a_dry_run_leaves_to_do_is_told_once_and_never_called_up_to_date(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk(writes=False)
    desk.sync()
    assert desk.look()
    for _ in range(3):
        desk.look(after_s=60.0)
    assert told(caplog).count(Event.DESIRED_CHANGE) == 1
    assert Event.UP_TO_DATE not in told(caplog)
    assert desk.sample(IDLE) == 0
    assert desk.synced_s() == 181.0


def test_a_dry_run_tells_a_change_anew_when_it_becomes_another(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(writes=False)
    desk.sync()
    desk.look()
    desk.stage.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    desk.look(after_s=60.0)
    assert told(caplog).count(Event.DESIRED_CHANGE) == 2


def an_object_fails(desk: Desk) -> None:
    desk.stage.feed(seen("web", failure="planted"))


def a_zone_is_forbidden(desk: Desk) -> None:
    desk.stage.provider.rule = lambda _: Forbidden(message="planted")
    desk.stage.feed(seen("web", wants("web", "web", "192.0.2.9")))


class Unlisted(InMemoryProvider):
    """Its zones cannot be listed."""

    def zones(self) -> ZoneList:
        raise RetryableError("planted")


class Unread(InMemoryProvider):
    """Its zones cannot be read."""

    def page(self, zone: Zone, after: str | None) -> Page:
        raise RetryableError(f"{zone} {after}: planted")


def zones_cannot_be_listed(desk: Desk) -> None:
    desk.stage.reader = Unlisted(seed={ZONE: ()})


def a_zone_cannot_be_read_again(desk: Desk) -> None:
    desk.stage.reader = Unread(seed={ZONE: ()})
    desk.stage.run(for_s=5.0)  # the list of zones comes first


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(an_object_fails, id="an object"),
        pytest.param(a_zone_is_forbidden, id="a zone"),
        pytest.param(zones_cannot_be_listed, id="the list of zones"),
        pytest.param(a_zone_cannot_be_read_again, id="an audit"),
    ],
)
def test_times_stand_still_while_something_fails_and_go_on_after(
    fail: Callable[[Desk], None], caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    desk.sync()
    desk.look()
    fail(desk)
    desk.look(after_s=60.0)
    desk.look(after_s=60.0)
    assert desk.synced_s() == 1.0
    assert desk.sample(FAILING) == 2
    assert desk.runs.failing
    assert Event.UP_TO_DATE not in told(caplog)
    desk.stage.provider.rule, desk.stage.reader = lambda _: None, desk.stage.provider
    desk.stage.run(seen("web", wants("web", "web")), for_s=300.0)
    desk.look()
    assert desk.sample(FAILING) == 0
    assert desk.synced_s() == desk.stage.now_s - 1000.0


def test_a_first_pass_that_fails_is_a_failing_run_once_it_is_given_up() -> None:
    desk = Desk()
    desk.stage.provider.failures.extend([RetryableError("planted")] * 99)
    desk.stage.run(phase(SERVICE), phase(INGRESS), for_s=1.0)
    assert not desk.look()
    assert desk.runs.failing == ("zones cannot be listed: planted",)
    assert not desk.look(after_s=28.0)
    assert desk.sample(FAILING) == 0
    assert desk.look(after_s=1.0)  # it is not waited for any longer
    desk.look(after_s=60.0)
    assert desk.sample(FAILING) == 2
    assert desk.sample(SYNCED) == 0


def test_a_first_pass_that_is_slow_is_a_failing_run_each_interval() -> None:
    desk = Desk()
    desk.stage.feed(phase(SERVICE))
    for _ in range(2):
        desk.clock.now_s += 60.0
        assert not desk.runs.look()
    assert desk.sample(FAILING) == 2
    assert desk.sample(SYNCED) == 0


def test_while_nothing_happens_it_is_looked_at_once_an_interval() -> None:
    desk = Desk()
    desk.sync()
    desk.look()
    assert desk.runs.wake_s == desk.clock.now_s + 60.0
    desk.look(after_s=60.0)
    assert desk.runs.wake_s == desk.clock.now_s + 60.0


def test_what_fails_is_known_within_a_second_and_sought_no_more_often() -> None:
    desk = Desk()
    desk.sync()
    desk.look()
    desk.stage.feed(seen("api", failure="planted"))
    desk.look()
    assert not desk.runs.failing
    assert desk.runs.wake_s == desk.clock.now_s + 1.0
    desk.look(after_s=1.0)
    assert desk.runs.failing == ("Service shop/api: planted",)
    assert desk.runs.wake_s == desk.clock.now_s + 59.0


def test_what_waits_for_its_address_fails_nothing() -> None:
    desk = Desk()
    desk.stage.run(seen("web", withholds("web", "web", Reason.NO_ADDRESS)), phase(SERVICE), phase(INGRESS), for_s=1.0)
    assert desk.look()
    assert desk.runs.failing == ()
    assert desk.synced_s() == 1.0
