"""Which zones a name belongs to (spec plan 4.8, 7.2, 10.6; design 4)."""

from __future__ import annotations

import pytest

from extdns.model.name import DnsName
from extdns.model.zone import Zone
from extdns.planner.placement import Placement


def zone(name: str, *, private: bool = False, number: str = "", account: str = "") -> Zone:
    """A zone whose id tells it from its twins."""
    kind = "private" if private else "public"
    return Zone(name=DnsName.parse(name), id=f"{name}-{kind}{number}", account=account, private=private)


@pytest.mark.parametrize(
    ("name", "names_of_zones", "expected"),
    [
        pytest.param("foo.qux.baz", ["qux.baz", "foo.qux.baz"], "foo.qux.baz", id="10.6-itself"),
        pytest.param("name.foo.qux.baz", ["qux.baz", "foo.qux.baz"], "foo.qux.baz", id="7.2-longest"),
        pytest.param("name-foo.qux.baz", ["qux.baz", "foo.qux.baz"], "qux.baz", id="10.6-whole-labels"),
        pytest.param("nomatch-foo.bar", ["foo.bar"], None, id="7.2-no-part-of-a-label"),
        pytest.param(
            "_foo._metadata.example.com",
            ["example.com", "_metadata.example.com"],
            "_metadata.example.com",
            id="10.6-underscore",
        ),
        pytest.param("*.example.com", ["example.com"], "example.com", id="7.2-wildcard"),
        pytest.param("a.點看.org", ["xn--c1yn36f.org"], "xn--c1yn36f.org", id="10.6-unicode"),
        pytest.param("xn--not-punycode-9999.example.com", ["example.com"], "example.com", id="10.6-bad-punycode"),
        pytest.param("com", ["example.com"], None, id="7.2-above"),
    ],
)
def test_a_name_finds_its_zone(name: str, names_of_zones: list[str], expected: str | None) -> None:
    placement = Placement(zone(each) for each in names_of_zones)
    found = [each.name for each in placement.zones_of(DnsName.parse(name))]
    assert found == ([DnsName.parse(expected)] if expected else [])


OUTER, INNER = zone("example.org"), zone("in.example.org")
PRIVATE_OUTER, PRIVATE_INNER = zone("example.org", private=True), zone("in.example.org", private=True)
TWIN = zone("example.org", number="2", account="b")


@pytest.mark.parametrize(
    ("name", "zones", "expected"),
    [
        pytest.param("a.in.example.org", (OUTER, INNER), (INNER,), id="4.8-longest-public"),
        pytest.param("a.example.org", (OUTER, INNER), (OUTER,), id="4.8-outer-public"),
        pytest.param(
            "a.in.example.org",
            (OUTER, PRIVATE_OUTER, PRIVATE_INNER),
            (PRIVATE_OUTER, OUTER, PRIVATE_INNER),
            id="4.8-private-at-any-depth-beside-public",
        ),
        pytest.param("a.in.example.org", (PRIVATE_OUTER, INNER), (PRIVATE_OUTER, INNER), id="4.8-private-above-public"),
        pytest.param("example.org", (OUTER, PRIVATE_OUTER), (PRIVATE_OUTER, OUTER), id="11-public-and-private-twin"),
        pytest.param("a.example.org", (TWIN, OUTER), (OUTER, TWIN), id="4-public-twins"),
        pytest.param("a.in.example.org", (TWIN, OUTER, INNER), (INNER,), id="4-twins-yield-to-the-longer"),
        pytest.param("example.com", (OUTER, PRIVATE_INNER), (), id="7.2-none"),
    ],
)
def test_a_name_may_lie_in_several_zones(name: str, zones: tuple[Zone, ...], expected: tuple[Zone, ...]) -> None:
    assert Placement(zones).zones_of(DnsName(name)) == expected
    assert Placement(reversed(zones)).zones_of(DnsName(name)) == expected


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        pytest.param((OUTER, PRIVATE_INNER), (PRIVATE_INNER,), id="5-an-internal-name-is-not-made-public"),
        pytest.param((PRIVATE_OUTER, INNER), (INNER,), id="5-private-above-public"),
        pytest.param((PRIVATE_OUTER, PRIVATE_INNER), (PRIVATE_INNER,), id="5-private-above-private"),
        pytest.param((OUTER, PRIVATE_OUTER), (PRIVATE_OUTER, OUTER), id="11-public-and-private-twin"),
    ],
)
def test_where_the_longest_match_alone_counts_zones_above_it_get_nothing(
    zones: tuple[Zone, ...], expected: tuple[Zone, ...]
) -> None:
    assert Placement(zones, longest_only=True).zones_of(DnsName("a.in.example.org")) == expected
