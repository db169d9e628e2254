"""Log lines, Events and reports about decisions, outcomes and defects."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

import pytest
from msgspec.structs import replace

from extdns import log
from extdns.controller.reporter import ActivityReporter
from extdns.controller.write_gate import WriteGate
from extdns.engine.inputs import Call, Observation, PageRead, ReadFailed, StateAnswered, StateFailed, ZonesListed
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.change import (
    Action,
    Applied,
    Batch,
    BulkUpdate,
    Decision,
    Forbidden,
    Outcome,
    Refused,
    TryLater,
    Unknown,
    WriteConflict,
)
from extdns.model.claim import Claim, InvalidClaim
from extdns.model.cluster import KindState, ObjectProblem, Phase
from extdns.model.evidence import HeldSet, Scope
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.model.zone import AccountFailure, ZoneList, ZonePage
from extdns.resources.core import POD
from tests.builders import SERVICE, ZONE, build_claim, host, observe, origin, record
from tests.fakes.clocks import BEGINNING
from tests.log_lines import find_logged_events, find_logged_fields
from tests.unit.controller.test_write_gate import FakeLease
from tests.unit.metrics.scrape import series
from tests.world import start_world

EVIL = "\x1b[31m[red]\u202e\r\nlevel=fatal"
DECISION = Decision(
    zone=ZONE,
    name=host("web"),
    set_identifier="",
    type="A",
    action=Action.CREATE,
    reason=Reason.REQUESTED,
    desired=build_claim("web", "web").desired,
    requested_by=(origin("web"),),
)
BATCH = Batch(number=1, zone=ZONE, change_sets=())


@pytest.fixture
def list_lines() -> Iterator[io.StringIO]:
    """Return all log lines as text."""
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    levels = root.level, ours.level
    stream = io.StringIO()
    log.configure(format="text", level="debug", stream=stream)
    yield stream
    log.configure(format="text", level="info", stream=io.StringIO())
    root.handlers = [handler for handler in root.handlers if "_Lines" not in type(handler).__name__]
    root.level, ours.level = levels


def reporter() -> ActivityReporter:
    return ActivityReporter(Metrics(), "me")


@pytest.mark.parametrize(
    ("action", "line"),
    [
        pytest.param(Action.CREATE, "Desired change: CREATE web.example.org A", id="4.8-create"),
        pytest.param(Action.UPDATE, "Desired change: UPSERT web.example.org A", id="4.8-update"),
        pytest.param(Action.DELETE, "Desired change: DELETE web.example.org A", id="4.8-delete"),
    ],
)
def test_change_is_logged_in_the_form_of_external_dns(action: Action, line: str, list_lines: io.StringIO) -> None:
    reporter().report_decisions([replace(DECISION, action=action)])
    assert (
        list_lines.getvalue().partition(" level=")[2] == f'info msg="{line}" zoneID=example.org zoneName=example.org\n'
    )


def test_change_that_undoes_an_edit_of_somebody_else_is_logged_with_that_reason(list_lines: io.StringIO) -> None:
    reporter().report_decisions([replace(DECISION, action=Action.UPDATE, reason=Reason.DRIFT_REPAIRED)])
    assert 'UPSERT web.example.org A" reason=drift-repaired ' in list_lines.getvalue()


def test_change_is_logged_with_the_aws_profile_of_its_account(list_lines: io.StringIO) -> None:
    reporter().report_decisions([replace(DECISION, zone=replace(ZONE, account="prod"))])
    assert " profile=prod zoneID=example.org " in list_lines.getvalue(), "4.9"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param(
            {"action": Action.KEEP, "reason": Reason.FOREIGN_RECORD}, ("WARNING", Event.RECORD_UNCHANGED), id="kept"
        ),
        pytest.param(
            {"action": Action.NONE, "reason": Reason.NO_ZONE}, ("WARNING", Event.NAME_NOT_PUBLISHED), id="not made"
        ),
        pytest.param(
            {"action": Action.NONE, "reason": Reason.NO_ADDRESS},
            ("INFO", Event.NAME_NOT_PUBLISHED),
            id="what will pass",
        ),
        pytest.param(
            {"action": Action.KEEP, "reason": Reason.IN_GRACE}, ("INFO", Event.RECORD_UNCHANGED), id="in grace"
        ),
        pytest.param(
            {"action": Action.KEEP, "reason": Reason.ABSENCE_UNCONFIRMED},
            ("INFO", Event.RECORD_UNCHANGED),
            id="absence unconfirmed",
        ),
        pytest.param({"action": Action.KEEP, "reason": Reason.PUBLISHED}, ("DEBUG", Event.DECISION), id="in order"),
        pytest.param(
            {"action": Action.NONE, "reason": Reason.DOMAIN_FILTERED}, ("DEBUG", Event.DECISION), id="not in scope"
        ),
    ],
)
def test_level_of_a_decision_without_change_depends_on_its_reason(
    changes: dict[str, object], expected: tuple[str, Event], caplog: pytest.LogCaptureFixture
) -> None:
    reporter().report_decisions([replace(DECISION, **changes)])
    assert [(record.levelname, record.msg) for record in caplog.records] == [expected]


def test_foreign_record_that_no_object_requests_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    foreign = replace(
        DECISION,
        action=Action.KEEP,
        reason=Reason.FOREIGN_RECORD,
        current=OwnedRecord(record=record("web")),
        requested_by=(),
    )
    reporter().report_decisions([foreign])
    assert find_logged_events(caplog) == []


def test_a_command_that_follows_decisions_gets_each_even_without_a_change() -> None:
    received: list[Decision] = []

    in_order = replace(DECISION, action=Action.KEEP, reason=Reason.PUBLISHED)
    ActivityReporter(Metrics(), "me", received.extend).report_decisions([DECISION, in_order])
    assert received == [DECISION, in_order]


@pytest.mark.parametrize(
    ("outcome", "event"),
    [
        pytest.param(Applied(records=()), Event.APPLIED, id="applied"),
        pytest.param(WriteConflict(message="m"), Event.WRITE_CONFLICT, id="conflict"),
        pytest.param(Refused(message="m"), Event.REFUSED, id="refused"),
        pytest.param(Forbidden(message="m"), Event.FORBIDDEN, id="forbidden"),
        pytest.param(TryLater(message="m"), Event.TRY_LATER, id="later"),
        pytest.param(Unknown(message="m"), Event.UNKNOWN, id="unknown"),
    ],
)
def test_each_outcome_of_a_batch_has_its_own_line(
    outcome: Outcome, event: Event, caplog: pytest.LogCaptureFixture
) -> None:
    reporter().report_outcome(BATCH, outcome)
    assert find_logged_events(caplog) == [event]
    assert find_logged_fields(caplog, event)[0]["zoneName"] == "example.org"


def test_missing_permission_is_logged_once_a_zone_and_cause_until_it_works(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    other = replace(BATCH, zone=replace(ZONE, id="other"))
    denied, expired = Forbidden(message="denied"), Forbidden(message="expired")
    reports: list[tuple[Batch, Outcome]] = [
        (BATCH, denied),
        (BATCH, denied),
        (other, denied),
        (BATCH, expired),
        (BATCH, expired),
        (BATCH, Applied(records=())),
        (BATCH, expired),
    ]
    same = reporter()
    for batch, outcome in reports:
        same.report_outcome(batch, outcome)
    found = [(line["zoneID"], line["message"]) for line in find_logged_fields(caplog, Event.FORBIDDEN)]
    assert found == [(ZONE.id, "denied"), ("other", "denied"), (ZONE.id, "expired"), (ZONE.id, "expired")]


def test_line_about_an_unconditional_write_says_so(caplog: pytest.LogCaptureFixture) -> None:
    reporter().report_outcome(BATCH, Applied(records=(), change_id="C1"))
    reporter().report_outcome(BATCH, Applied(records=(), change_id="C2", unconditional=True))
    found = [(line["change"], line.get("unconditional")) for line in find_logged_fields(caplog, Event.APPLIED)]
    assert found == [("C1", None), ("C2", True)]


def test_failing_object_is_logged_unless_it_only_waits_for_a_kind(caplog: pytest.LogCaptureFixture) -> None:
    failing = observe("web", failure="planted").observations[0]
    reporter().report_observations([failing, replace(failing, awaited_kind=POD)])
    assert find_logged_fields(caplog, Event.OBJECT_FAILED) == [{"object": "service/shop/web", "message": "planted"}]


def test_invalid_value_is_logged_escaped_with_object_reason_and_allowed(list_lines: io.StringIO) -> None:
    problem = InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value=EVIL, allowed="a name")
    observation: Observation = replace(observe("web").observations[0], claims=(problem,))
    reporter().report_observations([observation])
    (line,) = list_lines.getvalue().splitlines()
    assert "object=service/shop/web" in line
    assert "reason=invalid-name" in line
    assert 'allowed="a name"' in line
    assert "level=fatal" in line
    assert line.isprintable()


@pytest.mark.parametrize(
    ("item", "event"),
    [
        pytest.param(ReadFailed(call=Call.ZONES, zone=None, message="m"), Event.ZONE_LIST_FAILED, id="zones"),
        pytest.param(ReadFailed(call=Call.PAGE, zone=ZONE, message="m"), Event.ZONE_READ_FAILED, id="a zone"),
        pytest.param(ZonesListed(zones=ZoneList(zones=(ZONE,))), None, id="a list"),
        pytest.param(PageRead(zone=ZONE, after=None, page=ZonePage(records=())), None, id="a page"),
    ],
)
def test_only_failed_reads_are_logged(item: ReadFailed, event: Event | None, caplog: pytest.LogCaptureFixture) -> None:
    reporter().report_input(item, lambda: BEGINNING)
    assert find_logged_events(caplog) == ([event] if event else [])


def test_failure_of_an_account_is_logged_again_only_with_another_message(caplog: pytest.LogCaptureFixture) -> None:
    find_lines = reporter()
    for message in ("no right", "no right", "no credentials"):
        failed = (AccountFailure(account="prod", message=message, permanent=True),)
        find_lines.report_input(ZonesListed(zones=ZoneList(zones=(ZONE,), failed=failed)), lambda: BEGINNING)
    assert find_logged_fields(caplog, Event.ZONE_LIST_FAILED) == [
        {"account": "prod", "message": "no right"},
        {"account": "prod", "message": "no credentials"},
    ]


@pytest.mark.parametrize(
    ("phase", "level"),
    [
        pytest.param(Phase.SYNCED, "INFO", id="synced"),
        pytest.param(Phase.FORBIDDEN, "ERROR", id="forbidden"),
        pytest.param(Phase.NOT_SERVED, "ERROR", id="not served"),
    ],
)
def test_kind_that_cannot_be_read_is_logged_as_an_error(
    phase: Phase, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    reporter().report_kind_state(KindState(kind=SERVICE, phase=phase))
    assert [record.levelname for record in caplog.records] == [level]


def test_manifest_that_becomes_readable_again_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    one = reporter()
    one.report_object_problem(ObjectProblem(location="a.yaml:3", key=None, message="no YAML"))
    one.report_object_problem(ObjectProblem(location="a.yaml:3", key=None, message=""))
    assert find_logged_events(caplog) == [Event.OBJECT_UNREADABLE, Event.OBJECT_READABLE]


def test_each_unreadable_object_in_one_file_counts_as_a_problem() -> None:
    world, metrics = start_world(), Metrics()
    one = ActivityReporter(metrics, "me")
    web, api = ObjectKey(SERVICE, "shop", "web"), ObjectKey(SERVICE, "shop", "api")

    def count() -> float:
        one.report_run(world.engine, (), BEGINNING)
        return series(metrics, "extdns_object_problems")[()]

    for key in (web, api, None, web):
        one.report_object_problem(ObjectProblem(location="a.yaml:3", key=key, message="problem"))
    assert count() == 3
    for key in (web, None):
        one.report_object_problem(ObjectProblem(location="a.yaml:3", key=key, message=""))
    assert count() == 1


def test_unexpected_exception_is_logged_with_the_location_of_the_error(caplog: pytest.LogCaptureFixture) -> None:
    one = reporter()
    try:
        raise KeyError("planted")  # noqa: TRY301 - here is the place
    except KeyError as exc:
        one.report_defect(exc)
    (line,) = find_logged_fields(caplog, Event.DEFECT)
    assert line["error"] == "KeyError"
    assert str(line["place"]).endswith("test_unexpected_exception_is_logged_with_the_location_of_the_error")
    assert one.defect_count == 1


def test_state_store_failure_is_a_warning_if_it_lasts_or_a_person_has_to_act(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reporter = ActivityReporter(Metrics(), "me")
    refused, failed = StateFailed(message="forbidden", forbidden=True), StateFailed(message="no answer")
    steps = (
        (refused, 0),
        (refused, 300),
        (StateAnswered(), 600),
        (failed, 601),
        (failed, 605),
        (failed, 612),
        (failed, 628),
    )
    for item, seconds in (*steps, (StateAnswered(), 700), (failed, 701)):
        reporter.report_input(item, partial(BEGINNING.__add__, timedelta(seconds=seconds)))
    lines = [one for one in caplog.records if one.msg == Event.STATE_NOT_SAVED]
    assert [one.levelname for one in lines] == ["WARNING", "INFO", "WARNING", "INFO"]


class Listener:
    """A fake Event recorder that stores each call as a line of text."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def record_decisions(self, decisions: Sequence[Decision]) -> None:
        self.calls += [f"decided {len(decisions)}"]

    def record_invalid_claims(self, claims: Sequence[Claim]) -> None:
        self.calls += [f"mistaken {len(claims)}"]

    def record_failure(self, key: ObjectKey, message: str) -> None:
        self.calls += [f"failed {key.resource} {message}"]

    def record_batch(self, batch: Batch) -> None:
        self.calls += [f"applied {batch.number}"]

    def record_bulk_update(self, found: BulkUpdate) -> None:
        self.calls += [f"bulk {found.zone}"]

    def record_held_deletes(self, held: HeldSet) -> None:
        self.calls += [f"held {held} {held.code} {len(held.held)}"]

    def close(self, timeout_s: float) -> None:
        self.calls += [f"close {timeout_s > 0}"]


