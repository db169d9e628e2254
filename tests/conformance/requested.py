"""What objects request: a hostname at a target, by each way in, and records of DNSEndpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from extdns.model.claim import Claim, ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim, find_problems
from extdns.model.kind import Kind, KubernetesObject, ObjectMeta
from extdns.model.record import DesiredRecord
from extdns.resources.core import ServiceSpec
from extdns.resources.externaldns import DnsEndpoint, DnsEndpointSpec, SpecEndpoint
from extdns.resources.gloo import (
    GlooListener,
    GlooVirtualHost,
    GlooVirtualService,
    HttpListener,
    Proxy,
    ProxySpec,
    ResourceSource,
    SourceMetadata,
)
from extdns.resources.ingress_controllers import (
    INGRESS_ROUTE,
    ROUTE_GROUP,
    AmbassadorHost,
    AmbassadorHostSpec,
    F5Spec,
    F5Status,
    F5VirtualServer,
    IngressRoute,
    OpenShiftRoute,
    OpenShiftRouteSpec,
    OpenShiftRouteStatus,
    RouteGroupLoadBalancer,
    RouteGroupSpec,
    RouteGroupStatus,
    RouterStatus,
)
from extdns.resources.kinds import STRUCTS
from extdns.resources.meta import Condition, LoadBalancerIngress
from extdns.sources.common.claim_stages import Nat64Stage, parse_nat64_networks, validate_claim
from tests.fakes.view import FakeView
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.routes import gateway, http, listener
from tests.unit.sources.samples import endpoint_meta, ingress, load_balancer, meta, ours, service

_ONE_PAIR: Final = str.maketrans({"{": None, ",": ";"})
"""What keeps a text one pair of a template: a brace begins an action, and a comma the next pair."""

CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")
STAGES: Final = (validate_claim, Nat64Stage(networks=parse_nat64_networks(["64:ff9b::/96"])))
ANNOTATED: Final = (
    *("contour-httpproxy", "ingress", "istio-gateway", "istio-virtualservice", "kong-tcpingress", "openshift-route"),
    *("pod", "service"),
)


class RouteGroupObject(KubernetesObject, frozen=True, kw_only=True):
    """A RouteGroup; its source decodes the JSON."""

    spec: RouteGroupSpec
    status: RouteGroupStatus


def at(ttl: str) -> ObjectMeta:
    return meta("shop/web", ours(ttl=ttl))


def find_claims(
    source: str, obj: KubernetesObject, *others: KubernetesObject, pair: str = "", kind: Kind | None = None
) -> tuple[Claim, ...]:
    settings = settings_with(templates=templates(pairs=[pair] if pair else ()))
    built = build_source(source, settings, kind=kind, stages=STAGES)
    return built.find_claims(keep_all_fields(obj), FakeView(*others, listed=STRUCTS))


def annotate(source: str) -> Callable[[str, str, str], tuple[Claim, ...]]:
    def request(host: str, target: str, ttl: str) -> tuple[Claim, ...]:
        kind: Kind = build_source(source).kind
        obj = STRUCTS[kind](metadata=meta("shop/web", ours(hostname=host, target=target, ttl=ttl)))
        return find_claims(source, obj)

    return request


def build_gloo_listener(domain: str) -> GlooListener:
    made_of = SourceMetadata(sources=(ResourceSource(kind="*v1.VirtualService", namespace="shop", name="web"),))
    return GlooListener(
        http_listener=HttpListener(virtual_hosts=(GlooVirtualHost(domains=(domain,), metadata=made_of),))
    )


WAYS: Final[dict[str, Callable[[str, str, str], tuple[Claim, ...]]]] = {
    **{f"annotations of {source}": annotate(source) for source in ANNOTATED},
    "externalName": lambda host, target, ttl: find_claims(
        "service", service(ours(hostname=host, ttl=ttl), ServiceSpec(type="ExternalName", external_name=target))
    ),
    "externalIPs": lambda host, target, ttl: find_claims(
        "service", service(ours(hostname=host, ttl=ttl), ServiceSpec(type="LoadBalancer", external_ips=(target,)))
    ),
    "status": lambda host, target, ttl: find_claims("service", load_balancer(ours(hostname=host, ttl=ttl), target)),
    "rules": lambda host, target, ttl: find_claims("ingress", ingress(target, rules=[host], annotations=ours(ttl=ttl))),
    "route": lambda host, target, ttl: find_claims(
        "gateway-httproute",
        http(host, annotations=ours(ttl=ttl)),
        gateway(listener(), addresses=[target]),
    ),
    "host of F5": lambda host, target, ttl: find_claims(
        "f5-virtualserver",
        F5VirtualServer(metadata=at(ttl), spec=F5Spec(host=host), status=F5Status(vs_address=target)),
    ),
    "host of OpenShift": lambda host, target, ttl: find_claims(
        "openshift-route",
        OpenShiftRoute(
            metadata=at(ttl),
            spec=OpenShiftRouteSpec(host=host),
            status=OpenShiftRouteStatus(
                ingress=(
                    RouterStatus(
                        host=host,
                        router_canonical_hostname=target,
                        conditions=(Condition(type="Admitted", status="True"),),
                    ),
                )
            ),
        ),
    ),
    "annotations of Traefik": lambda host, target, ttl: find_claims(
        "traefik-proxy",
        IngressRoute(metadata=meta("shop/web", ours(hostname=host, target=target, ttl=ttl))),
        kind=INGRESS_ROUTE,
    ),
    "hosts of Skipper": lambda host, target, ttl: find_claims(
        "skipper-routegroup",
        RouteGroupObject(
            metadata=at(ttl),
            spec=RouteGroupSpec(hosts=(host,)),
            status=RouteGroupStatus(
                load_balancer=RouteGroupLoadBalancer(route_group=(LoadBalancerIngress(hostname=target),))
            ),
        ),
        kind=ROUTE_GROUP,
    ),
    "domains of Gloo": lambda host, target, ttl: find_claims(
        "gloo-proxy",
        Proxy(metadata=meta("gloo-system/px"), spec=ProxySpec(listeners=(build_gloo_listener(host),))),
        GlooVirtualService(metadata=at(ttl)),
        load_balancer({}, target, location="gloo-system/px"),
    ),
    "hostname of Ambassador": lambda host, target, ttl: find_claims(
        "ambassador-host",
        AmbassadorHost(
            metadata=meta("shop/web", ours(ttl=ttl) | {"external-dns.ambassador-service": "shop/lb"}),
            spec=AmbassadorHostSpec(hostname=host),
        ),
        load_balancer({}, target, location="shop/lb"),
    ),
    "annotations of an unstructured object": lambda host, target, ttl: find_claims(
        "unstructured",
        KubernetesObject(metadata=meta("shop/web", ours(hostname=host, target=target, ttl=ttl))),
        kind=CONFIG_MAP,
    ),
    "template": lambda host, target, _: find_claims(
        "service", service({}, ServiceSpec(type="ClusterIP")), pair=f"{host}:{target}".translate(_ONE_PAIR)
    ),
}


def request_endpoint(name: str, rtype: str, target: str, ttl: int = 0) -> tuple[Claim, ...]:
    endpoint = SpecEndpoint(dns_name=name, record_type=rtype, targets=(target,), record_ttl=ttl)
    obj = DnsEndpoint(metadata=endpoint_meta("shop/x"), spec=DnsEndpointSpec(endpoints=(endpoint,)))
    return find_claims("crd", obj)


def list_records(claims: tuple[Claim, ...]) -> Iterator[DesiredRecord]:
    """Yield the requested records; check that everything else has a reason."""
    assert claims
    for claim in claims:
        match claim:
            case ResolvedClaim():
                if not any(problem.value == claim.name for problem in claim.warnings):  # would be managed if it existed
                    yield claim.desired
            case UnresolvedClaim():
                assert claim.detail
            case InvalidClaim():
                assert find_problems((claim,))
            case ExcludedClaim():
                assert claim.excluded_by
