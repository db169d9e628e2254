"""The live page of a process in front of a cluster: counts of objects, and the repair of an edited record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, service
from tests.program.installation import Installation
from tests.program.running import HANGS_S, Running

LABELS = {"app": "web"}


def build(kind: str, version: str, name: str, **fields: object) -> Json:
    """Return an object of *kind* in the namespace `shop` with the labels that the Services select."""
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "shop"}, **fields}


def node(name: str, address: str) -> Json:
    return build("Node", "v1", name, status={"addresses": [{"type": "ExternalIP", "address": address}]})


def pod(name: str, address: str) -> Json:
    made = build("Pod", "v1", name, spec={"nodeName": "n1"}, status={"podIP": address, "phase": "Running"})
    made["metadata"]["labels"] = LABELS
    return made


def endpoint_slice(name: str, *addresses: str) -> Json:
    endpoints = [{"addresses": [one], "conditions": {"ready": True}} for one in addresses]
    made = build("EndpointSlice", "discovery.k8s.io/v1", name, addressType="IPv4", endpoints=endpoints)
    made["metadata"]["labels"] = {"kubernetes.io/service-name": "headless"}
    return made


def fetch(running: Running, path: str) -> Any:  # noqa: ANN401 - any JSON value
    with urlopen(f"http://127.0.0.1:{running.page.port}/api/v1/{path}", timeout=HANGS_S) as answer:
        return json.load(answer)


def count_objects(running: Running) -> dict[str, int]:
    return {one["resource"]: one["objects"] for one in fetch(running, "sources")["items"]}


def test_the_page_counts_as_many_services_nodes_pods_and_endpoint_slices_as_the_cluster_has(tmp_path: Path) -> None:
    with ApiServer() as server:
        installation = Installation(tmp_path, server, sources=("service",), example_org="")
        installation.apply(
            service("headless", type="ClusterIP", clusterIP="None", selector=LABELS),
            service(
                "port", type="NodePort", clusterIP="10.0.0.2", ports=[{"name": "http", "port": 80, "nodePort": 30080}]
            ),
            node("n1", "192.0.2.11"),
            node("n2", "192.0.2.12"),
            pod("web-0", "10.1.0.1"),
            pod("web-1", "10.1.0.2"),
            pod("web-2", "10.1.0.3"),
            endpoint_slice("headless-1", "10.1.0.1", "10.1.0.2"),
        )
        with installation.start("--web-address=127.0.0.1:0") as running, running.page:
            running.until("successfully updated")
            kinds = {
                "services": "Service",
                "nodes": "Node",
                "pods": "Pod",
                "endpointslices.discovery.k8s.io": "EndpointSlice",
            }
            expected = {resource: len(server.objects(kind)) for resource, kind in kinds.items()}
            assert set(expected.values()) == {1, 2, 3}
            installation.until(lambda: count_objects(running) == expected)
            installation.apply(pod("web-3", "10.1.0.4"), endpoint_slice("headless-2", "10.1.0.4"))
            installation.until(lambda: count_objects(running)["pods"] == 4)
            installation.until(lambda: count_objects(running)["endpointslices.discovery.k8s.io"] == 2)
