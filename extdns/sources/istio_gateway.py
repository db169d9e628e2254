"""The source `istio-gateway`: networking.istio.io/v1 Gateways (docs/spec/sources.md 7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.ports import ClusterView
from extdns.resources.core import SERVICE
from extdns.resources.istio import ISTIO_GATEWAY, IstioGateway
from extdns.resources.networking import INGRESS
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.istio import find_gateway_targets, strip_namespace
from extdns.sources.common.spec import SourceSpec, Templating


def publish(gateway: IstioGateway, to: HostPublisher, view: ClusterView) -> None:
    """Publish the hosts of the servers, and those of the `hostname` annotation.

    Raises:
        ExtdnsError: the `ingress` annotation is not valid, or the Ingress that it names does not exist.
        NotSyncedError: Ingresses or Services are needed and not listed yet.
    """
    targets = find_gateway_targets(gateway, to.ref.key.namespace, to, view, {})
    for host, field in _list_server_hosts(gateway):
        to.publish(host, field, targets)
    to.publish_annotation_hosts(targets)
    to.publish_template_hosts(targets)


def _list_server_hosts(gateway: IstioGateway) -> Iterator[tuple[str, str]]:
    for at, server in enumerate(gateway.spec.servers or ()):
        for item, written in enumerate(server.hosts or ()):
            host = strip_namespace(written)
            if host:
                yield host, f"spec.servers[{at}].hosts[{item}]"


SOURCE: Final = SourceSpec(
    name="istio-gateway",
    kinds=(ISTIO_GATEWAY,),
    publish=publish,
    host_field="a host in spec.servers of a Gateway",
    lookups=(INGRESS, SERVICE),
    templates=Templating.NAMES,
)
