"""Kinds that are forbidden, not served, or watched in one namespace, through the whole program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.objects import ingress, node, service
from tests.program.installation import Installation
from tests.program.process import running as process

WEB: Final = "web.example.org A 192.0.2.1"
BALANCED: Final = service("web", "web.example.org")
ON_NODES: Final = service("ssh", "ssh.example.org", type="NodePort", ports=[{"port": 22, "nodePort": 30022}])
NODE: Final = node("n1", "203.0.113.1")
INGRESSES: Final = "ingresses.networking.k8s.io"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        yield Installation(tmp_path, server, example_org="")


def phases(metrics: bytes) -> set[tuple[str, str]]:
    """Return each kind with its phase, as /metrics shows them."""
    prefix = "extdns_source_phase{"
    lines = [line for line in metrics.decode().splitlines() if line.startswith(prefix)]
    assert all(line.endswith(" 1.0") for line in lines)
    found = (line.removeprefix(prefix).split('"') for line in lines)
    return {(words[1], words[3]) for words in found}


def watched(installation: Installation) -> set[tuple[str, str]]:
    """Return each resource that was listed or watched, with the namespace."""
    requests = (*installation.server.log.requests("list"), *installation.server.log.requests("watch"))
    return {(request.resource, request.namespace) for request in requests}


def test_names_that_need_a_forbidden_kind_wait_until_it_is_permitted_and_others_are_published(
    installation: Installation,
) -> None:
    installation.server.forbid("*", "nodes")
    installation.apply(BALANCED, ON_NODES, NODE)
    with installation.start() as running:
        running.until_engine_knows(Node="forbidden")
        running.pass_time(31.0)
        running.until("successfully updated")
        assert installation.zones.published() == [WEB]
        assert running.kinds() == {"services": "synced", INGRESSES: "synced", "nodes": "forbidden"}
        assert phases(running.metrics()) == set(running.kinds().items())
        assert 'User \\"tester\\" cannot' in next(line for line in running.lines if "phase=forbidden" in line)
        installation.server.permit("*", "nodes")
        running.until("kind=Node", "phase=synced")
        installation.until(lambda: "ssh.example.org A 203.0.113.1" in installation.zones.published())
        assert running.kinds()["nodes"] == "synced"
        assert phases(running.metrics()) == set(running.kinds().items())


def test_request_metrics_have_labels_for_path_scheme_and_status(installation: Installation) -> None:
    installation.server.forbid("*", "services")
    with process(*installation.flags()) as running:
        running.until("phase=forbidden")
        _, metrics = running.get("/metrics")
    assert 'path="services",scheme="http",status="403"' in metrics


def test_records_of_a_kind_that_is_not_served_stay_and_are_updated_once_it_is_served(
    installation: Installation,
) -> None:
    installation.apply(ingress("shop", "shop.example.org", address="192.0.2.3"))
    assert installation.run_once() == 0
    kind = installation.server.catalogue.find_by_name("Ingress")
    installation.server.unregister("Ingress", deleting=False)
    installation.apply(BALANCED)
    with installation.start() as running:
        running.until_engine_knows(Ingress="not-served")
        running.pass_time(31.0)
        running.until("successfully updated")
        assert installation.zones.published() == ["shop.example.org A 192.0.2.3", WEB]
        assert running.kinds() == {"services": "synced", INGRESSES: "not-served"}
        running.pass_time(3600.0)
        installation.server.register(kind)
        installation.apply(ingress("shop", "shop.example.org", address="192.0.2.4"))
        running.until("kind=Ingress", "phase=synced")
        installation.until(lambda: installation.zones.published() == ["shop.example.org A 192.0.2.4", WEB])
    assert "DELETE" not in str(running.lines)


def test_nodes_are_not_read_if_no_service_needs_them(installation: Installation) -> None:
    installation.apply(BALANCED, NODE)
    assert installation.run_once() == 0
    assert watched(installation) == {("services", ""), ("ingresses", "")}
