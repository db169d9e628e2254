"""Targets have one spelling, and a type that fits (spec sources 1.2-1.3, spec plan 0.2)."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from extdns.model import rrtype
from extdns.model.record import canonical_targets
from extdns.model.target import canonical, order_key, suitable_type, typed


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        pytest.param("192.0.2.1", rrtype.A, id="sources-1.3-ipv4"),
        pytest.param("2001:DB8::1", rrtype.AAAA, id="sources-1.3-ipv6"),
        pytest.param("fe80::1%eth0", rrtype.AAAA, id="sources-1.3-zone-suffix"),
        pytest.param("::ffff:192.0.2.1", rrtype.AAAA, id="sources-1.3-ipv4-mapped"),
        pytest.param("", rrtype.CNAME, id="sources-1.3-empty"),
        pytest.param("192.168.1", rrtype.CNAME, id="sources-1.3-three-octets"),
        pytest.param("10.0.0.0/8", rrtype.CNAME, id="sources-1.3-network"),
        pytest.param("256.1.1.1", rrtype.CNAME, id="sources-1.3-octet-out-of-range"),
        pytest.param("192.000.2.1", rrtype.CNAME, id="sources-1.3-leading-zeros"),
        pytest.param("lb.example.net", rrtype.CNAME, id="sources-1.3-host"),
    ],
)
def test_a_target_has_a_type_that_fits(target: str, expected: str) -> None:
    assert suitable_type(target) == expected


@pytest.mark.parametrize(
    ("rtype", "text", "expected"),
    [
        pytest.param("AAAA", "2001:DB8:0:0::0001", "2001:db8::1", id="plan-0.2-long-ipv6"),
        pytest.param("CNAME", "LB.Example.Net.", "lb.example.net", id="sources-1.2-trailing-dot"),
        pytest.param("CNAME", "bücher.example", "xn--bcher-kva.example", id="unicode-host"),
        pytest.param("CNAME", "no name.", "no name", id="sources-1.2-no-name"),
        pytest.param("MX", "10  Mail.Example.net.", "10 mail.example.net", id="plan-11-mx-with-dot"),
        pytest.param("MX", "0 .", "0 .", id="null-mx"),
        pytest.param("TXT", "Value.", "Value.", id="sources-1.2-txt-untouched"),
        pytest.param("SRV", "0 50 30022 h.example.", "0 50 30022 h.example.", id="sources-1.2-srv-untouched"),
        pytest.param("NAPTR", '10 10 "S" "" "" X.', '10 10 "S" "" "" X.', id="sources-1.2-naptr-untouched"),
    ],
)
def test_a_target_has_one_spelling(rtype: str, text: str, expected: str) -> None:
    assert canonical(rtype, text) == expected


def test_targets_are_sorted_by_text_and_unique() -> None:
    assert canonical_targets("A", ["10.0.0.2", "10.0.0.10", "10.0.0.2"]) == ("10.0.0.10", "10.0.0.2")
    assert canonical_targets("AAAA", ["::0001", "::1"]) == ("::1",)


def test_numbers_order_addresses_before_names() -> None:
    targets = ["b.example", "10.0.0.10", "::1", "10.0.0.2", "a.example"]
    assert sorted(targets, key=order_key) == ["10.0.0.2", "10.0.0.10", "::1", "a.example", "b.example"]


@pytest.mark.parametrize(
    "text", [pytest.param("fe80::1%eth0", id="zone"), pytest.param("a b", id="blank"), pytest.param("", id="empty")]
)
def test_what_is_neither_address_nor_name_has_no_type(text: str) -> None:
    with pytest.raises(InvalidValueError):
        typed(text)


@given(
    st.one_of(st.ip_addresses().map(lambda ip: ip.exploded), st.from_regex(r"[A-Za-z]{1,9}\.org\.?", fullmatch=True))
)
def test_type_and_spelling_agree_however_they_are_asked(text: str) -> None:
    assert typed(text) == (suitable_type(text), canonical(suitable_type(text), text))


@given(st.ip_addresses())
def test_every_spelling_of_an_address_is_one_target(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    spelled = typed(ip.exploded)[1]
    assert spelled == typed(str(ip).upper())[1] == typed(spelled)[1]
    assert ipaddress.ip_address(spelled) == ip


def test_a_mapped_address_is_spelled_alike_on_every_python() -> None:
    assert typed("::FFFF:c000:201") == ("AAAA", "::ffff:192.0.2.1")
