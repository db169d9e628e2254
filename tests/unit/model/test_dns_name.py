"""Domain names: their canonical spelling (docs/spec/plan.md 0.3), and the order in which DNS services page them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from extdns.model.dns_name import DnsName
from tests.strategies import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Web.Example.ORG", "web.example.org", id="plan-0.3-lower-case"),
        pytest.param("  Foo", "foo", id="plan-0.3-blanks-around"),
        pytest.param("a.example.org.", "a.example.org", id="plan-0.1-one-trailing-dot"),
        pytest.param("點看.org.", "xn--c1yn36f.org", id="plan-0.3-unicode"),
        pytest.param("XN--C1YN36F.org", "xn--c1yn36f.org", id="plan-0.3-a-label-in-capitals"),
        pytest.param("😍.org", "xn--r28h.org", id="plan-0.3-emoji"),
        pytest.param("faß.de", "fass.de", id="plan-0.3-transitional"),
        pytest.param("bücher。example", "xn--bcher-kva.example", id="plan-0.3-ideographic-full-stop"),
        pytest.param("*.example.org", "*.example.org", id="plan-0.3-wildcard"),
        pytest.param("_ssh._tcp.example.org", "_ssh._tcp.example.org", id="plan-0.3-underscore"),
        pytest.param("_ssh.bücher.example", "_ssh.xn--bcher-kva.example", id="plan-0.3-underscore-beside-unicode"),
        pytest.param("a" * 63 + ".org", "a" * 63 + ".org", id="sources-1.2-63-bytes"),
        pytest.param("A" * 63 + ".org", "a" * 63 + ".org", id="63-bytes-in-capitals"),
        pytest.param("A." * 126 + "a.", "a." * 126 + "a", id="253-bytes-with-trailing-dot"),
    ],
)
def test_each_spelling_of_a_domain_name_gives_the_canonical_name(text: str, expected: str) -> None:
    assert DnsName.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        pytest.param("", "without empty labels", id="empty"),
        pytest.param(".", "without empty labels", id="the-root"),
        pytest.param("a..org", "without empty labels", id="empty-label"),
        pytest.param(".foo.com.", "without empty labels", id="leading-dot"),
        pytest.param("a.org..", "without empty labels", id="two-trailing-dots"),
        pytest.param("a" * 64 + ".org", "at most 63 bytes", id="sources-1.2-long-label"),
        pytest.param(
            "".join(map(chr, range(0x4E00, 0x9E00, 500))) + ".org",
            "at most 63 bytes",
            id="sources-1.2-long-once-encoded",
        ),
        pytest.param("a." * 126 + "aa", "at most 253 bytes", id="254-bytes"),
        pytest.param("a b.org", "without blank", id="blank-inside"),
        pytest.param("a\tb.org", "without blank", id="control-character"),
        pytest.param("a\\052.org", "without blank and backslash", id="escape"),
    ],
)
def test_an_invalid_domain_name_is_rejected_and_the_error_states_what_is_allowed(text: str, allowed: str) -> None:
    with pytest.raises(InvalidValueError, match=allowed) as caught:
        DnsName.parse(text)
    assert (caught.value.value, caught.value.reason) == (text, "invalid-name")


@pytest.mark.parametrize(
    ("name", "ancestor", "expected"),
    [
        pytest.param("a.example.org", "example.org", True, id="below"),
        pytest.param("example.org", "example.org", True, id="itself"),
        pytest.param("myexample.org", "example.org", False, id="half-a-label"),
        pytest.param("org", "example.org", False, id="above"),
    ],
)
def test_a_name_is_within_another_name_if_it_equals_it_or_is_below_it(name: str, ancestor: str, expected: bool) -> None:
    assert DnsName.parse(name).within(ancestor) is expected


def test_a_domain_name_has_labels_and_a_parent_and_can_be_a_wildcard() -> None:
    name = DnsName.parse("*.a.org")
    assert (name.labels, name.parent, name.is_wildcard) == (("*", "a", "org"), "a.org", True)
    assert not DnsName.parse("*a.org").is_wildcard
    assert DnsName.parse("org").parent == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("_extdns.example.org", True), ("_extdns-a.example.org", True), ("_extdnsa.example.org", False), ("a.org", False)],
)
def test_names_that_begin_with_the_label_of_ownership_records_are_reserved(name: str, expected: bool) -> None:
    assert DnsName(name).is_reserved is expected


@pytest.mark.parametrize(("name", "expected"), [("*._a-1.org", False), ("a(b).org", True)])
def test_a_name_with_unusual_characters_needs_escapes(name: str, expected: bool) -> None:
    assert DnsName(name).needs_escapes is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("xn--r28h.org", "😍.org", id="plan-0.3-emoji"),
        pytest.param("點看.org", "點看.org", id="unicode"),
        pytest.param("plain.org", "plain.org", id="ascii"),
        pytest.param("xn--!.org", "xn--!.org", id="invalid-punycode"),
    ],
)
def test_a_name_is_displayed_in_unicode(text: str, expected: str) -> None:
    assert DnsName.parse(text).to_unicode() == expected


@given(st.text())
def test_parsing_a_canonical_name_returns_it_unchanged(text: str) -> None:
    try:
        name = DnsName.parse(text)
    except InvalidValueError:
        return
    assert DnsName.parse(name) == name
    assert DnsName.parse(f" {name.upper()}. ") == name
    assert name.isascii()
    assert isinstance(name.to_unicode(), str)


def test_names_are_sorted_by_their_labels_from_the_root_down_as_in_route_53() -> None:
    sorted_names = ["org", "example.org", "*.example.org", "a-b.example.org", "a.example.org", "x.a.example.org"]
    assert sorted((DnsName(name) for name in reversed(sorted_names)), key=lambda name: name.order) == sorted_names


@given(names(), names())
def test_a_name_is_sorted_before_the_names_below_it(name: DnsName, other: DnsName) -> None:
    assert (name.order == other.order) is (name == other)
    if name != other and name.within(other):
        assert other.order < name.order
