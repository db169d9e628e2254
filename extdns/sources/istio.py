"""The sources `istio-gateway` and `istio-virtualservice` (docs/spec/sources.md 7.1, 7.2).

Both publish hostnames with the addresses of Istio Gateways. The addresses come from an annotation, from
an Ingress, or from the Services of the Gateway's proxies. These Gateways are unrelated to the Gateway
API.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.errors import shorten
from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject, build_ref
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.resources.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.resources.meta import LoadBalancedStatus
from extdns.resources.networking import INGRESS
from extdns.sources.common.annotation_names import PREFIX
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    TargetResult,
    get_ingress,
    merge_targets,
    parse_reference,
    parse_targets,
    read_target_annotation,
)
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

ANY: Final = "*"


def strip_namespace(host: str) -> str:
    """Return *host* without the namespace before its slash, or "" if the rest is only a wildcard."""
    parts = host.split("/")
    name = parts[1] if len(parts) == 2 else host  # noqa: PLR2004 - namespace and name
    return "" if name == ANY else name


_SAME_NAMESPACE: Final = "."


def is_served_by(
    service: VirtualService, namespace: str, host: str, gateway: IstioGateway, gateway_namespace: str
) -> bool:
    """Return whether *gateway*, in *gateway_namespace*, serves *host* of *service*, in *namespace*."""
    exported = service.spec.export_to or (ANY,)
    if not any(_matches_namespace(pattern, gateway_namespace, namespace) for pattern in exported):
        return False
    servers = gateway.spec.servers or ()
    return any(
        _matches_server_host(written, host, namespace, gateway_namespace)
        for server in servers
        for written in server.hosts or ()
    )


def _matches_server_host(server_host: str, host: str, namespace: str, gateway_namespace: str) -> bool:
    server_namespace, slash, pattern = server_host.partition("/")
    if not slash:
        server_namespace, pattern = ANY, server_host
    if "/" in pattern or not _matches_namespace(server_namespace, namespace, gateway_namespace):
        return False
    return pattern in {ANY, host} or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _matches_namespace(pattern: str, namespace: str, own_namespace: str) -> bool:
    """Return whether *pattern*, written in an object of namespace *own_namespace*, matches *namespace*."""
    return pattern in {ANY, namespace} or (pattern == _SAME_NAMESPACE and namespace == own_namespace)


_INGRESS_ANNOTATION: Final = "ingress"
_NO_ADDRESS: Final = "the status of the load balancer has no address yet"


def find_gateway_targets(
    gateway: IstioGateway, namespace: str, common: SourceSettings, view: ClusterView
) -> TargetResult:
    """Find the targets of *gateway* in its `target` annotation, else in its Ingress, else in Services of its proxies.

    Raises:
        ExtdnsError: the `ingress` annotation is not valid, or the Ingress that it names does not exist.
        NotSyncedError: Ingresses or Services are not listed yet.
    """
    annotations = Annotations.read(gateway.metadata.annotations, common.prefixes)
    description = f"Gateway {namespace}/{gateway.metadata.name}"
    annotated = read_target_annotation(annotations, on_object=description)
    if annotated is not None:
        return annotated
    # the key with the usual prefix works, too, even if --annotation-prefix sets another one
    reference = annotations.get(_INGRESS_ANNOTATION) or (gateway.metadata.annotations or {}).get(
        PREFIX + _INGRESS_ANNOTATION
    )
    if reference:
        return _read_ingress_targets(
            reference, namespace, f"{annotations.describe_field(_INGRESS_ANNOTATION)} of {description}", view
        )
    return _read_service_targets(gateway.spec.selector or {}, common.namespace, view)


def _read_ingress_targets(reference: str, home: str, field: str, view: ClusterView) -> TargetResult:
    ingress = get_ingress(reference, home, field, view)
    ref = build_ref(INGRESS, ingress.metadata)
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"{ref}: {_NO_ADDRESS}")
    return parse_targets(_list_addresses(ingress.status), f"status.loadBalancer of {ref}", if_empty=if_empty)


def _read_service_targets(selector: dict[str, str], namespace: str, view: ClusterView) -> TargetResult:
    chosen = [
        service
        for service in view.select(SERVICE, namespace, {})
        if isinstance(service, Service) and selector.items() <= (service.spec.selector or {}).items()
    ]
    if not chosen:
        return ExcludedHost(excluded_by="spec.selector of the Gateway, which no Service matches")
    texts = (text for service in chosen for text in service.spec.external_ips or _list_addresses(service.status))
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"Service {chosen[0].metadata.name}: {_NO_ADDRESS}")
    return parse_targets(texts, "the Services of the Gateway", if_empty=if_empty)


def _list_addresses(status: LoadBalancedStatus) -> Iterator[str]:
    for point in (status.load_balancer.ingress or ()) if status.load_balancer else ():
        yield point.ip or point.hostname


_GATEWAY_SOURCE: Final = "istio-gateway"


class IstioGatewaySource(Value, frozen=True, kw_only=True):
    """Publishes the hosts of the servers of Gateways, and those of the `hostname` annotation."""

    name = _GATEWAY_SOURCE
    kind = ISTIO_GATEWAY

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the Gateway *obj*, in the order of `HostPublisher.build`.

        Raises:
            ExtdnsError: the `ingress` annotation is not valid, or the Ingress that it names does not exist.
            NotSyncedError: Ingresses or Services are needed and not listed yet.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Gateway of Istio.
        """
        if not isinstance(obj, IstioGateway):
            raise TypeError(f"the {_GATEWAY_SOURCE} source reads Gateways of Istio only, not {type(obj).__name__}")
        publisher = HostPublisher(_GATEWAY_SOURCE, ISTIO_GATEWAY, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        result = find_gateway_targets(obj, publisher.ref.key.namespace, self.common, view)
        for host, field in _list_server_hosts(obj):
            publisher.publish(host, field, result)
        publisher.publish_annotation_hosts(result)
        publisher.publish_template_hosts(result)
        return publisher.build()


def _list_server_hosts(gateway: IstioGateway) -> Iterator[tuple[str, str]]:
    for at, server in enumerate(gateway.spec.servers or ()):
        for item, written in enumerate(server.hosts or ()):
            host = strip_namespace(written)
            if host:
                yield host, f"spec.servers[{at}].hosts[{item}]"


_VIRTUAL_SERVICE_SOURCE: Final = "istio-virtualservice"
_HOSTNAME: Final = "hostname"
_MESH: Final = "mesh"
_NO_GATEWAY: Final = ExcludedHost(excluded_by="spec.gateways, which names no Gateway")


class IstioVirtualServiceSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts of VirtualServices, with the addresses of the Gateways that serve them."""

    name = _VIRTUAL_SERVICE_SOURCE
    kind = VIRTUAL_SERVICE

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the VirtualService *obj*, in the order of `HostPublisher.build`.

        Raises:
            ExtdnsError: a reference to a Gateway or an Ingress is not valid, or the Ingress does not exist.
            NotSyncedError: Gateways, Ingresses or Services are needed and not listed yet.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a VirtualService.
        """
        if not isinstance(obj, VirtualService):
            raise TypeError(
                f"the {_VIRTUAL_SERVICE_SOURCE} source reads VirtualServices only, not {type(obj).__name__}"
            )
        publisher = HostPublisher(_VIRTUAL_SERVICE_SOURCE, VIRTUAL_SERVICE, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        gateways = _ServingGateways(obj, publisher.ref.key.namespace, self.common, view)
        for host, field, excluded in self._list_hosts(obj, publisher.annotations):
            publisher.publish(host, field, excluded or publisher.annotated_targets or gateways.find_targets(host))
        for host, field in publisher.list_template_hosts():
            # template hosts ignore the `target` annotation (docs/spec/sources.md 7.2)
            publisher.publish(host, field, gateways.find_targets(host))
        return publisher.build()

    def _list_hosts(
        self, service: VirtualService, annotations: Annotations
    ) -> Iterator[tuple[str, str, ExcludedHost | None]]:
        for at, spec_host in enumerate(service.spec.hosts or ()):
            host = strip_namespace(spec_host)
            if host:
                yield host, f"spec.hosts[{at}]", None
        exclusion = (
            ExcludedHost(excluded_by="--ignore-hostname-annotation")
            if self.common.flags.ignore_hostname_annotation
            else None
        )
        for host in annotations.get_list(_HOSTNAME):
            yield host, annotations.describe_field(_HOSTNAME), exclusion


class _ServingGateways:
    """Finds targets in the Gateways of one VirtualService; used for one call of `Source.find_claims`."""

    def __init__(self, service: VirtualService, namespace: str, common: SourceSettings, view: ClusterView) -> None:
        """Look up the Gateways of *service*, in namespace *namespace*."""
        self._service: Final = service
        self._namespace: Final = namespace
        self._common: Final = common
        self._view: Final = view
        self._results: Final[dict[str, TargetResult]] = {}

    def find_targets(self, host: str) -> TargetResult:
        """Merge the targets of all Gateways that serve *host*.

        If no Gateway has targets, return the first `MissingTargets`; if there is none, the first `ExcludedHost`.
        """
        references = (reference for reference in self._service.spec.gateways or () if reference not in {"", _MESH})
        results = [self._find_targets_of_gateway(reference, host) for reference in references]
        found = [answer for answer in results if isinstance(answer, FoundTargets)]
        if found:
            return merge_targets(found)
        missing = (answer for answer in results if isinstance(answer, MissingTargets))
        return next(missing, results[0] if results else _NO_GATEWAY)

    def _find_targets_of_gateway(self, reference: str, host: str) -> TargetResult:
        namespace, name = parse_reference(reference, self._namespace, "spec.gateways", ISTIO_GATEWAY.name)
        gateway = self._view.get(ISTIO_GATEWAY, namespace, name)
        if not isinstance(gateway, IstioGateway):
            return ExcludedHost(excluded_by=f"spec.gateways: there is no Gateway {shorten(f'{namespace}/{name}')}")
        if not is_served_by(self._service, self._namespace, host, gateway, namespace):
            return ExcludedHost(excluded_by=f"Gateway {namespace}/{name}, which does not serve this host")
        if reference not in self._results:
            self._results[reference] = find_gateway_targets(gateway, namespace, self._common, self._view)
        return self._results[reference]
