"""Deleted and kept records of Routes, DNSEndpoints, nodes and pods (docs/design/delete-safety.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Final

import pytest

from extdns.app import assembly
from extdns.config import parse
from extdns.model.change import Batch, Outcome
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from tests.clusters import MAX_WAIT_S
from tests.fakes.apiserver.server import ApiServer

Json = dict[str, Any]

ZONE: Final = "acme.test"
PREFIX: Final = "external-dns.kubernetes.io/"
FLAGS: Final = (
    *(f"--source={source}" for source in ("crd", "gateway-httproute", "node", "pod", "istio-gateway")),
    "--provider=inmemory",
    f"--inmemory-zone={ZONE}",
    "--txt-owner-id=me",
    "--interval=1h",
    "--delete-grace-period=0s",
    "--metrics-address=127.0.0.1:0",
)


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


def pod(name: str, address: str = "") -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "annotations": {f"{PREFIX}internal-hostname": f"p.{ZONE}"},
        },
        "spec": {"containers": [{"name": "c", "image": "c"}]},
        "status": {"podIP": address} if address else {},
    }


class Watched(InMemoryProvider):
    """An in-memory provider that notifies waiting threads after each write."""

    def __init__(self) -> None:
        super().__init__([ZONE])
        self.written = Condition()

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        with self.written:
            outcome = super().submit(zone, batch)
            self.written.notify_all()
        return outcome


class Stage:
    """extdns connected to a fake API server."""

    def __init__(self, server: ApiServer, provider: Watched) -> None:
        self.server = server
        self._provider = provider

    def records(self) -> dict[str, str]:
        """Return the addresses of the A records, by the first label of their name."""
        (zone,) = self._provider.list_zones().zones
        return {
            record.name.labels[0]: " ".join(record.targets)
            for record in self._provider.read_page(zone, None).records
            if record.type == "A"
        }

    def until(self, enough: Callable[[dict[str, str]], bool]) -> dict[str, str]:
        """Wait until *enough* accepts the records, and return them."""
        with self._provider.written:
            assert self._provider.written.wait_for(lambda: enough(self.records()), MAX_WAIT_S), self.records()
        return self.records()

    def wait_for_marker(self) -> dict[str, str]:
        """Return the records after all earlier changes were published.

        Publishes a last record and deletes it again: both come after all earlier changes.
        """
        self.server.put({**dns_endpoint(settled="192.0.2.99"), "metadata": {"name": "last", "namespace": "shop"}})
        self.until(lambda records: "settled" in records)
        self.server.delete("DNSEndpoint", "shop", "last")
        return self.until(lambda records: "settled" not in records)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with ApiServer() as server, running(server, tmp_path) as provider:
        yield Stage(server, provider)


@contextmanager
def running(server: ApiServer, folder: Path) -> Iterator[Watched]:
    provider = Watched()
    config = parse([*FLAGS, f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}"], {})
    made = assembly.assemble(config, service=(provider, provider))
    thread = Thread(target=made.controller.run, kwargs={"once": False})
    thread.start()
    try:
        assert made.controller.first_pass_done.wait(MAX_WAIT_S)
        yield provider
    finally:
        made.controller.stop()
        thread.join()


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
def test_which_records_of_an_httproute_stay_after_a_change_of_the_route_or_gateway(
    stage: Stage, change: Json, left: dict[str, str]
) -> None:
    stage.server.put(gateway())
    stage.server.put(route(A, B))
    stage.until(lambda records: records == BOTH)
    stage.server.put(change)
    assert stage.wait_for_marker() == left


@pytest.mark.parametrize(
    ("kind", "namespace", "name"), [("HTTPRoute", "shop", "r"), ("gateways.gateway.networking.k8s.io", "infra", "gw")]
)
def test_records_are_deleted_after_their_route_or_gateway_is_deleted(
    stage: Stage, kind: str, namespace: str, name: str
) -> None:
    stage.server.put(gateway())
    stage.server.put(route(A, B))
    stage.until(lambda records: records == BOTH)
    stage.server.delete(kind, namespace, name)
    assert stage.until(lambda records: not records) == {}


def test_a_removed_endpoint_is_deleted_and_an_invalid_one_keeps_its_record(stage: Stage) -> None:
    stage.server.put(dns_endpoint(a="192.0.2.1", b="192.0.2.2", c="192.0.2.3"))
    stage.until(lambda records: len(records) == 3)
    stage.server.put(dns_endpoint(a="192.0.2.9", b="192.0.2.2."))
    assert stage.wait_for_marker() == {"a": "192.0.2.9", "b": "192.0.2.2"}


def test_records_of_cordoned_and_deleted_nodes_are_deleted_and_of_nodes_without_address_kept(stage: Stage) -> None:
    for name in ("n1", "n2", "n3"):
        stage.server.put(node(f"{name}.{ZONE}", "192.0.2.1"))
    stage.until(lambda records: len(records) == 3)
    stage.server.put(node(f"n1.{ZONE}", "192.0.2.1", cordoned=True))
    stage.server.delete("Node", "", f"n2.{ZONE}")
    stage.server.put(node(f"n3.{ZONE}"))
    assert stage.wait_for_marker() == {"n3": "192.0.2.1"}


def test_the_record_of_several_pods_is_deleted_after_the_last_pod_is_deleted(stage: Stage) -> None:
    stage.server.put(pod("one", "10.0.0.1"))
    stage.server.put(pod("two", "10.0.0.2"))
    stage.server.put(pod("new"))
    stage.until(lambda records: records == {"p": "10.0.0.1 10.0.0.2"})
    stage.server.delete("Pod", "shop", "new")
    stage.server.delete("Pod", "shop", "one")
    stage.until(lambda records: records == {"p": "10.0.0.2"})
    stage.server.delete("Pod", "shop", "two")
    assert stage.wait_for_marker() == {}
