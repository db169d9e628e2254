"""Objects of ingress controllers, reduced to the fields that sources read (docs/spec/sources.md 7.3, 7.5-7.7, 7.10)."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Condition, LoadBalancedStatus, LoadBalancerIngress, Structs
from extdns.resources.networking import IngressRule


class VirtualHost(PartialObject, frozen=True, kw_only=True):
    """`spec.virtualhost` of an HTTPProxy."""

    fqdn: str = ""


class HttpProxySpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of an HTTPProxy."""

    virtualhost: VirtualHost | None = None


class HttpProxy(KubernetesObject, frozen=True, kw_only=True):
    """projectcontour.io/v1 HTTPProxy."""

    spec: HttpProxySpec = HttpProxySpec()
    status: LoadBalancedStatus = LoadBalancedStatus()


class TcpIngressSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a TCPIngress."""

    rules: tuple[IngressRule, ...] | None = None


class TcpIngress(KubernetesObject, frozen=True, kw_only=True):
    """configuration.konghq.com/v1beta1 TCPIngress."""

    spec: TcpIngressSpec = TcpIngressSpec()
    status: LoadBalancedStatus = LoadBalancedStatus()


class RouterStatus(PartialObject, frozen=True, kw_only=True):
    """`status.ingress[]` of an OpenShift Route: the status that one router reports."""

    host: str = ""
    router_name: str = ""
    router_canonical_hostname: str = ""
    conditions: tuple[Condition, ...] | None = None


class OpenShiftRouteStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of an OpenShift Route."""

    ingress: tuple[RouterStatus, ...] | None = None


class OpenShiftRouteSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of an OpenShift Route."""

    host: str = ""


class OpenShiftRoute(KubernetesObject, frozen=True, kw_only=True):
    """route.openshift.io/v1 Route."""

    spec: OpenShiftRouteSpec = OpenShiftRouteSpec()
    status: OpenShiftRouteStatus = OpenShiftRouteStatus()


class AmbassadorHostSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Host."""

    hostname: str = ""


class AmbassadorHost(KubernetesObject, frozen=True, kw_only=True):
    """getambassador.io/v3alpha1 Host."""

    spec: AmbassadorHostSpec = AmbassadorHostSpec()


class F5Spec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a VirtualServer or a TransportServer; only the former has aliases."""

    host: str = ""
    host_aliases: tuple[str, ...] | None = None
    virtual_server_address: str = ""


class F5Status(PartialObject, frozen=True, kw_only=True):
    """`status` of a VirtualServer or a TransportServer."""

    vs_address: str = msgspec.field(default="", name="vsAddress")


class F5VirtualServer(KubernetesObject, frozen=True, kw_only=True):
    """cis.f5.com/v1 VirtualServer."""

    spec: F5Spec = F5Spec()
    status: F5Status = F5Status()


class F5TransportServer(KubernetesObject, frozen=True, kw_only=True):
    """cis.f5.com/v1 TransportServer."""

    spec: F5Spec = F5Spec()
    status: F5Status = F5Status()


HTTP_PROXY: Final = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", resource_prefix="HTTPProxy")
TCP_INGRESS: Final = Kind("configuration.konghq.com", "v1beta1", "TCPIngress", "tcpingresses")
OPENSHIFT_ROUTE: Final = Kind("route.openshift.io", "v1", "Route", "routes")
AMBASSADOR_HOST: Final = Kind("getambassador.io", "v3alpha1", "Host", "hosts")
F5_VIRTUAL_SERVER: Final = Kind(
    "cis.f5.com", "v1", "VirtualServer", "virtualservers", resource_prefix="f5-virtualserver"
)
F5_TRANSPORT_SERVER: Final = Kind(
    "cis.f5.com", "v1", "TransportServer", "transportservers", resource_prefix="f5-transportserver"
)


class RouteGroupSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a RouteGroup."""

    hosts: tuple[str, ...] | None = None


class RouteGroupLoadBalancer(PartialObject, frozen=True, kw_only=True):
    """`status.loadBalancer` of a RouteGroup."""

    route_group: tuple[LoadBalancerIngress, ...] | None = None


class RouteGroupStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a RouteGroup."""

    load_balancer: RouteGroupLoadBalancer | None = None


class RouteGroup(PartialObject, frozen=True, kw_only=True):
    """`spec` and `status` of a RouteGroup, whose API group and version a flag sets."""

    spec: RouteGroupSpec = RouteGroupSpec()
    status: RouteGroupStatus = RouteGroupStatus()


ROUTE_GROUP: Final = Kind("zalando.org", "v1", "RouteGroup", "routegroups")


class TraefikRoute(PartialObject, frozen=True, kw_only=True):
    """`spec.routes[]`: a rule that matches requests, in Traefik's rule language."""

    match: str = ""


class IngressRouteSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of an IngressRoute or an IngressRouteTCP."""

    routes: tuple[TraefikRoute, ...] | None = None


class IngressRoute(KubernetesObject, frozen=True, kw_only=True):
    """traefik.io/v1alpha1 IngressRoute or IngressRouteTCP."""

    spec: IngressRouteSpec = IngressRouteSpec()


INGRESS_ROUTE: Final = Kind("traefik.io", "v1alpha1", "IngressRoute", "ingressroutes")
INGRESS_ROUTE_TCP: Final = Kind("traefik.io", "v1alpha1", "IngressRouteTCP", "ingressroutetcps")
INGRESS_ROUTE_UDP: Final = Kind("traefik.io", "v1alpha1", "IngressRouteUDP", "ingressrouteudps")
TRAEFIK_STRUCTS: Final[Structs] = {
    INGRESS_ROUTE: IngressRoute,
    INGRESS_ROUTE_TCP: IngressRoute,
    INGRESS_ROUTE_UDP: KubernetesObject,  # its routes match by port and contain no host
}
TRAEFIK_LEGACY_STRUCTS: Final = {
    kind._replace(group="traefik.containo.us"): struct for kind, struct in TRAEFIK_STRUCTS.items()
}
STRUCTS: Final[Structs] = {
    HTTP_PROXY: HttpProxy,
    TCP_INGRESS: TcpIngress,
    OPENSHIFT_ROUTE: OpenShiftRoute,
    AMBASSADOR_HOST: AmbassadorHost,
    F5_VIRTUAL_SERVER: F5VirtualServer,
    F5_TRANSPORT_SERVER: F5TransportServer,
    **TRAEFIK_LEGACY_STRUCTS,
    **TRAEFIK_STRUCTS,
}
