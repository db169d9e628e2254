"""What a large object costs grows no faster than its size (docs/performance.md, "The largest object")."""

from __future__ import annotations

import pytest

from tests.bench.largest import OBJECTS, measure


@pytest.mark.parametrize(
    "kind", ["Service", "Ingress", "Ingress, each name with 900 targets", "DNSEndpoint, one record"]
)
def test_what_an_object_costs_under_the_example_rules_grows_no_faster_than_its_size(kind: str) -> None:
    half, whole = (measure(OBJECTS[kind], most) for most in (10_000, 20_000))
    assert whole["evaluations"] <= 2 * whole["names"]
    assert whole["calls"] <= 2.3 * half["calls"]
