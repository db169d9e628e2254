"""What a large object costs grows no faster than its size (docs/performance.md, "The largest object")."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from extdns.resources.gateway_api import GATEWAY
from tests.bench.largest import OBJECTS, Counted, count_calls, measure, measure_changes
from tests.cluster_world import start_cluster
from tests.fakes.view import FakeView
from tests.swap.objects import dnsendpoint, endpoint
from tests.unit.sources.made import build_source
from tests.unit.sources.routes import gateway, http, listener


@pytest.mark.parametrize("kind", OBJECTS)
def test_what_an_object_costs_under_the_example_rules_grows_no_faster_than_its_size(kind: str) -> None:
    half, whole = (measure(kind, most) for most in (3_000, 5_000))
    assert whole["evaluations"] <= 2 * whole["names"]
    assert whole["step_calls"] <= 2.3 * half["step_calls"]
    assert whole["claim_calls"] <= 2.3 * half["claim_calls"]


# the larger of those with many targets is refused
@pytest.mark.parametrize("kind", [kind for kind in OBJECTS if "900 targets" not in kind])
def test_what_changes_of_an_object_cost_grows_no_faster_than_its_size(kind: str) -> None:
    half, whole = (measure_changes(kind, most) for most in (3_000, 5_000))
    assert [figure for figure, calls in whole.items() if calls > 2.3 * half[figure]] == []


def test_a_route_and_its_gateway_cost_no_more_than_their_hostnames_together() -> None:
    source = build_source("gateway-httproute")

    def find(count: int) -> int:
        hosts = [f"{number:x}.example.org" for number in range(count)]
        view = FakeView(gateway(*map(listener, hosts)), listed=[GATEWAY])
        claims, calls = count_calls(source.find_claims, http(*hosts), view)
        assert len(claims) == count
        return calls

    assert find(200) <= 2.3 * find(100)


def test_what_one_name_costs_grows_no_faster_than_its_set_identifiers() -> None:
    def find(count: int) -> int:
        world = start_cluster()
        engine = Counted(world.engine, "step")
        world.engine = engine  # type: ignore[assignment]
        weight = [{"name": "aws/weight", "value": "1"}]
        first, other = (
            dnsendpoint(
                f"{namespace}/many",
                *[
                    endpoint("web.example.org", "A", target, setIdentifier=str(number), providerSpecific=weight)
                    for number in range(count)
                ],
            )
            for namespace, target in (("shop", "192.0.2.1"), ("other", "192.0.2.2"))
        )
        world.apply(first)
        world.apply(other)
        world.delete(first)
        assert len(world.engine.decisions.decisions(DnsName("web.example.org"))) == count
        return engine.longest

    assert find(100) <= 2.3 * find(50)