# Events


def test_recorder_gets_decisions_observations_batches_and_held_deletes() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    reporter.report_decisions([DECISION])
    reporter.report_observations(observe("web", build_claim("web", "web")).observations)
    reporter.report_outcome(BATCH, Applied(records=()))
    reporter.report_outcome(BATCH, TryLater(message="busy"))
    reporter.report_held_deletes(HeldSet(scope=Scope(ZONE.id), zone=ZONE, code="7f3a-91c2", held=()))
    reporter.close()
    assert listener.calls == ["decided 1", "mistaken 1", "applied 1", "held zone example.org 7f3a-91c2 0", "close True"]


def test_event_about_a_failing_object_is_repeated_while_it_fails() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    world = start_world()
    waiting = observe("api", failure="Pod objects are not listed yet", awaited_kind=POD)
    for observed in (observe("web", failure="broken"), waiting, observe("db", failure="broken"), observe("db")):
        reporter.report_observations(observed.observations)
        world.feed(observed)
    reporter.report_run(world.engine, (), BEGINNING)
    reporter.report_run(world.engine, (), BEGINNING + timedelta(minutes=30))
    assert [calls for calls in listener.calls if calls.startswith("failed")] == [
        "failed service/shop/web broken",
        "failed service/shop/db broken",
        "failed service/shop/web broken",
    ]


def test_events_about_lasting_states_are_repeated_every_half_hour() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    engine = start_world(first=[observe("web", build_claim("web", "web"))]).engine
    for minutes in (0, 29, 30, 59, 60):
        reporter.report_run(engine, (), BEGINNING + timedelta(minutes=minutes))
    assert listener.calls == ["decided 1", "mistaken 1"] * 2


def test_standby_records_events_only_about_its_batches_and_that_nothing_is_held() -> None:
    lease, listener = FakeLease(), Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener, gate=WriteGate(lease))
    for _ in range(2):
        reporter.report_decisions(())
        reporter.report_observations(observe("web", build_claim("web", "web"), failure="broken").observations)
        reporter.report_outcome(BATCH, Applied(records=()))
        reporter.report_held_deletes(HeldSet(scope=Scope(ZONE.id), zone=ZONE, code="", held=()))
        lease.left = 30.0
    reporter.close()
    standby = ["applied 1", "held zone example.org  0"]
    leader = ["decided 0", "mistaken 1", "failed service/shop/web broken", *standby]
    assert listener.calls == [*standby, *leader, "close True"]
