"""The source `istio-virtualservice`: networking.istio.io/v1 VirtualServices (docs/spec/sources.md 7.2)."""

from __future__ import annotations

from typing import Final

from extdns.errors import shorten
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE
from extdns.resources.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.resources.networking import INGRESS
from extdns.sources.common.annotations import (
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    TargetResult,
    merge_targets,
    parse_reference,
)
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import IGNORED_ANNOTATION, HostPublisher
from extdns.sources.common.istio import ANY, find_gateway_targets, strip_namespace
from extdns.sources.common.spec import SourceSpec, Templating

_HOSTNAME: Final = "hostname"
_MESH: Final = "mesh"
_NO_GATEWAY: Final = ExcludedHost(excluded_by="spec.gateways, which names no Gateway")
_SAME_NAMESPACE: Final = "."


def publish(service: VirtualService, to: HostPublisher, view: ClusterView) -> None:
    """Publish the hosts of the VirtualService, with the addresses of the Gateways that serve them.

    Raises:
        ExtdnsError: a reference to a Gateway or an Ingress is not valid, or the Ingress does not exist.
        NotSyncedError: Gateways, Ingresses or Services are needed and not listed yet.
    """
    gateways = _ServingGateways(service, to.ref.key.namespace, to.settings, view)
    for at, written in enumerate(service.spec.hosts or ()):
        if host := strip_namespace(written):
            to.publish(host, f"spec.hosts[{at}]", to.annotated_targets or gateways.find_targets(host))
    ignored = IGNORED_ANNOTATION if to.flags.ignore_hostname_annotation else None
    for host in to.annotations.get_list(_HOSTNAME):
        targets = ignored or to.annotated_targets or gateways.find_targets(host)
        to.publish(host, to.annotations.describe_field(_HOSTNAME), targets)
    for host, field in to.list_template_hosts():
        # template hosts ignore the `target` annotation (docs/spec/sources.md 7.2)
        to.publish(host, field, gateways.find_targets(host))


class _ServingGateways:
    """Finds targets in the Gateways of one VirtualService; used for one call of `KindSource.find_claims`."""

    def __init__(self, service: VirtualService, namespace: str, settings: SourceSettings, view: ClusterView) -> None:
        """Look up the Gateways of *service*, in namespace *namespace*."""
        self._service: Final = service
        self._namespace: Final = namespace
        self._settings: Final = settings
        self._view: Final = view
        self._results: Final[dict[str, TargetResult]] = {}

    def find_targets(self, host: str) -> TargetResult:
        """Merge the targets of all Gateways that serve *host*.

        If no Gateway has targets, return the first `MissingTargets`, of a Gateway that exists if there is one; if there
        is none, the first `ExcludedHost`.
        """
        references = (reference for reference in self._service.spec.gateways or () if reference not in {"", _MESH})
        results = [self._find_targets_of_gateway(reference, host) for reference in references]
        found = [answer for answer in results if isinstance(answer, FoundTargets)]
        if found:
            return merge_targets(found)
        missing = [answer for answer in results if isinstance(answer, MissingTargets)]
        missing.sort(key=lambda answer: answer.reason is Reason.NO_GATEWAY)
        return next(iter(missing), results[0] if results else _NO_GATEWAY)

    def _find_targets_of_gateway(self, reference: str, host: str) -> TargetResult:
        namespace, name = parse_reference(reference, self._namespace, "spec.gateways", ISTIO_GATEWAY.name)
        gateway = self._view.get(ISTIO_GATEWAY, namespace, name)
        if not isinstance(gateway, IstioGateway):
            detail = f"spec.gateways: there is no Gateway {shorten(f'{namespace}/{name}')}"
            return MissingTargets(reason=Reason.NO_GATEWAY, detail=detail)
        if not is_served_by(self._service, self._namespace, host, gateway, namespace):
            return ExcludedHost(excluded_by=f"Gateway {namespace}/{name}, which does not serve this host")
        if reference not in self._results:
            self._results[reference] = find_gateway_targets(gateway, namespace, self._settings, self._view)
        return self._results[reference]


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


SOURCE: Final = SourceSpec(
    name="istio-virtualservice",
    kinds=(VIRTUAL_SERVICE,),
    publish=publish,
    host_field="spec.hosts of a VirtualService",
    lookups=(ISTIO_GATEWAY, INGRESS, SERVICE),
    templates=Templating.NAMES,
)
