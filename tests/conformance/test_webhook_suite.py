"""The conformance tests of webhook providers find each planted defect by the intended test, and no other defect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.model.dns_name import DnsName
from providers.webhook.wire import MAX_BODY_BYTES
from tests.conformance.webhook.exchange import CheckedServer
from tests.conformance.webhook.scratch import Scratch, ViolationError
from tests.conformance.webhook.test_webhook_provider import (
    test_a_connection_can_be_used_again_after_each_answer as check_connection_reuse,
)
from tests.fakes.service.faults import Stall
from tests.fakes.service.raw import serve_bytes
from tests.fakes.webhook.defects import PLANTED, Defect
from tests.fakes.webhook.server import Action, WebhookServer
from tests.web_server import HANGS_S

SUITE: Final = Path(__file__).parent / "webhook"
ZONE: Final = "example.org"
REVERSE_ZONE: Final = "2.0.192.in-addr.arpa"
FEW: Final = 300  # more than one page of the fake, and more bytes than it accepts with a defect


class Reports:
    """Collects how the tests of one run end."""

    def __init__(self) -> None:
        self.found: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.found.append(report)

    def list(self, outcome: str, *whens: str) -> Iterator[tuple[str, str]]:
        """Yield name and message of the tests that ended with *outcome* in one of the phases *whens*."""
        for one in self.found:
            if one.outcome == outcome and one.when in whens:
                yield one.nodeid.partition("::")[2], str(one.longrepr)


def run(fake: WebhookServer, *, zone: str = ZONE, count: int = FEW, timeout_s: float = HANGS_S) -> Reports:
    reports = Reports()
    provider = (f"--webhook-url={fake.url}", f"--webhook-zone={zone}")
    limits = (f"--webhook-records={count}", f"--webhook-timeout={timeout_s}")
    plain = ("--capture=no", "-p", "no:cacheprovider", "-p", "no:xdist")
    pytest.main([str(SUITE), *provider, *limits, *plain], plugins=[reports])
    return reports


def list_failed(reports: Reports) -> list[str]:
    return [name for name, _ in reports.list("failed", "setup", "call")]


@pytest.mark.parametrize("defect", Defect, ids=lambda defect: defect.name.lower())
def test_each_planted_defect_of_a_provider_fails_exactly_the_test_meant_for_it(defect: Defect) -> None:
    with WebhookServer(ZONE, defect=defect) as fake:
        fake.put(ZONE, "TXT", '"of somebody else"')
        failed = list_failed(run(fake))
    assert [name.partition("[")[0] for name in failed] == [PLANTED[defect]], failed


def test_a_correct_provider_with_1000_records_passes_all_tests_and_is_left_unchanged() -> None:
    with WebhookServer(ZONE) as fake:
        fake.put(ZONE, "TXT", '"of somebody else"')
        before = fake.records()
        reports = run(fake, count=1000)
        assert fake.records() == before
    assert list(reports.list("failed", "setup", "call", "teardown")) == []
    assert len(list(reports.list("passed", "call"))) > len(set(PLANTED.values()))
    (skipped,) = reports.list("skipped", "setup", "call")
    assert "PTR records are checked in zones below arpa only" in skipped[1]


def test_ptr_records_are_checked_only_in_a_reverse_zone() -> None:
    with WebhookServer(REVERSE_ZONE) as fake:
        reports = run(fake, zone=REVERSE_ZONE, count=1)
    assert {one.outcome for one in reports.found} == {"passed"}


def test_record_types_that_the_provider_refuses_or_drops_are_skipped() -> None:
    with WebhookServer(ZONE, unsupported=["NAPTR", "DNAME"]) as fake:
        reports = run(fake, count=1)
    assert list_failed(reports) == []
    assert "/adjustendpoints returns no type-naptr." in str(list(reports.list("skipped", "call")))
    assert len(list(reports.list("skipped", "setup", "call"))) == 3


def test_a_failure_says_what_was_found_and_what_the_protocol_says() -> None:
    with WebhookServer(ZONE, defect=Defect.TTL_DROPPED) as fake:
        (failed,) = run(fake, count=1).list("failed", "call")
    assert "A: the TTL 300 was applied, but GET /records returns none;" in failed[1]
    assert failed[1].endswith(
        "A record whose TTL differs from the adjusted endpoint is updated in every loop (docs/spec/plan.md 2.6)."
    )


def test_records_that_could_not_be_deleted_are_named() -> None:
    with WebhookServer(ZONE, defect=Defect.DELETES_IGNORED) as fake:
        (left,) = run(fake, count=1).list("failed", "teardown")
        assert f"delete by hand: {len(fake.records())} records below extdns-check-" in left[1]


def test_nothing_is_written_if_the_provider_does_not_manage_the_zone() -> None:
    with WebhookServer(ZONE) as fake:
        assert list_failed(run(fake, zone="example.com")) == [PLANTED[Defect.FILTER_WITHOUT_ZONE]]
        assert {call.action for call in fake.calls} == {Action.NEGOTIATE}


def test_a_provider_that_never_answers_costs_one_timeout() -> None:
    with WebhookServer(ZONE) as fake:
        fake.faults.arm(Stall(), times=None)
        ((name, message),) = run(fake, timeout_s=0.1).list("failed", "setup", "call", "teardown")
    assert name == PLANTED[Defect.NEGOTIATION_FAILS]
    assert message.startswith("GET /: no complete answer within 0.1 s")


def test_a_change_without_an_answer_is_named_because_records_may_appear_later() -> None:
    with WebhookServer(ZONE) as fake:
        fake.faults.arm(Stall(), action=Action.APPLY)
        (left,) = run(fake, timeout_s=1.0, count=1).list("failed", "teardown")
    assert "delete by hand: a change had no answer, so records below extdns-check-" in left[1]


def test_records_are_deleted_although_the_run_is_interrupted() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with WebhookServer(ZONE) as fake, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scratch, "expect", lambda *_: interrupt())
        run(fake)
        assert [call.action for call in fake.calls].count(Action.APPLY) > 1
        assert fake.records() == {}


@pytest.mark.parametrize("closes", [True, False])
def test_a_connection_may_be_closed_after_an_answer_only_if_the_answer_says_so(closes: bool) -> None:
    answer = b"HTTP/1.1 204 No Content\r\n" + (b"Connection: close\r\n" if closes else b"") + b"\r\n"
    with serve_bytes(lambda connection: connection.sendall(answer)) as url:
        server = CheckedServer(url=url, timeout_s=HANGS_S, max_bytes=MAX_BODY_BYTES)
        scratch = Scratch(server, DnsName.parse(ZONE), "check", large_count=1, properties=())
        if closes:
            check_connection_reuse(scratch)
        else:
            with pytest.raises(ViolationError, match="a connection that was used before cannot be used again"):
                check_connection_reuse(scratch)
