"""Every function and variable of an expression, also with values for which it is not defined."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.cel.address_functions import is_global
from extdns.cel.expression import EvaluationError
from extdns.cel.functions import FUNCTIONS, MAX_TEXT, replace_text
from extdns.cel.references import FIELDS
from extdns.rules.rule_input import Operation
from tests.unit.cel.expressions import build_current, build_input, evaluate

VALUES: dict[str, object] = {
    "operation": "CREATE",
    "source": "service",
    "stated": False,
    "record.name": "web.team-a.example.com",
    "record.labels": ["web", "team-a", "example", "com"],
    "record.zone": "example.com",
    "record.private": False,
    "record.type": "A",
    "record.ttl": 300,
    "record.targets": ["192.0.2.1"],
    "record.setIdentifier": "",
    "record.properties": {},
    "object.apiVersion": "v1",
    "object.kind": "Service",
    "object.namespace": "team-a",
    "object.name": "web",
    "object.labels": {"app": "web"},
    "object.annotations": {"dns.example/owner": "ops"},
    "namespace.name": "team-a",
    "namespace.labels": {"team": "a"},
    "namespace.annotations": {"contact": "a@example.com"},
    "current == null": True,
}

INTERNAL: Final = """
    10.1.2.3 172.31.0.1 192.168.0.1 100.100.100.200 0.1.2.3 127.0.0.1 169.254.169.254 198.18.0.1 224.0.0.1 240.0.0.1
    255.255.255.255 :: ::1 ::ffff:169.254.169.254 ::ffff:127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:a9fe:a9fe::1
    fec0::1 ::a9fe:a9fe fd00::1 fe80::1 ff02::1 2001::1
""".split()  # noqa: SIM905 - a long list
REACHABLE: Final = """
    192.0.2.1 172.32.0.1 100.128.0.1 198.20.0.1 2001:db8::1 2a00::1 ::ffff:192.0.2.1 64:ff9b::c000:201 2002:c000:201::1
