"""What is said of decisions, outcomes and defects, in log lines and to other reporters."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from extdns import log
from extdns.controller.teller import Teller
from extdns.engine.inputs import Call, Observation, PageRead, ReadFailed, StateAnswered, StateFailed, ZonesListed
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.change import Batch
from extdns.model.claim import Invalid
from extdns.model.cluster import KindState, ObjectKey, ObjectProblem, Phase
from extdns.model.decision import Decision, Verdict
from extdns.model.objects import POD
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.zone import AccountFailure, Page, ZoneList
from tests.unit.controller.scene import BEGINNING, fields, told
from tests.unit.engine.stage import SERVICE, ZONE, host, origin, record, running, seen, wants

EVIL = "\x1b[31m[red]\u202e\r\nlevel=fatal"
DECISION = Decision(
    zone=ZONE,
    name=host("web"),
    set_identifier="",
    type="A",
    verdict=Verdict.CREATE,
    reason=Reason.WANTED,
    wanted=wants("web", "web").endpoint,
    asked_by=(origin("web"),),
)
BATCH = Batch(number=1, zone=ZONE, sets=())


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What a person would read, as text."""
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    levels = root.level, ours.level
    stream = io.StringIO()
    log.configure(format="text", level="debug", stream=stream)
    yield stream
    log.configure(format="text", level="info", stream=io.StringIO())
    root.handlers = [handler for handler in root.handlers if "_Lines" not in type(handler).__name__]
    root.level, ours.level = levels


def teller() -> Teller:
    return Teller(Metrics(), "me")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        pytest.param(Verdict.CREATE, "Desired change: CREATE web.example.org A", id="4.8-create"),
        pytest.param(Verdict.UPDATE, "Desired change: UPSERT web.example.org A", id="4.8-update"),
        pytest.param(Verdict.DELETE, "Desired change: DELETE web.example.org A", id="4.8-delete"),
    ],
)
def test_a_change_is_told_in_the_words_of_the_reference(verdict: Verdict, line: str, lines: io.StringIO) -> None:
    teller().decided([replace(DECISION, verdict=verdict)])
    assert lines.getvalue().partition(" level=")[2] == f'info msg="{line}" zoneID=example.org zoneName=example.org\n'


def test_of_several_accounts_the_one_that_holds_the_zone_is_told_as_its_profile(lines: io.StringIO) -> None:
    teller().decided([replace(DECISION, zone=replace(ZONE, account="prod"))])
    assert " profile=prod zoneID=example.org " in lines.getvalue(), "4.9"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param(
            {"verdict": Verdict.KEEP, "reason": Reason.FOREIGN_RECORD}, ("WARNING", Event.CLAIM_KEPT), id="kept"
        ),
        pytest.param(
            {"verdict": Verdict.NONE, "reason": Reason.NO_ZONE}, ("WARNING", Event.CLAIM_REFUSED), id="not made"
        ),
        pytest.param(
            {"verdict": Verdict.NONE, "reason": Reason.NO_ADDRESS}, ("INFO", Event.CLAIM_REFUSED), id="what will pass"
        ),
        pytest.param({"verdict": Verdict.KEEP, "reason": Reason.PROGRAMMED}, None, id="in order"),
        pytest.param({"verdict": Verdict.NONE, "reason": Reason.DOMAIN_FILTERED}, None, id="not in scope"),
    ],
)
def test_what_is_no_change_is_told_as_far_as_people_care(
    changes: dict[str, object], expected: tuple[str, Event] | None, caplog: pytest.LogCaptureFixture
) -> None:
    teller().decided([replace(DECISION, **changes)])
    assert [(record.levelname, record.msg) for record in caplog.records] == ([expected] if expected else [])


def test_other_peoples_records_are_nobodys_news(caplog: pytest.LogCaptureFixture) -> None:
    foreign = replace(
        DECISION,
        verdict=Verdict.KEEP,
        reason=Reason.FOREIGN_RECORD,
        held=Owned(record=record("web")),
        asked_by=(),
    )
    teller().decided([foreign])
    assert told(caplog) == []


def test_a_reporter_hears_of_every_decision() -> None:
    heard: list[Decision] = []

    class Ears:
        def tell(self, decisions: Sequence[Decision]) -> None:
            heard.extend(decisions)

    in_order = replace(DECISION, verdict=Verdict.KEEP, reason=Reason.PROGRAMMED)
    Teller(Metrics(), "me", Ears()).decided([DECISION, in_order])
    assert heard == [DECISION, in_order]


@pytest.mark.parametrize(
    ("outcome", "event"),
    [
        pytest.param(Applied(records=()), Event.APPLIED, id="applied"),
        pytest.param(Conflict(message="m"), Event.CONFLICT, id="conflict"),
        pytest.param(Refused(message="m"), Event.REFUSED, id="refused"),
        pytest.param(Forbidden(message="m"), Event.FORBIDDEN, id="forbidden"),
        pytest.param(TryLater(message="m"), Event.TRY_LATER, id="later"),
        pytest.param(Unknown(message="m"), Event.UNKNOWN, id="unknown"),
    ],
)
def test_each_outcome_has_its_line(outcome: Outcome, event: Event, caplog: pytest.LogCaptureFixture) -> None:
    teller().ended(BATCH, outcome)
    assert told(caplog) == [event]
    assert fields(caplog, event)[0]["zoneName"] == "example.org"


