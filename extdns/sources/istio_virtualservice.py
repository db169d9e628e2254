"""The source `istio-virtualservice`: networking.istio.io/v1 VirtualServices (docs/spec/sources.md 7.2)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain
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
    parse_reference,
)
from extdns.sources.common.host_publisher import IGNORED_ANNOTATION, HostPublisher
from extdns.sources.common.istio import ANY, KnownTargets, find_gateway_targets, strip_namespace
from extdns.sources.common.spec import SourceSpec, Templating
from extdns.sources.common.wildcards import list_wildcards

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
    gateways = _ServingGateways(service, to, view)
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
    """Finds targets in the Gateways of one VirtualService; used for one call of `KindSource.find_claims`.

    Gateways are looked up by what they serve: a VirtualService may have as many Gateways as hosts.
    """

    def __init__(self, service: VirtualService, to: HostPublisher, view: ClusterView) -> None:
        """Look up the Gateways of *service*, whose hostnames *to* publishes, when they are first needed."""
        self._service: Final = service
        self._namespace: Final = to.ref.key.namespace
        self._to: Final = to
        self._view: Final = view
        self._found: Final[list[tuple[str, IstioGateway]]] = []
        self._absent: Final[list[MissingTargets]] = []
        self._results: Final[dict[int, TargetResult]] = {}
        self._known: Final[KnownTargets] = {}

    def find_targets(self, host: str) -> TargetResult:
        """Merge the targets of all Gateways that serve *host*.

        If no Gateway has targets, return the first `MissingTargets`, of a Gateway that exists if there is one; if there
        is none, say that the first Gateway does not serve the host.
        """
        by_pattern = self._by_pattern
        serving = {at for pattern in (ANY, host, *list_wildcards(host)) for at in by_pattern.get(pattern, ())}
        self._to.count.add(len(serving))
        results = [self._find_targets_of_gateway(at) for at in sorted(serving)]
        found = [answer for answer in results if isinstance(answer, FoundTargets)]
        if found:
            return self._to.count.merge(found)
        missing = [answer for answer in results if isinstance(answer, MissingTargets)]
        return next(chain(missing, self._absent, results), self._exclusion)

    @cached_property
    def _by_pattern(self) -> dict[str, list[int]]:
        """The positions in `_found` of the Gateways that serve each pattern."""
        by_pattern: dict[str, list[int]] = {}
        exported = frozenset(self._service.spec.export_to or ())
        references = dict.fromkeys(self._service.spec.gateways or ())
        keys = [
            parse_reference(reference, self._namespace, "spec.gateways", ISTIO_GATEWAY.name)
            for reference in references
            if reference not in {"", _MESH}
        ]
        for namespace, name in dict.fromkeys(keys):
            gateway = self._view.get(ISTIO_GATEWAY, namespace, name)
            if isinstance(gateway, IstioGateway):
                self._to.count.add(sum(1 + len(server.hosts or ()) for server in gateway.spec.servers or ()))
                for pattern in list_served_patterns(exported, self._namespace, gateway, namespace):
                    by_pattern.setdefault(pattern, []).append(len(self._found))
                self._found.append((namespace, gateway))
            else:
                detail = f"spec.gateways: there is no Gateway {shorten(f'{namespace}/{name}')}"
                self._absent.append(MissingTargets(reason=Reason.NO_GATEWAY, detail=detail))
        return by_pattern

    @cached_property
    def _exclusion(self) -> ExcludedHost:
        if not self._found:
            return _NO_GATEWAY
        namespace, gateway = self._found[0]
        return ExcludedHost(excluded_by=f"Gateway {namespace}/{gateway.metadata.name}, which does not serve this host")

    def _find_targets_of_gateway(self, at: int) -> TargetResult:
        if at not in self._results:
            namespace, gateway = self._found[at]
            self._results[at] = find_gateway_targets(gateway, namespace, self._to, self._view, self._known)
        return self._results[at]


def list_served_patterns(
    exported: AbstractSet[str], namespace: str, gateway: IstioGateway, gateway_namespace: str
) -> tuple[str, ...]:
    """Return which hosts of a VirtualService in *namespace* the *gateway* serves; none *exported* is all namespaces."""
    if exported and exported.isdisjoint(_list_matching(gateway_namespace, namespace)):
        return ()
    matching = _list_matching(namespace, gateway_namespace)
    written = [host.rpartition("/") for server in gateway.spec.servers or () for host in server.hosts or ()]
    return tuple(
        dict.fromkeys(
            pattern for server_namespace, slash, pattern in written if not slash or server_namespace in matching
        )
    )


def _list_matching(namespace: str, own_namespace: str) -> set[str]:
    """Return the patterns that match *namespace* where an object of namespace *own_namespace* has them."""
    return {ANY, namespace, _SAME_NAMESPACE if namespace == own_namespace else ANY}


SOURCE: Final = SourceSpec(
    name="istio-virtualservice",
    kinds=(VIRTUAL_SERVICE,),
    publish=publish,
    host_field="spec.hosts of a VirtualService",
    lookups=(ISTIO_GATEWAY, INGRESS, SERVICE),
    templates=Templating.NAMES,
)
