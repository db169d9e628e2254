"""Stages behind a source (spec sources 0.2, 1.6, 8.4)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, Withheld
from extdns.model.objects import SERVICE, KubernetesObject, ServicePort, ServiceSpec
from extdns.ports import Source
from extdns.sources.refine import Refined, validated
from extdns.sources.service.settings import ServiceSettings
from extdns.sources.service.source import ServiceSource
from extdns.sources.targetnets import TargetNets, networks
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import load_balancer, node, ours, said, service

pytestmark = pytest.mark.usefixtures("cluster")

SERVICES: Source = ServiceSource(settings=ServiceSettings())


def refined(obj: KubernetesObject, *others: KubernetesObject, net: str = "") -> tuple[Claim, ...]:
    source: Source = Refined(source=SERVICES, stages=(validated, TargetNets(include=networks(net.split())[0])))
    assert (source.name, source.kind) == ("service", SERVICE)
    return shown(source, obj, *others)


def test_1_6_alias_makes_srv_invalid_and_nothing_else() -> None:
    spec = ServiceSpec(type="NodePort", ports=(ServicePort(protocol="TCP", node_port=30022),))
    claims = refined(service(ours(hostname="np.t", alias="true"), spec), node("n1", external=["203.0.113.1"]))
    assert said(claims) == ["_web._tcp.np.t invalid-endpoint", "np.t A - [203.0.113.1]"]
    assert isinstance(claims[0], Withheld)
    assert claims[0].type == "SRV"
    assert claims[0].detail.endswith(": 'alias on SRV' is not valid; allowed: alias on A, AAAA and CNAME only")


def test_8_4_each_type_is_filtered_by_itself() -> None:
    obj = load_balancer(ours(hostname="a.t,b.t"), "192.0.2.1", "2001:db8::1", "lb.t")
    assert said(refined(obj, net="192.0.2.0/24")) == [
        "a.t A - [192.0.2.1]",
        "a.t by --target-net-filter",
        "b.t A - [192.0.2.1]",
        "b.t by --target-net-filter",
    ]


def test_other_claims_pass_as_they_are() -> None:
    pending = load_balancer(ours(hostname="a.t,b..t"))
    assert refined(pending, net="192.0.2.0/24") == shown(SERVICES, pending)
