"""Which version of a kind a live cluster asks for, and in which namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import KindChange, ObjectKey, Phase
from extdns.model.gatewayapi import GATEWAY, TCP_ROUTE
from extdns.model.objects import SERVICE
from tests.clusters import live_cluster, service, synced, taken, told
from tests.fakes.apiserver.server import ApiServer

GROUP: Final = "gateway.networking.k8s.io"
DB: Final = ObjectKey(TCP_ROUTE, "shop", "db")


def gateway_object(kind: str, name: str, namespace: str, version: str = "v1") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": metadata, "spec": {}}


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    made = live_cluster(server, tmp_path)
    yield made
    made.close()


def serve_older(server: ApiServer) -> None:
    """Serve TCPRoutes as Gateway API did before 1.6."""
    route = server.catalogue.of("TCPRoute")
    server.unregister(route)
    server.register(replace(route, version="v1alpha2"))


def asked(server: ApiServer) -> list[str]:
    return sorted({request.path for request in server.log.requests() if "tcproutes" in request.path})


def test_an_older_version_is_read_where_the_preferred_one_is_not_served(
    server: ApiServer, cluster: LiveCluster
) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    assert synced(cluster, TCP_ROUTE) == ["add TCPRoute shop/db", "TCPRoute is synced"]
    server.put(gateway_object("TCPRoute", "mail", "shop", "v1alpha2"))
    assert told(taken(cluster)) == ["add TCPRoute shop/mail"]
    assert cluster.view.get(*DB) is not None
    assert (cluster.exists(DB), cluster.exists(DB._replace(name="gone"))) == (True, False)


def test_where_both_are_served_the_preferred_one_is_read_alone(server: ApiServer, cluster: LiveCluster) -> None:
    server.register(replace(server.catalogue.of("TCPRoute"), version="v1alpha2"))
    server.put(gateway_object("TCPRoute", "db", "shop"))
    assert synced(cluster, TCP_ROUTE) == ["add TCPRoute shop/db", "TCPRoute is synced"]
    assert asked(server) == [f"/apis/{GROUP}/v1/tcproutes"]


def test_a_version_that_goes_gives_way_to_the_one_that_comes(server: ApiServer, cluster: LiveCluster) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    synced(cluster, TCP_ROUTE)
    older = server.catalogue.of("TCPRoute")
    server.register(replace(older, version="v1"))
    server.unregister(older, deleting=False)
    server.put(gateway_object("TCPRoute", "mail", "shop"))
    assert told(taken(cluster)) == ["add TCPRoute shop/mail"]


def test_a_kind_without_any_served_version_is_not_served(server: ApiServer, cluster: LiveCluster) -> None:
    server.unregister("TCPRoute")
    cluster.need(TCP_ROUTE)
    (change,) = taken(cluster)
    assert isinstance(change, KindChange)
    assert change.state.phase is Phase.NOT_SERVED
    assert cluster.exists(DB) is None


def test_where_single_objects_are_not_to_be_had_an_older_version_is_listed(
    server: ApiServer, cluster: LiveCluster
) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    server.forbid("get", "tcproutes")
    assert (cluster.exists(DB), cluster.exists(DB._replace(name="gone"))) == (True, False)


def test_a_kind_may_be_watched_in_other_namespaces(server: ApiServer, tmp_path: Path) -> None:
    for namespace in ("shop", "infra"):
        server.put(service("web", namespace))
        server.put(gateway_object("Gateway", "gw", namespace))
    cluster = live_cluster(server, tmp_path, namespaces=("shop",), elsewhere={GATEWAY: ("infra",)})
    try:
        assert synced(cluster, SERVICE) == ["add Service shop/web", "Service is synced"]
        assert synced(cluster, GATEWAY) == ["add Gateway infra/gw", "Gateway is synced"]
        assert cluster.exists(ObjectKey(GATEWAY, "shop", "gw")) is None
        assert cluster.exists(ObjectKey(GATEWAY, "infra", "gw")) is True
    finally:
        cluster.close()
