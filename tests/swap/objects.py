"""Kubernetes objects, one function for each kind; *key* is `namespace/name`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Json = dict[str, Any]

PREFIX: Final = "external-dns.kubernetes.io/"
ELB: Final = "lb-1.us-east-1.elb.amazonaws.com"
"""A load balancer name for which external-dns creates aliases."""
ALIAS: Final = f"alias {ELB}. Z35SXDOTRQ7X7K"
"""The alias as zones of situations state it, with the zone id of the load balancer."""


def service(key: str, host: str = "", *lb: str, day: int = 1, spec: Mapping[str, Any] = {}, **annotations: str) -> Json:
    """Return a Service of type LoadBalancer that requests *host*, with the addresses *lb*.

    It was created on *day* of January. *annotations* are more annotations, with _ for -.
    """
    hosts = {"hostname": host} if host else {}
    return _object("v1", "Service", key, day, {**hosts, **annotations}) | {
        "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1", **spec},
        "status": _addresses(lb),
    }


def ingress(key: str, host: str, *lb: str, day: int = 1, **annotations: str) -> Json:
    """Return an Ingress with one rule."""
    return _object("networking.k8s.io/v1", "Ingress", key, day, annotations) | {
        "spec": {"rules": [{"host": host}]},
        "status": _addresses(lb),
    }


def dnsendpoint(key: str, *endpoints: Json, day: int = 1) -> Json:
    """Return a DNSEndpoint with *endpoints*."""
    return _object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", key, day, {}) | {"spec": {"endpoints": [*endpoints]}}


def endpoint(name: str, rtype: str, *targets: str, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    """Return one entry of a DNSEndpoint."""
    return {"dnsName": name, "recordType": rtype, "targets": [*targets], **fields}


def node(name: str, *, external: Sequence[str] = (), internal: Sequence[str] = ()) -> Json:
    """Return a Node with its addresses."""
    addresses = [{"type": "ExternalIP", "address": found} for found in external]
    addresses += [{"type": "InternalIP", "address": found} for found in internal]
    return _object("v1", "Node", name, 1, {}) | {"spec": {}, "status": {"addresses": addresses}}


def gateway(key: str, *addresses: str) -> Json:
    """Return a Gateway with one HTTP listener for routes of every namespace."""
    listener = {"name": "web", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}}
    return _object("gateway.networking.k8s.io/v1", "Gateway", key, 1, {}) | {
        "spec": {"gatewayClassName": "x", "listeners": [listener]},
        "status": {"addresses": [{"value": address} for address in addresses]},
    }


def httproute(key: str, host: str, parent: str, *, day: int = 1, **annotations: str) -> Json:
    """Return an HTTPRoute that the Gateway *parent* accepted."""
    namespace, name = parent.split("/")
    reference = {"namespace": namespace, "name": name}
    accepted = {
        "parentRef": reference,
        "controllerName": "example.org/gateway",
        "conditions": [{"type": "Accepted", "status": "True"}],
    }
    return _object("gateway.networking.k8s.io/v1", "HTTPRoute", key, day, annotations) | {
        "spec": {"hostnames": [host], "parentRefs": [reference]},
        "status": {"parents": [accepted]},
    }


def istio_gateway(key: str, host: str, *, day: int = 1, **annotations: str) -> Json:
    """Return an Istio Gateway with one server."""
    return _object("networking.istio.io/v1", "Gateway", key, day, annotations) | {
        "spec": {"selector": {"istio": "igw"}, "servers": [{"hosts": [host]}]}
    }


def ingressroute(key: str, host: str, target: str, *, group: str = "traefik.io", day: int = 1) -> Json:
    """Return a Traefik IngressRoute of *group*, by default the current API group."""
    return _object(f"{group}/v1alpha1", "IngressRoute", key, day, {"target": target}) | {
        "spec": {"routes": [{"match": f"Host(`{host}`)"}]}
    }


def _object(version: str, kind: str, key: str, day: int, annotations: Mapping[str, str]) -> Json:
    namespace, _, name = key.rpartition("/")
    metadata: Json = {
        "name": name,
        "uid": f"{kind}-{key}",
        "creationTimestamp": f"2026-01-{day:02}T00:00:00Z",
        "annotations": {PREFIX + name_part.replace("_", "-"): text for name_part, text in annotations.items()},
    }
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _addresses(lb: Sequence[str]) -> Json:
    points = [{"ip" if found[0].isdigit() or ":" in found else "hostname": found} for found in lb]
    return {"loadBalancer": {"ingress": points}}
