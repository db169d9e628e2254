"""The `gloo-proxy` source (spec sources 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pytest

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, Wanted
from extdns.model.gloo import (
    GLOO_GATEWAY,
    GLOO_VIRTUAL_SERVICE,
    AggregateListener,
    FilterChain,
    GlooGateway,
    GlooHost,
    GlooListener,
    GlooVirtualService,
    HttpListener,
    HttpResources,
    Made,
    Origins,
    Proxy,
    ProxySpec,
    ResourceRef,
    StaticallyMade,
    StaticOrigins,
)
from extdns.model.objects import INGRESS, SERVICE, Ingress, KubernetesObject, Service, ServiceSpec
from extdns.model.record import RESOURCE
from extdns.model.selector import parse_annotation_selector, parse_label_selector
from extdns.sources.gloo.proxies import GlooSource
from extdns.sources.selection import Selection
from extdns.sources.templates import Templates
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.made import templates, whole
from tests.unit.sources.samples import PREFIX, balanced, load_balancer, meta, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

ALL: Final = Selection()
HOME: Final = ("gloo-system",)
KINDS: Final = (SERVICE, INGRESS, GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE)
A: Final = "a.t A - [203.0.113.7]"
REFERENCE: Final = f"annotation {PREFIX}ingress of Gateway gloo-system/gw"
OWN: Final = load_balancer({}, "203.0.113.7", place="gloo-system/px")


def static(kind: str, *places: str) -> StaticOrigins:
    refs = (ResourceRef(namespace=place.partition("/")[0], name=place.partition("/")[2]) for place in places)
    return StaticOrigins(sources=tuple(StaticallyMade(resource_kind=f"*v1.{kind}", resource_ref=ref) for ref in refs))


def host(*domains: str, services: Iterable[str] = ()) -> GlooHost:
    return GlooHost(domains=domains, metadata_static=static("VirtualService", *services))


def http(*hosts: GlooHost, gateways: Iterable[str] = ()) -> GlooListener:
    return GlooListener(http_listener=HttpListener(virtual_hosts=hosts), metadata_static=static("Gateway", *gateways))


def aggregate(hosts: Mapping[str, GlooHost], *chains: Iterable[str]) -> GlooListener:
    return GlooListener(
        aggregate_listener=AggregateListener(
            http_filter_chains=tuple(FilterChain(virtual_host_refs=tuple(refs)) for refs in chains),
            http_resources=HttpResources(virtual_hosts=dict(hosts)),
        )
    )


def proxy(*listeners: GlooListener, annotations: Mapping[str, str] | None = None, home: str = "gloo-system") -> Proxy:
    return Proxy(metadata=meta(f"{home}/px", annotations), spec=ProxySpec(listeners=listeners))


def virtual_service(name: str, **annotations: str) -> GlooVirtualService:
    return GlooVirtualService(metadata=meta(f"apps/{name}", ours(**annotations)))


def gateway(**annotations: str) -> GlooGateway:
    return GlooGateway(metadata=meta("gloo-system/gw", ours(**annotations)))


def edge(*points: str, place: str = "gloo-system/edge") -> Ingress:
    return Ingress(metadata=meta(place), status=balanced(*points))


def claims(obj: Proxy, *others: KubernetesObject, selection: Selection = ALL) -> tuple[Claim, ...]:
    return shown(GlooSource(selection=selection, namespaces=HOME), obj, *others, listed=KINDS)


@pytest.mark.parametrize(
    ("listeners", "expected"),
    [
        pytest.param([http(host("a.t", "b.t.")), http(host("c.t"))], ["a.t", "b.t", "c.t"], id="7.8-domains-of-all"),
        pytest.param([http(host("*", ""))], ["*"], id="7.8-a-star-is-not-left-out"),
        pytest.param(
            [aggregate({"x": host("x.t"), "y": host("y.t"), "z": host("z.t")}, ["x", "gone"], ["z"])],
            ["x.t", "z.t"],
            id="7.8-hosts-that-chains-name",
        ),
        pytest.param([GlooListener(), GlooListener(aggregate_listener=AggregateListener())], [], id="7.8-no-hosts"),
    ],
)
def test_7_8_names(listeners: list[GlooListener], expected: list[str]) -> None:
    found = claims(proxy(*listeners), OWN)
    assert said(found) == [f"{name} A - [203.0.113.7]" for name in expected]
    assert not any(claim.endpoint.labels.has(RESOURCE) for claim in found if isinstance(claim, Wanted))


GATED: Final = http(host("a.t"), gateways=["gloo-system/gw"])


@pytest.mark.parametrize(
    ("obj", "others", "expected"),
    [
        pytest.param(proxy(GATED, annotations=ours(target="lb.t")), [], "a.t CNAME - [lb.t]", id="7.8-target-first"),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="edge"), edge("192.0.2.9"), OWN],
            "a.t A - [192.0.2.9]",
            id="7.8-then-ingresses",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="shop/edge"), edge("192.0.2.9", place="shop/edge"), OWN],
            "a.t A - [192.0.2.9]",
            id="2.3-ingress-of-another-namespace",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="edge"), edge(), OWN],
            "a.t A - [203.0.113.7]",
            id="7.8-then-the-service",
        ),
        pytest.param(proxy(GATED), [gateway(ingress=""), OWN], "a.t A - [203.0.113.7]", id="2.3-empty-is-absent"),
        pytest.param(
            proxy(GATED),
            [
                gateway(),
                Service(metadata=OWN.metadata, spec=ServiceSpec(type="NodePort"), status=balanced("192.0.2.1")),
            ],
            "a.t by Service gloo-system/px, which is no LoadBalancer",
            id="7.8-other-types-have-none",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(), load_balancer({}, place="gloo-system/px")],
            "a.t no-address",
            id="7.8-no-address-yet",
        ),
    ],
)
def test_7_8_targets(obj: Proxy, others: list[KubernetesObject], expected: str) -> None:
    assert said(claims(obj, *others)) == [expected]


def test_7_8_annotations_of_virtual_services_are_the_terms_and_the_later_one_counts() -> None:
    older = Origins(sources=(Made(kind="*v1.VirtualService", namespace="apps", name="one"), Made(kind="*v1.Other")))
    both = GlooHost(domains=("a.t",), metadata=older, metadata_static=static("VirtualService", "apps/two"))
    one = virtual_service("one", ttl="30", set_identifier="s", aws_weight="5", target="192.0.2.1")
    found = wanted(claims(proxy(http(both, host("b.t"))), OWN, one, virtual_service("two", ttl="40")))
    assert said(found) == ["a.t A 40 [203.0.113.7]", "b.t A - [203.0.113.7]"]
    assert [(claim.set_identifier, dict(claim.endpoint.properties)) for claim in found] == [
        ("s", {"aws/weight": "5"}),
        ("", {}),
    ]


@pytest.mark.parametrize(
    ("obj", "others", "wrong"),
    [
        pytest.param(proxy(GATED), [OWN], "spec.listeners: there is no Gateway gloo-system/gw", id="7.8-no-gateway"),
        pytest.param(
            proxy(GATED),
            [gateway()],
            "there is no Service gloo-system/px, which a Proxy is to have",
            id="7.8-no-service",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="edge"), OWN],
            f"{REFERENCE}: there is no Ingress gloo-system/edge",
            id="7.8-no-ingress",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="a/b/c"), OWN],
            f"{REFERENCE}: 'a/b/c' is no Ingress; allowed: name or namespace/name",
            id="2.3-more-than-one-slash",
        ),
        pytest.param(
            proxy(http(host("a.t", services=["apps/gone"]), host("b.t"))),
            [OWN],
            "there is no VirtualService apps/gone",
            id="7.8-no-virtual-service",
        ),
    ],
)
def test_7_8_a_proxy_fails_with_what_it_rests_on(obj: Proxy, others: list[KubernetesObject], wrong: str) -> None:
    with pytest.raises(ExtdnsError) as raised:
        claims(obj, *others)
    assert str(raised.value) == wrong


@pytest.mark.parametrize(
    ("obj", "selection", "by"),
    [
        pytest.param(proxy(GATED, home="other"), ALL, "--gloo-namespace", id="7.8-namespace"),
        pytest.param(
            proxy(GATED),
            Selection(annotation_filter=parse_annotation_selector("x")),
            "--annotation-filter",
            id="2.6-AF",
        ),
        pytest.param(proxy(GATED), Selection(label_filter=parse_label_selector("x")), "--label-filter", id="2.6-LF"),
        pytest.param(
            proxy(GATED, annotations=ours(controller="x")), ALL, f"annotation {PREFIX}controller", id="2.6-ctl"
        ),
    ],
)
def test_2_6_proxies_are_selected(obj: Proxy, selection: Selection, by: str) -> None:
    assert said(claims(obj, selection=selection)) == [f"all by {by}"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(templates(["{{.Metadata.Name}}.t"], target=["192.0.2.3"]), [A], id="8.8-it-names-itself"),
        pytest.param(
            templates(["{{.Metadata.Name}}.t"], target=["192.0.2.3"], combine=True),
            [A, "px.t A - [192.0.2.3]"],
            id="8.8-names-and-targets",
        ),
        pytest.param(templates([], ["p.t:192.0.2.4"], combine=True), [A, "p.t A - [192.0.2.4]"], id="8.8-pairs"),
    ],
)
def test_8_8_templates(made: Templates, expected: list[str]) -> None:
    source = GlooSource(selection=Selection(templates=made), namespaces=HOME)
    found = source.claims(whole(proxy(http(host("a.t")))), FakeView(OWN))
    assert said(found) == expected
