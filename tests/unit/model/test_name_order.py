"""The order in which DNS services return names on pages."""

from __future__ import annotations

from hypothesis import given

from extdns.model.dns_name import DnsName
from tests.strategies import names


def test_names_are_sorted_by_their_labels_from_the_root_down_as_in_route_53() -> None:
    sorted_names = ["org", "example.org", "*.example.org", "a-b.example.org", "a.example.org", "x.a.example.org"]
    assert sorted((DnsName(name) for name in reversed(sorted_names)), key=lambda name: name.order) == sorted_names


@given(names(), names())
def test_a_name_is_sorted_before_the_names_below_it(name: DnsName, other: DnsName) -> None:
    assert (name.order == other.order) is (name == other)
    if name != other and name.within(other):
        assert other.order < name.order
