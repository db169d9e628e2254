"""Which API version of a kind a live cluster reads, and in which namespaces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.errors import ApiError
from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import KindChange, Phase
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE
from extdns.resources.gateway_api import GATEWAY, TCP_ROUTE
from tests.cluster_changes import added, summarize_changes, synced
from tests.clusters import live_cluster, service, wait_for_changes, wait_until_synced
from tests.fakes.apiserver.server import ApiServer

GROUP: Final = "gateway.networking.k8s.io"
DB: Final = ObjectKey(TCP_ROUTE, "shop", "db")


def gateway_object(kind: str, name: str, namespace: str, version: str = "v1") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": metadata, "spec": {}}


def serve_older(server: ApiServer) -> None:
    """Make *server* serve TCPRoutes only as v1alpha2, as Gateway API did before 1.6."""
    route = server.catalogue.find_by_name("TCPRoute")
    server.unregister(route)
    server.register(replace(route, version="v1alpha2"))


def list_tcproute_paths(server: ApiServer) -> list[str]:
    return sorted({request.path for request in server.log.requests() if "tcproutes" in request.path})


def test_v1alpha2_of_tcproutes_is_read_if_v1_is_not_served(server: ApiServer, cluster: LiveCluster) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    assert wait_until_synced(cluster, TCP_ROUTE) == [added(TCP_ROUTE, "shop/db"), synced(TCP_ROUTE)]
    server.put(gateway_object("TCPRoute", "mail", "shop", "v1alpha2"))
    assert summarize_changes(wait_for_changes(cluster)) == [added(TCP_ROUTE, "shop/mail")]
    assert cluster.view.get(*DB) is not None
    assert (cluster.exists(DB), cluster.exists(DB._replace(name="gone"))) == (True, False)


def test_only_v1_of_tcproutes_is_read_if_both_versions_are_served(server: ApiServer, cluster: LiveCluster) -> None:
    server.register(replace(server.catalogue.find_by_name("TCPRoute"), version="v1alpha2"))
    server.put(gateway_object("TCPRoute", "db", "shop"))
    assert wait_until_synced(cluster, TCP_ROUTE) == [added(TCP_ROUTE, "shop/db"), synced(TCP_ROUTE)]
    assert list_tcproute_paths(server) == [f"/apis/{GROUP}/v1/tcproutes"]


def test_v1_of_tcproutes_is_read_after_v1alpha2_is_no_longer_served(server: ApiServer, cluster: LiveCluster) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    wait_until_synced(cluster, TCP_ROUTE)
    older = server.catalogue.find_by_name("TCPRoute")
    server.register(replace(older, version="v1"))
    server.unregister(older, deleting=False)
    server.put(gateway_object("TCPRoute", "mail", "shop"))
    assert summarize_changes(wait_for_changes(cluster)) == [added(TCP_ROUTE, "shop/mail")]


def test_a_kind_is_not_served_if_none_of_its_versions_is_served(server: ApiServer, cluster: LiveCluster) -> None:
    server.unregister("TCPRoute")
    cluster.require(TCP_ROUTE)
    (change,) = wait_for_changes(cluster)
    assert isinstance(change, KindChange)
    assert change.state.phase is Phase.NOT_SERVED
    with pytest.raises(ApiError, match="is not served"):
        cluster.exists(DB)


def test_existence_of_a_tcproute_is_checked_by_a_list_of_v1alpha2_if_get_is_forbidden(
    server: ApiServer, cluster: LiveCluster
) -> None:
    serve_older(server)
    server.put(gateway_object("TCPRoute", "db", "shop", "v1alpha2"))
    server.forbid("get", "tcproutes")
    assert (cluster.exists(DB), cluster.exists(DB._replace(name="gone"))) == (True, False)


def test_gateways_can_be_watched_in_another_namespace_than_services(server: ApiServer, tmp_path: Path) -> None:
    for namespace in ("shop", "infra"):
        server.put(service("web", namespace))
        server.put(gateway_object("Gateway", "gw", namespace))
    cluster = live_cluster(server, tmp_path, namespaces=("shop",), elsewhere={GATEWAY: ("infra",)})
    try:
        assert wait_until_synced(cluster, SERVICE) == [added(SERVICE, "shop/web"), synced(SERVICE)]
        assert wait_until_synced(cluster, GATEWAY) == [added(GATEWAY, "infra/gw"), synced(GATEWAY)]
        assert cluster.exists(ObjectKey(GATEWAY, "shop", "gw")) is None
        assert cluster.exists(ObjectKey(GATEWAY, "infra", "gw")) is True
    finally:
        cluster.close()
