"""Kubernetes objects, reduced to the fields that sources read (spec sources 3-4), and all kinds of them."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model import gloo, traefik
from extdns.model.balancing import Status
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.dnsendpoint import DNS_ENDPOINT, DnsEndpoint
from extdns.model.gatewayapi import (
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
from extdns.model.gloo import GlooGateway, GlooVirtualService, Proxy
from extdns.model.host import Host
from extdns.model.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.model.lean import Condition, Custom, Lean, ObjectMeta
from extdns.model.traefik import IngressRoute, IngressRouteTcp, IngressRouteUdp
from extdns.model.vendors import (
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


class ServicePort(Lean, frozen=True, kw_only=True):
    """`spec.ports[]` of a Service; SRV records are made of node ports."""

    protocol: str = ""
    node_port: int = 0


class ServiceSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Service. `type` is "" where the manifest leaves the default (ClusterIP)."""

    type: str = ""
    cluster_ip: str = msgspec.field(default="", name="clusterIP")
    external_ips: tuple[str, ...] | None = msgspec.field(default=None, name="externalIPs")
    external_name: str = ""
    external_traffic_policy: str = ""
    publish_not_ready_addresses: bool = False
    selector: dict[str, str] | None = None
    ports: tuple[ServicePort, ...] | None = None


class Service(Lean, frozen=True, kw_only=True):
    """core/v1 Service."""

    metadata: ObjectMeta
    spec: ServiceSpec = ServiceSpec()
    status: Status = Status()


class IngressRule(Lean, frozen=True, kw_only=True):
    """`spec.rules[]`, of which only the host matters."""

    host: str = ""


class IngressTLS(Lean, frozen=True, kw_only=True):
    """`spec.tls[]`."""

    hosts: tuple[str, ...] | None = None


class IngressSpec(Lean, frozen=True, kw_only=True):
    """`spec` of an Ingress."""

    ingress_class_name: str | None = None
    rules: tuple[IngressRule, ...] | None = None
    tls: tuple[IngressTLS, ...] | None = None


class Ingress(Lean, frozen=True, kw_only=True):
    """networking.k8s.io/v1 Ingress."""

    metadata: ObjectMeta
    spec: IngressSpec = IngressSpec()
    status: Status = Status()


class PodIP(Lean, frozen=True, kw_only=True):
    """`status.podIPs[]`."""

    ip: str = ""


class PodSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Pod."""

    hostname: str = ""
    node_name: str = ""
    host_network: bool = False


class PodStatus(Lean, frozen=True, kw_only=True):
    """`status` of a Pod."""

    phase: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    pod_ips: tuple[PodIP, ...] | None = msgspec.field(default=None, name="podIPs")
    conditions: tuple[Condition, ...] | None = None


class Pod(Lean, frozen=True, kw_only=True):
    """core/v1 Pod."""

    metadata: ObjectMeta
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class NodeAddress(Lean, frozen=True, kw_only=True):
    """`status.addresses[]` of a Node."""

    type: str = ""
    address: str = ""


class NodeSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Node."""

    unschedulable: bool = False


class NodeStatus(Lean, frozen=True, kw_only=True):
    """`status` of a Node."""

    addresses: tuple[NodeAddress, ...] | None = None


class Node(Lean, frozen=True, kw_only=True):
    """core/v1 Node."""

    metadata: ObjectMeta
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class EndpointConditions(Lean, frozen=True, kw_only=True):
    """`endpoints[].conditions` of an EndpointSlice; `ready` absent counts as true."""

    ready: bool | None = None


class TargetRef(Lean, frozen=True, kw_only=True):
    """`endpoints[].targetRef`, an ObjectReference."""

    kind: str = ""
    api_version: str = ""
    name: str = ""
    namespace: str = ""


class SliceEndpoint(Lean, frozen=True, kw_only=True):
    """`endpoints[]` of an EndpointSlice."""

    addresses: tuple[str, ...] | None = None
    conditions: EndpointConditions | None = None
    target_ref: TargetRef | None = None


class EndpointSlice(Lean, frozen=True, kw_only=True):
    """discovery.k8s.io/v1 EndpointSlice."""

    metadata: ObjectMeta
    address_type: str = ""
    endpoints: tuple[SliceEndpoint, ...] | None = None


class Namespace(Lean, frozen=True, kw_only=True):
    """core/v1 Namespace, of which only the labels matter."""

    metadata: ObjectMeta


KubernetesObject = (
    Service
    | Ingress
    | Pod
    | Node
    | Namespace
    | EndpointSlice
    | DnsEndpoint
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
    | Custom
    | Host
)

SERVICE: Final = Kind("", "v1", "Service", "services")
POD: Final = Kind("", "v1", "Pod", "pods")
NODE: Final = Kind("", "v1", "Node", "nodes", namespaced=False)
NAMESPACE: Final = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
ENDPOINT_SLICE: Final = Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
INGRESS: Final = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")

STRUCTS: Final[dict[Kind, type[KubernetesObject]]] = {
    SERVICE: Service,
    POD: Pod,
    NODE: Node,
    ENDPOINT_SLICE: EndpointSlice,
    INGRESS: Ingress,
    NAMESPACE: Namespace,
    DNS_ENDPOINT: DnsEndpoint,
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
    **traefik.LEGACY,
    **traefik.STRUCTS,
    **gloo.STRUCTS,
}


def struct_of(kind: Kind) -> type[KubernetesObject]:
    """What objects of *kind* are decoded as."""
    return STRUCTS.get(kind, Custom)


def key_of(kind: Kind, obj: KubernetesObject) -> ObjectKey:
    """Where *obj* lives; a namespaced object without a namespace is in `default`, as kubectl has it."""
    namespace = (obj.metadata.namespace or "default") if kind.namespaced else ""
    return ObjectKey(kind, namespace, obj.metadata.name)


def ref_of(kind: Kind, obj: KubernetesObject) -> ObjectRef:
    """The reference under which *obj* makes claims."""
    return ObjectRef(key=key_of(kind, obj), uid=obj.metadata.uid, created=obj.metadata.creation_timestamp or "")
