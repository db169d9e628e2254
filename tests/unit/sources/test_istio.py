"""Gateways and VirtualServices of Istio (spec sources 7.1, 7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from extdns.errors import ExtdnsError
from extdns.model.balancing import LoadBalancerIngress, LoadBalancerStatus, Status
from extdns.model.claim import Claim, Withheld
from extdns.model.istio import (
    ISTIO_GATEWAY,
    IstioGateway,
    IstioGatewaySpec,
    IstioServer,
    VirtualService,
    VirtualServiceSpec,
)
from extdns.model.objects import (
    INGRESS,
    SERVICE,
    Ingress,
    KubernetesObject,
    Service,
    ServiceSpec,
)
from extdns.sources.istio.gateway import IstioGatewaySource
from extdns.sources.istio.virtualservice import VirtualServiceSource
from extdns.sources.selection import Selection
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import PREFIX, balanced, load_balancer, meta, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

IGW = {"istio": "igw"}
NO_SERVICE = "by spec.selector of the Gateway, which no Service meets"


def gateway(
    *hosts: str,
    place: str = "mesh/g",
    annotations: Mapping[str, str] | None = None,
    selector: dict[str, str] | None = IGW,
) -> IstioGateway:
    spec = IstioGatewaySpec(selector=selector, servers=(IstioServer(hosts=hosts), IstioServer()))
    return IstioGateway(metadata=meta(place, annotations), spec=spec)


def virtual_service(
    *hosts: str,
    gateways: Iterable[str] = ("mesh/g",),
    annotations: Mapping[str, str] | None = None,
) -> VirtualService:
    spec = VirtualServiceSpec(hosts=hosts, gateways=tuple(gateways))
    return VirtualService(metadata=meta("shop/v", annotations), spec=spec)


def proxy(
    *points: str,
    place: str = "infra/igw",
    selector: dict[str, str] | None = None,
    external_ips: tuple[str, ...] | None = None,
) -> Service:
    spec = ServiceSpec(
        type="LoadBalancer", external_ips=external_ips, selector={**IGW, "app": "x"} if selector is None else selector
    )
    return Service(metadata=meta(place), spec=spec, status=balanced(*points))


PROXY = proxy("203.0.113.5")
EDGE = Ingress(metadata=meta("mesh/edge"), status=balanced("203.0.113.7", "lb.t"))


def of_gateway(obj: IstioGateway, *others: KubernetesObject, selection: Selection | None = None) -> tuple[Claim, ...]:
    return shown(IstioGatewaySource(selection=selection or Selection()), obj, *others, listed=[SERVICE, INGRESS])


def of_service(obj: VirtualService, *others: KubernetesObject, selection: Selection | None = None) -> tuple[Claim, ...]:
    source = VirtualServiceSource(selection=selection or Selection())
    return shown(source, obj, *others, listed=[ISTIO_GATEWAY, SERVICE, INGRESS])


def a(*names: str, address: str = "203.0.113.5") -> list[str]:
    return [f"{name} A - [{address}]" for name in names]


def test_7_1_worked_example() -> None:
    found = of_gateway(gateway("mesh/a.test", "*", "*.b.test"), PROXY)
    assert said(found) == a("*.b.test", "a.test")
    assert {claim.endpoint.resource for claim in wanted(found)} == {"gateway/mesh/g"}
    assert wanted(found)[1].provenance.field == "spec.servers[0].hosts[0]"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        pytest.param("", [], id="7.1-empty"),
        pytest.param("ns/*", [], id="7.1-wildcard-after-a-namespace"),
        pytest.param("*/c.t", a("c.t"), id="7.1-any-namespace"),
        pytest.param("./c.t", a("c.t"), id="7.1-own-namespace"),
        pytest.param("x/y/c..t", ["invalid-name x/y/c..t"], id="7.1-two-slashes-are-no-namespace"),
    ],
)
def test_7_1_hosts(host: str, expected: list[str]) -> None:
    assert said(of_gateway(gateway(host), PROXY)) == expected


@pytest.mark.parametrize(
    ("obj", "services", "expected"),
    [
        pytest.param(gateway("a.t"), [], [f"a.t {NO_SERVICE}"], id="7.1-no-service"),
        pytest.param(
            gateway("a.t"), [proxy("192.0.2.1", selector={"app": "x"})], [f"a.t {NO_SERVICE}"], id="7.1-pairs"
        ),
        pytest.param(
            gateway("a.t", selector=None),
            [proxy("192.0.2.1", selector={})],
            a("a.t", address="192.0.2.1"),
            id="7.1-all",
        ),
        pytest.param(gateway("a.t"), [proxy()], ["a.t no-address"], id="7.1-no-address-yet"),
        pytest.param(
            gateway("a.t"),
            [proxy("192.0.2.1", external_ips=("198.51.100.1",)), proxy("192.0.2.9", place="infra/other")],
            a("a.t", address="192.0.2.9, 198.51.100.1"),
            id="7.1-external-ips-come-before-the-load-balancer",
        ),
        pytest.param(
            gateway("a.t", annotations=ours(target="edge.t")), [PROXY], ["a.t CNAME - [edge.t]"], id="7.1-target-first"
        ),
    ],
)
def test_7_1_targets(obj: IstioGateway, services: list[Service], expected: list[str]) -> None:
    assert said(of_gateway(obj, *services)) == expected


def test_7_1_services_are_sought_in_the_namespace_of_the_flag_and_not_in_the_gateway_s() -> None:
    selection = Selection(namespace="mesh")
    inside, outside = proxy("192.0.2.1", place="mesh/igw"), proxy("192.0.2.2", place="infra/igw")
    assert said(of_gateway(gateway("a.t"), inside, outside, selection=selection)) == a("a.t", address="192.0.2.1")
    assert said(of_gateway(gateway("a.t"), inside, outside)) == a("a.t", address="192.0.2.1, 192.0.2.2")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param("edge", ["a.t A - [203.0.113.7]", "a.t CNAME - [lb.t]"], id="7.1-own-namespace"),
        pytest.param("mesh/edge", ["a.t A - [203.0.113.7]", "a.t CNAME - [lb.t]"], id="7.1-with-namespace"),
        pytest.param("", a("a.t"), id="2.3-empty-is-absent"),
    ],
)
def test_7_1_an_ingress_may_have_the_addresses(reference: str, expected: list[str]) -> None:
    assert said(of_gateway(gateway("a.t", annotations=ours(ingress=reference)), EDGE, PROXY)) == expected


@pytest.mark.parametrize(
    ("reference", "wrong"),
    [
        pytest.param("shop/edge", "there is no Ingress shop/edge", id="7.1-ingress-that-is-not-there"),
        pytest.param("a/b/c", "'a/b/c' is no Ingress; allowed: name or namespace/name", id="2.3-more-than-one-slash"),
    ],
)
@pytest.mark.parametrize("host", ["a.t", "*"], ids=["7.1-named", "7.1-even-without-names"])
def test_7_1_a_gateway_whose_ingress_is_not_there_fails(reference: str, wrong: str, host: str) -> None:
    with pytest.raises(ExtdnsError) as raised:
        of_gateway(gateway(host, annotations=ours(ingress=reference)), EDGE, PROXY)
    assert str(raised.value) == f"annotation {PREFIX}ingress of Gateway mesh/g: {wrong}"


def test_2_1_the_ingress_annotation_is_read_under_its_usual_prefix_too() -> None:
    obj = gateway("a.t", annotations={f"{PREFIX}ingress": "edge"})
    assert said(of_gateway(obj, EDGE, selection=Selection(prefixes=("x.test/",)))) == [
        "a.t A - [203.0.113.7]",
        "a.t CNAME - [lb.t]",
    ]


def test_7_1_a_load_balancer_s_address_comes_before_its_host_name() -> None:
    both = Status(load_balancer=LoadBalancerStatus(ingress=(LoadBalancerIngress(ip="192.0.2.1", hostname="lb.t"),)))
    service = Service(metadata=meta("infra/igw"), spec=ServiceSpec(selector=IGW), status=both)
    assert said(of_gateway(gateway("a.t"), service)) == a("a.t", address="192.0.2.1")


def test_7_1_the_hostname_annotation_adds_names_unless_it_is_ignored() -> None:
    obj = gateway("a.t", annotations=ours(hostname="h.t,a.t", ttl="60"))
    assert said(of_gateway(obj, PROXY)) == ["a.t A 60 [203.0.113.5]", "h.t A 60 [203.0.113.5]"]
    ignoring = Selection(ignore_hostname_annotation=True)
    assert said(of_gateway(obj, PROXY, selection=ignoring)) == [
        "a.t A 60 [203.0.113.5]",
        "h.t by --ignore-hostname-annotation",
    ]


def test_7_2_hosts_point_at_the_gateways_that_serve_them() -> None:
    others = (gateway("*"), PROXY, gateway("*.own.t", place="shop/own", selector={"app": "own"}))
    own = proxy("203.0.113.6", place="shop/own", selector={"app": "own"})
    obj = virtual_service("a.t", "b.own.t", "*", "", gateways=("mesh/g", "own", "mesh", "", "gone"))
    found = of_service(obj, *others, own)
    assert said(found) == ["a.t A - [203.0.113.5]", "b.own.t A - [203.0.113.5, 203.0.113.6]"]
    assert wanted(found)[0].endpoint.resource == "virtualservice/shop/v"
    assert wanted(found)[0].provenance.field == "spec.hosts[0]"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(virtual_service("a.t", annotations=ours(target="x.t")), "a.t CNAME - [x.t]", id="7.2-target"),
        pytest.param(
            virtual_service("a.t", gateways=()), "a.t by spec.gateways, which names no Gateway", id="7.2-no-gateway"
        ),
        pytest.param(
            virtual_service("a.t", gateways=["mesh"]), "a.t by spec.gateways, which names no Gateway", id="7.2-mesh"
        ),
        pytest.param(
            virtual_service("a.t", gateways=["gone"]),
            "a.t by spec.gateways: there is no Gateway shop/gone",
            id="7.2-unknown-gateway-in-the-own-namespace",
        ),
        pytest.param(
            virtual_service("z.t"),
            "z.t by Gateway mesh/g, none of whose servers serves it",
            id="7.2-host-that-it-does-not-serve",
        ),
        pytest.param(virtual_service("ns/a.t"), "a.t A - [203.0.113.5]", id="7.2-namespace-before-the-host"),
    ],
)
def test_7_2_targets(obj: VirtualService, expected: str) -> None:
    assert said(of_service(obj, gateway("a.t"), PROXY)) == [expected]


@pytest.mark.parametrize(
    ("gateways", "wrong"),
    [
        pytest.param(
            ["mesh/g", "a/b/c"],
            "spec.gateways: 'a/b/c' is no Gateway; allowed: name or namespace/name",
            id="7.2-more-than-one-slash",
        ),
        pytest.param(
            ["mesh/g", "mesh/broken"],
            f"annotation {PREFIX}ingress of Gateway mesh/broken: there is no Ingress infra/gone",
            id="7.2-gateway-that-fails",
        ),
    ],
)
def test_7_2_a_virtual_service_fails_with_one_of_its_gateways(gateways: list[str], wrong: str) -> None:
    broken = gateway("*", place="mesh/broken", annotations=ours(ingress="infra/gone"))
    obj = virtual_service("a.t", gateways=gateways)
    with pytest.raises(ExtdnsError) as raised:
        of_service(obj, gateway("a.t"), broken, PROXY)
    assert str(raised.value) == wrong


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(virtual_service("a.t", gateways=["mesh/g", "mesh/broken"]), id="7.2-gateway-that-does-not-serve"),
        pytest.param(
            virtual_service("a.t", gateways=["a/b/c"], annotations=ours(target="203.0.113.5")), id="7.2-own-target"
        ),
    ],
)
def test_7_2_what_a_host_does_not_rest_on_does_not_fail_it(obj: VirtualService) -> None:
    broken = gateway("b.t", place="mesh/broken", annotations=ours(ingress="infra/gone"))
    assert said(of_service(obj, gateway("a.t"), broken, PROXY)) == a("a.t")


def test_7_2_a_gateway_without_address_withholds_and_another_s_filters_do_not_count() -> None:
    theirs = gateway("a.t", annotations=ours(controller="other"))
    assert said(of_service(virtual_service("a.t"), theirs, PROXY)) == a("a.t")
    (found,) = of_service(virtual_service("a.t"), gateway("a.t"), proxy())
    assert isinstance(found, Withheld)
    assert found.detail == "Service igw: the status of the load balancer has no address yet"


def test_7_2_the_hostname_annotation_adds_names_that_a_gateway_must_serve() -> None:
    obj = virtual_service("a.t", annotations=ours(hostname="h.t"))
    assert said(of_service(obj, gateway("*"), PROXY)) == a("a.t", "h.t")
    ignoring = Selection(ignore_hostname_annotation=True)
    assert said(of_service(obj, gateway("*"), PROXY, selection=ignoring))[1] == "h.t by --ignore-hostname-annotation"


def test_objects_left_out_say_by_what_and_others_are_a_defect() -> None:
    selection = Selection(namespace="x")
    assert said(of_gateway(gateway("a.t"), selection=selection)) == ["all by --namespace"]
    assert said(of_service(virtual_service("a.t"), selection=selection)) == ["all by --namespace"]
    for source in (IstioGatewaySource(selection=selection), VirtualServiceSource(selection=selection)):
        with pytest.raises(TypeError, match="only"):
            source.claims(load_balancer(None), FakeView())
