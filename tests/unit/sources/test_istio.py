"""Gateways and VirtualServices of Istio (docs/spec/sources.md 7.1, 7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.observer import RecordingView, Selection
from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.resources.core import SERVICE, Service, ServiceSpec
from extdns.resources.istio import (
    ISTIO_GATEWAY,
    IstioGateway,
    IstioGatewaySpec,
    IstioServer,
    VirtualService,
    VirtualServiceSpec,
)
from extdns.resources.meta import LoadBalancedStatus, LoadBalancerIngress, LoadBalancerStatus
from extdns.resources.networking import INGRESS, Ingress
from extdns.sources.common.claim_builder import SourceSettings
from tests import objects
from tests.cluster_world import start_cluster
from tests.fakes.view import FakeView
from tests.objects import CREATED, Json
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved
from tests.unit.sources.made import DEFAULTS, build_source, settings_with
from tests.unit.sources.samples import PREFIX, balanced, list_resolved_claims, meta, ours

pytestmark = pytest.mark.usefixtures("cluster")

IGW = {"istio": "igw"}
NO_SERVICE = "spec.selector of the Gateway, which no Service matches"


def gateway(
    *hosts: str,
    location: str = "mesh/g",
    annotations: Mapping[str, str] | None = None,
    selector: dict[str, str] | None = IGW,
) -> IstioGateway:
    spec = IstioGatewaySpec(selector=selector, servers=(IstioServer(hosts=hosts), IstioServer()))
    return IstioGateway(metadata=meta(location, annotations), spec=spec)


def virtual_service(
    *hosts: str, gateways: Iterable[str] = ("mesh/g",), annotations: Mapping[str, str] | None = None
) -> VirtualService:
    spec = VirtualServiceSpec(hosts=hosts, gateways=tuple(gateways))
    return VirtualService(metadata=meta("shop/v", annotations), spec=spec)


def proxy(
    *points: str,
    location: str = "infra/igw",
    selector: dict[str, str] | None = None,
    external_ips: tuple[str, ...] | None = None,
    created: str = "",
) -> Service:
    spec = ServiceSpec(
        type="LoadBalancer", external_ips=external_ips, selector={**IGW, "app": "x"} if selector is None else selector
    )
    metadata = replace(meta(location), creation_timestamp=created)
    return Service(metadata=metadata, spec=spec, status=balanced(*points))


PROXY = proxy("203.0.113.5")
EDGE = Ingress(metadata=meta("mesh/edge"), status=balanced("203.0.113.7", "lb.t"))


def of_gateway(obj: IstioGateway, *others: KubernetesObject, selection: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    return compute_claims(build_source("istio-gateway", selection), obj, *others, listed=[SERVICE, INGRESS])


def of_service(
    obj: VirtualService, *others: KubernetesObject, selection: SourceSettings = DEFAULTS
) -> tuple[Claim, ...]:
    source = build_source("istio-virtualservice", selection)
    return compute_claims(source, obj, *others, listed=[ISTIO_GATEWAY, SERVICE, INGRESS])


def a(*names: str, addresses: Sequence[str] = ("203.0.113.5",)) -> list[str]:
    return [resolved(name, "A", *addresses) for name in names]


# docs/spec/sources.md 7.1
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        pytest.param("", [], id="7.1-empty"),
        pytest.param("ns/*", [], id="7.1-wildcard-after-a-namespace"),
        pytest.param("*/c.t", a("c.t"), id="7.1-any-namespace"),
        pytest.param("./c.t", a("c.t"), id="7.1-own-namespace"),
        pytest.param("x/y/c..t", ["invalid-name: x/y/c..t"], id="7.1-two-slashes-are-no-namespace"),
    ],
)
def test_hosts_of_an_istio_gateway_lose_their_namespace_part_and_bare_wildcards_are_skipped(
    host: str, expected: list[str]
) -> None:
    assert reduce_claims(of_gateway(gateway(host), PROXY)) == expected


# docs/spec/sources.md 7.1
@pytest.mark.parametrize(
    ("obj", "services", "expected"),
    [
        pytest.param(gateway("a.t"), [], [excluded(NO_SERVICE, "a.t")], id="7.1-no-service"),
        pytest.param(
            gateway("a.t"), [proxy("192.0.2.1", selector={"app": "x"})], [excluded(NO_SERVICE, "a.t")], id="7.1-pairs"
        ),
        pytest.param(
            gateway("a.t", selector=None),
            [proxy("192.0.2.1", selector={})],
            a("a.t", addresses=["192.0.2.1"]),
            id="7.1-all",
        ),
        pytest.param(gateway("a.t"), [proxy()], ["a.t: no-address"], id="7.1-no-address-yet"),
        pytest.param(
            gateway("a.t"),
            [
                proxy("192.0.2.1", external_ips=("198.51.100.1",)),
                proxy("192.0.2.9", location="infra/other", selector=IGW),
            ],
            a("a.t", addresses=["192.0.2.9", "198.51.100.1"]),
            id="7.1-external-ips-come-before-the-load-balancer",
        ),
        pytest.param(
            gateway("a.t", annotations=ours(target="edge.t")), [PROXY], ["a.t CNAME edge.t"], id="7.1-target-first"
        ),
    ],
)
def test_targets_of_an_istio_gateway_come_from_its_target_annotation_an_ingress_or_services(
    obj: IstioGateway, services: list[Service], expected: list[str]
) -> None:
    assert reduce_claims(of_gateway(obj, *services)) == expected


# docs/spec/sources.md 7.1
def test_services_of_istio_gateways_are_looked_up_only_in_the_namespace_of_the_namespace_flag() -> None:
    selection = settings_with(namespace="mesh")
    inside, outside = proxy("192.0.2.1", location="mesh/igw"), proxy("192.0.2.2", location="infra/igw")
    assert reduce_claims(of_gateway(gateway("a.t"), inside, outside, selection=selection)) == a(
        "a.t", addresses=["192.0.2.1"]
    )
    assert reduce_claims(of_gateway(gateway("a.t"), inside, outside, selection=settings_with(compat=True))) == a(
        "a.t", addresses=["192.0.2.1", "192.0.2.2"]
    )


def test_services_that_other_namespaces_create_with_the_selector_of_a_gateway_give_and_take_no_address() -> None:
    evil = proxy(location="evil/igw", created="2025-01-01T00:00:00Z", external_ips=("198.51.100.66",))
    own = proxy("192.0.2.3", location="mesh/igw")
    for theirs in (PROXY, proxy()):  # with an address, and without one
        assert reduce_claims(of_gateway(gateway("a.t"), theirs, evil)) == ["a.t: ambiguous-address"]
    assert reduce_claims(of_gateway(gateway("a.t"), PROXY, evil, own)) == a("a.t", addresses=["192.0.2.3"])


@pytest.mark.parametrize(("reference", "is_stated"), [("mesh/edge", False), ("platform/edge", True)])
def test_an_address_of_an_ingress_that_is_in_another_namespace_is_only_stated(reference: str, is_stated: bool) -> None:
    other = Ingress(metadata=meta("platform/edge"), status=balanced("203.0.113.8"))
    found = of_gateway(gateway("a.t", annotations=ours(ingress=reference)), EDGE, other)
    assert {claim.provenance.states_targets for claim in list_resolved_claims(found)} == {is_stated}


@pytest.mark.parametrize(("location", "is_stated"), [("mesh/igw", False), ("infra/igw", True)])
def test_an_address_of_a_service_that_a_gateway_selects_in_another_namespace_is_only_stated(
    location: str, is_stated: bool
) -> None:
    service = proxy("203.0.113.8", location=location)
    for found in (of_gateway(gateway("a.t"), service), of_service(virtual_service("a.t"), gateway("*"), service)):
        assert [claim.provenance.states_targets for claim in list_resolved_claims(found)] == [is_stated]


# docs/spec/sources.md 7.1
@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param("edge", ["a.t A 203.0.113.7", "a.t CNAME lb.t"], id="7.1-own-namespace"),
        pytest.param("mesh/edge", ["a.t A 203.0.113.7", "a.t CNAME lb.t"], id="7.1-with-namespace"),
        pytest.param("", a("a.t"), id="2.3-empty-is-absent"),
    ],
)
def test_an_istio_gateway_can_take_its_addresses_from_the_ingress_that_an_annotation_names(
    reference: str, expected: list[str]
) -> None:
    assert reduce_claims(of_gateway(gateway("a.t", annotations=ours(ingress=reference)), EDGE, PROXY)) == expected


# docs/spec/sources.md 7.1
@pytest.mark.parametrize(
    ("reference", "invalid"),
    [
        pytest.param("shop/edge", "there is no Ingress shop/edge", id="7.1-ingress-does-not-exist"),
        pytest.param(
            "a/b/c",
            "'a/b/c' is not a valid Ingress reference; allowed: name or namespace/name",
            id="2.3-more-than-one-slash",
        ),
    ],
)
@pytest.mark.parametrize("host", ["a.t", "*"], ids=["7.1-named", "7.1-even-without-names"])
def test_claims_of_an_istio_gateway_cannot_be_computed_if_its_ingress_is_missing(
    reference: str, invalid: str, host: str
) -> None:
    with pytest.raises(ExtdnsError) as raised:
        of_gateway(gateway(host, annotations=ours(ingress=reference)), EDGE, PROXY)
    assert str(raised.value) == f"annotation {PREFIX}ingress of Gateway mesh/g: {invalid}"


# docs/spec/sources.md 2.1
def test_an_istio_gateway_reads_the_ingress_annotation_under_the_default_prefix_whatever_the_prefix_flag_says() -> None:
    obj = gateway("a.t", annotations={f"{PREFIX}ingress": "edge"})
    assert reduce_claims(of_gateway(obj, EDGE, selection=settings_with(prefixes=("x.test/",)))) == [
        "a.t A 203.0.113.7",
        "a.t CNAME lb.t",
    ]


# docs/spec/sources.md 7.1
def test_of_a_load_balancer_with_address_and_host_name_an_istio_gateway_uses_the_address() -> None:
    both = LoadBalancedStatus(
        load_balancer=LoadBalancerStatus(ingress=(LoadBalancerIngress(ip="192.0.2.1", hostname="lb.t"),))
    )
    service = Service(metadata=meta("infra/igw"), spec=ServiceSpec(selector=IGW), status=both)
    assert reduce_claims(of_gateway(gateway("a.t"), service)) == a("a.t", addresses=["192.0.2.1"])


# docs/spec/sources.md 7.1
def test_the_hostname_annotation_of_an_istio_gateway_adds_names_unless_it_is_ignored() -> None:
    obj = gateway("a.t", annotations=ours(hostname="h.t,a.t", ttl="60"))
    assert reduce_claims(of_gateway(obj, PROXY)) == ["a.t 60 A 203.0.113.5", "h.t 60 A 203.0.113.5"]
    ignoring = settings_with(ignore_hostname_annotation=True)
    assert reduce_claims(of_gateway(obj, PROXY, selection=ignoring)) == [
        "a.t 60 A 203.0.113.5",
        "h.t: excluded by --ignore-hostname-annotation",
    ]


# docs/spec/sources.md 7.2
def test_hosts_of_a_virtual_service_get_the_addresses_of_the_gateways_that_serve_them() -> None:
    others = (gateway("*"), PROXY, gateway("*.own.t", location="shop/own", selector={"app": "own"}))
    own = proxy("203.0.113.6", location="shop/own", selector={"app": "own"})
    obj = virtual_service("a.t", "b.own.t", "*", "", gateways=("mesh/g", "own", "mesh", "", "gone"))
    found = of_service(obj, *others, own)
    assert reduce_claims(found) == ["a.t A 203.0.113.5", "b.own.t A 203.0.113.5, 203.0.113.6"]
    assert list_resolved_claims(found)[0].desired.resource == "virtualservice/shop/v"
    assert list_resolved_claims(found)[0].provenance.field == "spec.hosts[0]"


# docs/spec/sources.md 7.2
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(virtual_service("a.t", annotations=ours(target="x.t")), "a.t CNAME x.t", id="7.2-target"),
        pytest.param(
            virtual_service("a.t", gateways=()),
            "a.t: excluded by spec.gateways, which names no Gateway",
            id="7.2-no-gateway",
        ),
        pytest.param(
            virtual_service("a.t", gateways=["mesh"]),
            "a.t: excluded by spec.gateways, which names no Gateway",
            id="7.2-mesh",
        ),
        pytest.param(
            virtual_service("a.t", gateways=["gone"]), "a.t: no-gateway", id="7.2-unknown-gateway-in-the-own-namespace"
        ),
        pytest.param(
            virtual_service("z.t"),
            "z.t: excluded by Gateway mesh/g, which does not serve this host",
            id="7.2-host-that-it-does-not-serve",
        ),
        pytest.param(virtual_service("ns/a.t"), "a.t A 203.0.113.5", id="7.2-namespace-before-the-host"),
    ],
)
def test_a_host_of_a_virtual_service_gets_targets_or_is_excluded_with_the_reason(
    obj: VirtualService, expected: str
) -> None:
    assert reduce_claims(of_service(obj, gateway("a.t"), PROXY)) == [expected]


def test_a_missing_gateway_hides_no_other_one_that_keeps_the_record_while_it_has_no_address() -> None:
    found = of_service(virtual_service("a.t", gateways=["gone", "mesh/g"]), gateway("a.t"), proxy())
    assert reduce_claims(found) == ["a.t: no-address"]


# docs/spec/sources.md 7.2
@pytest.mark.parametrize(
    ("gateways", "invalid"),
    [
        pytest.param(
            ["mesh/g", "a/b/c"],
            "spec.gateways: 'a/b/c' is not a valid Gateway reference; allowed: name or namespace/name",
            id="7.2-more-than-one-slash",
        ),
        pytest.param(
            ["mesh/g", "mesh/broken"],
            f"annotation {PREFIX}ingress of Gateway mesh/broken: there is no Ingress infra/gone",
            id="7.2-gateway-that-fails",
        ),
    ],
)
def test_claims_of_a_virtual_service_cannot_be_computed_if_one_of_its_gateways_fails(
    gateways: list[str], invalid: str
) -> None:
    broken = gateway("*", location="mesh/broken", annotations=ours(ingress="infra/gone"))
    obj = virtual_service("a.t", gateways=gateways)
    with pytest.raises(ExtdnsError) as raised:
        of_service(obj, gateway("a.t"), broken, PROXY)
    assert str(raised.value) == invalid


# docs/spec/sources.md 7.2
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(virtual_service("a.t", gateways=["mesh/g", "mesh/broken"]), id="7.2-gateway-that-does-not-serve"),
        pytest.param(
            virtual_service("a.t", gateways=["a/b/c"], annotations=ours(target="203.0.113.5")), id="7.2-own-target"
        ),
    ],
)
def test_a_failing_gateway_that_does_not_serve_a_host_has_no_effect_on_that_host(obj: VirtualService) -> None:
    broken = gateway("b.t", location="mesh/broken", annotations=ours(ingress="infra/gone"))
    assert reduce_claims(of_service(obj, gateway("a.t"), broken, PROXY)) == a("a.t")


# docs/spec/sources.md 7.2
def test_a_virtual_service_whose_gateway_has_no_address_gives_an_unresolved_claim() -> None:
    theirs = gateway("a.t", annotations=ours(controller="other"))
    assert reduce_claims(of_service(virtual_service("a.t"), theirs, PROXY)) == a("a.t")
    (found,) = of_service(virtual_service("a.t"), gateway("a.t"), proxy())
    assert isinstance(found, UnresolvedClaim)
    assert found.detail == "Service igw: the status of the load balancer has no address yet"


# docs/spec/sources.md 7.2
def test_the_hostname_annotation_of_a_virtual_service_adds_names_unless_it_is_ignored() -> None:
    obj = virtual_service("a.t", annotations=ours(hostname="h.t"))
    assert reduce_claims(of_service(obj, gateway("*"), PROXY)) == a("a.t", "h.t")
    ignoring = settings_with(ignore_hostname_annotation=True)
    assert (
        reduce_claims(of_service(obj, gateway("*"), PROXY, selection=ignoring))[1]
        == "h.t: excluded by --ignore-hostname-annotation"
    )


def istio_object(kind: str, name: str, **spec: object) -> Json:
    metadata = {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": CREATED}
    return {"apiVersion": "networking.istio.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def test_a_virtual_service_reads_its_export_to_once_for_all_its_gateways() -> None:
    class Counted(tuple[str, ...]):
        __slots__ = ()
        read = 0

        def __iter__(self) -> Iterator[str]:
            Counted.read += 1
            return super().__iter__()

    spec = VirtualServiceSpec(hosts=("a.t",), gateways=("mesh/g", "mesh/g2"), export_to=Counted(["other", "mesh"]))
    obj = VirtualService(metadata=meta("shop/v"), spec=spec)
    view = FakeView(gateway("a.t"), gateway("a.t", location="mesh/g2"), PROXY)
    assert reduce_claims(build_source("istio-virtualservice").find_claims(obj, view)) == a("a.t")
    assert Counted.read == 1


def test_of_a_long_selector_a_virtual_service_depends_on_a_few_labels_and_compares_the_others() -> None:
    long = IGW | {f"label{number}": "" for number in range(20)}
    view = RecordingView(FakeView(gateway("a.t", selector=long), PROXY, proxy("203.0.113.6", selector=long)))
    claims = build_source("istio-virtualservice").find_claims(virtual_service("a.t"), view)
    assert reduce_claims(claims) == a("a.t", addresses=["203.0.113.6"])
    assert [len(lookup.labels) for lookup in view.lookups if isinstance(lookup, Selection)] == [8, 8]


def test_services_of_other_namespaces_are_not_looked_at_if_the_proxy_is_in_that_of_the_gateway() -> None:
    own, foreign = proxy("203.0.113.6", location="mesh/igw"), proxy("203.0.113.66", location="attacker/igw")
    view = RecordingView(FakeView(gateway("a.t"), own, foreign))
    claims = build_source("istio-virtualservice").find_claims(virtual_service("a.t"), view)
    assert reduce_claims(claims) == a("a.t", addresses=["203.0.113.6"])
    assert [lookup.namespace for lookup in view.lookups if isinstance(lookup, Selection)] == ["mesh"]


def test_only_services_of_its_proxies_make_a_gateway_and_its_virtual_services_due() -> None:
    def proxy_service(name: str, address: str, **selector: str) -> Json:
        return objects.service(name, namespace="mesh", address=address, type="LoadBalancer", selector=selector)

    servers = [{"hosts": ["*"], "port": {"number": 80}}]
    world = start_cluster(
        istio_object("Gateway", "gw", selector={"istio": "ingress"}, servers=servers),
        istio_object("VirtualService", "web", hosts=["web.example.org"], gateways=["gw"]),
        flags=("--source=istio-gateway", "--source=istio-virtualservice"),
    )
    world.apply(proxy_service("proxy", "192.0.2.1", istio="ingress", app="proxy"))
    assert world.list_records()["web A"] == ("192.0.2.1",)
    computed = world.observer.computed
    world.apply(proxy_service("other", "192.0.2.2", istio="egress"))
    assert world.observer.computed <= computed + 1
    world.apply(proxy_service("proxy", "192.0.2.3", istio="ingress"))
    assert world.list_records()["web A"] == ("192.0.2.3",)
