"""Hostnames times targets: what one object may request is limited before it is computed."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import product
from typing import Final

import pytest

from extdns.errors import ExtdnsError
from extdns.resources.core import Service, ServiceSpec
from extdns.resources.gateway_api import LabelRequirement, LabelSelector
from extdns.resources.ingress_controllers import F5Spec, F5VirtualServer
from extdns.resources.istio import IstioGateway, IstioGatewaySpec, IstioServer, VirtualService, VirtualServiceSpec
from tests.cluster_world import start_cluster
from tests.fakes.view import FakeView
from tests.objects import PREFIX, Json, service
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.routes import gateway, http, listener, namespace, parent, selecting
from tests.unit.sources.samples import meta

NAMES: Final = [f"n{number}.example.org" for number in range(1000)]
ADDRESSES: Final = ",".join(f"10.0.{number // 256}.{number % 256}" for number in range(1000))
GATEWAYS: Final = ("g1", "g2")
GROUP: Final = "gateway.networking.k8s.io"


def manifest(
    version: str, kind: str, name: str, *, labels: Json | None = None, annotations: Json, **fields: object
) -> Json:
    metadata: Json = {
        "name": name,
        "namespace": "shop",
        "uid": f"{kind}-{name}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    prefixed = {PREFIX + key: value for key, value in annotations.items()}
    metadata |= {"labels": labels or {}, "annotations": prefixed}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def headless(hostnames: str = ",".join(NAMES), endpoints: int = 1) -> list[Json]:
    pod = manifest("v1", "Pod", "pod", labels={"app": "db"}, annotations={"target": ADDRESSES}, spec={}, status={})
    endpoint = {"addresses": ["10.0.0.1"], "targetRef": {"kind": "Pod", "name": "pod"}}
    labels = {"kubernetes.io/service-name": "odd"}
    fields = {"addressType": "IPv4", "endpoints": [endpoint] * endpoints}
    members = manifest("discovery.k8s.io/v1", "EndpointSlice", "odd", labels=labels, annotations={}, **fields)
    spec = {"type": "ClusterIP", "clusterIP": "None", "selector": {"app": "db"}}
    return [pod, members, manifest("v1", "Service", "odd", annotations={"hostname": hostnames}, spec=spec)]


def virtual_service() -> list[Json]:
    version, servers = "networking.istio.io/v1", [{"hosts": ["*"]}]
    annotations = {"target": ADDRESSES}
    gateways = [
        manifest(version, "Gateway", one, annotations=annotations, spec={"servers": servers}) for one in GATEWAYS
    ]
    spec = {"hosts": NAMES, "gateways": list(GATEWAYS)}
    return [*gateways, manifest(version, "VirtualService", "odd", annotations={}, spec=spec)]


def http_route() -> list[Json]:
    version = f"{GROUP}/v1"
    listener = {"name": "web", "port": 80, "protocol": "HTTP"}
    gateways = [
        manifest(version, "Gateway", one, annotations={"target": ADDRESSES}, spec={"listeners": [listener | hostname]})
        for one, hostname in zip(GATEWAYS, ({}, {"hostname": "*.example.org"}), strict=True)
    ]
    parents = [{"group": GROUP, "kind": "Gateway", "name": one} for one in GATEWAYS]
    accepted = [{"type": "Accepted", "status": "True"}]
    status = {"parents": [{"parentRef": one, "controllerName": "c/c", "conditions": accepted} for one in parents]}
    spec = {"parentRefs": parents, "hostnames": NAMES}
    return [*gateways, manifest(version, "HTTPRoute", "odd", annotations={}, spec=spec, status=status)]


@pytest.mark.parametrize(
    ("objects", "flags"),
    [
        pytest.param(headless(), ("--source=service",), id="headless Service"),
        pytest.param(
            headless("odd.t", 201), ("--source=service",), id="headless Service with many endpoints of one Pod"
        ),
        pytest.param(virtual_service(), ("--source=istio-virtualservice",), id="VirtualService"),
        pytest.param(http_route(), ("--source=gateway-httproute",), id="HTTPRoute"),
    ],
)
def test_an_object_with_many_hostnames_or_endpoints_that_have_many_targets_each_fails_before_they_are_computed(
    objects: list[Json], flags: tuple[str, ...]
) -> None:
    world = start_cluster(service("web"), flags=flags)
    world.apply(*objects)
    problem = (
        "the object requests more than 200000 targets, if those of each hostname and of each object that it refers to "
        "are counted"
    )
    ((key, failure),) = world.engine.claims.failures()
    assert (key.name, failure.partition(";")[0]) == ("odd", problem)


def test_targets_of_all_gateways_that_a_route_names_are_limited_though_it_publishes_none_of_them() -> None:
    targets = ",".join(f"10.0.{number // 256}.{number % 256}" for number in range(4000))
    refs = [parent(f"infra/g{number}") for number in range(51)]
    gateways = [
        gateway(listener(f"{ref.name}.t"), location=f"infra/{ref.name}", annotations={PREFIX + "target": targets})
        for ref in refs
    ]
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        build_source("gateway-httproute").find_claims(http("other.t", parents=refs), FakeView(*gateways))


def test_listeners_below_the_wildcards_of_a_route_are_limited_though_they_have_no_address() -> None:
    spellings = map("".join, product(*zip("abcdefgh", "ABCDEFGH", strict=True)))
    listeners = [listener(f"n{number}.abcdefgh.t", name=f"n{number}") for number in range(800)]
    many = gateway(*listeners, addresses=())
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        build_source("gateway-httproute").find_claims(http(*(f"*.{one}.t" for one in spellings)), FakeView(many))


def test_selectors_of_all_listeners_that_a_route_names_are_limited() -> None:
    long = LabelSelector(match_expressions=(LabelRequirement(key="a", operator="NotIn", values=tuple(NAMES)),))
    listeners = (listener(f"l{number}.t", allow=selecting(expressions=long)) for number in range(201))
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        build_source("gateway-httproute").find_claims(http("a.t"), FakeView(gateway(*listeners), namespace("shop")))


def test_the_hosts_of_all_gateways_that_a_virtual_service_names_are_limited_though_they_serve_none_of_its_hosts() -> (
    None
):
    servers = (IstioServer(hosts=tuple(NAMES)), IstioServer())
    gateways = [
        IstioGateway(metadata=meta(f"shop/g{number}"), spec=IstioGatewaySpec(servers=servers)) for number in range(200)
    ]
    named = tuple(one.metadata.name for one in gateways)
    obj = VirtualService(metadata=meta("shop/v"), spec=VirtualServiceSpec(hosts=("other.t",), gateways=named))
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        build_source("istio-virtualservice").find_claims(obj, FakeView(*gateways))


@pytest.mark.parametrize("selectors", [1, 21])
def test_services_of_the_gateways_that_a_virtual_service_names_count_once_for_each_selector(selectors: int) -> None:
    labels = {f"label{number}": "" for number in range(121)}
    selected = [dict.fromkeys([*labels][number : number + 100], "") for number in range(selectors)]
    gateways = [
        IstioGateway(
            metadata=meta(f"shop/g{number}"),
            spec=IstioGatewaySpec(servers=(IstioServer(hosts=("*",)),), selector=selected[number % selectors]),
        )
        for number in range(21)
    ]
    services = [Service(metadata=meta(f"shop/s{number}"), spec=ServiceSpec(selector=labels)) for number in range(100)]
    named = tuple(one.metadata.name for one in gateways)
    obj = VirtualService(metadata=meta("shop/v"), spec=VirtualServiceSpec(hosts=("other.t",), gateways=named))
    with pytest.raises(ExtdnsError, match="more than 200000 targets") if selectors > 1 else nullcontext():
        build_source("istio-virtualservice").find_claims(obj, FakeView(*gateways, *services))


def test_names_and_targets_of_templates_are_limited_too() -> None:
    made = templates([",".join(NAMES)], target=[ADDRESSES])
    obj = keep_all_fields(F5VirtualServer(metadata=meta("shop/v"), spec=F5Spec(host="h.t")))
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        build_source("f5-virtualserver", settings_with(templates=made)).find_claims(obj, FakeView())
