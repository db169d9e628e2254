"""The source `kong-tcpingress`: configuration.konghq.com/v1beta1 TCPIngresses (docs/spec/sources.md 7.7)."""

from __future__ import annotations

from typing import Final

from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import TCP_INGRESS, TcpIngress
from extdns.sources.common.annotations import read_load_balancer
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec


def publish(route: TcpIngress, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the hosts of the rules and of the `hostname` annotation, at the addresses of the load balancer."""
    targets = to.annotated_targets or read_load_balancer(route.status)
    to.publish_annotation_hosts(targets)
    for at, rule in enumerate(route.spec.rules or ()):
        to.publish(rule.host, f"spec.rules[{at}].host", targets)


SOURCE: Final = SourceSpec(
    name="kong-tcpingress",
    kinds=(TCP_INGRESS,),
    publish=publish,
    host_field="a host in spec.rules of a TCPIngress",
)
