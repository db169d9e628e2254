"""Sources of ingress controllers: contour, kong, openshift, ambassador and f5.

See docs/spec/sources.md 7.3, 7.5-7.7, 7.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from extdns.model.kind import KubernetesObject
from extdns.ports import NotSyncedError, Source
from extdns.resources.core import SERVICE, ServiceSpec
from extdns.resources.ingress_controllers import (
    AmbassadorHost,
    AmbassadorHostSpec,
    F5Spec,
    F5Status,
    F5TransportServer,
    F5VirtualServer,
    HttpProxy,
    HttpProxySpec,
    OpenShiftRoute,
    OpenShiftRouteSpec,
    OpenShiftRouteStatus,
    RouterStatus,
    TcpIngress,
    TcpIngressSpec,
    VirtualHost,
)
from extdns.resources.meta import Condition, LoadBalancedStatus
from extdns.resources.networking import IngressRule
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import balanced, list_resolved_claims, load_balancer, meta, ours, service

pytestmark = pytest.mark.usefixtures("cluster")

ALL = settings_with()
IGNORING = settings_with(ignore_hostname_annotation=True)
LB = balanced("192.0.2.1")
AMBASSADOR = "external-dns.ambassador-service"


def proxy(fqdn: str | None, status: LoadBalancedStatus = LB, annotations: Mapping[str, str] | None = None) -> HttpProxy:
    host = VirtualHost(fqdn=fqdn) if fqdn is not None else None
    return HttpProxy(metadata=meta("shop/p", annotations), spec=HttpProxySpec(virtualhost=host), status=status)


def tcp_ingress(*hosts: str, annotations: Mapping[str, str] | None = None) -> TcpIngress:
    rules = tuple(IngressRule(host=host) for host in hosts)
    return TcpIngress(metadata=meta("shop/t", annotations), spec=TcpIngressSpec(rules=rules), status=LB)


def router(host: str, name: str = "default", *, admitted: str = "True", canonical: str = "r.t") -> RouterStatus:
    conditions = (Condition(type="Admitted", status=admitted),)
    return RouterStatus(host=host, router_name=name, router_canonical_hostname=canonical, conditions=conditions)


def openshift_route(*routers: RouterStatus, annotations: Mapping[str, str] | None = None) -> OpenShiftRoute:
    return OpenShiftRoute(
        metadata=meta("shop/o", annotations),
        spec=OpenShiftRouteSpec(host="spec.t"),
        status=OpenShiftRouteStatus(ingress=routers or None),
    )


def host(reference: str | None, annotations: Mapping[str, str] | None = None) -> AmbassadorHost:
    annotations = dict(annotations or {}) | ({} if reference is None else {AMBASSADOR: reference})
    return AmbassadorHost(metadata=meta("shop/h", annotations), spec=AmbassadorHostSpec(hostname="a.t"))


def virtual_server(
    name: str = "a.t",
    *,
    aliases: Iterable[str] = (),
    address: str = "",
    assigned: str = "192.0.2.1",
    annotations: Mapping[str, str] | None = None,
) -> F5VirtualServer:
    spec = F5Spec(host=name, host_aliases=tuple(aliases), virtual_server_address=address)
    return F5VirtualServer(metadata=meta("shop/f", annotations), spec=spec, status=F5Status(vs_address=assigned))


CONTOUR = build_source("contour-httpproxy", ALL)
KONG = build_source("kong-tcpingress", ALL)
OPENSHIFT = build_source("openshift-route", ALL)
HOSTS = build_source("ambassador-host", ALL)
F5 = build_source("f5-virtualserver", ALL)
TRANSPORT = build_source("f5-transportserver", ALL)
TCP = F5TransportServer(metadata=meta("shop/f"), spec=F5Spec(host="a.t"), status=F5Status(vs_address="192.0.2.1"))
A = "a.t A 192.0.2.1"


# docs/spec/sources.md 7
@pytest.mark.parametrize(
    ("source", "obj", "expected"),
    [
        pytest.param(CONTOUR, proxy("a.t"), [A], id="7.3-fqdn"),
        pytest.param(CONTOUR, proxy(None), [], id="7.3-no-virtual-host"),
        pytest.param(CONTOUR, proxy("", annotations=ours(hostname="h.t")), ["h.t A 192.0.2.1"], id="7.3-annotation"),
        pytest.param(CONTOUR, proxy("a.t", LoadBalancedStatus()), ["a.t: no-address"], id="7.3-no-address-yet"),
        pytest.param(CONTOUR, proxy("a.t", annotations=ours(target="x.t")), ["a.t CNAME x.t"], id="7.3-target"),
        pytest.param(
            build_source("contour-httpproxy", IGNORING),
            proxy("a.t", annotations=ours(hostname="h.t")),
            [A, "h.t: excluded by --ignore-hostname-annotation"],
            id="7.3-annotation-ignored",
        ),
        pytest.param(KONG, tcp_ingress("a.t", "", "b.t"), [A, "b.t A 192.0.2.1"], id="7.7-rules"),
        pytest.param(
            KONG,
            tcp_ingress("a.t", annotations=ours(hostname="h.t", ttl="60")),
            ["a.t 60 A 192.0.2.1", "h.t 60 A 192.0.2.1"],
            id="7.7-both",
        ),
        pytest.param(OPENSHIFT, openshift_route(router("a.t")), ["a.t CNAME r.t"], id="7.5-first-router"),
        pytest.param(
            OPENSHIFT,
            openshift_route(router("x.t", admitted="False"), router("y.t", canonical=""), router("a.t")),
            ["a.t CNAME r.t"],
            id="7.5-first-admitting-router-with-a-name",
        ),
        pytest.param(
            build_source("openshift-route", settings_with(openshift_router_name="own")),
            openshift_route(router("x.t"), router("a.t", "own", canonical="own.t")),
            ["a.t CNAME own.t"],
            id="7.5-router-of-that-name",
        ),
        pytest.param(
            OPENSHIFT,
            openshift_route(router("a.t"), annotations=ours(target="192.0.2.1", hostname="h.t")),
            [A, "h.t A 192.0.2.1"],
            id="7.5-target",
        ),
        pytest.param(
            OPENSHIFT,
            openshift_route(annotations=ours(target="192.0.2.1", hostname="h.t")),
            ["h.t A 192.0.2.1", "spec.t: not-accepted"],
            id="7.5-no-router-but-an-annotation",
        ),
        pytest.param(
            OPENSHIFT,
            openshift_route(router("a.t", admitted="False")),
            ["a.t: not-accepted", "spec.t: not-accepted"],
            id="design-6-not-admitted-any-more",
        ),
        pytest.param(F5, virtual_server(), [A], id="7.10-assigned-address"),
        pytest.param(F5, virtual_server(address="192.0.2.7"), ["a.t A 192.0.2.7"], id="7.10-own-address-first"),
        pytest.param(
            F5, virtual_server(annotations=ours(target="x.t", ttl="60")), ["a.t 60 CNAME x.t"], id="7.10-target"
        ),
        pytest.param(
            F5,
            virtual_server(assigned="None", annotations=ours(target="x.t")),
            ["a.t: no-address"],
            id="7.10-no-claim-without-an-address-despite-a-target",
        ),
        pytest.param(F5, virtual_server("", aliases=["", "b.t"]), ["b.t A 192.0.2.1"], id="7.10-aliases-and-no-host"),
        pytest.param(F5, virtual_server(annotations=ours(hostname="h.t")), [A], id="7.10-no-hostname-annotation"),
        pytest.param(TRANSPORT, TCP, [A], id="7.10-transport-server"),
    ],
)
def test_objects_of_contour_kong_openshift_and_other_controllers_publish_their_hosts(
    source: Source, obj: KubernetesObject, expected: list[str]
) -> None:
    assert reduce_claims(compute_claims(source, obj)) == expected


# docs/spec/sources.md 7.6
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(host("infra/web"), [A], id="7.6-namespace-and-name"),
        pytest.param(host("web.infra"), [A], id="7.6-name-and-namespace"),
        pytest.param(host("web"), ["a.t A 192.0.2.2"], id="7.6-namespace-default"),
        pytest.param(host("a/b/c"), ["a.t: invalid-annotation"], id="7.6-more-than-one-slash"),
        pytest.param(
            host("infra/gone"),
            [excluded(f"annotation {AMBASSADOR}: there is no Service infra/gone", "a.t")],
            id="7.6-missing-service",
        ),
        pytest.param(host(None), [excluded(f"annotation {AMBASSADOR}, which is absent", "a.t")], id="7.6-absent"),
        pytest.param(host("infra/own"), ["a.t A 198.51.100.1"], id="7.6-external-ips-first"),
        pytest.param(host("x", ours(target="x.t", ttl="60")), ["a.t 60 CNAME x.t"], id="7.6-target"),
        pytest.param(
            host("infra/web", ours(hostname="h.t", controller="x")), [A], id="7.6-neither-hostname-nor-controller"
        ),
    ],
)
def test_ambassador_hosts_get_the_addresses_of_the_service_that_their_annotation_names(
    obj: AmbassadorHost, expected: list[str]
) -> None:
    services = (
        load_balancer(None, "192.0.2.1", location="infra/web"),
        load_balancer(None, "192.0.2.2", location="default/web"),
        service(None, ServiceSpec(external_ips=("198.51.100.1",)), LB, location="infra/own"),
    )
    assert reduce_claims(compute_claims(HOSTS, obj, *services)) == expected


@pytest.mark.parametrize(("reference", "is_stated"), [("shop/web", False), ("infra/web", True), ("shop/own", True)])
def test_an_address_of_another_namespace_or_of_external_ips_is_only_stated_by_an_ambassador_host(
    reference: str, is_stated: bool
) -> None:
    services = (
        load_balancer(None, "192.0.2.1", location="shop/web"),
        load_balancer(None, "192.0.2.1", location="infra/web"),
        service(None, ServiceSpec(external_ips=("198.51.100.1",)), LB, location="shop/own"),
    )
    (claim,) = list_resolved_claims(compute_claims(HOSTS, host(reference), *services))
    assert claim.provenance.states_targets is is_stated


# docs/spec/sources.md 1.8
@pytest.mark.parametrize(
    ("source", "obj", "resource"),
    [
        pytest.param(CONTOUR, proxy("a.t"), "HTTPProxy/shop/p", id="1.8-contour"),
        pytest.param(KONG, tcp_ingress("a.t"), "tcpingress/shop/t", id="1.8-kong"),
        pytest.param(OPENSHIFT, openshift_route(router("a.t")), "route/shop/o", id="1.8-openshift"),
        pytest.param(HOSTS, host("x", ours(target="192.0.2.1")), "host/shop/h", id="1.8-ambassador"),
        pytest.param(F5, virtual_server(), "f5-virtualserver/shop/f", id="1.8-f5-virtualserver"),
        pytest.param(TRANSPORT, TCP, "f5-transportserver/shop/f", id="1.8-f5-transportserver"),
    ],
)
def test_resource_labels_of_ingress_controller_objects_contain_kind_namespace_and_name(
    source: Source, obj: KubernetesObject, resource: str
) -> None:
    (found,) = list_resolved_claims(compute_claims(source, obj))
    assert (found.desired.resource, found.provenance.source) == (resource, source.name)
    assert source.kind.label == resource.partition("/")[0]


def test_services_are_looked_up_only_if_an_ambassador_host_needs_one() -> None:
    assert reduce_claims(compute_claims(HOSTS, host("web", ours(target="192.0.2.1")))) == [A]
    with pytest.raises(NotSyncedError):
        compute_claims(HOSTS, host("web"))
    assert reduce_claims(compute_claims(HOSTS, host("web"), listed=[SERVICE])) == [
        excluded(f"annotation {AMBASSADOR}: there is no Service default/web", "a.t")
    ]
