"""The phases of a live cluster's kinds, and its other answers, whatever an API server does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import KindChange, ObjectKey, Phase
from extdns.model.objects import INGRESS, SERVICE
from extdns.ports import NotReadyError
from tests.clusters import PATIENCE_S, live_cluster, phase_in, service, settled, synced, taken, told
from tests.fakes.apiserver.faults import Drop, Fault, Html, Refuse, Spoil, Stall
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

WEB: Final = ObjectKey(SERVICE, "shop", "web")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        for name in ("web", "api", "job"):
            running.put(service(name))
        yield running


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    made = live_cluster(server, tmp_path)
    yield made
    made.close()


ALL: Final = ["add Service shop/api", "add Service shop/job", "add Service shop/web", "Service is synced"]


def test_a_kind_that_is_forbidden_is_shown_so_and_recovers(server: ApiServer, cluster: LiveCluster) -> None:
    server.forbid("list", "services")
    server.forbid("watch", "services")
    cluster.need(SERVICE)
    (forbidden,) = taken(cluster)
    assert isinstance(forbidden, KindChange)
    assert forbidden.state.phase is Phase.FORBIDDEN
    assert 'User "tester" cannot watch resource "services"' in forbidden.state.detail
    assert cluster.need(SERVICE) == forbidden.state
    server.permit("list", "services")
    server.permit("watch", "services")
    assert synced(cluster, SERVICE) == ALL


def test_a_kind_whose_watch_alone_is_forbidden_is_listed_but_not_synced_for_long(
    server: ApiServer, cluster: LiveCluster
) -> None:
    server.forbid("watch", "services")
    cluster.need(SERVICE)
    assert told(taken(cluster)) == ["Service is forbidden"]
    server.permit("watch", "services")
    assert synced(cluster, SERVICE) == ALL


def test_a_kind_that_is_not_served_is_shown_so_and_starts_by_itself(server: ApiServer, cluster: LiveCluster) -> None:
    kind = server.catalogue.of("Service")
    server.unregister("Service", deleting=False)
    cluster.need(SERVICE)
    (missing,) = taken(cluster)
    assert isinstance(missing, KindChange)
    assert (missing.state.phase, missing.state.detail) == (
        Phase.NOT_SERVED,
        "GET /api/v1/services: 404 Not Found",
    )
    server.register(kind)
    assert synced(cluster, SERVICE) == ALL


def test_a_kind_that_is_not_served_any_more_keeps_its_objects(server: ApiServer, cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    kind = server.catalogue.of("Service")
    server.unregister("Service", deleting=False)
    assert told(taken(cluster)) == ["Service is not-served"]
    assert len(cluster.view.select(SERVICE, "", {})) == 3
    server.register(kind)
    assert told(taken(cluster)) == ["Service is synced"]
    server.unregister("Service", deleting=True)
    gone = told(taken(cluster, lambda changes: phase_in(changes) is Phase.NOT_SERVED))
    assert gone == [*(f"drop Service shop/{name} (deleted)" for name in ("api", "job", "web")), "Service is not-served"]


def test_one_kind_that_fails_does_not_hold_up_another(server: ApiServer, cluster: LiveCluster) -> None:
    server.faults.arm(Refuse(code=500), resource="ingresses", times=None)
    cluster.need(INGRESS)
    assert told(taken(cluster)) == ["Ingress is failing"]
    assert synced(cluster, SERVICE) == ALL


def test_the_server_says_when_to_come_again(server: ApiServer, cluster: LiveCluster) -> None:
    server.faults.arm(Refuse(code=429, retry_after_s=1), resource="services", times=1)
    assert synced(cluster, SERVICE) == ALL
    assert len(server.log.requests("watch", "services")) == 2


def test_each_namespace_is_watched_by_itself(server: ApiServer, tmp_path: Path) -> None:
    server.forbid("list", "services", "")
    server.forbid("watch", "services", "")
    server.put(service("x", "pay"))
    cluster = live_cluster(server, tmp_path, namespaces=("shop", "pay", "shop"))
    try:
        assert synced(cluster, SERVICE) == ["add Service pay/x", *ALL]
        assert {request.namespace for request in server.log.requests("watch", "services")} == {"pay", "shop"}
        server.forbid("*", "services", "pay")
        server.end_watches()
        assert told(taken(cluster)) == ["Service is forbidden"]
        server.put(service("web", type="ClusterIP"))
        assert told(taken(cluster)) == ["edit Service shop/web"]
        server.permit("*", "services", "pay")
        assert told(taken(cluster)) == ["Service is synced"]
    finally:
        cluster.close()


def test_an_object_that_cannot_be_identified_makes_nothing_missing(server: ApiServer, cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    spoiled = server.faults.arm(Spoil("web", {"metadata": {"name": 5}}), resource="services")
    server.expire()
    server.end_watches(Order.EXPIRE)
    spoiled.wait()
    said = settled(server, cluster)
    assert len(said) == 1
    assert said[0].startswith("some Service: an object of this kind cannot be identified")


def test_existence_is_asked_by_get_or_where_that_is_forbidden_by_a_fresh_list(
    server: ApiServer, cluster: LiveCluster
) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert server.log.requests("list") == ()
    server.forbid("get", "services")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert [request.namespace for request in server.log.requests("list")] == ["shop"] * 2  # two pages, one list
    server.forbid("list", "services")
    assert cluster.exists(ObjectKey(SERVICE, "pay", "web")) is None


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        pytest.param(Refuse(code=500), 1, id="500"),
        pytest.param(Refuse(code=404), 1, id="404-of-something-else"),
        pytest.param(Html(), 1, id="html"),
        pytest.param(Drop(), 1, id="dropped"),
        pytest.param(Stall(), 1, id="silent"),
    ],
)
def test_existence_is_unknown_unless_the_server_tells(
    server: ApiServer, cluster: LiveCluster, fault: Fault, times: int
) -> None:
    server.faults.arm(fault, times=times)
    assert cluster.exists(ObjectKey(SERVICE, "shop", "gone")) is None
    assert cluster.exists(ObjectKey(SERVICE, "shop", "..")) is None


def test_existence_of_a_kind_that_is_not_served_is_unknown(server: ApiServer, cluster: LiveCluster) -> None:
    server.unregister("Service")
    assert cluster.exists(WEB) is None


def test_closing_ends_all_threads(cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    before = {thread.name for thread in threading.enumerate()}
    assert "services" in before
    cluster.close()
    assert "services" not in {thread.name for thread in threading.enumerate()}
    assert cluster.take(0) == ()
    assert cluster.exists(WEB) is None


def test_after_the_end_no_kind_is_watched_any_more(server: ApiServer, cluster: LiveCluster) -> None:
    cluster.close()
    assert cluster.need(SERVICE).phase is Phase.LISTING
    assert "services" not in {thread.name for thread in threading.enumerate()}
    cluster.close()
    assert server.log.requests() == ()


def test_a_kind_that_a_look_up_needs_is_told_to_be_listing(server: ApiServer, cluster: LiveCluster) -> None:
    armed = server.faults.arm(Stall(), verb="watch", resource="services")
    with pytest.raises(NotReadyError):
        cluster.view.select(SERVICE, "", {})
    armed.wait()
    assert told(cluster.take(PATIENCE_S)) == ["Service is listing"]
    armed.release()
    assert told(taken(cluster, lambda changes: phase_in(changes) is Phase.SYNCED)) == ALL
