"""Objects of the Gateway API, reduced to the fields that sources read (spec sources 5).

All versions of a kind agree on these fields. What Go writes as an absent pointer is "" or 0 here,
which no such field can mean otherwise (spec sources 5.4).
"""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model.cluster import Kind
from extdns.model.lean import Condition, Lean, ObjectMeta

GROUP: Final = "gateway.networking.k8s.io"


class LabelRequirement(Lean, frozen=True, kw_only=True):
    """`matchExpressions[]` of a label selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


class LabelSelector(Lean, frozen=True, kw_only=True):
    """meta/v1 LabelSelector; all of it must hold."""

    match_labels: dict[str, str] | None = None
    match_expressions: tuple[LabelRequirement, ...] | None = None


class FromNamespaces(Lean, frozen=True, kw_only=True):
    """From which namespaces Routes or ListenerSets may come."""

    origin: str = msgspec.field(default="", name="from")
    selector: LabelSelector | None = None


class RouteKind(Lean, frozen=True, kw_only=True):
    """`allowedRoutes.kinds[]` of a listener."""

    group: str = GROUP
    kind: str = ""


class AllowedRoutes(Lean, frozen=True, kw_only=True):
    """`allowedRoutes` of a listener."""

    namespaces: FromNamespaces = FromNamespaces()
    kinds: tuple[RouteKind, ...] | None = None


class Listener(Lean, frozen=True, kw_only=True):
    """`spec.listeners[]` of a Gateway or a ListenerSet."""

    name: str = ""
    hostname: str = ""
    port: int = 0
    protocol: str = ""
    allowed_routes: AllowedRoutes = AllowedRoutes()


class AllowedListeners(Lean, frozen=True, kw_only=True):
    """`spec.allowedListeners` of a Gateway."""

    namespaces: FromNamespaces = FromNamespaces()


class GatewaySpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Gateway."""

    listeners: tuple[Listener, ...] | None = None
    allowed_listeners: AllowedListeners = AllowedListeners()


class GatewayAddress(Lean, frozen=True, kw_only=True):
    """`status.addresses[]` of a Gateway, of whatever type."""

    value: str = ""


class GatewayStatus(Lean, frozen=True, kw_only=True):
    """`status` of a Gateway."""

    addresses: tuple[GatewayAddress, ...] | None = None


class Gateway(Lean, frozen=True, kw_only=True):
    """Gateway."""

    metadata: ObjectMeta
    spec: GatewaySpec = GatewaySpec()
    status: GatewayStatus = GatewayStatus()


class ParentRef(Lean, frozen=True, kw_only=True):
    """What a Route or a ListenerSet asks to be attached to."""

    group: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    section_name: str = ""
    port: int = 0


class ListenerSetSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a ListenerSet."""

    parent_ref: ParentRef = ParentRef()
    listeners: tuple[Listener, ...] | None = None


class ListenerStatus(Lean, frozen=True, kw_only=True):
    """`status.listeners[]` of a ListenerSet."""

    name: str = ""
    conditions: tuple[Condition, ...] | None = None


class ListenerSetStatus(Lean, frozen=True, kw_only=True):
    """`status` of a ListenerSet."""

    conditions: tuple[Condition, ...] | None = None
    listeners: tuple[ListenerStatus, ...] | None = None


class ListenerSet(Lean, frozen=True, kw_only=True):
    """ListenerSet."""

    metadata: ObjectMeta
    spec: ListenerSetSpec = ListenerSetSpec()
    status: ListenerSetStatus = ListenerSetStatus()


class RouteParentStatus(Lean, frozen=True, kw_only=True):
    """`status.parents[]` of a Route: what became of one parent."""

    parent_ref: ParentRef = ParentRef()
    conditions: tuple[Condition, ...] | None = None


class RouteSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Route; TCPRoutes and UDPRoutes have no host names."""

    hostnames: tuple[str, ...] | None = None
    parent_refs: tuple[ParentRef, ...] | None = None


class RouteStatus(Lean, frozen=True, kw_only=True):
    """`status` of a Route."""

    parents: tuple[RouteParentStatus, ...] | None = None


class Route(Lean, frozen=True, kw_only=True):
    """What all kinds of Routes have in common."""

    metadata: ObjectMeta
    spec: RouteSpec = RouteSpec()
    status: RouteStatus = RouteStatus()


class HttpRoute(Route, frozen=True, kw_only=True):
    """HTTPRoute."""


class GrpcRoute(Route, frozen=True, kw_only=True):
    """GRPCRoute."""


class TlsRoute(Route, frozen=True, kw_only=True):
    """TLSRoute."""


class TcpRoute(Route, frozen=True, kw_only=True):
    """TCPRoute."""


class UdpRoute(Route, frozen=True, kw_only=True):
    """UDPRoute."""


GATEWAY: Final = Kind(GROUP, "v1", "Gateway", "gateways", older=("v1beta1",))
LISTENER_SET: Final = Kind(GROUP, "v1", "ListenerSet", "listenersets")
HTTP_ROUTE: Final = Kind(GROUP, "v1", "HTTPRoute", "httproutes", older=("v1beta1",))
GRPC_ROUTE: Final = Kind(GROUP, "v1", "GRPCRoute", "grpcroutes", older=("v1alpha2",))
TLS_ROUTE: Final = Kind(GROUP, "v1", "TLSRoute", "tlsroutes", older=("v1alpha3", "v1alpha2"))
# v1 since 1.6 of the Gateway API, whose standard channel serves nothing older.
TCP_ROUTE: Final = Kind(GROUP, "v1", "TCPRoute", "tcproutes", older=("v1alpha2",))
UDP_ROUTE: Final = Kind(GROUP, "v1", "UDPRoute", "udproutes", older=("v1alpha2",))