def test_what_may_have_overwritten_an_edit_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    teller().ended(BATCH, Applied(records=(), reference="C1"))
    teller().ended(BATCH, Applied(records=(), reference="C2", unconditional=True))
    found = [(line["change"], line.get("unconditional")) for line in fields(caplog, Event.APPLIED)]
    assert found == [("C1", None), ("C2", True)]


def test_an_object_that_cannot_be_computed_is_told_unless_it_only_waits(caplog: pytest.LogCaptureFixture) -> None:
    failing = seen("web", failure="planted").observations[0]
    teller().observed([failing, replace(failing, parked_on=POD)])
    assert fields(caplog, Event.OBJECT_FAILED) == [{"object": "service/shop/web", "message": "planted"}]


def test_a_mistake_names_object_field_value_and_what_is_allowed(lines: io.StringIO) -> None:
    wrong = Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value=EVIL, allowed="a name")
    observation: Observation = replace(seen("web").observations[0], claims=(wrong,))
    teller().observed([observation])
    (line,) = lines.getvalue().splitlines()
    assert "object=service/shop/web" in line
    assert "reason=invalid-name" in line
    assert 'allowed="a name"' in line
    assert line.isprintable()


@pytest.mark.parametrize(
    ("item", "event"),
    [
        pytest.param(ReadFailed(call=Call.ZONES, zone=None, message="m"), Event.ZONES_UNLISTED, id="zones"),
        pytest.param(ReadFailed(call=Call.PAGE, zone=ZONE, message="m"), Event.ZONE_UNREAD, id="a zone"),
        pytest.param(ZonesListed(zones=ZoneList(zones=(ZONE,))), None, id="a list"),
        pytest.param(PageRead(zone=ZONE, asked=None, page=Page(records=())), None, id="a page"),
    ],
)
def test_only_failed_reads_are_told(item: ReadFailed, event: Event | None, caplog: pytest.LogCaptureFixture) -> None:
    teller().heard(item, lambda: BEGINNING)
    assert told(caplog) == ([event] if event else [])


def test_an_account_that_fails_is_told_once_for_each_reason(caplog: pytest.LogCaptureFixture) -> None:
    told_by = teller()
    for message in ("no right", "no right", "no credentials"):
        failed = (AccountFailure(account="prod", message=message, permanent=True),)
        told_by.heard(ZonesListed(zones=ZoneList(zones=(ZONE,), failed=failed)), lambda: BEGINNING)
    assert fields(caplog, Event.ZONES_UNLISTED) == [
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
def test_a_kind_that_fails_is_an_error(phase: Phase, level: str, caplog: pytest.LogCaptureFixture) -> None:
    teller().kind_changed(KindState(kind=SERVICE, phase=phase))
    assert [record.levelname for record in caplog.records] == [level]


def test_a_manifest_that_can_be_read_again_is_told_too(caplog: pytest.LogCaptureFixture) -> None:
    one = teller()
    one.object_problem(ObjectProblem(place="a.yaml:3", key=None, message="no YAML"))
    one.object_problem(ObjectProblem(place="a.yaml:3", key=None, message=""))
    assert told(caplog) == [Event.OBJECT_UNREADABLE, Event.OBJECT_READABLE]


def test_each_object_that_cannot_be_read_counts_though_others_stand_at_the_same_place() -> None:
    world, metrics = running(), Metrics()
    one = Teller(metrics, "me")
    web, api = ObjectKey(SERVICE, "shop", "web"), ObjectKey(SERVICE, "shop", "api")

    def count() -> float:
        one.run_ended(world.engine, (), BEGINNING)
        (line,) = (line for line in metrics.text().decode().splitlines() if line.startswith("extdns_object_problems "))
        return float(line.split()[1])

    for key in (web, api, None, web):
        one.object_problem(ObjectProblem(place="a.yaml:3", key=key, message="wrong"))
    assert count() == 3
    for key in (web, None):
        one.object_problem(ObjectProblem(place="a.yaml:3", key=key, message=""))
    assert count() == 1


def test_a_defect_is_told_with_the_place_where_it_was_raised(caplog: pytest.LogCaptureFixture) -> None:
    one = teller()
    try:
        raise KeyError("planted")  # noqa: TRY301 - here is the place
    except KeyError as exc:
        one.defect(exc)
    (line,) = fields(caplog, Event.DEFECT)
    assert line["error"] == "KeyError"
    assert str(line["place"]).endswith("test_a_defect_is_told_with_the_place_where_it_was_raised")
    assert one.defects == 1


def test_state_that_cannot_be_kept_is_told_once_until_it_can_be_again(caplog: pytest.LogCaptureFixture) -> None:
    said = Teller(Metrics(), "me")
    failed = StateFailed(message="configmaps is forbidden")
    for item in (failed, failed, StateAnswered(), failed, StateFailed(message="no answer")):
        said.heard(item, lambda: BEGINNING)
    assert [line["message"] for line in fields(caplog, Event.STATE_UNKEPT)] == [
        "configmaps is forbidden",
        "configmaps is forbidden",
        "no answer",
    ]
