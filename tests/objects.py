"""Kubernetes objects as an API server stores them, one function for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

Json = dict[str, Any]

PREFIX: Final = "external-dns.kubernetes.io/"
OLD_PREFIX: Final = "external-dns.alpha.kubernetes.io/"
CREATED: Final = "2026-01-01T00:00:00Z"
_NONE: Final[Mapping[str, str]] = {}


def service(
    name: str,
    host: str = "",
    *,
    namespace: str = "shop",
    address: str | None = "192.0.2.1",
    prefix: str = PREFIX,
    created: str = CREATED,
    labels: Mapping[str, str] = _NONE,
    annotations: Mapping[str, str] = _NONE,
    **spec: object,
) -> Json:
    """Return a Service of type LoadBalancer that requests *host*, by default *name* in example.org.

    Args:
        name: the name of the Service.
        host: the requested hostname.
        namespace: the namespace of the Service.
        address: the address of its load balancer; None for an empty status.
        prefix: the prefix of its annotations.
        created: the creation time.
        labels: the labels of the Service.
        annotations: more annotations, without prefix.
        **spec: the `spec`, in place of that of a LoadBalancer.
    """
    kind = "hostname" if address and address[-1].isalpha() and ":" not in address else "ip"
    annotations_by_key = {"hostname": host or f"{name}.example.org", **annotations}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"{namespace}-{name}",
            "creationTimestamp": created,
            "labels": dict(labels),
            "annotations": {prefix + key: value for key, value in annotations_by_key.items()},
        },
        "spec": spec or {"type": "LoadBalancer", "clusterIP": "10.0.0.1"},
        "status": {"loadBalancer": {"ingress": [{kind: address}] if address else []}},
    }


def services(names: Iterable[str], **more: Any) -> list[Json]:  # noqa: ANN401 - as `service`
    """Return a Service for each of *names*."""
    return [service(name, **more) for name in names]


def ingress(name: str, *hosts: str, namespace: str = "shop", address: str | None = "192.0.2.1") -> Json:
    """Return an Ingress with a rule for each host."""
    kind = "hostname" if address and address[-1].isalpha() else "ip"
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "creationTimestamp": CREATED},
        "spec": {"rules": [{"host": host} for host in hosts]},
        "status": {"loadBalancer": {"ingress": [{kind: address}] if address else []}},
    }


def dns_endpoint(name: str, target: str = "192.0.2.1", *, namespace: str = "shop") -> Json:
    """Return a DNSEndpoint with one A record."""
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "creationTimestamp": CREATED},
        "spec": {"endpoints": [{"dnsName": f"{name}.example.org", "recordType": "A", "targets": [target]}]},
    }


def gateway(name: str = "front", address: str = "192.0.2.1") -> Json:
    """Return a Gateway in the namespace `shop` with a listener for all of example.org."""
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": "shop", "uid": f"gateway-{name}", "creationTimestamp": CREATED},
        "spec": {"listeners": [{"name": "http", "port": 80, "protocol": "HTTP", "hostname": "*.example.org"}]},
        "status": {"addresses": [{"type": "IPAddress", "value": address}]},
    }


def http_route(name: str, parent: str = "front") -> Json:
    """Return an HTTPRoute in the namespace `shop` for *name* in example.org, accepted by the Gateway *parent*."""
    ref = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": parent}
    accepted = {"type": "Accepted", "status": "True", "observedGeneration": 1}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"route-{name}",
            "creationTimestamp": CREATED,
            "generation": 1,
        },
        "spec": {"hostnames": [f"{name}.example.org"], "parentRefs": [ref]},
        "status": {"parents": [{"parentRef": ref, "controllerName": "example.org/it", "conditions": [accepted]}]},
    }


def node(name: str, address: str) -> Json:
    """Return a Node with an external address."""
    status = {"addresses": [{"type": "ExternalIP", "address": address}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}, "spec": {}, "status": status}


def namespace(name: str = "shop") -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": f"namespace-{name}"}}


def numbered(count: int, prefix: str = "h") -> list[str]:
    """Return *count* names such as `h0007`."""
    return [f"{prefix}{number:04}" for number in range(count)]
