"""The `gloo-proxy` source (docs/spec/sources.md 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.resources.core import SERVICE, Service, ServiceSpec
from extdns.resources.gloo import (
    GLOO_GATEWAY,
    GLOO_VIRTUAL_SERVICE,
    AggregateListener,
    FilterChain,
    GlooGateway,
    GlooListener,
    GlooVirtualHost,
    GlooVirtualService,
    HttpListener,
    HttpResources,
    Proxy,
    ProxySpec,
    ResourceRef,
    ResourceSource,
    SourceMetadata,
    StaticResourceSource,
    StaticSourceMetadata,
)
from extdns.resources.networking import INGRESS, Ingress
from extdns.sources.common.annotations import RecordOptions
from extdns.sources.common.claim_builder import ClaimBuilder, SourceSettings, Templates
from extdns.sources.common.host_publisher import HostPublisher
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.samples import PREFIX, CountedReads, balanced, list_resolved_claims, load_balancer, meta, ours

pytestmark = pytest.mark.usefixtures("cluster")

ALL: Final = settings_with()
HOME: Final = ("gloo-system",)
KINDS: Final = (SERVICE, INGRESS, GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE)
A: Final = "a.t A 203.0.113.7"
REFERENCE: Final = f"annotation {PREFIX}ingress of Gateway gloo-system/gw"
OWN: Final = load_balancer({}, "203.0.113.7", location="gloo-system/px")


def static(kind: str, *places: str) -> StaticSourceMetadata:
    refs = (ResourceRef(namespace=location.partition("/")[0], name=location.partition("/")[2]) for location in places)
    return StaticSourceMetadata(
        sources=tuple(StaticResourceSource(resource_kind=f"*v1.{kind}", resource_ref=ref) for ref in refs)
    )


def host(*domains: str, services: Iterable[str] = ()) -> GlooVirtualHost:
    return GlooVirtualHost(domains=domains, metadata_static=static("VirtualService", *services))


def http(*hosts: GlooVirtualHost, gateways: Iterable[str] = ()) -> GlooListener:
    return GlooListener(http_listener=HttpListener(virtual_hosts=hosts), metadata_static=static("Gateway", *gateways))


def aggregate(hosts: Mapping[str, GlooVirtualHost], *chains: Iterable[str]) -> GlooListener:
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


def edge(*points: str, location: str = "gloo-system/edge") -> Ingress:
    return Ingress(metadata=meta(location), status=balanced(*points))


def claims(obj: Proxy, *others: KubernetesObject, selection: SourceSettings = ALL) -> tuple[Claim, ...]:
    return compute_claims(
        build_source("gloo-proxy", settings_with(selection, gloo_namespace=HOME)), obj, *others, listed=KINDS
    )


def test_addresses_of_an_ingress_are_limited_if_hundreds_of_gateways_refer_to_it() -> None:
    gateways = [GlooGateway(metadata=meta(f"gloo-system/{number}", ours(ingress="edge"))) for number in range(201)]
    refs = http(host("a.t"), gateways=[f"gloo-system/{one.metadata.name}" for one in gateways])
    with pytest.raises(ExtdnsError, match="requests more than 200000 targets"):
        claims(proxy(refs), edge(*["192.0.2.1"] * 1000), *gateways)


def test_annotations_of_a_virtual_service_are_read_once_for_a_proxy() -> None:
    stated = CountedReads({f"{PREFIX}x{number}": "" for number in range(1000)})
    shared = GlooVirtualService(metadata=replace(meta("apps/shared"), annotations=stated))
    others = [virtual_service(f"v{number}") for number in range(3)]
    hosts = [host(f"{one.metadata.name}.t", services=["apps/shared", f"apps/{one.metadata.name}"]) for one in others]
    source, view = build_source("gloo-proxy", settings_with(ALL, gloo_namespace=HOME)), FakeView(OWN, shared, *others)
    assert len(source.find_claims(proxy(http(*hosts)), view)) == 3
    assert stated.reads == 1


# docs/spec/sources.md 7.8
@pytest.mark.parametrize(
    ("listeners", "expected"),
    [
        pytest.param([http(host("a.t", "b.t.")), http(host("c.t"))], ["a.t", "b.t", "c.t"], id="7.8-domains-of-all"),
        pytest.param([http(host("*", ""))], ["*"], id="7.8-star-is-published"),
        pytest.param(
            [aggregate({"x": host("x.t"), "y": host("y.t"), "z": host("z.t")}, ["x", "gone"], ["z"])],
            ["x.t", "z.t"],
            id="7.8-hosts-that-chains-name",
        ),
        pytest.param([GlooListener(), GlooListener(aggregate_listener=AggregateListener())], [], id="7.8-no-hosts"),
    ],
)
def test_the_domains_of_gloo_virtual_hosts_are_published(listeners: list[GlooListener], expected: list[str]) -> None:
    for compat, resource in ((False, "proxy/gloo-system/px"), (True, "")):
        found = claims(proxy(*listeners), OWN, selection=settings_with(ALL, compat=compat))
        assert reduce_claims(found) == [resolved(name, "A", "203.0.113.7") for name in expected]
        assert all(claim.desired.resource == resource for claim in found if isinstance(claim, ResolvedClaim))


GATED: Final = http(host("a.t"), gateways=["gloo-system/gw"])


# docs/spec/sources.md 7.8
@pytest.mark.parametrize(
    ("obj", "others", "expected"),
    [
        pytest.param(proxy(GATED, annotations=ours(target="lb.t")), [], "a.t CNAME lb.t", id="7.8-target-first"),
        pytest.param(
            proxy(GATED), [gateway(ingress="edge"), edge("192.0.2.9"), OWN], "a.t A 192.0.2.9", id="7.8-then-ingresses"
        ),
        pytest.param(
            proxy(GATED),
            [gateway(ingress="shop/edge"), edge("192.0.2.9", location="shop/edge"), OWN],
            "a.t A 192.0.2.9",
            id="2.3-ingress-of-another-namespace",
        ),
        pytest.param(
            proxy(GATED), [gateway(ingress="edge"), edge(), OWN], "a.t A 203.0.113.7", id="7.8-then-the-service"
        ),
        pytest.param(proxy(GATED), [gateway(ingress=""), OWN], "a.t A 203.0.113.7", id="2.3-empty-is-absent"),
        pytest.param(
            proxy(http(host("a.t"), gateways=["evil/gw"])),
            [OWN],
            "a.t A 203.0.113.7",
            id="gateway-of-another-namespace",
        ),
        pytest.param(
            proxy(GATED),
            [
                gateway(),
                Service(metadata=OWN.metadata, spec=ServiceSpec(type="NodePort"), status=balanced("192.0.2.1")),
            ],
            "a.t: excluded by Service gloo-system/px, whose type is not LoadBalancer",
            id="7.8-other-service-types-have-no-targets",
        ),
        pytest.param(
            proxy(GATED),
            [gateway(), load_balancer({}, location="gloo-system/px")],
            "a.t: no-address",
            id="7.8-no-address-yet",
        ),
    ],
)
def test_targets_of_a_gloo_proxy_come_from_its_target_annotation_its_ingresses_or_its_service(
    obj: Proxy, others: list[KubernetesObject], expected: str
) -> None:
    assert reduce_claims(claims(obj, *others)) == [expected]


@pytest.mark.parametrize(("location", "is_stated"), [("gloo-system/edge", False), ("shop/edge", True)])
def test_an_address_of_an_ingress_that_a_gloo_gateway_names_in_another_namespace_is_only_stated(
    location: str, is_stated: bool
) -> None:
    found = claims(proxy(GATED), gateway(ingress=location), edge("192.0.2.9", location=location))
    assert [claim.provenance.states_targets for claim in list_resolved_claims(found)] == [is_stated]


# docs/spec/sources.md 7.8
def test_annotations_of_gloo_virtual_services_apply_and_later_ones_override_earlier_ones() -> None:
    older = SourceMetadata(
        sources=(
            ResourceSource(kind="*v1.VirtualService", namespace="apps", name="one"),
            ResourceSource(kind="*v1.Other"),
        )
    )
    both = GlooVirtualHost(domains=("a.t",), metadata=older, metadata_static=static("VirtualService", "apps/two"))
    one = virtual_service("one", ttl="30", set_identifier="s", aws_weight="5", target="192.0.2.1")
    found = list_resolved_claims(claims(proxy(http(both, host("b.t"))), OWN, one, virtual_service("two", ttl="40")))
    assert reduce_claims(found) == ["a.t 40 A 203.0.113.7", "b.t A 203.0.113.7"]
    assert [(claim.set_identifier, dict(claim.desired.properties)) for claim in found] == [
        ("s", {"aws/weight": "5"}),
        ("", {}),
    ]


def test_options_with_thousands_of_properties_are_compared_once_for_all_hosts_of_a_virtual_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[RecordOptions | None] = []
    get_builder = HostPublisher.get_builder

    def record(to: HostPublisher, options: RecordOptions | None) -> ClaimBuilder:
        asked.append(options)
        return get_builder(to, options)

    monkeypatch.setattr(HostPublisher, "get_builder", record)
    hosts = [host(f"n{number}.t", services=["apps/one"]) for number in range(9)]
    claims(proxy(http(*hosts)), OWN, virtual_service("one", ttl="30"))
    assert len(asked) == 1


# docs/spec/sources.md 7.8
@pytest.mark.parametrize(
    ("obj", "others", "invalid"),
    [
        pytest.param(proxy(GATED), [OWN], "spec.listeners: there is no Gateway gloo-system/gw", id="7.8-no-gateway"),
        pytest.param(
            proxy(GATED),
            [gateway()],
            "there is no Service gloo-system/px, which must have the name of the Proxy",
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
            f"{REFERENCE}: 'a/b/c' is not a valid Ingress reference; allowed: name or namespace/name",
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
def test_claims_of_a_gloo_proxy_cannot_be_computed_if_an_object_it_refers_to_is_missing(
    obj: Proxy, others: list[KubernetesObject], invalid: str
) -> None:
    with pytest.raises(ExtdnsError) as raised:
        claims(obj, *others)
    assert str(raised.value) == invalid


# docs/spec/sources.md 2.6
@pytest.mark.parametrize(
    ("obj", "selection", "by"),
    [
        pytest.param(proxy(GATED, home="other"), ALL, "--gloo-namespace", id="7.8-namespace"),
        pytest.param(
            proxy(GATED, annotations=ours(controller="x")), ALL, f"annotation {PREFIX}controller", id="2.6-ctl"
        ),
    ],
)
def test_filter_flags_exclude_gloo_proxies(obj: Proxy, selection: SourceSettings, by: str) -> None:
    assert reduce_claims(claims(obj, selection=selection)) == [excluded(by)]


# docs/spec/sources.md 8.8
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            templates(["{{.Metadata.Name}}.t"], target=["192.0.2.3"]), [A], id="8.8-fqdn-and-target-templates"
        ),
        pytest.param(
            templates(["{{.Metadata.Name}}.t"], target=["192.0.2.3"], combine=True),
            [A, "px.t A 192.0.2.3"],
            id="8.8-names-and-targets",
        ),
        pytest.param(templates([], ["p.t:192.0.2.4"], combine=True), [A, "p.t A 192.0.2.4"], id="8.8-pairs"),
    ],
)
def test_templates_give_hosts_and_targets_of_gloo_proxies(made: Templates, expected: list[str]) -> None:
    source = build_source("gloo-proxy", settings_with(templates=made, gloo_namespace=HOME))
    found = source.find_claims(keep_all_fields(proxy(http(host("a.t")))), FakeView(OWN))
    assert reduce_claims(found) == expected


def test_an_empty_gloo_namespace_selects_the_proxies_of_all_namespaces() -> None:
    source = build_source("gloo-proxy", settings_with(gloo_namespace=("",)))
    assert "a.t A 203.0.113.7" in reduce_claims(compute_claims(source, proxy(http(host("a.t"))), OWN, listed=KINDS))
