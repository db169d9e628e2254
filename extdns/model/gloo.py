"""Objects of Gloo, reduced to the fields that sources read (spec sources 7.8)."""

from __future__ import annotations

from typing import Final

from extdns.model.cluster import Kind
from extdns.model.lean import Lean, ObjectMeta


class ResourceRef(Lean, frozen=True, kw_only=True):
    """Where an object is."""

    name: str = ""
    namespace: str = ""


class Made(Lean, frozen=True, kw_only=True):
    """`metadata.sources[]`: an object that a part of a Proxy was made from; its kind as in Go, as `*v1.Gateway`."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class StaticallyMade(Lean, frozen=True, kw_only=True):
    """`metadataStatic.sources[]`, as `Made`."""

    resource_kind: str = ""
    resource_ref: ResourceRef = ResourceRef()


class Origins(Lean, frozen=True, kw_only=True):
    """`metadata` of a part of a Proxy."""

    sources: tuple[Made, ...] | None = None


class StaticOrigins(Lean, frozen=True, kw_only=True):
    """`metadataStatic` of a part of a Proxy."""

    sources: tuple[StaticallyMade, ...] | None = None


class GlooHost(Lean, frozen=True, kw_only=True):
    """A virtual host."""

    domains: tuple[str, ...] | None = None
    metadata: Origins | None = None
    metadata_static: StaticOrigins | None = None


class HttpListener(Lean, frozen=True, kw_only=True):
    """`httpListener` of a listener."""

    virtual_hosts: tuple[GlooHost, ...] | None = None


class FilterChain(Lean, frozen=True, kw_only=True):
    """`aggregateListener.httpFilterChains[]`."""

    virtual_host_refs: tuple[str, ...] | None = None


class HttpResources(Lean, frozen=True, kw_only=True):
    """`aggregateListener.httpResources`."""

    virtual_hosts: dict[str, GlooHost] | None = None


class AggregateListener(Lean, frozen=True, kw_only=True):
    """`aggregateListener` of a listener: chains name virtual hosts that stand beside them."""

    http_filter_chains: tuple[FilterChain, ...] | None = None
    http_resources: HttpResources | None = None


class GlooListener(Lean, frozen=True, kw_only=True):
    """`spec.listeners[]` of a Proxy."""

    http_listener: HttpListener | None = None
    aggregate_listener: AggregateListener | None = None
    metadata_static: StaticOrigins | None = None


class ProxySpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Proxy."""

    listeners: tuple[GlooListener, ...] | None = None


class Proxy(Lean, frozen=True, kw_only=True):
    """gloo.solo.io/v1 Proxy, which Gloo makes of Gateways and VirtualServices."""

    metadata: ObjectMeta
    spec: ProxySpec = ProxySpec()


class GlooGateway(Lean, frozen=True, kw_only=True):
    """gateway.solo.io/v1 Gateway, of which annotations alone are read."""

    metadata: ObjectMeta


class GlooVirtualService(Lean, frozen=True, kw_only=True):
    """gateway.solo.io/v1 VirtualService, of which annotations alone are read."""

    metadata: ObjectMeta


_GATEWAY_GROUP: Final = "gateway.solo.io"
PROXY: Final = Kind("gloo.solo.io", "v1", "Proxy", "proxies")
GLOO_GATEWAY: Final = Kind(_GATEWAY_GROUP, "v1", "Gateway", "gateways")
GLOO_VIRTUAL_SERVICE: Final = Kind(_GATEWAY_GROUP, "v1", "VirtualService", "virtualservices")
STRUCTS: Final[dict[Kind, type[Proxy | GlooGateway | GlooVirtualService]]] = {
    PROXY: Proxy,
    GLOO_GATEWAY: GlooGateway,
    GLOO_VIRTUAL_SERVICE: GlooVirtualService,
}
