"""Adjust desired records to zone files."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Refusal
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from providers.common.plain_records import adjust_record
from tests.conformance.provider import build_desired

ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
ALIAS = StringMap.from_items({"alias": "true"})


@pytest.mark.parametrize(
    ("desired_record", "targets"),
    [
        pytest.param(build_desired("w.example.org", "TXT", "v=spf1 -all"), ('"v=spf1 -all"',), id="TXT-without-quotes"),
        pytest.param(build_desired("w.example.org", "TXT", '"a"  "b"'), ('"a" "b"',), id="TXT-blanks"),
        pytest.param(
            build_desired("w.example.org", "SRV", "0  5 443 web.test."), ("0 5 443 web.test.",), id="SRV-blanks"
        ),
        pytest.param(build_desired("w.example.org", "SRV", "0 5 443 web"), ("0 5 443 web.",), id="SRV-without-dot"),
        pytest.param(build_desired("w.example.org", "NAPTR", "1 2 s x y ."), ('1 2 "s" "x" "y" .',), id="NAPTR-quotes"),
        pytest.param(build_desired("w.example.org", "MX", "10 mail.test."), ("10 mail.test",), id="MX-dot"),
        pytest.param(
            build_desired("w.example.org", "TXT", '"b"', "a", '"a"'), ('"a"', '"b"'), id="equal-after-all-and-sorted"
        ),
    ],
)
def test_targets_are_changed_to_the_form_in_which_they_will_be_read_back(
    desired_record: DesiredRecord, targets: tuple[str, ...]
) -> None:
    assert adjust_record(desired_record, ZONE) == replace(desired_record, targets=targets)


def test_properties_are_dropped_from_a_record_and_everything_else_is_kept() -> None:
    desired_record = DesiredRecord(
        name=DnsName("w.example.org"),
        type="A",
        targets=("192.0.2.1",),
        labels=StringMap.from_items({"resource": "service/a/b"}),
        properties=ALIAS.set("aws/weight", "1"),
    )
    assert adjust_record(desired_record, ZONE) == replace(desired_record, properties=StringMap.from_items())


def test_a_cname_with_an_alias_annotation_stays_a_cname() -> None:
    desired_record = replace(build_desired("w.example.org", "CNAME", "lb.test"), properties=ALIAS)
    assert adjust_record(desired_record, ZONE) == replace(desired_record, properties=StringMap.from_items())


@pytest.mark.parametrize(
    ("desired_record", "detail"),
    [
        pytest.param(build_desired("w.example.org", "CAA", '0 issue "x"'), "CAA is not among the types", id="type"),
        pytest.param(
            build_desired("w.example.net", "A", "192.0.2.1"),
            "lies outside zone example.org (example.org.zone)",
            id="zone",
        ),
        pytest.param(
            build_desired("w.example.org", "A", "192.0.2.1", set_identifier="blue"), "'blue'", id="set-identifier"
        ),
        pytest.param(
            replace(build_desired("w.example.org", "A", "lb.test"), properties=ALIAS),
            "zone files have no aliases",
            id="alias",
        ),
        pytest.param(build_desired("w.example.org", "A"), "A needs a target", id="no-target"),
        pytest.param(
            build_desired("w.example.org", "CNAME", "a.test", "b.test"),
            "can have only one target, not 2: a.test, b.test",
            id="two-cnames",
        ),
        pytest.param(
            build_desired("w.example.org", "DNAME", "a.test", "b.test"),
            "a DNAME can have only one target",
            id="two-dnames",
        ),
        pytest.param(build_desired("example.org", "CNAME", "a.test"), "is not allowed at the apex", id="cname-at-apex"),
        pytest.param(build_desired("*.example.org", "NS", "a.test"), "is not allowed at a wildcard", id="wildcard-ns"),
        pytest.param(
            build_desired("*.example.org", "DNAME", "a.test"), "is not allowed at a wildcard", id="wildcard-dname"
        ),
        pytest.param(
            build_desired("_x.example.org", "A", "192.0.2.1"), "_x.example.org is not a host name", id="underscore"
        ),
        pytest.param(
            build_desired("x-.example.org", "AAAA", "2001:db8::1"), "is not a host name", id="hyphen-at-the-end"
        ),
        pytest.param(build_desired("a.*.example.org", "MX", "10 a.test"), "is not a host name", id="inner-wildcard"),
    ],
)
def test_records_that_a_zone_file_cannot_hold_are_refused(desired_record: DesiredRecord, detail: str) -> None:
    found = adjust_record(desired_record, ZONE)
    assert isinstance(found, Refusal)
    assert (found.desired, found.reason) == (desired_record, Reason.UNSUPPORTED)
    assert detail in found.detail


@pytest.mark.parametrize(
    "desired_record",
    [
        pytest.param(build_desired("w.example.org", "A", "192.0.2.1", "lb.test"), id="A"),
        pytest.param(build_desired("w.example.org", "A", "2001:db8::1"), id="A-of-v6"),
        pytest.param(build_desired("w.example.org", "MX", "ten mail.test"), id="MX"),
        pytest.param(build_desired("w.example.org", "MX", "10 _mail.test"), id="MX-host"),
        pytest.param(build_desired("w.example.org", "NS", "_ns.test"), id="NS-host"),
        pytest.param(build_desired("w.example.org", "SRV", "0 5 443 a_b.test."), id="SRV-host"),
        pytest.param(build_desired("w.example.org", "TXT", '"open'), id="TXT"),
    ],
)
def test_an_invalid_target_is_refused(desired_record: DesiredRecord) -> None:
    found = adjust_record(desired_record, ZONE)
    assert isinstance(found, Refusal)
    assert found.reason is Reason.INVALID_TARGET
    assert "is not valid; allowed: " in found.detail


def test_ptr_records_must_point_to_host_names_only_in_reverse_zones() -> None:
    zone = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    assert isinstance(adjust_record(build_desired("1.2.0.192.in-addr.arpa", "PTR", "_x.test"), zone), Refusal)
    assert isinstance(adjust_record(build_desired("1.2.0.192.in-addr.arpa", "PTR", "x.test"), zone), DesiredRecord)
    assert isinstance(adjust_record(build_desired("_dns-sd.example.org", "PTR", "_x.test"), ZONE), DesiredRecord)


def test_null_mx_and_null_srv_records_are_accepted() -> None:
    null = adjust_record(build_desired("w.example.org", "MX", "0 ."), ZONE)
    assert isinstance(null, DesiredRecord)
    assert null.targets == ("0 .",)
    assert isinstance(adjust_record(build_desired("w.example.org", "SRV", "0 0 0 ."), ZONE), DesiredRecord)
