"""Domain filters (docs/spec/plan.md 2.10, 7.3, 10.6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter, parse_suffixes
from tests import strategies


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
def test_a_domain_filter_matches_names_in_its_domains_and_not_in_excluded_domains_by_whole_labels(
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
def test_a_domain_filter_with_patterns_accepts_names_that_match_the_included_and_not_the_excluded_pattern(
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
