"""Label and annotation selectors (docs/spec/sources.md 2.7), domain filters (docs/spec/plan.md 2.10, 7.3, 10.6)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.dns_name import DnsName
from extdns.model.selection import (
    EVERYTHING,
    DomainFilter,
    Operator,
    Requirement,
    Selector,
    is_label_value,
    parse_annotation_selector,
    parse_label_selector,
    parse_suffixes,
)
from tests import strategies

Parser = Callable[[str], Selector]

BOTH = (parse_label_selector, parse_annotation_selector)


@pytest.mark.parametrize("parse", BOTH)
@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        pytest.param("", {}, True, id="2.7-empty-selects-everything"),
        pytest.param(" \t\r\n", {"k": "v"}, True, id="2.7-blank-selects-everything"),
        pytest.param("k", {"k": ""}, True, id="2.7-exists"),
        pytest.param("k", {}, False, id="2.7-exists-not"),
        pytest.param("!k", {}, True, id="2.7-missing"),
        pytest.param("!k", {"k": ""}, False, id="2.7-missing-not"),
        pytest.param("k=v", {"k": "v"}, True, id="2.7-equal"),
        pytest.param("k==v", {"k": "v"}, True, id="2.7-double-equal"),
        pytest.param("k=v", {"k": "V"}, False, id="2.7-case-matters"),
        pytest.param("k=v", {}, False, id="2.7-equal-needs-the-key"),
        pytest.param("k=", {"k": ""}, True, id="2.7-empty-value"),
        pytest.param("k in (a,b)", {"k": "b"}, True, id="2.7-in"),
        pytest.param("k in (a,b)", {}, False, id="2.7-in-needs-the-key"),
        pytest.param("k in (a,)", {"k": ""}, True, id="2.7-in-with-empty-value"),
        pytest.param("k notin (a,b)", {"k": "c"}, True, id="2.7-notin"),
        pytest.param("k notin (a,b)", {"k": "a"}, False, id="2.7-notin-not"),
        pytest.param("k notin (a,b)", {}, True, id="2.7-notin-holds-without-key"),
        pytest.param(" k\t=\rv ,\n! x ", {"k": "v"}, True, id="2.7-blanks-around-tokens"),
        pytest.param("a=1,b", {"a": "1"}, False, id="2.7-comma-is-and"),
        pytest.param("in in (in,notin)", {"in": "notin"}, True, id="2.7-words-as-key-and-value"),
        pytest.param("example.org/k=v", {"example.org/k": "v"}, True, id="2.7-qualified-key"),
        pytest.param("k=v", {"k": "https://x/y"}, False, id="2.7-raw-annotation-value"),
    ],
)
def test_a_selector_matches_labels_that_meet_all_its_requirements(
    parse: Parser, text: str, labels: dict[str, str], expected: bool
) -> None:
    assert parse(text).matches(labels) is expected


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        pytest.param("k!=v", {"k": "w"}, True, id="2.7-unequal"),
        pytest.param("k!=v", {"k": "v"}, False, id="2.7-unequal-not"),
        pytest.param("k!=v", {}, True, id="2.7-unequal-holds-without-key"),
        pytest.param("k>5", {"k": "6"}, True, id="2.7-greater"),
        pytest.param("k>5", {"k": "5"}, False, id="2.7-greater-not"),
        pytest.param("k<5", {"k": "-4"}, True, id="2.7-less"),
        pytest.param("k<5", {"k": "5"}, False, id="2.7-less-not"),
        pytest.param("k<5", {}, False, id="2.7-less-needs-the-key"),
        pytest.param("k>5", {"k": "many"}, False, id="2.7-no-integer-no-match"),
        pytest.param("k>5", {"k": "9" * 5000}, False, id="2.7-beyond-64-bits-no-match"),
        pytest.param("k<0", {"k": "-9223372036854775808"}, True, id="2.7-least-integer-of-a-label"),
        pytest.param("k=a,k=b", {"k": "b"}, False, id="2.7-two-equalities-never-match"),
    ],
)
def test_label_selectors_can_also_require_inequality_and_order(
    text: str, labels: dict[str, str], expected: bool
) -> None:
    assert parse_label_selector(text).matches(labels) is expected


def test_of_two_equalities_of_one_key_an_annotation_selector_keeps_the_last() -> None:
    selector = parse_annotation_selector("k=a,x in (y),k=b")
    assert selector.matches({"k": "b", "x": "y"})
    assert not selector.matches({"k": "b"})
    assert selector.text == "x in (y),k=b"


@pytest.mark.parametrize("text", ["k!=v", "k>1", "k<1"])
def test_operators_of_label_selectors_only_are_rejected_in_annotation_selectors(text: str) -> None:
    with pytest.raises(ValueError, match="--label-filter only"):
        parse_annotation_selector(text)


@pytest.mark.parametrize("parse", BOTH)
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("k=a/b", "'a/b' is not a label value", id="2.7-slash-in-value"),
        pytest.param("k=a b", "'b' found where ',' is expected", id="2.7-blank-in-value"),
        pytest.param("k=" + "a" * 64, "is not a label value", id="2.7-long-value"),
        pytest.param("k=-a", "'-a' is not a label value", id="2.7-value-starts-with-dash"),
        pytest.param("-k=a", "'-k' is not a key", id="2.7-key-starts-with-dash"),
        pytest.param("/k", "'/k' is not a key", id="2.7-empty-prefix"),
        pytest.param("Org/k", "'Org/k' is not a key", id="2.7-prefix-in-capitals"),
        pytest.param("a/b/c", "'a/b/c' is not a key", id="2.7-two-slashes"),
        pytest.param("a" * 254 + "/k", "is not a key", id="2.7-long-prefix"),
        pytest.param("k,", "'the end' is not a key", id="2.7-trailing-comma"),
        pytest.param(",k", "',' is not a key", id="2.7-leading-comma"),
        pytest.param("!", "'the end' is not a key", id="2.7-bare-exclamation"),
        pytest.param("!k=v", "'=' found where ',' is expected", id="2.7-missing-with-value"),
        pytest.param("k~v", "'k~v' is not a key", id="2.7-strange-operator"),
        pytest.param("k like v", "'like' after 'k' is not an operator", id="2.7-unknown-word"),
        pytest.param("k in a", "'a' found where '(' is expected", id="2.7-set-without-parentheses"),
        pytest.param("k in (a", "'the end' found where ')' is expected", id="2.7-set-without-end"),
        pytest.param("k=(a)", "'(' found where ',' is expected", id="2.7-equal-with-set"),
    ],
)
def test_an_invalid_selector_is_rejected_with_the_invalid_part(parse: Parser, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        parse(text)


@pytest.mark.parametrize("text", ["k>a", "k<1.5", "k>" + "9" * 20, "k>"])
def test_a_comparison_by_order_needs_an_integer(text: str) -> None:
    with pytest.raises(ValueError, match="is not an integer"):
        parse_label_selector(text)


def test_object_without_labels_is_selected_by_empty_selector_only() -> None:
    assert EVERYTHING.matches(None)
    assert not parse_label_selector("k").matches(None)


def test_a_selector_mentions_exactly_the_keys_of_its_requirements() -> None:
    selector = parse_label_selector("a=1,!b")
    assert selector.mentions("b")
    assert not selector.mentions("c")


@pytest.mark.parametrize(("text", "expected"), [("", True), ("a" * 63, True), ("a_b.c-d", True), ("a ", False)])
def test_a_label_value_may_be_empty_or_have_63_characters_and_has_no_blank(text: str, expected: bool) -> None:
    assert is_label_value(text) is expected


KEYS = st.from_regex(r"([a-z][a-z0-9]{0,3}\.org/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,4}[A-Za-z0-9])?", fullmatch=True)
VALUES = st.from_regex(r"([A-Za-z0-9]([-_.A-Za-z0-9]{0,4}[A-Za-z0-9])?)?", fullmatch=True)
SETS = st.sets(VALUES, min_size=1, max_size=3).map(lambda values: tuple(sorted(values)))
REQUIREMENTS = st.one_of(
    st.builds(Requirement, key=KEYS, operator=st.sampled_from([Operator.EXISTS, Operator.MISSING])),
    st.builds(Requirement, key=KEYS, operator=st.sampled_from([Operator.IN, Operator.NOT_IN]), values=SETS),
    st.builds(
        Requirement, key=KEYS, operator=st.sampled_from([Operator.EQUAL, Operator.UNEQUAL]), values=st.tuples(VALUES)
    ),
    st.builds(
        Requirement,
        key=KEYS,
        operator=st.sampled_from([Operator.GREATER, Operator.LESS]),
        values=st.tuples(st.integers(min_value=0, max_value=2**63 - 1).map(str)),
    ),
)


@given(st.lists(REQUIREMENTS, max_size=4).map(lambda found: Selector(requirements=tuple(found))))
def test_the_text_of_a_selector_parses_to_an_equal_selector(selector: Selector) -> None:
    assert parse_label_selector(selector.text) == selector


@given(st.text(alphabet="ab!=<>(), in", max_size=12))
def test_any_text_is_parsed_as_a_selector_or_rejected_with_a_message(text: str) -> None:
    try:
        selector = parse_label_selector(text)
    except ValueError as exc:
        problem = str(exc)
    else:
        problem = "none"
        assert parse_label_selector(selector.text) == selector
    assert problem


@pytest.mark.parametrize("parse", BOTH)
def test_an_empty_set_in_a_selector_contains_the_empty_value(parse: Parser) -> None:
    assert parse("k in ()") == parse("k in (,)")
    assert parse("k in ()").matches({"k": ""})
    assert not parse("k in ()").matches({"k": "v"})
    assert parse("k notin ()").matches({})


def is_accepted(name: str, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> bool:
    """Return whether *name* passes the domain filter with these flag values."""
    return DomainFilter(include=parse_suffixes(include), exclude=parse_suffixes(exclude)).matches(DnsName.parse(name))


@pytest.mark.parametrize(
    ("name", "include", "exclude", "expected"),
    [
        pytest.param("any.thing", (), (), True, id="7.3-empty"),
        pytest.param("any.thing", ("",), (), True, id="7.3-default-is-no-filter"),
        pytest.param("any.thing", (" ", "."), ("",), True, id="7.3-blank-is-no-filter"),
        pytest.param("example.org", ("example.org",), (), True, id="7.3-itself"),
        pytest.param("x.example.org", ("example.org",), (), True, id="7.3-below"),
        pytest.param("a.b.example.org", ("example.org",), (), True, id="7.3-far-below"),
        pytest.param("*.example.org", ("example.org",), (), True, id="7.3-wildcard"),
        pytest.param("anexample.org", ("example.org",), (), False, id="7.3-whole-labels"),
        pytest.param("org", ("example.org",), (), False, id="7.3-above"),
        pytest.param("sub.example.org", (".example.org",), (), True, id="7.3-dot-below"),
        pytest.param("example.org", (".example.org",), (), False, id="7.3-dot-not-the-domain-itself"),
        pytest.param("anexample.org", (".example.org",), (), False, id="7.3-dot-whole-labels"),
        pytest.param("b.test", ("a.test", "b.test"), (), True, id="7.3-any-of-them"),
        pytest.param("a.test", ("a.test,b.test",), (), False, id="7.3-comma-is-literal"),
        pytest.param("b.test", ("a.test,b.test",), (), False, id="7.3-comma-separates-nothing"),
        pytest.param("any.thing", ("..",), (), False, id="7.3-two-dots-accept-nothing"),
        pytest.param("foo.org", ("", "foo.org."), (), True, id="10.6-blank-among-others"),
        pytest.param("bar.org", ("", "foo.org."), (), False, id="10.6-blank-among-others-is-no-wildcard"),
        pytest.param("foo.org", (" FOO.Org. ",), (), True, id="7.3-blanks-case-and-dot"),
        pytest.param("x.xn--5cab8c.org", (" æøå.org. ",), (), True, id="10.6-unicode"),
        pytest.param("x.ÆØÅ.org", ("xn--5cab8c.org",), (), True, id="10.6-punycode"),
        pytest.param("a.😍.org", ("xn--r28h.org",), (), True, id="10.6-emoji"),
        pytest.param("api.example.org", ("example.org",), ("api.example.org",), False, id="7.3-excluded"),
        pytest.param("v1.api.example.org", ("example.org",), ("api.example.org",), False, id="7.3-excluded-below"),
        pytest.param("dev-api.example.org", (), ("api.example.org",), True, id="7.3-excluded-whole-labels"),
        pytest.param("api.example.com", (), (".api.example.com",), True, id="7.3-excluded-dot-not-the-domain-itself"),
        pytest.param("v1.api.example.com", (), (".api.example.com",), False, id="7.3-excluded-dot-below"),
        pytest.param("a.test", ("a.test",), ("a.test",), False, id="7.3-exclusion-wins"),
        pytest.param("a.test", (), ("b.test",), True, id="7.3-only-exclusion"),
        pytest.param("foo.ex.domain.tld", ("domain.tld",), ("ex.domain.tld",), False, id="2.10-16"),
        pytest.param("foo.domain.tld", ("domain.tld",), ("ex.domain.tld",), True, id="2.10-16-not-excluded"),
        pytest.param("some.other.tld", ("used.tld",), (), False, id="10.1-other"),
        pytest.param("some.used.tld", ("used.tld",), (), True, id="10.1-used"),
    ],
)
def test_domain_filter_matches_names_in_its_domains_by_whole_labels(
    name: str, include: tuple[str, ...], exclude: tuple[str, ...], expected: bool
) -> None:
    assert is_accepted(name, include=include, exclude=exclude) is expected


@pytest.mark.parametrize(
    ("name", "include", "exclude", "expected"),
    [
        pytest.param("x.example.org", r"example\.org$", None, True, id="7.3-include"),
        pytest.param("x.example.com", r"example\.org$", None, False, id="7.3-include-no-match"),
        pytest.param("x.example.org", "ampl", None, True, id="7.3-unanchored"),
        pytest.param("x.example.org", "^example", None, False, id="7.3-anchored-by-the-user"),
        pytest.param("x.EXAMPLE.org", "EXAMPLE", None, False, id="7.3-case-of-the-canonical-name"),
        pytest.param("x.example.org.", r"org$", None, True, id="7.3-no-trailing-dot"),
        pytest.param("xn--r28h.org", "^😍", None, True, id="7.3-unicode-form"),
        pytest.param("xn--r28h.org", "xn--", None, False, id="7.3-not-the-ascii-form"),
        pytest.param("x.example.org", None, "^x", False, id="7.3-only-exclusion-excludes"),
        pytest.param("y.example.org", None, "^x", True, id="7.3-only-exclusion-accepts-other-names"),
        pytest.param("x.example.org", "example", "^x", False, id="7.3-exclusion-first"),
        pytest.param("y.example.org", "example", "^x", True, id="7.3-both"),
    ],
)
def test_domain_filter_searches_names_for_its_patterns(
    name: str, include: str | None, exclude: str | None, expected: bool
) -> None:
    domains = DomainFilter(
        include_pattern=re.compile(include) if include else None,
        exclude_pattern=re.compile(exclude) if exclude else None,
    )
    assert domains.matches(DnsName.parse(name)) is expected


def test_a_domain_filter_ignores_its_domains_if_a_pattern_is_given() -> None:
    domains = DomainFilter(include=("a.test",), exclude=("b.test",), include_pattern=re.compile("b"))
    assert not domains.matches(DnsName("a.test"))
    assert domains.matches(DnsName("b.test"))


@given(strategies.names(), strategies.names())
def test_a_domain_with_a_leading_dot_matches_the_names_below_it_and_not_itself(name: DnsName, domain: DnsName) -> None:
    assert is_accepted(name, include=(f".{domain}",)) is (is_accepted(name, include=(domain,)) and name != domain)


@given(strategies.names(), st.lists(strategies.names(), min_size=1))
def test_a_domain_accepts_as_filter_exactly_the_names_that_it_rejects_as_exclusion(
    name: DnsName, domains: list[DnsName]
) -> None:
    assert is_accepted(name, include=tuple(domains)) is not is_accepted(name, exclude=tuple(domains))
