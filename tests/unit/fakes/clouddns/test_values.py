"""Validation of record data (Cloud DNS guides "Records format (JSON)" and "Error messages", invalidValue)."""

from __future__ import annotations

import pytest

from tests.fakes.clouddns.raw_client import RawClient, rrset
from tests.fakes.clouddns.server import CloudDns


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("A", "192.0.2.256"),
        ("A", "2001:db8::1"),
        ("AAAA", "192.0.2.1"),
        ("CNAME", "x.example.net"),
        ("NS", "ns-1752.awsdns-27.co.uk"),
        ("PTR", "192.0.2.1"),
        ("MX", "10 mail.example.net"),
        ("MX", "mail.example.net."),
        ("SRV", "0 5 70000 sip.example.net."),
        ("SRV", "0 5 5060 sip.example.net"),
        ("NAPTR", '100 10 "u" "x"'),
        ("TXT", f'"{"x" * 256}"'),
        ("TXT", '"a'),
        ("TXT", '"a""b"'),
    ],
)
def test_invalid_record_data_is_refused_with_its_path(raw_client: RawClient, kind: str, value: str) -> None:
    status, ((reason, message),) = raw_client.refusal(add=(rrset("w.example.com.", kind, value),))
    assert (status, reason) == (400, "invalid")
    assert message == f"Invalid value for 'entity.change.additions[0].rrdata[0]': '{value}'"


@pytest.mark.parametrize(
    ("kind", "value", "stored"),
    [
        ("A", "192.0.2.1", "192.0.2.1"),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("CNAME", "x.example.net.", "x.example.net."),
        ("MX", "10 mail.example.net.", "10 mail.example.net."),
        ("SRV", "0 5 5060 sip.example.net.", "0 5 5060 sip.example.net."),
        ("NAPTR", '100 10 "u" "sip+E2U" "!^.*$!sip:x@foo.se!i" .', '100 10 "u" "sip+E2U" "!^.*$!sip:x@foo.se!i" .'),
        ("TXT", "this is text", '"this" "is" "text"'),
        ("TXT", '"in quotes"', '"in quotes"'),
        ("TXT", '"a \\"b\\" \\200"', '"a \\"b\\" \\200"'),
        ("CAA", '0 issue "ca.example"', '0 issue "ca.example"'),
    ],
)
def test_valid_record_data_is_stored(fake: CloudDns, raw_client: RawClient, kind: str, value: str, stored: str) -> None:
    assert raw_client.change(add=(rrset("w.example.com.", kind, value),))[0] == 200
    assert fake.records("main")[0].rrdatas == (stored,)


@pytest.mark.parametrize(
    ("original", "path"),
    [
        pytest.param(rrset("cymbal...group."), "name", id="empty-label"),
        pytest.param(rrset("www.example.com"), "name", id="no-dot-at-the-end"),
        pytest.param(rrset("www.example.com.", "GROUP"), "type", id="type"),
        pytest.param(rrset("www.example.com.", "DNAME", "x.example.net."), "type", id="DNAME"),
        pytest.param(rrset("www.example.com.", ttl=-1), "ttl", id="ttl"),
    ],
)
def test_an_invalid_name_type_or_ttl_is_refused_with_its_path(
    raw_client: RawClient, original: dict[str, object], path: str
) -> None:
    status, ((_, message),) = raw_client.refusal(add=(original,))
    assert (status, message.split("'")[1]) == (400, f"entity.change.additions[0].{path}")


def test_a_record_set_without_values_is_refused(raw_client: RawClient) -> None:
    empty = {**rrset("www.example.com."), "rrdatas": []}
    assert raw_client.refusal(add=(empty,)) == (
        400,
        [("invalid", "Invalid value for 'entity.change.additions[0].rrdata': '<empty>'")],
    )
