"""Every kind that extdns can decode, and the struct of its objects (docs/spec/sources.md 3-7)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind
from extdns.model.resources import gloo, ingress_controllers
from extdns.model.resources.core import (
    NAMESPACE,
    NODE,
    POD,
    SERVICE,
    Namespace,
    Node,
    Pod,
    Service,
)
from extdns.model.resources.discovery import ENDPOINT_SLICE, EndpointSlice
from extdns.model.resources.extdns import DNS_POLICY, DnsPolicy
from extdns.model.resources.externaldns import DNS_ENDPOINT, DnsEndpoint
from extdns.model.resources.gateway_api import (
    GATEWAY,
    GRPC_ROUTE,
    HTTP_ROUTE,
    LISTENER_SET,
    TCP_ROUTE,
    TLS_ROUTE,
    UDP_ROUTE,
    Gateway,
    GrpcRoute,
    HttpRoute,
    ListenerSet,
    TcpRoute,
    TlsRoute,
    UdpRoute,
)
from extdns.model.resources.gloo import GlooGateway, GlooVirtualService, Proxy
from extdns.model.resources.ingress_controllers import (
    AMBASSADOR_HOST,
    F5_TRANSPORT_SERVER,
    F5_VIRTUAL_SERVER,
    HTTP_PROXY,
    OPENSHIFT_ROUTE,
    TCP_INGRESS,
    AmbassadorHost,
    F5TransportServer,
    F5VirtualServer,
    HttpProxy,
    IngressRoute,
    IngressRouteTcp,
    IngressRouteUdp,
    OpenShiftRoute,
    TcpIngress,
)
from extdns.model.resources.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.model.resources.meta import CustomResource
from extdns.model.resources.networking import INGRESS, Ingress
from extdns.model.resources.resolved_host import ResolvedHost

KubernetesObject = (
    Service
    | Ingress
    | Pod
    | Node
    | Namespace
    | EndpointSlice
    | DnsEndpoint
    | DnsPolicy
    | Gateway
    | ListenerSet
    | HttpRoute
    | GrpcRoute
    | TlsRoute
    | TcpRoute
    | UdpRoute
    | IstioGateway
    | VirtualService
    | HttpProxy
    | TcpIngress
    | OpenShiftRoute
    | AmbassadorHost
    | F5VirtualServer
    | F5TransportServer
    | IngressRoute
    | IngressRouteTcp
    | IngressRouteUdp
    | Proxy
    | GlooGateway
    | GlooVirtualService
    | CustomResource
    | ResolvedHost
)


STRUCTS: Final[dict[Kind, type[KubernetesObject]]] = {
    SERVICE: Service,
    POD: Pod,
    NODE: Node,
    ENDPOINT_SLICE: EndpointSlice,
    INGRESS: Ingress,
    NAMESPACE: Namespace,
    DNS_ENDPOINT: DnsEndpoint,
    DNS_POLICY: DnsPolicy,
    GATEWAY: Gateway,
    LISTENER_SET: ListenerSet,
    HTTP_ROUTE: HttpRoute,
    GRPC_ROUTE: GrpcRoute,
    TLS_ROUTE: TlsRoute,
    TCP_ROUTE: TcpRoute,
    UDP_ROUTE: UdpRoute,
    ISTIO_GATEWAY: IstioGateway,
    VIRTUAL_SERVICE: VirtualService,
    HTTP_PROXY: HttpProxy,
    TCP_INGRESS: TcpIngress,
    OPENSHIFT_ROUTE: OpenShiftRoute,
    AMBASSADOR_HOST: AmbassadorHost,
    F5_VIRTUAL_SERVER: F5VirtualServer,
    F5_TRANSPORT_SERVER: F5TransportServer,
    **ingress_controllers.TRAEFIK_LEGACY_STRUCTS,
    **ingress_controllers.TRAEFIK_STRUCTS,
    **gloo.GLOO_STRUCTS,
}


def find_struct(kind: Kind) -> type[KubernetesObject]:
    """Return the struct into which objects of *kind* are decoded."""
    return STRUCTS.get(kind, CustomResource)
