"""The source `service`: core/v1 Services (docs/spec/sources.md 3).

Each host is passed to an *expansion*: a function from one host to names with targets, chosen by the type of the
Service. Expansions look up other objects only if their Service needs them: nodes, pods and EndpointSlices are not
listed for load balancers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Final, assert_never

from msgspec.structs import replace

from extdns.flags.sources import SourceFlags
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.model.record import parse_address
from extdns.model.value import Value
from extdns.ports import ClusterView, NotSyncedError
from extdns.resources.core import NODE, POD, SERVICE, Node, Pod, Service, ServiceSpec
from extdns.resources.discovery import ENDPOINT_SLICE, EndpointSlice, SliceEndpoint
from extdns.resources.resolved_host import RESOLVED_HOST, ResolvedHost
from extdns.sources.common.annotations import (
    ACCESS,
    ENDPOINTS_TYPE,
    EXTERNAL_IP,
    INTERNAL_IP,
    TARGET_ANNOTATION,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    TargetResult,
    list_node_addresses,
    list_public_node_addresses,
    parse_targets,
    read_load_balancer,
    split_list,
)
from extdns.sources.common.claim_builder import ClaimBuilder
from extdns.sources.common.host_publisher import IGNORED_ANNOTATION, HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_HEADLESS_CLUSTER_IP: Final = "None"
_UNASSIGNED_CLUSTER_IP: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="spec.clusterIP is not assigned yet")
_HEADLESS_WITHOUT_CLUSTER_IP: Final = MissingTargets(reason=Reason.NO_ENDPOINTS, detail="spec.clusterIP is None")
_NO_EXTERNAL_NAME: Final = MissingTargets(reason=Reason.INVALID_TARGET, detail="spec.externalName is empty")


class Audience(StrEnum):
    """Who uses a hostname: clients outside or inside the cluster. The value is the annotation that lists such names."""

    EXTERNAL = "hostname"
    INTERNAL = "internal-hostname"


def publish(service: Service, to: HostPublisher, view: ClusterView) -> None:
    """Publish the hostnames in annotations of the Service, and those of templates.

    Raises:
        NotSyncedError: other objects are needed and not listed yet, or a hostname is not resolved yet.
    """
    if not includes_type(to.flags, service.spec.type or ServiceType.CLUSTER_IP):
        to.exclude("--service-type-filter")
        return
    can_name_hosts = to.settings.templates.can_name_hosts
    if not (to.annotations.values or can_name_hosts or to.flags.compatibility):
        return
    context = ServiceContext(service=service, to=to, view=view)
    for audience in (Audience.EXTERNAL, Audience.INTERNAL):
        if texts := to.annotations.get_list(audience):
            _request_annotation_hosts(context, audience, texts)
    if not to.has_hosts:
        for text, field, result in _find_legacy_hosts(context):
            to.bare_builder.request(text, field, result)
    elif not can_name_hosts:
        return
    to.publish_template_pairs(to.bare_builder)
    expand: Expansion | None = None
    for text, field in to.list_template_hosts():
        host = to.builder.parse_name(text, field)
        if host is not None:
            expand = expand or choose_expansion(context, Audience.EXTERNAL)
            _request_expanded_hosts(to.builder, (host,), field, expand)


def _request_annotation_hosts(context: ServiceContext, audience: Audience, texts: Iterable[str]) -> None:
    field, builder = context.to.annotations.describe_field(audience), context.to.builder
    hosts = [host for text in texts if (host := builder.parse_name(text, field)) is not None]
    if context.flags.ignore_hostname_annotation:
        for host in hosts:
            builder.request_name(host, field, IGNORED_ANNOTATION)
    else:
        _request_expanded_hosts(builder, hosts, field, choose_expansion(context, audience))


def _request_expanded_hosts(builder: ClaimBuilder, hosts: Iterable[DnsName], field: str, expand: Expansion) -> None:
    for host in hosts:
        for text, result in expand(host):
            name = host if text is host else builder.parse_name(text, field)
            if name is not None:
                builder.request_name(name, field, result)


# A function from one host to the names to publish, each with its targets.
Expansion = Callable[[DnsName], Iterable[tuple[str, TargetResult]]]

_SERVICE_NAME = "kubernetes.io/service-name"


class ServiceContext(Value, frozen=True, kw_only=True, gc=True):
    """A Service, what publishes it, and lookups of related objects. Lookups raise `NotSyncedError`."""

    service: Service
    to: HostPublisher
    view: ClusterView

    @property
    def flags(self) -> SourceFlags:
        """The flags of the sources."""
        return self.to.flags

    @property
    def namespace(self) -> str:
        """The namespace of the Service."""
        return self.to.ref.key.namespace

    def list_pods(self) -> tuple[Pod, ...]:
        """Return the pods that the Service selects; without a selector, all pods of its namespace."""
        chosen = self.view.select(POD, self.namespace, self.service.spec.selector or {})
        return tuple(pod for pod in chosen if isinstance(pod, Pod))

    def list_endpoint_slices(self) -> tuple[EndpointSlice, ...]:
        """Return the EndpointSlices of the Service."""
        chosen = self.view.select(ENDPOINT_SLICE, self.namespace, {_SERVICE_NAME: self.service.metadata.name})
        return tuple(found for found in chosen if isinstance(found, EndpointSlice))

    def list_nodes(self) -> tuple[Node, ...]:
        """Return all nodes of the cluster."""
        return tuple(node for node in self.view.select(NODE, "", {}) if isinstance(node, Node))

    def resolve_hosts(self, names: Iterable[str]) -> tuple[ResolvedHost, ...]:
        """Return the addresses of *names*.

        Raises:
            NotSyncedError: a name is not resolved yet; the resolution of all of them has begun.
        """
        hosts: list[ResolvedHost] = []
        unresolved: NotSyncedError | None = None
        for name in names:
            try:
                found = self.view.get(RESOLVED_HOST, self.namespace, name)
            except NotSyncedError as exc:
                unresolved = exc
            else:
                hosts += (found,) if isinstance(found, ResolvedHost) else ()
        if unresolved is not None:
            raise unresolved
        return tuple(hosts)

    def get_node(self, name: str) -> Node | None:
        """Return the node *name*; None if there is no such node."""
        found = self.view.get(NODE, "", name) if name else None
        return found if isinstance(found, Node) else None


class ServiceType(StrEnum):
    """`spec.type` of a Service."""

    CLUSTER_IP = "ClusterIP"
    NODE_PORT = "NodePort"
    LOAD_BALANCER = "LoadBalancer"
    EXTERNAL_NAME = "ExternalName"


class Compatibility(StrEnum):
    """The older tool whose annotations are also read: a value of `--compatibility`."""

    NONE = ""
    MATE = "mate"
    MOLECULE = "molecule"
    KOPS = "kops-dns-controller"


def includes_type(flags: SourceFlags, service_type: str) -> bool:
    """Return whether Services of *service_type* are read: all are without `--service-type-filter`, or if it has ""."""
    types = flags.service_type_filter
    return not types or service_type in types or "" in types


def choose_expansion(context: ServiceContext, audience: Audience) -> Expansion:
    """Choose the expansion for the hosts of *audience*. Look up other objects only if the type needs it."""
    if context.to.annotated_targets is not None:
        return _expand_to(context.to.annotated_targets)
    spec = context.service.spec
    match spec.type or ServiceType.CLUSTER_IP:
        case ServiceType.LOAD_BALANCER if audience is Audience.EXTERNAL:
            return _expand_to(_read_external_ips(spec) or _resolve_load_balancer(context))
        case ServiceType.CLUSTER_IP if spec.cluster_ip == _HEADLESS_CLUSTER_IP:
            return build_headless_expansion(context)
        case ServiceType.CLUSTER_IP if audience is Audience.EXTERNAL and not context.flags.publish_internal_services:
            return _expand_to(ExcludedHost(excluded_by="--publish-internal-services"))
        case ServiceType.CLUSTER_IP | ServiceType.LOAD_BALANCER:
            return _expand_to(_read_cluster_ip(spec))
        case ServiceType.NODE_PORT:
            return build_node_port_expansion(context)
        case ServiceType.EXTERNAL_NAME:
            external_name = parse_targets(
                (spec.external_name,), "spec.externalName", if_empty=_NO_EXTERNAL_NAME, is_stated=True
            )
            return _expand_to(_read_external_ips(spec) or external_name)
        case other:
            return _expand_to(_reject_service_type(other))


def _expand_to(result: TargetResult) -> Expansion:
    return lambda host: ((host, result),)


def _read_external_ips(spec: ServiceSpec) -> FoundTargets | MissingTargets | None:
    if not spec.external_ips:
        return None
    if_empty = MissingTargets(reason=Reason.INVALID_TARGET, detail="spec.externalIPs holds no address")
    return parse_targets(spec.external_ips, "spec.externalIPs", if_empty=if_empty, is_stated=True)


def _resolve_load_balancer(context: ServiceContext) -> FoundTargets | MissingTargets:
    """Read the load balancer status; `--resolve-service-load-balancer-hostname` replaces host names by addresses.

    A host name without addresses adds none. If a host name cannot be resolved, the result is `MissingTargets`, so that
    the existing record keeps its addresses.
    """
    result = read_load_balancer(context.service.status)
    if isinstance(result, MissingTargets) or not context.flags.resolve_service_load_balancer_hostname:
        return result
    by_type = dict(result.groups)
    names = by_type.pop(rrtype.CNAME, ())
    hosts = context.resolve_hosts(names)
    for host in hosts:
        if host.failure:
            return MissingTargets(
                reason=Reason.NO_ADDRESS, detail=f"{host.metadata.name} cannot be resolved: {host.failure}"
            )
    texts = chain(*by_type.values(), *(host.addresses for host in hosts))
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"no addresses were found for {' and '.join(names)}")
    resolved = parse_targets(texts, "status.loadBalancer", if_empty=if_empty)
    return replace(resolved, invalid=result.invalid) if isinstance(resolved, FoundTargets) else resolved


def _read_cluster_ip(spec: ServiceSpec) -> FoundTargets | MissingTargets:
    if spec.cluster_ip == _HEADLESS_CLUSTER_IP:
        return _HEADLESS_WITHOUT_CLUSTER_IP
    return parse_targets((spec.cluster_ip,), "spec.clusterIP", if_empty=_UNASSIGNED_CLUSTER_IP)


def _reject_service_type(service_type: str) -> MissingTargets:
    detail = f"spec.type {service_type!r} is not a type of Service; allowed: {', '.join(ServiceType)}"
    return MissingTargets(reason=Reason.INVALID_OBJECT, detail=detail)


_IP_FAMILIES: Final = frozenset({"IPv4", "IPv6"})


class _EndpointsType(StrEnum):
    """The values of the annotation `endpoints-type` of a headless Service: which addresses of its Pods it publishes."""

    POD_IP = ""
    NODE_EXTERNAL_IP = "NodeExternalIP"
    HOST_IP = "HostIP"


class _HeadlessEndpoint(Value, frozen=True, kw_only=True):
    """An endpoint of a headless Service.

    Attributes:
        hostname: hostname of its pod, or "".
        targets: its addresses; () if it is not ready, unless those that are not ready are published, too.
        is_stated: whether an annotation of its pod states them.
    """

    hostname: str
    targets: tuple[str, ...]
    is_stated: bool


def build_headless_expansion(context: ServiceContext) -> Expansion:
    """Build an expansion to `<host>` with all endpoints, and `<hostname>.<host>` for each hostname of a pod."""
    mode = _EndpointsType(context.to.annotations.get_choice(ENDPOINTS_TYPE)) or (
        _EndpointsType.HOST_IP if context.flags.publish_host_ip else _EndpointsType.POD_IP
    )
    endpoints = tuple(_list_headless_endpoints(context, mode))
    is_stated = any(one.is_stated for one in endpoints)
    if_empty = _explain_no_endpoints(context, mode)
    found: dict[str, dict[tuple[str, ...], None]] = {"": {}}  # many endpoints may have the targets of one Pod
    for member in endpoints:
        for hostname in dict.fromkeys(("", member.hostname)):
            found.setdefault(hostname, {})[member.targets] = None
    field = "the endpoints of the Service"
    results = {
        hostname: parse_targets(chain.from_iterable(lists), field, if_empty=if_empty, is_stated=is_stated)
        for hostname, lists in found.items()
    }

    def expand(host: DnsName) -> Iterator[tuple[str, TargetResult]]:
        for hostname, result in results.items():
            yield f"{hostname}.{host}" if hostname else host, result

    return expand


def _list_headless_endpoints(context: ServiceContext, mode: _EndpointsType) -> Iterator[_HeadlessEndpoint]:
    pods = {pod.metadata.name: pod for pod in context.list_pods()}

    @cache
    def read_stated(name: str) -> tuple[str, ...]:
        return context.to.settings.read_annotations(pods[name].metadata).get_list(TARGET_ANNOTATION)

    include_not_ready = (
        context.service.spec.publish_not_ready_addresses or context.flags.always_publish_not_ready_addresses
    )
    for endpoint_slice in context.list_endpoint_slices():
        if mode is not _EndpointsType.POD_IP or endpoint_slice.address_type in _IP_FAMILIES:
            for endpoint, pod in _list_endpoint_pods(endpoint_slice, pods):
                ready = endpoint.conditions is None or endpoint.conditions.ready is not False
                stated = read_stated(pod.metadata.name)
                found = stated or _read_endpoint_addresses(context, mode, endpoint, pod)
                context.to.count.add(len(found))
                targets = found if ready or include_not_ready else ()
                yield _HeadlessEndpoint(hostname=pod.spec.hostname, targets=targets, is_stated=bool(stated))


def _list_endpoint_pods(endpoint_slice: EndpointSlice, pods: dict[str, Pod]) -> Iterator[tuple[SliceEndpoint, Pod]]:
    for endpoint in endpoint_slice.endpoints or ():
        ref = endpoint.target_ref
        if ref is not None and ref.kind == "Pod" and not ref.api_version and ref.name in pods:
            yield endpoint, pods[ref.name]


def _read_endpoint_addresses(
    context: ServiceContext, mode: _EndpointsType, endpoint: SliceEndpoint, pod: Pod
) -> tuple[str, ...]:
    match mode:
        case _EndpointsType.NODE_EXTERNAL_IP:
            return _read_addresses_of_pod_node(context, pod)
        case _EndpointsType.HOST_IP:
            return (pod.status.host_ip,)
        case _EndpointsType.POD_IP:
            return (endpoint.addresses or ())[:1]
        case _:
            assert_never(mode)


def _read_addresses_of_pod_node(context: ServiceContext, pod: Pod) -> tuple[str, ...]:
    if not includes_type(context.flags, ServiceType.NODE_PORT):
        return ()
    node = context.get_node(pod.spec.node_name)
    if node is None:
        return ()
    return tuple(list_public_node_addresses((node,), expose_internal_ipv6=context.flags.expose_internal_ipv6))


def _explain_no_endpoints(context: ServiceContext, mode: _EndpointsType) -> MissingTargets:
    if mode is _EndpointsType.NODE_EXTERNAL_IP and not includes_type(context.flags, ServiceType.NODE_PORT):
        detail = "Nodes are not read because --service-type-filter excludes NodePort"
    else:
        detail = "no endpoint meets all conditions: ready, refers to a Pod of the Service, has an address"
    return MissingTargets(reason=Reason.NO_ENDPOINTS, detail=detail)


_PUBLIC: Final = "public"
_PRIVATE: Final = "private"
_NO_SERVING_NODE: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS,
    detail="no node that serves the Service has an ExternalIP or InternalIP that may be published",
)
# The rank of a pod with `externalTrafficPolicy: Local`. Nodes are used if their best pod has the highest rank of all.
_READY: Final = 3
_READY_BUT_TERMINATING: Final = 2
_NOT_READY: Final = 1


def build_node_port_expansion(context: ServiceContext) -> Expansion:
    """Build an expansion to the host with the addresses of nodes, and one SRV record for each protocol."""
    access = context.to.annotations.get_choice(ACCESS)
    texts = _choose_node_addresses(
        _list_serving_nodes(context), access, expose_internal_ipv6=context.flags.expose_internal_ipv6
    )
    result = parse_targets(texts, "status.addresses of the nodes", if_empty=_NO_SERVING_NODE)

    def expand(host: DnsName) -> Iterator[tuple[str, TargetResult]]:
        yield host, result
        yield from _build_srv_records(context.service, host)

    return expand


def _choose_node_addresses(serving: Sequence[Node], access: str, *, expose_internal_ipv6: bool) -> list[str]:
    if access == _PUBLIC or (access != _PRIVATE and list_node_addresses(serving, EXTERNAL_IP)):
        return list_public_node_addresses(serving, expose_internal_ipv6=expose_internal_ipv6)
    return list_node_addresses(serving, INTERNAL_IP)


def _list_serving_nodes(context: ServiceContext) -> list[Node]:
    all_nodes = context.list_nodes()
    nodes = (
        _select_nodes_with_pods(context, all_nodes)
        if context.service.spec.external_traffic_policy == "Local"
        else all_nodes
    )
    return [node for node in nodes if not (context.flags.exclude_unschedulable and node.spec.unschedulable)]


def _select_nodes_with_pods(context: ServiceContext, all_nodes: Sequence[Node]) -> list[Node]:
    ranks = dict.fromkeys((node.metadata.name for node in all_nodes), 0)
    for pod in context.list_pods():
        if pod.status.phase == "Running" and pod.spec.node_name in ranks:
            ranks[pod.spec.node_name] = max(ranks[pod.spec.node_name], _rank_pod(pod))
    best = max(ranks.values(), default=0)
    return [node for node in all_nodes if best and ranks[node.metadata.name] == best]


def _rank_pod(pod: Pod) -> int:
    if not any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions or ()):
        return _NOT_READY
    return _READY_BUT_TERMINATING if pod.metadata.deletion_timestamp else _READY


def _build_srv_records(service: Service, host: DnsName) -> Iterator[tuple[str, TargetResult]]:
    end = "" if parse_address(host) else "."
    by_protocol: dict[str, set[str]] = {}
    for port in service.spec.ports or ():
        if port.node_port > 0:
            target = f"0 50 {port.node_port} {host}{end}"
            by_protocol.setdefault(port.protocol.lower() or "tcp", set()).add(target)
    for protocol, targets in by_protocol.items():
        result = FoundTargets(groups=((rrtype.SRV, tuple(sorted(targets))),))
        yield f"_{service.metadata.name}._{protocol}.{host}", result


_MATE: Final = "zalando.org/dnsname"
_MOLECULE: Final = "domainName"
_MOLECULE_LABEL: Final = ("dns", "route53")
_KOPS_NODE: Final = "node-role.kubernetes.io/node"
_NO_NODE: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS,
    detail=f"no node with label {_KOPS_NODE} has an address of the type that the annotation requires",
)


class _KopsAnnotation(StrEnum):
    """An annotation of kops' dns-controller that lists external or internal hostnames."""

    EXTERNAL = "dns.alpha.kubernetes.io/external"
    INTERNAL = "dns.alpha.kubernetes.io/internal"


