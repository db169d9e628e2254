"""Objects and claims in a line or two each, so that tables of cases can be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from extdns.model.balancing import LoadBalancerIngress, LoadBalancerStatus, Status
from extdns.model.claim import Claim, Filtered, Invalid, Wanted, Withheld
from extdns.model.lean import Condition, ObjectMeta
from extdns.model.objects import (
    EndpointConditions,
    EndpointSlice,
    Ingress,
    IngressRule,
    IngressSpec,
    IngressTLS,
    Node,
    NodeAddress,
    NodeSpec,
    NodeStatus,
    Pod,
    PodSpec,
    PodStatus,
    Service,
    ServiceSpec,
    SliceEndpoint,
    TargetRef,
)

PREFIX: Final = "external-dns.kubernetes.io/"
OLD: Final = "external-dns.alpha.kubernetes.io/"
HEADLESS: Final = ServiceSpec(type="ClusterIP", cluster_ip="None", selector={"app": "pg"})


def ours(**annotations: str) -> dict[str, str]:
    """Annotations under today's prefix; `_` stands for `-`."""
    return {PREFIX + name.replace("_", "-"): value for name, value in annotations.items()}


def meta(
    place: str,
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    *,
    going: bool = False,
) -> ObjectMeta:
    """Metadata of `namespace/name`; *going* for an object that is being deleted."""
    namespace, _, name = place.rpartition("/")
    return ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"uid of {place}",
        creation_timestamp="2026-01-01T00:00:00Z",
        annotations=dict(annotations) if annotations else None,
        labels=dict(labels) if labels else None,
        deletion_timestamp="2026-01-01T00:00:00Z" if going else None,
    )


def balanced(*points: str) -> Status:
    """A status with these load balancer addresses; what is no IP address is a host name."""
    ingress = tuple(
        LoadBalancerIngress(hostname=point) if point[-1:].isalpha() else LoadBalancerIngress(ip=point)
        for point in points
    )
    return Status(load_balancer=LoadBalancerStatus(ingress=ingress))


def service(
    annotations: Mapping[str, str] | None, spec: ServiceSpec, status: Status | None = None, place: str = "shop/web"
) -> Service:
    return Service(metadata=meta(place, annotations), spec=spec, status=status or Status())


def load_balancer(annotations: Mapping[str, str] | None, *points: str, place: str = "shop/web") -> Service:
    spec = ServiceSpec(type="LoadBalancer", cluster_ip="10.3.0.9")
    return service(annotations, spec, balanced(*points), place)


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
    place: str,
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
        metadata=meta(place, annotations, labels, going=going),
        spec=PodSpec(node_name=node_name, hostname=hostname, host_network=host_network),
        status=PodStatus(phase=phase, host_ip=host_ip, pod_ip=pod_ip, conditions=conditions),
    )


def member(
    name: str, *addresses: str, ready: bool | None = None, kind: str = "Pod", api_version: str = ""
) -> SliceEndpoint:
    """An endpoint for the pod called *name*."""
    return SliceEndpoint(
        addresses=addresses,
        conditions=EndpointConditions(ready=ready),
        target_ref=TargetRef(kind=kind, api_version=api_version, name=name),
    )


def endpoints(place: str, of: str, *members: SliceEndpoint, address_type: str = "IPv4") -> EndpointSlice:
    """An EndpointSlice of the Service called *of*."""
    labels = {"kubernetes.io/service-name": of}
    return EndpointSlice(metadata=meta(place, labels=labels), address_type=address_type, endpoints=members)


def said(claims: Iterable[Claim]) -> list[str]:
    """Claims in the notation of the spec: `name TYPE ttl [targets]`, `name reason`, `name by flag`, `reason value`."""
    return [_said(claim) for claim in claims]


def _said(claim: Claim) -> str:
    match claim:
        case Wanted():
            endpoint = claim.endpoint
            return f"{endpoint.name} {endpoint.type} {endpoint.ttl_s or '-'} [{', '.join(endpoint.targets)}]"
        case Withheld():
            return f"{claim.name} {claim.reason}"
        case Filtered():
            return f"{claim.name or 'all'} by {claim.by}"
        case Invalid():
            return f"{claim.reason} {claim.value}"
        case _:
            assert_never(claim)


def wanted(claims: Iterable[Claim]) -> list[Wanted]:
    """Those that want something; the test fails if there are none."""
    found = [claim for claim in claims if isinstance(claim, Wanted)]
    assert found
    return found
