"""Build objects in a line or two each, for readable tables of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.kind import ObjectMeta
from extdns.resources.core import Node, NodeAddress, NodeSpec, NodeStatus, Pod, PodSpec, PodStatus, Service, ServiceSpec
from extdns.resources.discovery import EndpointConditions, EndpointSlice, SliceEndpoint, TargetRef
from extdns.resources.externaldns import DnsEndpointMeta
from extdns.resources.meta import Condition, LoadBalancedStatus, LoadBalancerIngress, LoadBalancerStatus
from extdns.resources.networking import Ingress, IngressRule, IngressSpec, IngressTLS

PREFIX: Final = "external-dns.kubernetes.io/"
OLD: Final = "external-dns.alpha.kubernetes.io/"
HEADLESS: Final = ServiceSpec(type="ClusterIP", cluster_ip="None", selector={"app": "pg"})


class CountedReads(dict[str, str]):
    """Annotations or labels that count how often they are listed."""

    reads = 0

    def items(self) -> Any:  # noqa: ANN401 - the type of the view has no name
        self.reads += 1
        return super().items()


def ours(**annotations: str) -> dict[str, str]:
    """Build annotations with the current prefix from keyword arguments; `_` in a keyword becomes `-`."""
    return {PREFIX + name.replace("_", "-"): value for name, value in annotations.items()}


def meta(
    location: str,
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    *,
    going: bool = False,
) -> ObjectMeta:
    """Build metadata for the location `namespace/name`. If *going*, the object is being deleted."""
    namespace, _, name = location.rpartition("/")
    return ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"uid of {location}",
        creation_timestamp="2026-01-01T00:00:00Z",
        annotations=dict(annotations) if annotations else None,
        labels=dict(labels) if labels else None,
        deletion_timestamp="2026-01-01T00:00:00Z" if going else None,
    )


def endpoint_meta(location: str, annotations: Mapping[str, str] | None = None) -> DnsEndpointMeta:
    """Build metadata of a DNSEndpoint, as `meta`."""
    return msgspec.convert(msgspec.to_builtins(meta(location, annotations)), DnsEndpointMeta)


def balanced(*points: str) -> LoadBalancedStatus:
    """Build a status with these load balancer IP addresses and host names."""
    ingress = tuple(
        LoadBalancerIngress(hostname=point) if point[-1:].isalpha() else LoadBalancerIngress(ip=point)
        for point in points
    )
    return LoadBalancedStatus(load_balancer=LoadBalancerStatus(ingress=ingress))


def service(
    annotations: Mapping[str, str] | None,
    spec: ServiceSpec,
    status: LoadBalancedStatus | None = None,
    location: str = "shop/web",
) -> Service:
    return Service(metadata=meta(location, annotations), spec=spec, status=status or LoadBalancedStatus())


def load_balancer(annotations: Mapping[str, str] | None, *points: str, location: str = "shop/web") -> Service:
    spec = ServiceSpec(type="LoadBalancer", cluster_ip="10.3.0.9")
    return service(annotations, spec, balanced(*points), location)


def ingress(
    *points: str,
    rules: Iterable[str] = (),
    tls: Iterable[Iterable[str]] = (),
    annotations: Mapping[str, str] | None = None,
    class_name: str | None = None,
) -> Ingress:
    spec = IngressSpec(
        ingress_class_name=class_name,
        rules=tuple(IngressRule(host=host) for host in rules),
        tls=tuple(IngressTLS(hosts=tuple(hosts)) for hosts in tls),
    )
    return Ingress(metadata=meta("web/app", annotations), spec=spec, status=balanced(*points))


def node(
    name: str,
    *,
    external: Iterable[str] = (),
    internal: Iterable[str] = (),
    unschedulable: bool = False,
    annotations: Mapping[str, str] | None = None,
) -> Node:
    addresses = [NodeAddress(type="ExternalIP", address=text) for text in external]
    addresses += [NodeAddress(type="InternalIP", address=text) for text in internal]
    return Node(
        metadata=meta(name, annotations),
        spec=NodeSpec(unschedulable=unschedulable),
        status=NodeStatus(addresses=(*addresses, NodeAddress(type="Hostname", address=name))),
    )


def pod(
    location: str,
    *,
    node_name: str = "",
    hostname: str = "",
    host_ip: str = "",
    pod_ip: str = "",
    host_network: bool = False,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    ready: bool = True,
    going: bool = False,
    phase: str = "Running",
) -> Pod:
    conditions = (Condition(type="PodScheduled", status="True"), Condition(type="Ready", status=str(ready)))
    return Pod(
        metadata=meta(location, annotations, labels, going=going),
        spec=PodSpec(node_name=node_name, hostname=hostname, host_network=host_network),
        status=PodStatus(phase=phase, host_ip=host_ip, pod_ip=pod_ip, conditions=conditions),
    )


def member(
    name: str, *addresses: str, ready: bool | None = None, kind: str = "Pod", api_version: str = ""
) -> SliceEndpoint:
    """Build an endpoint for the pod *name*."""
    return SliceEndpoint(
        addresses=addresses,
        conditions=EndpointConditions(ready=ready),
        target_ref=TargetRef(kind=kind, api_version=api_version, name=name),
    )


def endpoints(location: str, of: str, *members: SliceEndpoint, address_type: str = "IPv4") -> EndpointSlice:
    """Build an EndpointSlice of the Service *of*."""
    labels = {"kubernetes.io/service-name": of}
    return EndpointSlice(metadata=meta(location, labels=labels), address_type=address_type, endpoints=members)


def list_resolved_claims(claims: Iterable[Claim]) -> list[ResolvedClaim]:
    """Return the resolved claims; fail if there are none."""
    found = [claim for claim in claims if isinstance(claim, ResolvedClaim)]
    assert found
    return found
