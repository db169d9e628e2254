"""What a zone file can hold of what is wanted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.adjusted import Refusal
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.zone import Zone
from providers.zonefile.adjust import adjusted
from tests.conformance.provider import endpoint

ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
ALIAS = Pairs.of({"alias": "true"})


@pytest.mark.parametrize(
    ("wanted", "targets"),
    [
        pytest.param(endpoint("w.example.org", "TXT", "v=spf1 -all"), ('"v=spf1 -all"',), id="TXT-without-quotes"),
        pytest.param(endpoint("w.example.org", "TXT", '"a"  "b"'), ('"a" "b"',), id="TXT-blanks"),
        pytest.param(endpoint("w.example.org", "SRV", "0  5 443 web.test."), ("0 5 443 web.test.",), id="SRV-blanks"),
        pytest.param(endpoint("w.example.org", "SRV", "0 5 443 web"), ("0 5 443 web.",), id="SRV-without-dot"),
        pytest.param(endpoint("w.example.org", "NAPTR", "1 2 s x y ."), ('1 2 "s" "x" "y" .',), id="NAPTR-quotes"),
        pytest.param(endpoint("w.example.org", "MX", "10 mail.test."), ("10 mail.test",), id="MX-dot"),
        pytest.param(
            endpoint("w.example.org", "TXT", '"b"', "a", '"a"'), ('"a"', '"b"'), id="equal-after-all-and-sorted"
        ),
    ],
)
def test_targets_get_the_spelling_in_which_they_are_read(wanted: Endpoint, targets: tuple[str, ...]) -> None:
    assert adjusted(wanted, ZONE) == replace(wanted, targets=targets)


def test_properties_are_dropped_and_all_else_is_kept() -> None:
    wanted = Endpoint(
        name=DnsName("w.example.org"),
        type="A",
        targets=("192.0.2.1",),
        labels=Pairs.of({"resource": "service/a/b"}),
        properties=ALIAS.set("aws/weight", "1"),
    )
    assert adjusted(wanted, ZONE) == replace(wanted, properties=Pairs.of())


def test_a_preferred_alias_on_a_cname_stays_a_cname() -> None:
    wanted = replace(endpoint("w.example.org", "CNAME", "lb.test"), properties=ALIAS)
    assert adjusted(wanted, ZONE) == replace(wanted, properties=Pairs.of())


@pytest.mark.parametrize(
    ("wanted", "detail"),
    [
        pytest.param(endpoint("w.example.org", "CAA", '0 issue "x"'), "CAA is not among the types", id="type"),
        pytest.param(
            endpoint("w.example.net", "A", "192.0.2.1"), "lies outside zone example.org (example.org.zone)", id="zone"
        ),
        pytest.param(endpoint("w.example.org", "A", "192.0.2.1", set_identifier="blue"), "'blue'", id="set-identifier"),
        pytest.param(
            replace(endpoint("w.example.org", "A", "lb.test"), properties=ALIAS),
            "zone files have no aliases",
            id="alias",
        ),
        pytest.param(endpoint("w.example.org", "A"), "A needs a target", id="no-target"),
        pytest.param(
            endpoint("w.example.org", "CNAME", "a.test", "b.test"),
            "has one target, this has 2: a.test, b.test",
            id="two-cnames",
        ),
        pytest.param(endpoint("w.example.org", "DNAME", "a.test", "b.test"), "a DNAME has one target", id="two-dnames"),
        pytest.param(endpoint("example.org", "CNAME", "a.test"), "cannot stand at the apex", id="cname-at-apex"),
        pytest.param(endpoint("*.example.org", "NS", "a.test"), "cannot stand at a wildcard", id="wildcard-ns"),
        pytest.param(endpoint("*.example.org", "DNAME", "a.test"), "cannot stand at a wildcard", id="wildcard-dname"),
        pytest.param(endpoint("_x.example.org", "A", "192.0.2.1"), "_x.example.org is no host name", id="underscore"),
        pytest.param(endpoint("x-.example.org", "AAAA", "2001:db8::1"), "is no host name", id="hyphen-at-the-end"),
        pytest.param(endpoint("a.*.example.org", "MX", "10 a.test"), "is no host name", id="inner-wildcard"),
    ],
)
def test_what_no_zone_file_holds_is_unsupported(wanted: Endpoint, detail: str) -> None:
    found = adjusted(wanted, ZONE)
    assert isinstance(found, Refusal)
    assert (found.endpoint, found.reason) == (wanted, Reason.UNSUPPORTED)
    assert detail in found.detail


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(endpoint("w.example.org", "A", "192.0.2.1", "lb.test"), id="A"),
        pytest.param(endpoint("w.example.org", "A", "2001:db8::1"), id="A-of-v6"),
        pytest.param(endpoint("w.example.org", "MX", "ten mail.test"), id="MX"),
        pytest.param(endpoint("w.example.org", "MX", "10 _mail.test"), id="MX-host"),
        pytest.param(endpoint("w.example.org", "NS", "_ns.test"), id="NS-host"),
        pytest.param(endpoint("w.example.org", "SRV", "0 5 443 a_b.test."), id="SRV-host"),
        pytest.param(endpoint("w.example.org", "TXT", '"open'), id="TXT"),
    ],
)
def test_data_that_is_none_is_an_invalid_target(wanted: Endpoint) -> None:
    found = adjusted(wanted, ZONE)
    assert isinstance(found, Refusal)
    assert found.reason is Reason.INVALID_TARGET
    assert "is not valid; allowed: " in found.detail


def test_pointers_of_reverse_zones_point_at_hosts_and_others_anywhere() -> None:
    zone = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    assert isinstance(adjusted(endpoint("1.2.0.192.in-addr.arpa", "PTR", "_x.test"), zone), Refusal)
    assert isinstance(adjusted(endpoint("1.2.0.192.in-addr.arpa", "PTR", "x.test"), zone), Endpoint)
    assert isinstance(adjusted(endpoint("_dns-sd.example.org", "PTR", "_x.test"), ZONE), Endpoint)


def test_null_mx_and_null_srv_are_taken() -> None:
    null = adjusted(endpoint("w.example.org", "MX", "0 ."), ZONE)
    assert isinstance(null, Endpoint)
    assert null.targets == ("0 .",)
    assert isinstance(adjusted(endpoint("w.example.org", "SRV", "0 0 0 ."), ZONE), Endpoint)
