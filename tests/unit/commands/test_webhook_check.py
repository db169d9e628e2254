"""`extdns webhook-check`: arguments, exit code, text and JUnit XML."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest

from extdns import cli
from extdns.webhook_check.catalog import CHECKS
from tests.fakes.service.faults import Meanwhile, Refuse, Stall
from tests.fakes.webhook.defects import Defect
from tests.fakes.webhook.server import Action, WebhookServer

ZONE = "example.org"
FEW = ("--zone=example.org", "--records=3")


@pytest.fixture
def fake() -> Iterator[WebhookServer]:
    with WebhookServer(ZONE) as server:
        yield server


def test_webhook_check_of_a_correct_provider_prints_one_line_per_check_and_exits_with_0(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["webhook-check", fake.url, *FEW], {}) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"Checking {fake.url} with records below extdns-check-[0-9a-f]{{8}}\.example\.org", first)
    assert lines[: len(CHECKS)] == [
        f"skipped  {check.name}: not supported: PTR records are checked in zones below arpa only"
        if check.name == "type-PTR"
        else f"ok       {check.name}"
        for check in CHECKS
    ]
    assert lines[len(CHECKS) :] == [
        f"{len(CHECKS) - 1} passed, 0 failed, 1 skipped.",
        "Nothing is left in the zone.",
    ]
    assert fake.records() == {}


def test_a_failed_check_exits_with_1_and_says_what_the_protocol_requires(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with WebhookServer(ZONE, defect=Defect.TTL_DROPPED) as fake:
        assert cli.main(["webhook-check", fake.url, *FEW], {}) == 1
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("failed"))
    assert re.sub("check-[0-9a-f]{8}", "check-1", lines[at]) == (
        "failed   ttl: ttl.extdns-check-1.example.org A: the TTL 300 was applied, but GET /records returns none; a TTL "
        "that cannot be stored must be changed by POST /adjustendpoints"
    )
    assert lines[at + 1] == (
        "         A record whose targets, TTL or properties differ from the adjusted endpoint is updated in every "
        "loop. (docs/spec/plan.md 2.6)"
    )
    assert "skipped  ttl-update: needs the check ttl, which did not pass" in lines


def test_a_zone_outside_the_filter_of_the_provider_is_reported_with_the_flag_to_correct(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["webhook-check", fake.url, "--zone=example.net"], {}) == 1
    (failed,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("failed")]
    assert failed.startswith("failed   zone-in-filter: the domain filter does not match extdns-check-")
    assert failed.endswith("; give a --zone that it matches")


def test_the_junit_xml_has_a_test_case_for_each_check_and_for_the_clean_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with WebhookServer(ZONE, defect=Defect.DELETES_IGNORED, unsupported=["MX"]) as fake:
        assert cli.main(["webhook-check", fake.url, *FEW, "--output=junit"], {}) == 1
    (suite,) = ET.fromstring(capsys.readouterr().out)
    cases = {case.attrib["name"]: [child.tag for child in case] for case in suite}
    assert list(cases) == [*(check.name for check in CHECKS), "clean-up"]
    assert {name for name, children in cases.items() if children == ["failure"]} == {"delete", "clean-up"}
    assert {name for name, children in cases.items() if children == ["skipped"]} >= {"delete-name", "type-MX"}
    assert all({"classname", "name", "time"} == case.attrib.keys() for case in suite)
    counts = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors")}
    assert counts == {"tests": len(CHECKS) + 1, "failures": 2, "errors": 0}
    assert int(suite.attrib["skipped"]) == sum(children == ["skipped"] for children in cases.values())


def test_text_from_the_provider_cannot_break_the_xml(fake: WebhookServer, capsys: pytest.CaptureFixture[str]) -> None:
    fake.faults.arm(Refuse(500, "", "\x1b[31m\x00]]></failure> \ud7ff\ufffe"), action=Action.NEGOTIATE)
    assert cli.main(["webhook-check", fake.url, *FEW, "-o", "junit"], {}) == 1
    (suite,) = ET.fromstring(capsys.readouterr().out)
    (failure,) = suite[0]
    assert failure.attrib["message"] == r"GET / answered 500 (\x1b[31m\x00]]></failure> \ud7ff\ufffe)"


def test_webhook_check_reports_test_records_that_it_could_not_delete(capsys: pytest.CaptureFixture[str]) -> None:
    with WebhookServer(ZONE, defect=Defect.DELETES_IGNORED) as fake:
        assert cli.main(["webhook-check", fake.url, *FEW], {}) == 1
        left = len(fake.records())
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"Delete by hand: {left} records below extdns-check-")


def test_webhook_check_ends_at_the_first_timeout_if_the_provider_never_answers(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.faults.arm(Stall(), times=None)
    assert cli.main(["webhook-check", fake.url, *FEW, "--timeout=100ms"], {}) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("failed   negotiate: GET /: no complete answer within 0.1 s")
    assert lines[-2:] == [f"0 passed, 1 failed, {len(CHECKS) - 1} skipped.", "Nothing is left in the zone."]


def test_webhook_check_reports_what_may_be_left_if_the_provider_stops_answering(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.faults.arm(Meanwhile(lambda: fake.faults.arm(Stall(), times=None)), action=Action.APPLY)
    assert cli.main(["webhook-check", fake.url, *FEW, "--timeout=100ms"], {}) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "skipped  type-AAAA: needs the check create, which did not pass" in lines
    assert re.fullmatch(
        r"Delete by hand: records below extdns-check-\w+\.example\.org may be left: .*0\.1 s", lines[-1]
    )


def test_webhook_check_reports_a_change_without_an_answer_because_records_may_appear_later(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.faults.arm(Stall(), action=Action.APPLY)
    assert cli.main(["webhook-check", fake.url, *FEW, "--timeout=1s"], {}) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Delete by hand: a change had no answer, so records below extdns-check-")


@pytest.fixture
def _handles_ctrl_c() -> Iterator[None]:
    """Handle Ctrl-C as usual: a process that a shell starts in the background ignores it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("_handles_ctrl_c")
