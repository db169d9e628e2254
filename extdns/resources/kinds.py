"""Every kind that extdns can decode, and the struct of its objects (docs/spec/sources.md 3-7)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject
from extdns.resources import gloo, ingress_controllers
from extdns.resources.core import (
    NAMESPACE,
    NODE,
    POD,
    SERVICE,
    Namespace,
    Node,
    Pod,
    Service,
)
from extdns.resources.discovery import ENDPOINT_SLICE, EndpointSlice
from extdns.resources.extdns import DNS_POLICY, DnsPolicy
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint
from extdns.resources.gateway_api import (
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
from extdns.resources.ingress_controllers import (
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
    OpenShiftRoute,
    TcpIngress,
)
from extdns.resources.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.resources.meta import CustomResource
from extdns.resources.networking import INGRESS, Ingress

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
