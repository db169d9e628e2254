"""The order in which services with ordered pages give names."""

from __future__ import annotations

from hypothesis import given

from extdns.model.name import DnsName
from tests.strategies import names


def test_names_sort_from_the_root_down_by_the_text_that_route_53_compares() -> None:
    sorted_names = ["org", "example.org", "*.example.org", "a-b.example.org", "a.example.org", "x.a.example.org"]
    assert sorted((DnsName(name) for name in reversed(sorted_names)), key=lambda name: name.order) == sorted_names


@given(names(), names())
def test_names_below_a_name_come_after_it(name: DnsName, other: DnsName) -> None:
    assert (name.order == other.order) is (name == other)
    if name != other and name.within(other):
        assert other.order < name.order
