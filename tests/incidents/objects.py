"""Objects as an API server holds them, in a line each."""

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
    *,
    host: str = "",
    namespace: str = "shop",
    address: str | None = "192.0.2.1",
    prefix: str = PREFIX,
    created: str = CREATED,
    labels: Mapping[str, str] = _NONE,
    annotations: Mapping[str, str] = _NONE,
    **spec: object,
) -> Json:
    """A Service of type LoadBalancer that wants *host*, by default the name in example.org.

    Args:
        name: of the Service.
        host: what it wants.
        namespace: where it lives.
        address: of its load balancer, None while that has none.
        prefix: of its annotations.
        created: when.
        labels: of the Service.
        annotations: further ones, without prefix.
        **spec: in place of that of a LoadBalancer.
    """
    kind = "hostname" if address and address[-1].isalpha() and ":" not in address else "ip"
    wanted = {"hostname": host or f"{name}.example.org", **annotations}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"{namespace}-{name}",
            "creationTimestamp": created,
            "labels": dict(labels),
            "annotations": {prefix + key: value for key, value in wanted.items()},
        },
        "spec": spec or {"type": "LoadBalancer", "clusterIP": "10.0.0.1"},
        "status": {"loadBalancer": {"ingress": [{kind: address}] if address else []}},
    }


def services(names: Iterable[str], **more: Any) -> list[Json]:  # noqa: ANN401 - as `service`
    """A Service for each of *names*."""
    return [service(name, **more) for name in names]


def ingress(name: str, *hosts: str, namespace: str = "shop", address: str | None = "192.0.2.1") -> Json:
    """An Ingress with a rule for each host."""
    kind = "hostname" if address and address[-1].isalpha() else "ip"
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "creationTimestamp": CREATED},
        "spec": {"rules": [{"host": host} for host in hosts]},
        "status": {"loadBalancer": {"ingress": [{kind: address}] if address else []}},
    }


def dns_endpoint(name: str, target: str = "192.0.2.1", *, namespace: str = "shop") -> Json:
    """A DNSEndpoint with one A record."""
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "creationTimestamp": CREATED},
        "spec": {"endpoints": [{"dnsName": f"{name}.example.org", "recordType": "A", "targets": [target]}]},
    }


def numbered(count: int, prefix: str = "h") -> list[str]:
    """*count* names, as `h0007`."""
    return [f"{prefix}{number:04}" for number in range(count)]
