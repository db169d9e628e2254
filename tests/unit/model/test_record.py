"""Record data: spelling and type (docs/spec/sources.md 1.2-1.3, docs/spec/plan.md 0.2); ownership."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.errors import InvalidValueError
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import (
    SIMPLE,
    DesiredRecord,
    Record,
    build_sort_key,
    canonicalize,
    canonicalize_targets,
    choose_record_type,
    get_routing,
    parse_target,
    project_record,
    restate_record,
)
from extdns.model.value import StringMap


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
def test_the_record_type_of_a_target_is_a_aaaa_or_cname(target: str, expected: str) -> None:
    assert choose_record_type(target) == expected


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
def test_targets_are_spelled_canonically_for_their_record_type(rtype: str, text: str, expected: str) -> None:
    assert canonicalize(rtype, text) == expected


def test_targets_are_sorted_by_text_and_unique() -> None:
    assert canonicalize_targets("A", ["10.0.0.2", "10.0.0.10", "10.0.0.2"]) == ("10.0.0.10", "10.0.0.2")
    assert canonicalize_targets("AAAA", ["::0001", "::1"]) == ("::1",)


def test_the_sort_key_of_targets_orders_addresses_by_number_and_before_names() -> None:
    targets = ["b.example", "10.0.0.10", "::1", "10.0.0.2", "a.example"]
    assert sorted(targets, key=build_sort_key) == ["10.0.0.2", "10.0.0.10", "::1", "a.example", "b.example"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fe80::1%eth0", id="zone"),
        pytest.param("a b", id="blank"),
        pytest.param("", id="empty"),
        pytest.param(".", id="dot"),
    ],
)
def test_a_target_that_is_neither_a_name_nor_an_address_without_zone_is_rejected(text: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_target(text)
    assert caught.value.value == text


@pytest.mark.parametrize("dots", ["", ".", ".."])
def test_up_to_two_dots_at_the_end_of_a_target_are_ignored(dots: str) -> None:
    assert parse_target(f"192.0.2.1{dots}") == ("A", "192.0.2.1")
    assert parse_target(f"lb.test{dots}") == ("CNAME", "lb.test")


@given(st.ip_addresses())
def test_each_spelling_of_an_ip_address_gives_the_same_target(
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    spelled = parse_target(ip.exploded)[1]
    assert spelled == parse_target(str(ip).upper())[1] == parse_target(spelled)[1]
    assert ipaddress.ip_address(spelled) == ip


def test_an_ipv4_mapped_address_is_spelled_with_dots_on_every_python_version() -> None:
    assert parse_target("::FFFF:c000:201") == ("AAAA", "::ffff:192.0.2.1")


RECORD = Record(name=DnsName("web.x.test"), type="A", targets=("192.0.2.1",), ttl_s=300, set_identifier="one")


def test_a_desired_record_is_expected_in_the_zone_as_it_is_and_restated_from_there() -> None:
    desired = restate_record(RECORD)
    assert (desired.key, desired.has_ttl, project_record(desired)) == (RECORD.key, True, RECORD)
    without_ttl = replace(desired, ttl_s=0)
    assert not without_ttl.has_ttl
    assert project_record(without_ttl) == replace(RECORD, ttl_s=0, has_ttl=False)


@pytest.mark.parametrize(
    ("rtype", "value", "expected"),
    [("A", "true", True), ("AAAA", "true", True), ("A", "false", False), ("CNAME", "true", False), ("A", "", False)],
)
def test_only_an_address_record_can_be_an_alias(rtype: str, value: str, expected: bool) -> None:
    properties = StringMap.from_items({"alias": value} if value else {})
    assert DesiredRecord(name=RECORD.name, type=rtype, targets=(), properties=properties).is_alias is expected


@pytest.mark.parametrize(
    ("set_identifier", "properties", "routing"),
    [
        pytest.param("", {"aws/weight": "1"}, SIMPLE, id="without-set-identifier"),
        pytest.param("one", {"aws/weight": "1", "alias": "true"}, "weight", id="policy"),
        pytest.param("one", {"aws/region": "x", "aws/weight": "1"}, "weight+region", id="two-policies"),
        pytest.param(
            "one",
            {"aws/geoproximity-region": "x", "aws/geoproximity-bias": "1"},
            "geoproximity",
            id="two-properties-of-one-policy",
        ),
        pytest.param("one", {"alias": "true"}, "routed", id="no-policy"),
        pytest.param("one", {}, "routed", id="no-properties"),
    ],
)
def test_the_routing_of_a_record_is_the_policy_that_its_properties_state(
    set_identifier: str, properties: dict[str, str], routing: str
) -> None:
    content = replace(RECORD, set_identifier=set_identifier, properties=StringMap.from_items(properties))
    assert get_routing(content) == routing