def test_webhook_check_deletes_its_records_after_ctrl_c(
    fake: WebhookServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    interruption = Meanwhile(interrupt)
    fake.faults.arm(Meanwhile(lambda: fake.faults.arm(interruption, action=Action.RECORDS)), action=Action.APPLY)
    assert cli.main(["webhook-check", fake.url, *FEW], {}) == 130
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing is left in the zone."
    assert [call.action for call in fake.calls].count(Action.APPLY) == 2
    assert fake.records() == {}


def test_webhook_check_writes_nothing_if_the_provider_does_not_manage_the_zone(fake: WebhookServer) -> None:
    assert cli.main(["webhook-check", fake.url, "--zone=example.com"], {}) == 1
    assert {call.action for call in fake.calls} == {Action.NEGOTIATE}


_URL_ALLOWED = "allowed: the address of a webhook provider, such as http://localhost:8888"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            [], "error: --zone is missing\n  allowed: a zone for tests, such as scratch.example.org\n", id="none"
        ),
        pytest.param(["--zone=example.org"], f"error: the URL is missing\n  {_URL_ALLOWED}\n", id="no-url"),
        *(
            pytest.param(
                [url, "--zone=example.org"],
                f"error: {url} is not a URL of a webhook provider\n  {_URL_ALLOWED}\n",
                id=found,
            )
            for url, found in (("localhost:8888", "no-scheme"), ("http://[::1", "not-a-url"))
        ),
        pytest.param(
            ["http://me:secret@localhost", "--zone=example.org"],
            f"error: the URL has a user name or password\n  webhook providers have neither\n  {_URL_ALLOWED}\n",
            id="credentials",
        ),
        *(
            pytest.param(
                ["http://localhost", "--zone=example.org", argument],
                f"error: {argument} is not an argument of extdns webhook-check\n  {_URL_ALLOWED}\n",
                id=found,
            )
            for argument, found in (("http://localhost", "two-urls"), ("--provider=aws", "flag-of-a-run"))
        ),
        pytest.param(["http://localhost", "--zone=a b"], "error: --zone=a b is not a DNS name\n  allowed: ", id="zone"),
        *(
            pytest.param(
                ["http://localhost", "--zone=example.org", argument],
                f"error: {argument} is not {what}\n  allowed: {allowed}\n",
                id=argument.partition("=")[0].removeprefix("--"),
            )
            for argument, what, allowed in (
                ("--timeout=0s", "a time limit", "more than 0 and up to 1h, such as 15s"),
                ("--records=many", "a number of records", "1 to 50000"),
                ("--property=color", "a property", "NAME=VALUE, as webhook/proxied=true"),
                ("--output=json", "an output format", "text, junit"),
            )
        ),
    ],
)
def test_an_invalid_argument_of_webhook_check_gives_one_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["webhook-check", *arguments], {}) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(message)