""".split()  # noqa: SIM905

CURRENT_VALUES: dict[str, object] = {
    "current.record.name": "web.team-a.example.com",
    "current.record.ttl": 60,
    "current.record.targets": ["192.0.2.9"],
    "current.owner": "default",
    "current.ours": True,
    "current.resource": "service/team-a/web",
}

RESULTS: dict[str, object] = {
    # names: any spelling, whole labels, wildcards, IDNA
    "'a.example.com'.isSubdomainOf('example.com')": True,
    "'example.com'.isSubdomainOf('example.com')": True,
    "'EXAMPLE.com.'.isSubdomainOf('example.COM')": True,
    "'a.example.com'.isSubdomainOf('Example.Com.')": True,
    "'notexample.com'.isSubdomainOf('example.com')": False,
    "'example.com'.isSubdomainOf('a.example.com')": False,
    "'*.a.example.com'.isSubdomainOf('a.example.com')": True,
    "'*.example.com'.isSubdomainOf('a.example.com')": False,
    "'a.example.com'.isSubdomainOf('*.example.com')": False,
    "'a.münchen.example'.isSubdomainOf('xn--mnchen-3ya.example')": True,
    "'a.xn--mnchen-3ya.example'.isSubdomainOf('MÜNCHEN.example')": True,
    "'a.example.com'.isSubdomainOf('.')": True,
    "isSubdomainOf('a.example.com', 'com')": True,
    "'Web.Example.com.'.labels()": ["web", "example", "com"],
    "'*.example.com'.labels()[0]": "*",
    "'münchen.example'.labels()[0]": "xn--mnchen-3ya",
    "record.name.labels() == record.labels": True,
    # addresses
    "ip('192.0.2.1')": "192.0.2.1",
    "ip('2001:DB8:0::1')": "2001:db8::1",
    "ip('2001:DB8::1') == ip('2001:db8:0:0::1')": True,
    "string(ip('::1'))": "::1",
    "isGlobal('192.0.2.1')": True,
    "isGlobal('::ffff:10.0.0.1')": False,
    "isIP('192.0.2.1')": True,
    "isIP('2001:db8::1')": True,
    "isIP('192.0.2.256')": False,
    "isIP('192.0.02.1')": False,
    "isIP('192.0.2.0/24')": False,
    "isIP('fe80::1%eth0')": False,
    "isIP('::ffff:192.0.2.1')": False,
    "isIP('lb.example.net')": False,
    "isIP('')": False,
    "ip.isCanonical('2001:db8::1')": True,
    "ip.isCanonical('2001:DB8::1')": False,
    "ip('192.0.2.1').family()": 4,
    "ip('::1').family()": 6,
    "ip('0.0.0.0').isUnspecified()": True,
    "ip('::').isUnspecified()": True,
    "ip('192.0.2.1').isUnspecified()": False,
    "ip('127.3.2.1').isLoopback()": True,
    "ip('::1').isLoopback()": True,
    "ip('192.0.2.1').isLoopback()": False,
    "ip('169.254.169.254').isLinkLocalUnicast()": True,
    "ip('fe80::1').isLinkLocalUnicast()": True,
    "ip('192.0.2.1').isLinkLocalUnicast()": False,
    "ip('224.0.0.1').isLinkLocalMulticast()": True,
    "ip('224.0.1.1').isLinkLocalMulticast()": False,
    "ip('ff02::1').isLinkLocalMulticast()": True,
    "ip('ff05::1').isLinkLocalMulticast()": False,
    "ip('192.0.2.1').isGlobalUnicast()": True,
    "ip('10.0.0.1').isGlobalUnicast()": True,
    "ip('169.254.0.1').isGlobalUnicast()": False,
    "ip('255.255.255.255').isGlobalUnicast()": False,
    "ip('ff02::1').isGlobalUnicast()": False,
    # networks
    "cidr('10.0.0.0/8').containsIP('10.1.2.3')": True,
    "cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))": False,
    "cidr('10.0.0.7/8').containsIP('10.1.2.3')": True,
    "cidr('2001:db8::/32').containsIP('2001:db8:1::1')": True,
    "cidr('::/0').containsIP('10.0.0.1')": False,
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')": True,
    "cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))": False,
    "cidr('::/0').containsCIDR('10.0.0.0/8')": False,
    "isCIDR('10.0.0.0/8')": True,
    "isCIDR('10.0.0.0/08')": False,
    "isCIDR('10.0.0.0/33')": False,
    "isCIDR('10.0.0.0/255.0.0.0')": False,
    "isCIDR('10.0.0.1')": False,
    "cidr('10.1.2.3/8').ip()": "10.1.2.3",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')": True,
    "cidr('10.1.2.3/8').prefixLength()": 8,
    # URLs
    "url('https://user@a.example:8443/p q?x=1&x=2&y='.replace(' ', '%20')).getHost()": "a.example:8443",
    "url('https://A.example/').getScheme()": "https",
    "url('https://[2001:db8::1]:80/').getHostname()": "2001:db8::1",
    "url('https://a.example/').getHostname()": "a.example",
    "url('https://a.example:8443/').getPort()": "8443",
    "url('https://a.example/').getPort()": "",
    "url('https://a.example/b%20c').getEscapedPath()": "/b%20c",
    "url('https://a.example/?x=1&x=2&y=').getQuery()": {"x": ["1", "2"], "y": [""]},
    "url('/path').getHost()": "",
    "isURL('https://a.example/')": True,
    "isURL('a.example')": False,
    "isURL('https://[::1')": False,
    "isURL('https://a.example:99999/')": False,
    # texts and sets
    "'Web'.lowerAscii()": "web",
    "'Web'.upperAscii()": "WEB",
    "'a,b'.split(',')": ["a", "b"],
    "['a', 'b'].join('-')": "a-b",
    "'a-b'.replace('-', '.')": "a.b",
    "'abc'.substring(1, 2)": "b",
    "' a '.trim()": "a",
    "'abc'.indexOf('c')": 2,
    "'abca'.lastIndexOf('a')": 3,
    "'abc'.charAt(1)": "b",
    "'abc'.reverse()": "cba",
    "bool('true')": True,
    "sets.contains(['a', 'b'], ['a'])": True,
    "sets.intersects(['a'], ['b'])": False,
    "sets.equivalent(['a', 'b'], ['b', 'a'])": True,
    "'web-1'.matches('^web-[0-9]+$')": True,
}

WITHOUT_VALUE = {
    "''.labels()": "is not a domain name",
    "'a..b'.isSubdomainOf('b')": "is not a domain name",
    "'a.b'.isSubdomainOf('')": "is not a domain name",
    "isSubdomainOf(1, 'b')": "a domain name is a string, not int",
    "record.ttl.labels()": "a domain name is a string, not int",
    "isGlobal('lb.example.net')": '"lb.example.net" is not an IP address',
    "ip('192.0.2.1%eth0')": "is not an IP address",
    "ip(1)": "not a string (int)",
    "ip(null)": "not a string (NoneType)",
    "ip(['192.0.2.1'])": "unhashable",
    "cidr('10.0.0.0')": "is not a network in CIDR notation",
    "cidr('10.0.0.0/8').containsIP('10')": "is not an IP address",
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0')": "is not a network",
    "url('a.example')": "is not a URL",
    "url('https://a b')": "is not a URL",
    "'abc'.substring(2, 1)": "out of range",
    "size(1)": "size() is not defined for values of these types",
    "'a'.startsWith(1)": "startsWith() is not defined",
    "record.ttl > '60'": "an operator is not defined for values of these types",
    "'a'.matches('[')": "not a valid regex",
    "record.targets[7]": "a list has no such element",
    "object.annotations['none']": 'there is no key or field "none"',
    "current.owner == 'x'": "an operator is not defined for values of these types",
    "1 / 0 == 1": "division by zero",
    "int('x') == 1": "invalid digit",
}


@pytest.mark.parametrize(("source", "expected"), VALUES.items())
def test_each_variable_has_the_value_of_the_record_object_or_namespace_in_the_input(
    source: str, expected: object
) -> None:
    assert evaluate(source) == expected


@pytest.mark.parametrize(("source", "expected"), CURRENT_VALUES.items())
def test_the_variable_current_has_the_record_that_the_zone_holds(source: str, expected: object) -> None:
    assert evaluate(source, build_input(current=build_current(), operation=Operation.UPDATE)) == expected


def test_each_variable_and_field_of_cel_expressions_has_a_test_case() -> None:
    known = {variable for variable, fields in FIELDS.items() if fields is None}
    known |= {f"{variable}.{field}" for variable, fields in FIELDS.items() if fields for field in fields}
    tested = {*VALUES, *CURRENT_VALUES, *(".".join(name.split(".")[:2]) for name in CURRENT_VALUES)}
    assert known - tested == set()


@pytest.mark.parametrize(("source", "expected"), RESULTS.items())
def test_each_function_gives_the_result_that_kubernetes_or_dns_defines(source: str, expected: object) -> None:
    assert evaluate(source) == expected


def test_an_address_is_global_if_the_internet_reaches_it_in_any_spelling() -> None:
    assert [address for address in INTERNAL if is_global(address)] == []
    assert [address for address in REACHABLE if not is_global(address)] == []


def test_each_function_of_cel_expressions_has_a_test_case() -> None:
    sources = " ".join(RESULTS)
    assert [name for name in FUNCTIONS if f"{name}(" not in sources] == []


@pytest.mark.parametrize(("source", "message"), WITHOUT_VALUE.items())
def test_a_function_or_operator_applied_to_an_invalid_value_gives_an_error(source: str, message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        evaluate(source)
    assert message in str(raised.value)


def test_replacing_text_raises_an_error_instead_of_building_a_huge_text() -> None:
    with pytest.raises(ValueError, match="allowed: 65536"):
        replace_text("a" * MAX_TEXT, "", "b" * MAX_TEXT)


def test_expressions_can_use_the_variable_namespace_although_cel_reserves_the_word() -> None:
    assert evaluate("namespace.labels['team'] == 'a' && object.namespace == 'team-a' && 'namespace' != ''") is True
