"""Record data (guides "Records format (JSON)", "Error messages", invalidValue)."""

from __future__ import annotations

import pytest

from tests.fakes.clouddns.probe import Probe, rrset
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
def test_wrong_data_is_told_with_its_place(probe: Probe, kind: str, value: str) -> None:
    status, ((reason, message),) = probe.refusal(add=(rrset("w.example.com.", kind, value),))
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
def test_right_data_is_kept(fake: CloudDns, probe: Probe, kind: str, value: str, stored: str) -> None:
    assert probe.change(add=(rrset("w.example.com.", kind, value),))[0] == 200
    assert fake.records("main")[0].rrdatas == (stored,)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        pytest.param(rrset("cymbal...group."), "name", id="empty-label"),
        pytest.param(rrset("www.example.com"), "name", id="no-dot-at-the-end"),
        pytest.param(rrset("www.example.com.", "GROUP"), "type", id="type"),
        pytest.param(rrset("www.example.com.", "DNAME", "x.example.net."), "type", id="DNAME"),
        pytest.param(rrset("www.example.com.", ttl=-1), "ttl", id="ttl"),
    ],
)
def test_names_types_and_ttls_are_checked(probe: Probe, given: dict[str, object], path: str) -> None:
    status, ((_, message),) = probe.refusal(add=(given,))
    assert (status, message.split("'")[1]) == (400, f"entity.change.additions[0].{path}")


def test_a_set_without_data_is_refused(probe: Probe) -> None:
    empty = {**rrset("www.example.com."), "rrdatas": []}
    assert probe.refusal(add=(empty,)) == (
        400,
        [("invalid", "Invalid value for 'entity.change.additions[0].rrdata': '<empty>'")],
    )
