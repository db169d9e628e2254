"""`extdns webhook-check` finds each planted defect by the intended check, and none in a correct provider."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from extdns.webhook_check.catalog import CHECKS, run_checks
from extdns.webhook_check.check import CheckEnd, CheckOutcome
from extdns.webhook_check.exchange import CheckedServer
from extdns.webhook_check.scratch import Scratch
from providers.webhook.wire import MAX_BODY_BYTES, Property
from tests.fakes.webhook.defects import PLANTED, Defect
from tests.fakes.webhook.server import WebhookServer
from tests.web_server import HANGS_S

ZONE = "example.org"
REVERSE_ZONE = "2.0.192.in-addr.arpa"
FEW = 300  # more than one page of the fake, and more bytes than it accepts with a defect


def build_scratch(fake: WebhookServer, zone: str = ZONE, *, count: int = FEW) -> Scratch:
    """Return the scratch names of a provider."""
    return Scratch(
        CheckedServer(url=fake.url, timeout_s=HANGS_S, max_bytes=MAX_BODY_BYTES),
        DnsName.parse(zone),
        "extdns-check-1",
        large_count=count,
        properties=(Property(name="webhook/color", value="green"),),
    )


def list_failed(outcomes: list[CheckOutcome]) -> list[tuple[str, str]]:
    """Return the checks that failed, with their messages."""
    return [(one.check.name, one.message) for one in outcomes if one.end is CheckEnd.FAILED]


@pytest.mark.parametrize("defect", Defect, ids=lambda defect: defect.name.lower())
def test_each_planted_defect_of_a_provider_fails_exactly_the_check_meant_for_it(defect: Defect) -> None:
    with WebhookServer(ZONE, defect=defect) as fake:
        fake.put(ZONE, "TXT", '"of somebody else"')
        failed = list_failed(list(run_checks(build_scratch(fake))))
    assert [name for name, _ in failed] == [PLANTED[defect].check], failed


def test_a_correct_provider_with_5000_records_passes_all_checks_and_is_left_unchanged() -> None:
    with WebhookServer(ZONE) as fake:
        fake.put(ZONE, "TXT", '"of somebody else"')
        before = fake.records()
        scratch = build_scratch(fake, count=5000)
        outcomes = list(run_checks(scratch))
        assert list_failed(outcomes) == []
        assert {one.check.name for one in outcomes if one.end is CheckEnd.SKIPPED} == {"type-PTR"}
        assert scratch.clean_up() == ""
        assert fake.records() == before


def test_ptr_records_are_checked_only_in_a_reverse_zone() -> None:
    with WebhookServer(REVERSE_ZONE) as fake:
        outcomes = list(run_checks(build_scratch(fake, REVERSE_ZONE, count=1)))
    assert {one.end for one in outcomes} == {CheckEnd.PASSED}


def test_checks_of_record_types_that_the_provider_refuses_or_drops_are_skipped() -> None:
    with WebhookServer(ZONE, unsupported=["NAPTR", "DNAME"]) as fake:
        outcomes = list(run_checks(build_scratch(fake, count=1)))
    skipped = {one.check.name: one.message for one in outcomes if one.end is CheckEnd.SKIPPED}
    assert list_failed(outcomes) == []
    assert skipped.keys() == {"type-PTR", "type-NAPTR", "type-DNAME"}
    assert skipped["type-NAPTR"].startswith("not supported: /adjustendpoints returns no type-naptr.")


def test_each_check_names_the_same_specification_section_as_the_list_of_defects() -> None:
    sections = {check.name: check.section for check in CHECKS}
    cited = {defect: sections[planted.check] for defect, planted in PLANTED.items()}
    assert cited == {defect: f"docs/spec/plan.md {planted.section}" for defect, planted in PLANTED.items()}
