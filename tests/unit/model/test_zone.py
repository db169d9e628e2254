"""Placement: the zones that a name belongs to (docs/spec/plan.md 4.8, 7.2, 10.6; docs/design/architecture.md)."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone, ZonePlacement, find_placement_problem


def zone(name: str) -> Zone:
    """Build a zone whose id is not its name."""
    return Zone(name=DnsName.parse(name), id=f"{name}-public")


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
def test_a_name_is_placed_in_the_zone_with_the_longest_match_of_whole_labels(
    name: str, names_of_zones: list[str], expected: str | None
) -> None:
    placement = ZonePlacement(zone(each) for each in names_of_zones)
    found = [each.name for each in placement.find_zones(DnsName.parse(name))]
    assert found == ([DnsName.parse(expected)] if expected else [])


OUTER = zone("example.org")


@pytest.mark.parametrize(
    ("name", "rtype", "targets", "problem"),
    [
        pytest.param("example.org", "A", ("192.0.2.1",), "", id="address-at-the-apex"),
        pytest.param("a.example.org", "CNAME", ("lb.test",), "", id="cname"),
        pytest.param("*.example.org", "CNAME", ("lb.test",), "", id="cname-at-a-wildcard"),
        pytest.param("a.example.org", "NS", ("ns.test",), "", id="ns"),
        pytest.param(
            "aexample.org", "A", ("192.0.2.1",), f"aexample.org lies outside zone {OUTER}", id="outside-the-zone"
        ),
        pytest.param("a.example.org", "TXT", (), "TXT needs a target", id="no-target"),
        pytest.param(
            "example.org", "CNAME", ("lb.test",), f"a CNAME is not allowed at the apex of {OUTER}, which has", id="apex"
        ),
        pytest.param("*.example.org", "NS", ("ns.test",), "NS is not allowed at a wildcard", id="wildcard-ns"),
        pytest.param("*.example.org", "DNAME", ("a.test",), "DNAME is not allowed at a wildcard", id="wildcard-dname"),
    ],
)
def test_a_zone_cannot_hold_every_record(name: str, rtype: str, targets: tuple[str, ...], problem: str) -> None:
    found = find_placement_problem(DesiredRecord(name=DnsName(name), type=rtype, targets=targets), OUTER)
    assert found.startswith(problem)
    assert bool(found) is bool(problem)


def test_a_zone_is_shown_with_its_id_unless_that_is_its_name() -> None:
    assert str(OUTER) == "example.org (example.org-public)"
    assert str(Zone(name=OUTER.name, id="example.org")) == "example.org"
