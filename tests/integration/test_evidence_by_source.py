"""Deleted and kept records of Routes, DNSEndpoints, nodes and pods (docs/design/delete-safety.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.program.installation import Installation

Json = dict[str, Any]

ZONE: Final = "acme.test"
PREFIX: Final = "external-dns.kubernetes.io/"
SOURCES: Final = ("crd", "gateway-httproute", "node", "pod", "istio-gateway")


def gateway(address: str | None = "192.0.2.1", hostname: str = "") -> Json:
    web = {
        "name": "web",
        "port": 80,
        "protocol": "HTTP",
        "hostname": hostname,
        "allowedRoutes": {"namespaces": {"from": "All"}},
    }
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "gw", "namespace": "infra"},
        "spec": {"gatewayClassName": "x", "listeners": [web]},
        "status": {"addresses": [{"value": address}] if address else []},
    }


def route(*hosts: str, accepted: str = "True", refs: bool = True) -> Json:
    ref = {"name": "gw", "namespace": "infra"}
    parents = [{"parentRef": ref, "conditions": [{"type": "Accepted", "status": accepted}]}] if accepted else []
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "r", "namespace": "shop"},
        "spec": {"parentRefs": [ref] if refs else [], "hostnames": list(hosts)},
        "status": {"parents": parents},
    }


def dns_endpoint(**targets: str) -> Json:
    endpoints = [
        {"dnsName": f"{name}.{ZONE}", "recordType": "A", "targets": [target]} for name, target in targets.items()
    ]
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": "d", "namespace": "shop"},
        "spec": {"endpoints": endpoints},
    }


def node(name: str, *addresses: str, cordoned: bool = False) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"unschedulable": cordoned},
        "status": {"addresses": [{"type": "ExternalIP", "address": address} for address in addresses]},
    }


def pod(name: str, address: str = "", namespace: str = "shop", created: str = "2026-06-01T00:00:00Z") -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "creationTimestamp": created,
            "annotations": {f"{PREFIX}internal-hostname": f"p.{ZONE}"},
        },
        "spec": {"containers": [{"name": "c", "image": "c"}]},
        "status": {"podIP": address} if address else {},
    }


def read_addresses(installation: Installation) -> dict[str, str]:
    """Return the addresses of the A records that extdns wrote, by the first label of their name."""
    found: dict[str, list[str]] = {}
    for line in installation.zones.published(ZONE):
        name, _, address = line.split()
        found.setdefault(name.partition(".")[0], []).append(address)
    return {label: " ".join(addresses) for label, addresses in found.items()}


def wait_for(installation: Installation, enough: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """Wait until *enough* accepts the addresses, and return them."""
    installation.until(lambda: enough(read_addresses(installation)))
    return read_addresses(installation)


def wait_for_marker(installation: Installation) -> dict[str, str]:
    """Return the addresses after all earlier changes were published.

    Publishes a last record and deletes it again: both come after all earlier changes.
    """
    last = {**dns_endpoint(settled="192.0.2.99"), "metadata": {"name": "last", "namespace": "shop"}}
    installation.apply(last)
    wait_for(installation, lambda records: "settled" in records)
    installation.delete(last)
    return wait_for(installation, lambda records: "settled" not in records)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        found = Installation(tmp_path, server, sources=SOURCES, acme_test="")
        with found.start("--interval=1h", "--delete-grace-period=0s"):
            yield found


A: Final = f"a.{ZONE}"
B: Final = f"b.{ZONE}"
BOTH: Final = {"a": "192.0.2.1", "b": "192.0.2.1"}


@pytest.mark.parametrize(
    ("change", "left"),
    [
        pytest.param(route(A), {"a": "192.0.2.1"}, id="host-removed"),
        pytest.param(route(A, B, refs=False), {}, id="detached"),
        pytest.param(gateway(hostname=A), {"a": "192.0.2.1"}, id="listener-rejects-one-host"),
        pytest.param(route(A, B, accepted="False"), BOTH, id="not-accepted-any-more"),
        pytest.param(route(A, B, accepted=""), BOTH, id="status-went-blank"),
        pytest.param(gateway(address=None), BOTH, id="gateway-lost-its-address"),
    ],
)
def test_records_of_an_httproute_stay_or_are_deleted_after_a_change_of_the_route_or_gateway(
    installation: Installation, change: Json, left: dict[str, str]
) -> None:
    installation.apply(gateway())
    installation.apply(route(A, B))
    wait_for(installation, lambda records: records == BOTH)
    installation.apply(change)
    assert wait_for_marker(installation) == left


@pytest.mark.parametrize(
    ("kind", "namespace", "name"), [("HTTPRoute", "shop", "r"), ("gateways.gateway.networking.k8s.io", "infra", "gw")]
)
def test_records_are_deleted_after_their_route_or_gateway_is_deleted(
    installation: Installation, kind: str, namespace: str, name: str
) -> None:
    installation.apply(gateway())
    installation.apply(route(A, B))
    wait_for(installation, lambda records: records == BOTH)
    installation.server.delete(kind, namespace, name)
    assert wait_for(installation, lambda records: not records) == {}


def test_a_removed_endpoint_is_deleted_and_an_invalid_one_keeps_its_record(installation: Installation) -> None:
    installation.apply(dns_endpoint(a="192.0.2.1", b="192.0.2.2", c="192.0.2.3"))
    wait_for(installation, lambda records: len(records) == 3)
    installation.apply(dns_endpoint(a="192.0.2.9", b="192.0.2.2."))
    assert wait_for_marker(installation) == {"a": "192.0.2.9", "b": "192.0.2.2"}


def test_records_of_cordoned_and_deleted_nodes_are_deleted_and_those_of_nodes_without_address_kept(
    installation: Installation,
) -> None:
    for name in ("n1", "n2", "n3"):
        installation.apply(node(f"{name}.{ZONE}", "192.0.2.1"))
    wait_for(installation, lambda records: len(records) == 3)
    installation.apply(node(f"n1.{ZONE}", "192.0.2.1", cordoned=True))
    installation.server.delete("Node", "", f"n2.{ZONE}")
    installation.apply(node(f"n3.{ZONE}"))
    assert wait_for_marker(installation) == {"n3": "192.0.2.1"}


def test_the_record_of_several_pods_is_deleted_after_the_last_pod_is_deleted(installation: Installation) -> None:
    installation.apply(pod("one", "10.0.0.1"))
    installation.apply(pod("two", "10.0.0.2"))
    installation.apply(pod("new"))
    wait_for(installation, lambda records: records == {"p": "10.0.0.1 10.0.0.2"})
    installation.server.delete("Pod", "shop", "new")
    installation.server.delete("Pod", "shop", "one")
    wait_for(installation, lambda records: records == {"p": "10.0.0.2"})
    installation.server.delete("Pod", "shop", "two")
    assert wait_for_marker(installation) == {}


def test_the_name_of_pods_stays_with_their_namespace_when_one_is_replaced(installation: Installation) -> None:
    installation.apply(pod("one", "10.0.0.1"))
    wait_for(installation, lambda records: records == {"p": "10.0.0.1"})
    installation.apply(pod("older", "10.0.0.9", namespace="other", created="2026-01-01T00:00:00Z"))
    assert wait_for_marker(installation) == {"p": "10.0.0.1"}
    installation.apply(pod("two", "10.0.0.2"))
    wait_for(installation, lambda records: records == {"p": "10.0.0.1 10.0.0.2"})
    installation.server.delete("Pod", "shop", "one")
    assert wait_for_marker(installation) == {"p": "10.0.0.2"}
