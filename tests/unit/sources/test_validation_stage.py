"""The stages after a source (docs/spec/sources.md 0.2, 1.6, 8.4)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.ports import Source
from extdns.resources.core import SERVICE, ServicePort, ServiceSpec
from extdns.sources.common.claim_stages import TargetNetworkStage, parse_target_networks, validate_claim
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import build_source
from tests.unit.sources.samples import load_balancer, node, ours, service

pytestmark = pytest.mark.usefixtures("cluster")


def refined(obj: KubernetesObject, *others: KubernetesObject, net: str = "") -> tuple[Claim, ...]:
    network = TargetNetworkStage(include=parse_target_networks(net.split())[0])
    source: Source = build_source("service", stages=(validate_claim, network))
    assert (source.name, source.kind) == ("service", SERVICE)
    return compute_claims(source, obj, *others)


# docs/spec/sources.md 1.6
def test_an_alias_annotation_makes_only_the_srv_record_of_a_service_invalid() -> None:
    spec = ServiceSpec(type="NodePort", ports=(ServicePort(protocol="TCP", node_port=30022),))
    claims = refined(service(ours(hostname="np.t", alias="true"), spec), node("n1", external=["203.0.113.1"]))
    assert reduce_claims(claims) == ["_web._tcp.np.t: invalid-endpoint", "np.t A 203.0.113.1"]
    assert isinstance(claims[0], UnresolvedClaim)
    assert claims[0].type == "SRV"
    assert claims[0].detail.endswith(": 'alias on SRV' is not valid; allowed: alias on A, AAAA and CNAME only")


@pytest.mark.parametrize("hosts", [100, 101])
def test_an_object_whose_records_have_more_than_100000_targets_in_total_has_no_targets(hosts: int) -> None:
    names, addresses = (f"h{number}.t" for number in range(hosts)), (f"192.0.{n // 250}.{n % 250}" for n in range(1000))
    claims = refined(load_balancer(ours(hostname=",".join(names), target=",".join(addresses)), "192.0.2.1"))
    details = {claim.detail if isinstance(claim, UnresolvedClaim) else "" for claim in claims}
    problem = "'101000 targets in all records of the object' is not valid; allowed: at most 100000 targets"
    assert (len(claims), details) == (hosts, {"" if hosts == 100 else problem})


# docs/spec/sources.md 8.4
def test_target_networks_filter_the_targets_of_each_record_type_separately() -> None:
    obj = load_balancer(ours(hostname="a.t,b.t"), "192.0.2.1", "2001:db8::1", "lb.t")
    assert reduce_claims(refined(obj, net="192.0.2.0/24")) == [
        "a.t A 192.0.2.1",
        "a.t: excluded by --target-net-filter",
        "b.t A 192.0.2.1",
        "b.t: excluded by --target-net-filter",
    ]


def test_the_stages_change_only_resolved_claims() -> None:
    pending = load_balancer(ours(hostname="a.t,b..t"))
    assert refined(pending, net="192.0.2.0/24") == compute_claims(build_source("service"), pending)
