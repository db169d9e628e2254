"""Select hosted zones (docs/spec/plan.md 4.2, 7.3)."""

from __future__ import annotations

import re

import pytest

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from providers.aws.settings import Route53ZoneFilter

NAME = DnsName("example.org")


@pytest.mark.parametrize(
    ("selection", "is_selected"),
    [
        pytest.param(Route53ZoneFilter(), True, id="no-filter"),
        pytest.param(Route53ZoneFilter(ids=("Z2ABC",)), True, id="bare-id"),
        pytest.param(Route53ZoneFilter(ids=("ZNOT", "/hostedzone/Z2ABC")), True, id="10.5-full-id"),
        pytest.param(Route53ZoneFilter(ids=("ABC",)), True, id="end-of-id"),
        pytest.param(Route53ZoneFilter(ids=("Z2AB",)), False, id="beginning-of-id"),
        pytest.param(Route53ZoneFilter(visibility="public"), True, id="public"),
        pytest.param(Route53ZoneFilter(visibility="private"), False, id="private"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(include=("example.org",))), True, id="domain"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(include=("sub.example.org",))), False, id="zone-above"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(exclude=("org",))), False, id="excluded"),
    ],
)
def test_a_zone_must_match_all_filters(selection: Route53ZoneFilter, is_selected: bool) -> None:
    assert selection.matches("Z2ABC", NAME, private=False) is is_selected


@pytest.mark.parametrize(
    ("domains", "is_selected"),
    [
        pytest.param(DomainFilter(include=("x.example.org",)), True, id="above-a-domain"),
        pytest.param(DomainFilter(include=(".x.example.org",)), False, id="leading-dot-matches-no-parent"),
        pytest.param(DomainFilter(include=("notexample.org",)), False, id="whole-labels"),
        pytest.param(DomainFilter(include=("x.example.org",), exclude=("example.org",)), False, id="excluded"),
        pytest.param(DomainFilter(include_pattern=re.compile("net")), True, id="pattern-does-not-exclude-parents"),
    ],
)
def test_the_match_parent_flag_also_selects_zones_above_a_filtered_domain(
    domains: DomainFilter, is_selected: bool
) -> None:
    assert Route53ZoneFilter(domains=domains, match_parent=True).matches("Z", NAME, private=False) is is_selected


@pytest.mark.parametrize(
    ("tags", "is_selected"),
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
        pytest.param(("sum=a=b",), True, id="value-may-contain-equals-sign"),
    ],
)
def test_a_zone_must_have_all_tags_of_the_filter(tags: tuple[str, ...], is_selected: bool) -> None:
    assert Route53ZoneFilter(tags=tags).matches_tags({"zone": "3", "team": "a", "sum": "a=b"}) is is_selected