_LegacyHost = tuple[str, str, TargetResult]
"""A hostname, the field that lists it, and its targets."""


def _find_legacy_hosts(context: ServiceContext) -> Iterator[_LegacyHost]:
    """Yield the hostnames in annotations of the older tool that `--compatibility` names; raises `NotSyncedError`."""
    match Compatibility(context.flags.compatibility):
        case Compatibility.NONE:
            pass
        case Compatibility.MATE:
            if host := _get_annotations(context).get(_MATE):
                yield host, f"annotation {_MATE}", _read_load_balancer_as_a(context)
        case Compatibility.MOLECULE:
            key, value = _MOLECULE_LABEL
            if (context.service.metadata.labels or {}).get(key) == value:
                yield from _list_legacy_hosts(context, _MOLECULE, _read_load_balancer_as_a(context))
        case Compatibility.KOPS:
            yield from _find_kops_hosts(context)
        case other:
            assert_never(other)


def _find_kops_hosts(context: ServiceContext) -> Iterator[_LegacyHost]:
    keys = [key for key in _KopsAnnotation if key in _get_annotations(context)]
    match context.service.spec.type:
        case ServiceType.LOAD_BALANCER:
            for key in keys:
                yield from _list_legacy_hosts(context, key, _read_load_balancer_as_a(context))
        case ServiceType.NODE_PORT if len(keys) == 1:
            yield from _list_legacy_hosts(context, keys[0], _read_node_addresses(context, keys[0]))
        case _:
            pass


