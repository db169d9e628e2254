"""Objects of Gloo, reduced to the fields that sources read (docs/spec/sources.md 7.8)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Structs


class ResourceRef(PartialObject, frozen=True, kw_only=True):
    """A reference to an object: its namespace and name."""

    name: str = ""
    namespace: str = ""


class ResourceSource(PartialObject, frozen=True, kw_only=True):
    """`metadata.sources[]`: an object from which Gloo made a virtual host. The kind is a Go type: `*v1.Gateway`."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class StaticResourceSource(PartialObject, frozen=True, kw_only=True):
    """`metadataStatic.sources[]`, which means the same as `ResourceSource`."""

    resource_kind: str = ""
    resource_ref: ResourceRef = ResourceRef()


class SourceMetadata(PartialObject, frozen=True, kw_only=True):
    """`metadata` of a virtual host in a Proxy of Gloo: the objects from which Gloo made it."""

    sources: tuple[ResourceSource, ...] | None = None


class StaticSourceMetadata(PartialObject, frozen=True, kw_only=True):
    """`metadataStatic` of a listener or virtual host in a Proxy of Gloo: the objects from which Gloo made it."""

    sources: tuple[StaticResourceSource, ...] | None = None


class GlooVirtualHost(PartialObject, frozen=True, kw_only=True):
    """A virtual host of a listener of a Proxy."""

    domains: tuple[str, ...] | None = None
    metadata: SourceMetadata | None = None
    metadata_static: StaticSourceMetadata | None = None


class HttpListener(PartialObject, frozen=True, kw_only=True):
    """`httpListener` of a listener of a Proxy."""

    virtual_hosts: tuple[GlooVirtualHost, ...] | None = None


class FilterChain(PartialObject, frozen=True, kw_only=True):
    """`aggregateListener.httpFilterChains[]` of a listener of a Proxy."""

    virtual_host_refs: tuple[str, ...] | None = None


class HttpResources(PartialObject, frozen=True, kw_only=True):
    """`aggregateListener.httpResources` of a listener of a Proxy."""

    virtual_hosts: dict[str, GlooVirtualHost] | None = None


class AggregateListener(PartialObject, frozen=True, kw_only=True):
    """`aggregateListener` of a listener. Its filter chains refer to virtual hosts in `httpResources` by key."""

    http_filter_chains: tuple[FilterChain, ...] | None = None
    http_resources: HttpResources | None = None


class GlooListener(PartialObject, frozen=True, kw_only=True):
    """`spec.listeners[]` of a Proxy."""

    http_listener: HttpListener | None = None
    aggregate_listener: AggregateListener | None = None
    metadata_static: StaticSourceMetadata | None = None


class ProxySpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Proxy."""

    listeners: tuple[GlooListener, ...] | None = None


class Proxy(KubernetesObject, frozen=True, kw_only=True):
    """gloo.solo.io/v1 Proxy, which Gloo makes of Gateways and VirtualServices."""

    spec: ProxySpec = ProxySpec()


class GlooGateway(KubernetesObject, frozen=True, kw_only=True):
    """gateway.solo.io/v1 Gateway. Only its annotations are read."""


class GlooVirtualService(KubernetesObject, frozen=True, kw_only=True):
    """gateway.solo.io/v1 VirtualService. Only its annotations are read."""


_GLOO_GATEWAY_GROUP: Final = "gateway.solo.io"
PROXY: Final = Kind("gloo.solo.io", "v1", "Proxy", "proxies")
GLOO_GATEWAY: Final = Kind(_GLOO_GATEWAY_GROUP, "v1", "Gateway", "gateways")
GLOO_VIRTUAL_SERVICE: Final = Kind(_GLOO_GATEWAY_GROUP, "v1", "VirtualService", "virtualservices")
STRUCTS: Final[Structs] = {
    PROXY: Proxy,
    GLOO_GATEWAY: GlooGateway,
    GLOO_VIRTUAL_SERVICE: GlooVirtualService,
}
