"""The source `gloo-proxy`: Proxies of Gloo Edge (docs/spec/sources.md 7.8).

Gloo creates each Proxy from its Gateways and VirtualServices. The source publishes the domains of the virtual hosts,
with the record options (TTL, set identifier and so on) that annotations of the VirtualServices set. The targets come
from an annotation, from Ingresses that annotations of Gateways name, or from the Service of the Proxy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Final

from extdns.errors import ExtdnsError, shorten
from extdns.flags.sources import SourceFlags
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.resources.gloo import (
    GLOO_GATEWAY,
    GLOO_VIRTUAL_SERVICE,
    PROXY,
    AggregateListener,
    GlooGateway,
    GlooListener,
    GlooVirtualHost,
    GlooVirtualService,
    Proxy,
)
from extdns.resources.networking import INGRESS, Ingress
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    MissingTargets,
    RecordOptions,
    TargetResult,
    get_ingress,
    list_first_addresses,
    parse_targets,
    read_load_balancer,
    read_no_options,
)
from extdns.sources.common.claim_builder import ClaimBuilder
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_INGRESS_ANNOTATION: Final = "ingress"
_GATEWAY: Final = "*v1.Gateway"
_VIRTUAL_SERVICE: Final = "*v1.VirtualService"
_LOAD_BALANCER: Final = "LoadBalancer"
_MAX_ANNOTATIONS: Final = 200
_NO_INGRESS_ADDRESS: Final = MissingTargets(
    reason=Reason.NO_ADDRESS, detail="no Ingress of the Gateways has an address yet"
)


def publish(proxy: Proxy, to: HostPublisher, view: ClusterView) -> None:
    """Publish the domains of the virtual hosts, each with the record options of its VirtualServices.

    Raises:
        ExtdnsError: an object that the Proxy refers to does not exist.
        NotSyncedError: other objects are needed and not listed yet.
    """
    namespace = to.ref.key.namespace
    if not {"", namespace} & set(to.flags.gloo_namespace):  # "" is all namespaces
        to.exclude("--gloo-namespace")
        return
    targets = to.annotated_targets or _find_targets(proxy, to, view)

    @cache
    def read_annotations(service_key: tuple[str, str]) -> dict[str, str]:
        return _read_annotations(service_key, to.settings.prefixes, view)

    @cache  # many hosts may have the same VirtualServices
    def get_builder(services: tuple[tuple[str, str], ...]) -> ClaimBuilder:
        """Return the builder for hosts of VirtualServices. If two set the same annotation, the first one wins."""
        merged: dict[str, str] = {}
        for stated in map(read_annotations, services):
            merged = stated | merged
        return to.get_builder(RecordOptions.read(Annotations.read(merged, to.settings.prefixes)))

    for host, field in _list_virtual_hosts(proxy):
        services = tuple(dict.fromkeys(reversed([*_list_virtual_services(host)])))  # of duplicates, the last one counts
        builder = get_builder(services)
        for at, domain in enumerate(host.domains or ()):
            if domain:
                builder.request(domain, f"{field}.domains[{at}]", targets)
    to.publish_template_targets(to.bare_builder)


def _find_targets(proxy: Proxy, to: HostPublisher, view: ClusterView) -> TargetResult:
    """Find the targets of *proxy* in the Ingresses of its Gateways, else in its Service.

    The annotation of a Gateway in another namespace does not count: it would give all names of the Proxy its address.
    """
    namespace = to.ref.key.namespace
    gateways = [key for key in _list_gateways(proxy) if to.settings.compat or key[0] == namespace]
    found = [_find_gateway_ingress(key, to.settings.prefixes, view) for key in gateways]
    ingresses = [ingress for ingress in found if ingress]
    texts = (text for ingress in ingresses for text in list_first_addresses(ingress.status))
    field = "status.loadBalancer of the Ingresses of the Gateways"
    is_stated = any(ingress.metadata.namespace != namespace for ingress in ingresses)
    targets = parse_targets(texts, field, if_empty=_NO_INGRESS_ADDRESS, is_stated=is_stated, count=to.count)
    if targets is not _NO_INGRESS_ADDRESS:
        return targets
    return _read_service_targets(namespace, proxy.metadata.name, view)


def _list_gateways(proxy: Proxy) -> Iterable[tuple[str, str]]:
    """List namespace and name of the Gateways that *proxy* was created from, without duplicates."""
    return dict.fromkeys(
        (made.resource_ref.namespace, made.resource_ref.name)
        for listener in proxy.spec.listeners or ()
        for made in (listener.metadata_static.sources if listener.metadata_static else None) or ()
        if made.resource_kind == _GATEWAY
    )


def _find_gateway_ingress(gateway_key: tuple[str, str], prefixes: tuple[str, ...], view: ClusterView) -> Ingress | None:
    """Return the Ingress that an annotation of the Gateway at *gateway_key* names, or None without annotation."""
    description = shorten("/".join(gateway_key))
    gateway = view.get(GLOO_GATEWAY, *gateway_key)
    if not isinstance(gateway, GlooGateway):
        raise ExtdnsError(f"spec.listeners: there is no Gateway {description}")
    annotations = Annotations.read(gateway.metadata.annotations, prefixes)
    reference = annotations.get(_INGRESS_ANNOTATION)
    if not reference:
        return None
    return get_ingress(
        reference, gateway_key[0], f"{annotations.describe_field(_INGRESS_ANNOTATION)} of Gateway {description}", view
    )


def _read_service_targets(namespace: str, name: str, view: ClusterView) -> TargetResult:
    service = view.get(SERVICE, namespace, name)
    if not isinstance(service, Service):
        raise ExtdnsError(
            f"there is no Service {shorten(f'{namespace}/{name}')}, which must have the name of the Proxy"
        )
    if service.spec.type != _LOAD_BALANCER:
        return ExcludedHost(excluded_by=f"Service {namespace}/{name}, whose type is not LoadBalancer")
    return read_load_balancer(service.status)


def _read_annotations(service_key: tuple[str, str], prefixes: tuple[str, ...], view: ClusterView) -> dict[str, str]:
    """Return the annotations with *prefixes* of the VirtualService at *service_key*: as many as records can need."""
    service = view.get(GLOO_VIRTUAL_SERVICE, *service_key)
    if not isinstance(service, GlooVirtualService):
        raise ExtdnsError(f"there is no VirtualService {shorten('/'.join(service_key))}")
    annotations = (item for item in (service.metadata.annotations or {}).items() if item[0].startswith(prefixes))
    return dict(islice(annotations, _MAX_ANNOTATIONS))


_LocatedVirtualHost = tuple[GlooVirtualHost, str]
"""A virtual host, and the field of the Proxy that holds it."""


def _list_virtual_hosts(proxy: Proxy) -> Iterator[_LocatedVirtualHost]:
    for at, listener in enumerate(proxy.spec.listeners or ()):
        yield from _list_listener_hosts(listener, f"spec.listeners[{at}]")


def _list_listener_hosts(listener: GlooListener, field: str) -> Iterator[_LocatedVirtualHost]:
    if listener.http_listener is not None:
        for at, host in enumerate(listener.http_listener.virtual_hosts or ()):
            yield host, f"{field}.httpListener.virtualHosts[{at}]"
    if listener.aggregate_listener is not None:
        yield from _list_filter_chain_hosts(
            listener.aggregate_listener, f"{field}.aggregateListener.httpResources.virtualHosts"
        )


def _list_filter_chain_hosts(listener: AggregateListener, field: str) -> Iterator[_LocatedVirtualHost]:
    hosts = (listener.http_resources.virtual_hosts if listener.http_resources else None) or {}
    refs = (ref for chain in listener.http_filter_chains or () for ref in chain.virtual_host_refs or ())
    for ref in dict.fromkeys(refs):
        if ref in hosts:
            yield hosts[ref], f"{field}[{ref}]"


def _list_virtual_services(host: GlooVirtualHost) -> Iterator[tuple[str, str]]:
    """List namespace and name of each VirtualService that *host* was created from."""
    for made in (host.metadata.sources if host.metadata else None) or ():
        if made.kind == _VIRTUAL_SERVICE:
            yield made.namespace, made.name
    for static in (host.metadata_static.sources if host.metadata_static else None) or ():
        if static.resource_kind == _VIRTUAL_SERVICE:
            yield static.resource_ref.namespace, static.resource_ref.name


def _find_namespaces(flags: SourceFlags) -> Mapping[Kind, tuple[str, ...]]:
    return {PROXY: flags.gloo_namespace, **dict.fromkeys(_LOOKUPS, ())}


_LOOKUPS: Final = (GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE, INGRESS, SERVICE)
SOURCE: Final = SourceSpec(
    name="gloo-proxy",
    kinds=(PROXY,),
    publish=publish,
    host_field="a domain in spec.listeners of a Proxy",
    hostname_annotations=(),
    lookups=_LOOKUPS,
    namespaces=_find_namespaces,
    options=read_no_options,
    is_named_in_reference=False,
    templates=Templating.AT_TEMPLATE_TARGETS,
)
