"""What may be requested: owner names, targets and properties (docs/spec/sources.md 1.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.errors import InvalidValueError
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, canonicalize, parse_target
from extdns.model.validation import (
    describe_allowed,
    find_owner_problem,
    parse_hostname,
    parse_owner,
    validate_record,
)
from extdns.model.value import EMPTY_MAP, StringMap


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a.org..", "a.org", id="two-trailing-dots"),
        pytest.param(r"\052.a.org", "*.a.org", id="wildcard-as-route-53-shows-it"),
        pytest.param(r"\052.a.org..", "*.a.org", id="both"),
        pytest.param("a.org...", None, id="three-trailing-dots"),
        pytest.param(r"\053.a.org", None, id="another-escape"),
        pytest.param("..", None, id="nothing-but-dots"),
    ],
)
def test_hostnames_of_objects_may_have_two_trailing_dots_or_an_escaped_wildcard(
    text: str, expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(InvalidValueError):
            parse_hostname(text)
    else:
        assert parse_hostname(text) == expected


def endpoint(rtype: str, *targets: str, properties: StringMap = EMPTY_MAP, name: str = "a.test") -> DesiredRecord:
    return DesiredRecord(name=DnsName(name), type=rtype, targets=targets, properties=properties)


def check_limit(most: DesiredRecord, more: DesiredRecord, value: str, allowed: str) -> None:
    """Check that *most* is valid and *more* is not, with --compat too."""
    for lenient in (False, True):
        assert validate_record(most, lenient=lenient) is None
        problem = validate_record(more, lenient=lenient)
        assert problem is not None
        assert (problem.value, problem.allowed) == (value, allowed)


def test_a_record_has_at_most_as_many_targets_as_a_dns_message() -> None:
    targets = tuple(f"10.0.{number // 256}.{number % 256}" for number in range(4001))
    most, more = endpoint("A", *targets[1:]), endpoint("A", *targets)
    check_limit(most, more, "more than 4000 targets", "at most 4000 targets")


def test_a_target_has_at_most_as_many_characters_as_the_data_of_a_record() -> None:
    strings = " ".join(['"' + 255 * r"\000" + '"'] * 255)
    most, more = endpoint("TXT", strings), endpoint("TXT", strings + " " * 10_000)
    check_limit(most, more, "a target of 270864 characters", "at most 270000 characters")


def test_a_set_identifier_which_every_message_would_contain_has_at_most_256_characters() -> None:
    most, more = (replace(endpoint("A", "10.0.0.1"), set_identifier="\n" * count) for count in (256, 250_000))
    check_limit(most, more, "a set identifier of 250000 characters", "at most 256 characters")


def test_a_record_has_at_most_100_properties_as_in_the_webhook_protocol() -> None:
    properties = StringMap.from_items((f"{number}", "") for number in range(101))
    most, more = (endpoint("A", "10.0.0.1", properties=one) for one in (properties.without("0"), properties))
    check_limit(most, more, "101 properties", "at most 100 properties")


@pytest.mark.parametrize(
    "text", ["https://web.example.org/path", "http://web.example.org:8080", "HTTPS://web.example.org"]
)
def test_a_url_is_not_accepted_as_a_hostname(text: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_hostname(text)
    assert caught.value.allowed == "a host name without scheme, port and path, such as web.example.org"


ALIAS = StringMap.from_items({"alias": "true"})
NO_ALIAS = StringMap.from_items({"alias": "false"})


@pytest.mark.parametrize(
    "valid",
    [
        pytest.param(endpoint("A", "192.0.2.1", "192.0.2.2"), id="1.6-a"),
        pytest.param(endpoint("A"), id="1.6-a-without-targets"),
        pytest.param(endpoint("A", "lb.test", properties=ALIAS), id="1.6-a-alias"),
        pytest.param(endpoint("AAAA", "2001:db8::1"), id="1.6-aaaa"),
        pytest.param(endpoint("AAAA", "::ffff:192.0.2.1"), id="1.6-aaaa-mapped"),
        pytest.param(endpoint("AAAA", "lb.test", properties=ALIAS), id="1.6-aaaa-alias"),
        pytest.param(endpoint("MX", "10 mail.test", "0 m.test", "65535 m.test"), id="1.6-mx"),
        pytest.param(endpoint("MX"), id="1.6-mx-without-targets"),
        pytest.param(endpoint("SRV", "0 50 30022 h.test."), id="1.6-srv"),
        pytest.param(endpoint("PTR", "h.test", name="7.2.0.192.in-addr.arpa"), id="1.6-ptr"),
        pytest.param(endpoint("PTR", "h.test", name="1.0.ip6.arpa"), id="1.6-ptr-ipv6"),
        pytest.param(endpoint("TXT", ""), id="1.6-txt-anything"),
        pytest.param(endpoint("CAA", "x"), id="1.6-unknown-type"),
    ],
)
def test_a_valid_desired_record_has_no_problem(valid: DesiredRecord) -> None:
    assert validate_record(valid) is None


@pytest.mark.parametrize(
    ("invalid", "value"),
    [
        pytest.param(endpoint("A", "192.0.2.1", "lb.test"), "lb.test", id="1.6-a-one-host-among-addresses"),
        pytest.param(endpoint("A", "lb.test", properties=NO_ALIAS), "lb.test", id="1.6-a-alias-false"),
        pytest.param(endpoint("A", "2001:db8::1"), "2001:db8::1", id="1.6-a-ipv6"),
        pytest.param(endpoint("A", "::ffff:192.0.2.1"), "::ffff:192.0.2.1", id="1.6-a-mapped"),
        pytest.param(endpoint("AAAA", "192.0.2.1"), "192.0.2.1", id="1.6-aaaa-ipv4"),
        pytest.param(endpoint("AAAA", "lb.test"), "lb.test", id="1.6-aaaa-host"),
        pytest.param(endpoint("AAAA", "fe80::1%eth0"), "fe80::1%eth0", id="1.6-aaaa-zone"),
        pytest.param(endpoint("MX", "10"), "10", id="1.6-mx-one-field"),
        pytest.param(endpoint("MX", "10 a.test b"), "10 a.test b", id="1.6-mx-three-fields"),
        pytest.param(endpoint("MX", "65536 a.test"), "65536 a.test", id="1.6-mx-too-large"),
        pytest.param(endpoint("MX", "+1 a.test"), "+1 a.test", id="1.6-mx-sign"),
        pytest.param(endpoint("MX", "1٣ a.test"), "1٣ a.test", id="1.6-mx-digits-of-another-script"),
        pytest.param(endpoint("MX", "9" * 5000 + " a.test"), "9" * 5000 + " a.test", id="1.6-mx-huge"),
        pytest.param(endpoint("SRV", "0 50 30022 h.test"), "0 50 30022 h.test", id="1.6-srv-without-dot"),
        pytest.param(endpoint("SRV", "0 50 h.test."), "0 50 h.test.", id="1.6-srv-three-fields"),
        pytest.param(endpoint("SRV", "0 50 70000 h.test."), "0 50 70000 h.test.", id="1.6-srv-port-too-large"),
        pytest.param(endpoint("SRV", "0 5 1 h.", properties=NO_ALIAS), "alias on SRV", id="1.6-srv-alias-any-value"),
        pytest.param(endpoint("TXT", "x", properties=ALIAS), "alias on TXT", id="1.6-txt-alias"),
        pytest.param(endpoint("PTR", "h.test"), "a.test", id="1.6-ptr-outside-arpa"),
        pytest.param(endpoint("PTR", "h.test", name="in-addr.arpa"), "in-addr.arpa", id="1.6-ptr-at-the-root"),
        pytest.param(endpoint("PTR", name="1.ip6.arpa"), "no target", id="1.6-ptr-without-targets"),
        pytest.param(endpoint("PTR", "h.test", " ", name="1.ip6.arpa"), " ", id="1.6-ptr-blank-target"),
        pytest.param(endpoint("PTR", "192.0.2.1", name="1.ip6.arpa"), "192.0.2.1", id="1.6-ptr-address"),
    ],
)
def test_the_problem_of_an_invalid_desired_record_contains_the_invalid_value(
    invalid: DesiredRecord, value: str
) -> None:
    found = validate_record(invalid)
    assert found is not None
    assert found.value == value
    assert found.allowed


@pytest.mark.parametrize(
    "accepted",
    [
        pytest.param(endpoint("CNAME", "", properties=NO_ALIAS), id="1.6-cname"),
        pytest.param(endpoint("CNAME", "a.test"), id="1.6-own-name"),
        pytest.param(endpoint("NAPTR", "x"), id="1.6-naptr"),
        pytest.param(endpoint("NS", "192.0.2.1"), id="1.6-ns"),
        pytest.param(endpoint("CNAME", "x.test", name="[x]_.test"), id="1.6-owner"),
        pytest.param(endpoint("MX", "10 _x!.test"), id="1.6-mx"),
    ],
)
def test_with_compat_external_dns_decides_what_is_valid(accepted: DesiredRecord) -> None:
    assert validate_record(accepted, lenient=True) is None
    assert validate_record(accepted) is not None


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        pytest.param("[x].shop.example", "such as x.shop.example", id="brackets"),
        pytest.param("e.shop.example e2.shop.example", "separated by commas: e.shop.example, e2", id="two-names"),
        pytest.param("d.shop.example:8080", "without port: d.shop.example", id="port"),
        pytest.param("d.shop.example/path", "without path: d.shop.example", id="path"),
        pytest.param("192.0.2.1", "a name, not an address", id="address"),
        pytest.param("fe80::1%eth0", "an address without zone", id="address-with-zone"),
        pytest.param("192.0.2.300", "four numbers from 0 to 255", id="nearly-an-address"),
        pytest.param("web.42", "last label is not a number", id="last-label-of-digits"),
        pytest.param("b\u00fccher..example", "without empty labels", id="no-suggestion-without-its-letters"),
        pytest.param("web.${DOMAIN}", "pipe through `flux build` or envsubst", id="unsubstituted-variable"),
        pytest.param("web.{{ .Values.domain }}", "pipe through `helm template`", id="unrendered-template"),
        pytest.param("42", "a name: letters, digits, hyphens and underscores", id="number"),
        pytest.param("web:http.shop.example", "such as webhttp.shop.example", id="colon-without-port"),
        pytest.param("web shop/x", "separated by commas: web, shop/x", id="path-of-two-names"),
        pytest.param("x!/y", "such as xy", id="path-of-no-name"),
        pytest.param("x!", "such as x", id="one-label"),
        pytest.param("a*.shop.example", "such as a.shop.example", id="half-a-wildcard"),
        pytest.param("x" * 64 + ".shop.example", "at most 63 bytes", id="long-label"),
        pytest.param("x!" * 400, "at most 63 bytes", id="long-text"),
    ],
)
def test_an_invalid_hostname_is_rejected_with_the_nearest_valid_spelling(text: str, allowed: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_hostname(text)
    assert (caught.value.value, caught.value.reason) == (text, Reason.INVALID_NAME)
    assert allowed in caught.value.allowed


@pytest.mark.parametrize("text", ["[x].shop.example", "d.shop.example:8080", "web.42"])
def test_with_compat_a_hostname_is_any_dns_name(text: str) -> None:
    assert parse_hostname(text, lenient=True) == DnsName.parse(text)


@pytest.mark.parametrize("rtype", ["TXT", "NAPTR", "DNAME", "PTR"])
def test_only_names_of_txt_and_other_types_may_need_escapes(rtype: str) -> None:
    assert parse_owner("a(b).shop.example", rtype) == "a(b).shop.example"
    for other in ("A", "AAAA", "CNAME", "MX", "NS", "SRV"):
        with pytest.raises(InvalidValueError):
            parse_owner("a(b).shop.example", other)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        pytest.param("[192.0.2.1]", "the address without brackets: 192.0.2.1", id="brackets"),
        pytest.param("[2001:db8::1]:443", "the address without brackets and port: 2001:db8::1", id="brackets-and-port"),
        pytest.param("192.0.2.300", "an IPv4 address: four numbers from 0 to 255, such as 192.0.2.1", id="octet"),
        pytest.param("192.168.1", "an IPv4 address: four numbers from 0 to 255, such as 192.0.2.1", id="three-numbers"),
        pytest.param("010.0.0.1", "an IPv4 address without leading zeros: 10.0.0.1", id="leading-zero"),
        pytest.param("192.0.2.1:443", "a name or address without port: 192.0.2.1", id="port"),
        pytest.param("lb.example.com:443", "a name or address without port: lb.example.com", id="port-of-a-name"),
        pytest.param("192.0.2.1; 192.0.2.2", "separated by commas: 192.0.2.1, 192.0.2.2", id="semicolon"),
        pytest.param("192.0.2.1 192.0.2.2", "separated by commas: 192.0.2.1, 192.0.2.2", id="space"),
        pytest.param("192.0.2.1;192.0.2.2", "separated by commas: 192.0.2.1, 192.0.2.2", id="semicolon-only"),
        pytest.param("http://lb.example.com/x", "without scheme, port and path, such as lb.example.com", id="url"),
        pytest.param("192.0.2.0/24", "a single address, not a network", id="network"),
        pytest.param("lb.example.com/x", "a name without path: lb.example.com", id="path"),
        pytest.param("fe80::1%eth0", "an address without zone: fe80::1", id="zone"),
        pytest.param("*.example.com", "an IP address without zone, or a host name", id="wildcard"),
    ],
)
def test_what_looks_like_an_address_or_a_list_is_no_target(text: str, allowed: str) -> None:
    try:
        rtype, target = parse_target(text)
    except InvalidValueError:
        found = describe_allowed(text, "a target")
    else:
        problem = validate_record(endpoint(rtype, target))
        assert problem is not None
        assert problem.reason is Reason.INVALID_TARGET
        found = problem.allowed
    assert found.endswith(allowed)


def test_for_a_text_that_looks_valid_there_is_no_other_suggestion() -> None:
    assert describe_allowed("lb.example.com", "a target") == "a target"
    assert describe_allowed("[lb]", "a target") == "a target, such as lb"


@pytest.mark.parametrize("rtype", ["CNAME", "DNAME"])
def test_a_record_cannot_point_to_its_own_name(rtype: str) -> None:
    problem = validate_record(endpoint(rtype, "a.test"))
    assert problem is not None
    assert (problem.value, problem.reason) == ("a.test", Reason.INVALID_TARGET)
    assert problem.allowed.startswith("another target than the name itself")


@pytest.mark.parametrize(
    ("valid", "invalid"),
    [
        pytest.param(endpoint("CNAME", "_x.acm-validations.aws"), endpoint("CNAME", "x(y).test"), id="cname"),
        pytest.param(endpoint("MX", "10 _m.test", "0 ."), endpoint("MX", "10 m!.test"), id="mx"),
        pytest.param(endpoint("NS", "_n.test"), endpoint("NS", "192.0.2.1"), id="ns"),
        pytest.param(endpoint("SRV", "0 0 1 _S.test.", "0 0 0 ."), endpoint("SRV", "0 0 1 192.0.2.1."), id="srv"),
        pytest.param(endpoint("CNAME", "lb-.test", name="-a.test"), endpoint("MX", "10 lb-.test"), id="hyphens"),
        pytest.param(
            endpoint("CNAME", "1.0/25.2.0.192.in-addr.arpa", name="1.2.0.192.in-addr.arpa"),
            endpoint("CNAME", "1.0/25.2.0.192.test"),
            id="rfc-2317-cname",
        ),
        pytest.param(
            endpoint("NS", "ns.test", name="0/25.2.0.192.in-addr.arpa"),
            endpoint("NS", "ns.test", name="0/25.2.0.192.test"),
            id="rfc-2317-ns",
        ),
        pytest.param(endpoint("SRV", "10\t5\t80\th.test."), endpoint("SRV", "10 5 80 [h]. "), id="srv-blanks"),
        pytest.param(
            endpoint("NAPTR", '10 100 "s" "SIP+D2U" "" _sip._udp.test.'),
            endpoint("NAPTR", '10 100 "s" "SIP+D2U" "" -bad..'),
            id="naptr-replacement",
        ),
        pytest.param(
            endpoint("NAPTR", f'1 1 "u" "E2U" "!^.*$!{"x" * 246}\\\\\\\\!" .'),
            endpoint("NAPTR", f'1 1 "u" "E2U" "!^.*$!{"x" * 249}!" .'),
            id="naptr-length-of-a-string",
        ),
        pytest.param(
            endpoint("NAPTR", '65535 1 "s" "x" "" .'), endpoint("NAPTR", '65536 1 "s" "x" "" .'), id="naptr-order"
        ),
        pytest.param(
            endpoint("NAPTR", '1 65535 "s" "x" "" .'), endpoint("NAPTR", '1 65536 "s" "x" "" .'), id="naptr-preference"
        ),
        pytest.param(endpoint("DNAME", "x(y).test"), endpoint("DNAME", "x y.test"), id="dname"),
        pytest.param(
            endpoint("PTR", "h.test", name="1.ip6.arpa"),
            endpoint("PTR", "*.h.test", name="1.ip6.arpa"),
            id="ptr-wildcard",
        ),
        pytest.param(
            endpoint("PTR", "h.test", name="1.2.0.192.in-addr.arpa"),
            endpoint("PTR", "_h.test", name="1.2.0.192.in-addr.arpa"),
            id="ptr",
        ),
        pytest.param(
            endpoint("CNAME", "x.test", name="_a.b.test"), endpoint("CNAME", "x.test", name="a!.t"), id="owner"
        ),
        pytest.param(
            endpoint("A", "192.0.2.1", properties=ALIAS), endpoint("A", "x(y).test", properties=ALIAS), id="alias"
        ),
    ],
)
def test_each_type_has_its_own_rule_for_the_names_in_its_data(valid: DesiredRecord, invalid: DesiredRecord) -> None:
    assert validate_record(valid) is None
    assert validate_record(invalid) is not None


@pytest.mark.parametrize("name", ["_x.test", "a.*.test", "x-.test"])
def test_a_new_record_of_an_address_has_a_host_name(name: str) -> None:
    assert find_owner_problem(endpoint("A", "192.0.2.1", name=name)) is not None
    assert find_owner_problem(endpoint("A", "lb.test", name=name, properties=ALIAS)) is None


@pytest.mark.parametrize(
    ("rtype", "text", "expected"),
    [
        pytest.param("MX", "10 b\u00fccher.test", "10 xn--bcher-kva.test", id="mx"),
        pytest.param("SRV", "0 5 80 b\u00fccher.test.", "0 5 80 xn--bcher-kva.test.", id="srv"),
        pytest.param("SRV", "0 5 80 h.TEST. ", "0 5 80 h.TEST. ", id="ascii"),
        pytest.param("SRV", "0\t5\t80\th.test.", "0 5 80 h.test.", id="tabs"),
    ],
)
def test_hosts_of_mx_and_srv_get_a_labels_and_tabs_become_blanks(rtype: str, text: str, expected: str) -> None:
    assert canonicalize(rtype, text) == expected


@pytest.mark.parametrize(
    ("regexp", "is_valid"),
    [
        pytest.param("", True, id="empty"),
        pytest.param("!^.*$!sip:info@example.net!", True, id="usual"),
        pytest.param("!^(.*)$!sip:\\\\1@example.net!i", True, id="reference"),
        pytest.param("!^[+]?[[:digit:]]{2,3}(a|b)!x!", True, id="bracket-expressions"),
        pytest.param("y", False, id="no-delimiters"),
        pytest.param("!^.*$!x", False, id="not-closed"),
        pytest.param("!^.*$!x!y!", False, id="four-delimiters"),
        pytest.param("!^.*$!x!g", False, id="unknown-flag"),
        pytest.param("1a1b1", False, id="digit-as-delimiter"),
        pytest.param("!a!\\\\1!", False, id="reference-without-group"),
        pytest.param("!(a!b!", False, id="open-group"),
        pytest.param("!*a!b!", False, id="quantifier-of-nothing"),
        pytest.param("!a**!b!", False, id="two-quantifiers"),
        pytest.param("!a||b!c!", False, id="empty-alternative"),
        pytest.param("!!x!", False, id="empty-expression"),
        pytest.param("!a!\\000!", False, id="null-character"),
        pytest.param("!a!\\q!", True, id="escape-of-the-zone-file"),
        pytest.param("!a!\\1!", False, id="half-an-escape-of-the-zone-file"),
    ],
)
def test_the_regexp_of_a_naptr_record_is_a_substitution_expression(regexp: str, is_valid: bool) -> None:
    problem = validate_record(endpoint("NAPTR", f'10 100 "u" "E2U+sip" "{regexp}" .'))
    assert (problem is None) is is_valid


@given(st.text())
def test_a_hostname_that_is_accepted_is_canonical_and_valid_for_a_cname(text: str) -> None:
    try:
        name = parse_hostname(text)
    except InvalidValueError:
        return
    assert parse_hostname(name) == name == DnsName.parse(name)
    assert validate_record(endpoint("CNAME", "x.y", name=name)) is None
