"""Which zones pass (spec plan 4.2, 7.3)."""

from __future__ import annotations

import re

import pytest

from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from providers.aws.selection import Selection

NAME = DnsName("example.org")


@pytest.mark.parametrize(
    ("selection", "passes"),
    [
        pytest.param(Selection(), True, id="no-filter"),
        pytest.param(Selection(ids=("Z2ABC",)), True, id="bare-id"),
        pytest.param(Selection(ids=("ZNOT", "/hostedzone/Z2ABC")), True, id="10.5-full-id"),
        pytest.param(Selection(ids=("ABC",)), True, id="end-of-id"),
        pytest.param(Selection(ids=("Z2AB",)), False, id="beginning-of-id"),
        pytest.param(Selection(visibility="public"), True, id="public"),
        pytest.param(Selection(visibility="private"), False, id="private"),
        pytest.param(Selection(domains=DomainFilter(include=("example.org",))), True, id="domain"),
        pytest.param(Selection(domains=DomainFilter(include=("sub.example.org",))), False, id="zone-above"),
        pytest.param(Selection(domains=DomainFilter(exclude=("org",))), False, id="excluded"),
    ],
)
def test_a_zone_passes_all_filters_or_none(selection: Selection, passes: bool) -> None:
    assert selection.passes("Z2ABC", NAME, private=False) is passes


@pytest.mark.parametrize(
    ("domains", "passes"),
    [
        pytest.param(DomainFilter(include=("x.example.org",)), True, id="above-a-domain"),
        pytest.param(DomainFilter(include=(".x.example.org",)), False, id="a-dot-spares-the-parent"),
        pytest.param(DomainFilter(include=("notexample.org",)), False, id="whole-labels"),
        pytest.param(DomainFilter(include=("x.example.org",), exclude=("example.org",)), False, id="excluded"),
        pytest.param(DomainFilter(include_pattern=re.compile("net")), True, id="patterns-let-all-pass"),
    ],
)
def test_with_match_parent_zones_above_a_domain_pass(domains: DomainFilter, passes: bool) -> None:
    assert Selection(domains=domains, match_parent=True).passes("Z", NAME, private=False) is passes


@pytest.mark.parametrize(
    ("tags", "passes"),
    [
        pytest.param((), True, id="none"),
        pytest.param(("team",), True, id="key"),
        pytest.param(("zone=3",), True, id="10.5-key-and-value"),
        pytest.param((" zone = 3 ",), True, id="trimmed"),
        pytest.param(("zone=3", "team=b"), False, id="all-must-fit"),
        pytest.param(("other",), False, id="absent"),
        pytest.param(("zone=",), True, id="4.2-without-a-value-any-will-do"),
        pytest.param(("other=",), False, id="4.2-without-a-value-the-key-must-be-there"),
        pytest.param(("", "=x"), True, id="empty-key-is-ignored"),
        pytest.param(("sum=a=b",), True, id="cut-at-the-first-sign"),
    ],
)
def test_every_tag_must_be_on_the_zone(tags: tuple[str, ...], passes: bool) -> None:
    assert Selection(tags=tags).wears({"zone": "3", "team": "a", "sum": "a=b"}) is passes