def _read_node_addresses(context: ServiceContext, key: _KopsAnnotation) -> TargetResult:
    chosen = [node for node in context.list_nodes() if _KOPS_NODE in (node.metadata.labels or {})]
    if key is _KopsAnnotation.EXTERNAL:
        texts = list_public_node_addresses(chosen, expose_internal_ipv6=context.flags.expose_internal_ipv6)
    else:
        texts = list_node_addresses(chosen, INTERNAL_IP)
    return parse_targets(texts, "status.addresses of the nodes", if_empty=_NO_NODE)


def _read_load_balancer_as_a(context: ServiceContext) -> TargetResult:
    """Return the addresses of the load balancer, all as type A, as older tools do.

    IPv6 addresses are then invalid targets.
    """
    result = read_load_balancer(context.service.status)
    if not isinstance(result, FoundTargets):
        return result
    groups: dict[str, tuple[str, ...]] = {}
    for rtype, targets in result.groups:
        fits = rrtype.A if rtype == rrtype.AAAA else rtype
        groups[fits] = (*groups.get(fits, ()), *targets)
    return FoundTargets(groups=tuple(groups.items()), invalid=result.invalid)


def _list_legacy_hosts(context: ServiceContext, key: str, result: TargetResult) -> Iterator[_LegacyHost]:
    for text in split_list(_get_annotations(context).get(key), joins_blanks=context.to.settings.compat):
        yield text, f"annotation {key}", result


def _get_annotations(context: ServiceContext) -> Mapping[str, str]:
    return context.service.metadata.annotations or {}


_LOOKUPS: Final[Mapping[ServiceType, tuple[Kind, ...]]] = {
    ServiceType.CLUSTER_IP: (ENDPOINT_SLICE, POD),
    ServiceType.NODE_PORT: (NODE, POD),
}
"""The kinds that are looked up for Services of a type."""


def _find_lookups(flags: SourceFlags) -> tuple[Kind, ...]:
    found = chain.from_iterable(kinds for one, kinds in _LOOKUPS.items() if includes_type(flags, one))
    return tuple(dict.fromkeys(found))


SOURCE: Final = SourceSpec(
    name="service",
    kinds=(SERVICE,),
    publish=publish,
    hostname_annotations=tuple(Audience),
    lookups=_find_lookups,
    templates=Templating.NAMES_AND_PAIRS,
)
