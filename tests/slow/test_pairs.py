"""Calls of extdns to Cloudflare, Azure DNS and Cloud Map in a zone of 2,000 records, beside those of external-dns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import pytest

from tests.bench.pairs import REFUSED, SITUATIONS, ZONE, measure

MOST: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {
    "cloudflare": ((2, 0), (3, 1), (3, 1), (40, 40)),
    "azure": ((4, 0), (7, 1), (7, 100), (60, 820)),
    "aws-sd": ((1051, 0), (1064, 2), (1111, 100), (1700, 810)),
}
"""The most reads and writes in each situation.

A zone in Azure DNS has a page for each 1,000 record sets. Cloud Map is asked for the instances of each of its 1,000
services, and for each write whether it was carried out.
"""
READING: Final = ("GET", "Get", "List", "Discover")


def count(calls: Counter[str]) -> tuple[int, int]:
    reads = sum(number for action, number in calls.items() if action.startswith(READING))
    return reads, calls.total() - reads


@pytest.mark.parametrize("provider", MOST)
def test_extdns_makes_few_calls_and_the_zone_that_external_dns_makes(provider: str) -> None:
    pair = measure(provider)
    for situation, (reads, writes) in zip(SITUATIONS, MOST[provider], strict=True):
        found = count(pair.ours[situation])
        assert (found[0] <= reads, found[1] <= writes) == (True, True), (situation, found)
    assert pair.theirs["a quiet pass"].total() > 20
    if provider == "aws-sd":
        assert {name.partition("more")[0] for name, _ in pair.differing} == {"", "a-"}, (
            "it ends at the first refused one"
        )
        return
    left_over = {(f"a-{name}.{ZONE}", "TXT") for name in REFUSED}
    assert pair.differing == left_over, "external-dns leaves ownership records of names that were refused"
