"""Lists and watches of a live cluster, and what an API server may do to them, case by case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import enumerate as threads
from typing import Final

import pytest

from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.live import cluster as room
from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import KindChange, ObjectKey, Phase
from extdns.model.objects import SERVICE
from tests.clusters import PATIENCE_S, QUICK, live_cluster, phase_in, service, settled, synced, taken, told
from tests.fakes.apiserver.faults import Cut, Drop, Empty, Fault, Html, Refuse, Slow, Stall, Truncated, Unknown
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.requests import Request
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


def lists(server: ApiServer) -> list[Request]:
    """The requests that asked for all objects, one way or the other."""
    asked = server.log.requests("list", "services")
    return [
        *(request for request in asked if "continue" not in request.query and request.query["limit"] != "1"),
        *(request for request in server.log.requests("watch", "services") if "sendInitialEvents" in request.query),
    ]


@pytest.mark.parametrize("mode", WatchList)
def test_all_objects_come_whatever_the_server_makes_of_streamed_lists(
    server: ApiServer, cluster: LiveCluster, mode: WatchList
) -> None:
    server.api.watch_list = mode
    assert synced(cluster, SERVICE) == ALL
    pages = server.log.requests("list", "services")
    assert len(pages) == (0 if mode is WatchList.SERVED else 2)
    assert {page.query["limit"] for page in pages} <= {str(QUICK.page_size)}
    assert cluster.decoded == 3
    assert settled(server, cluster, "open") == []
    server.log.clear()
    server.expire()
    server.end_watches(Order.EXPIRE)
    server.log.wait_for("watch" if mode is WatchList.SERVED else "list", "services")
    assert settled(server, cluster) == []
    assert len(lists(server)) == 1


def test_a_watch_that_ends_is_taken_up_where_it_ended(server: ApiServer, cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    server.log.clear()
    server.bookmark()
    server.put(service("new"))
    taken(cluster)
    server.end_watches()
    asked = server.log.wait_for("watch", "services").query
    assert asked["resourceVersion"] == str(server.version)
    assert settled(server, cluster) == []
    assert asked["allowWatchBookmarks"] == "true"
    assert QUICK.shortest_watch_s <= int(asked["timeoutSeconds"]) <= QUICK.longest_watch_s
    assert server.log.requests("list", "services") == ()


def test_a_bookmark_moves_on_where_a_watch_is_taken_up(server: ApiServer, cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    server.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    server.bookmark("Service")
    server.end_watches()
    server.log.clear()
    assert server.log.wait_for("watch", "services").query["resourceVersion"] == str(server.version)


CUTS: Final = [
    pytest.param(Order.CUT, None, id="cut"),
    pytest.param(Order.END, Cut(0), id="in-mid-line"),
    pytest.param(Order.END, Drop(), id="dropped"),
    pytest.param(Order.END, Stall(), id="silent"),
    pytest.param(Order.END, Stall(0), id="half-open"),
    pytest.param(Order.END, Truncated(), id="half-a-line-at-a-clean-end"),
    pytest.param(Order.END, Refuse(code=500), id="500"),
    pytest.param(Order.END, Refuse(code=429, retry_after_s=0), id="429"),
    pytest.param(Order.END, Refuse(code=500, framed=True), id="error-frame"),
    pytest.param(Order.END, Html(), id="html"),
    pytest.param(Order.END, Unknown(), id="another-kind"),
]


@pytest.mark.parametrize(("order", "fault"), CUTS)
def test_one_broken_watch_is_taken_up_after_the_server_was_asked_for_its_version(
    server: ApiServer, cluster: LiveCluster, order: Order, fault: Fault | None
) -> None:
    synced(cluster, SERVICE)
    if fault is not None:
        server.faults.arm(fault, verb="watch", resource="services")
    server.log.clear()
    server.end_watches(order)
    server.log.wait_for("watch", "services", count=1 if fault is None else 2 if isinstance(fault, Stall) else 1)
    assert settled(server, cluster) == []
    assert lists(server) == []
    (asked,) = server.log.requests("list", "services")
    assert (asked.query["limit"], asked.query["resourceVersionMatch"]) == ("1", "NotOlderThan")
    assert cluster.decoded == 4


@pytest.mark.parametrize("as_status", [False, True], ids=["error-frame", "http-status"])
def test_a_version_too_old_makes_all_be_listed_and_tells_only_what_changed(
    server: ApiServer, cluster: LiveCluster, as_status: bool
) -> None:
    synced(cluster, SERVICE)
    server.api.gone_as_status = as_status
    server.access.forbid("watch", "services")
    server.end_watches()
    assert told(taken(cluster)) == ["Service is forbidden"]
    server.delete("Service", "shop", "api")
    server.put(service("job", type="ClusterIP"))
    server.expire()
    server.access.permit("watch", "services")
    said = told(taken(cluster, lambda changes: "drop Service shop/api (missing)" in told(changes)))
    assert [line for line in said if "shop" in line] == ["edit Service shop/job", "drop Service shop/api (missing)"]
    assert cluster.decoded == 4


def test_an_expired_token_makes_the_list_begin_anew(server: ApiServer, cluster: LiveCluster) -> None:
    server.api.watch_list = WatchList.GATED
    armed = server.faults.arm(Stall(0), verb="list", resource="services")
    cluster.need(SERVICE)
    armed.wait()
    server.faults.arm(Refuse(code=410), verb="list", resource="services")
    armed.release()
    assert synced(cluster, SERVICE) == ALL
    assert cluster.decoded == 3


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(Html, id="html"),
        pytest.param(Truncated, id="truncated"),
        pytest.param(Cut, id="cut"),
        pytest.param(Unknown, id="another-kind"),
        pytest.param(lambda: Slow(1, 0.01), id="trickling"),
        pytest.param(lambda: Refuse(code=503), id="503"),
    ],
)
@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
def test_a_broken_list_is_never_an_empty_one(
    server: ApiServer, cluster: LiveCluster, mode: WatchList, make: Callable[[], Fault]
) -> None:
    synced(cluster, SERVICE)
    server.api.watch_list = mode
    for verb in ("list", "watch"):
        server.faults.arm(make(), verb=verb, resource="services", times=3)
    server.expire()
    server.end_watches(Order.EXPIRE)
    meanwhile = told(taken(cluster, lambda changes: phase_in(changes) is Phase.FAILING))
    server.faults.clear()
    meanwhile += told(taken(cluster, lambda changes: phase_in(changes) is Phase.SYNCED))
    assert set(meanwhile) == {"Service is failing", "Service is synced"}
    assert len(cluster.view.select(SERVICE, "", {})) == 3
    assert cluster.decoded == 3


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
@pytest.mark.parametrize("null", [False, True])
def test_an_empty_list_after_a_full_one_must_be_said_twice(
    server: ApiServer, cluster: LiveCluster, mode: WatchList, null: bool
) -> None:
    server.api.watch_list = mode
    synced(cluster, SERVICE)
    assert settled(server, cluster, "open") == []
    verb = "watch" if mode is WatchList.SERVED else "list"
    lie = server.faults.arm(Empty(null=null), verb=verb, resource="services")
    server.expire()
    server.end_watches(Order.EXPIRE)
    lie.wait()
    assert settled(server, cluster) == []
    for name in ("web", "api", "job", "open", "last"):
        server.delete("Service", "shop", name)
    taken(cluster, lambda changes: len(changes) == 5)
    server.expire()
    server.end_watches(Order.EXPIRE)
    assert settled(server, cluster) == []


def test_a_server_that_insists_on_nothing_is_believed_but_nothing_was_deleted(
    server: ApiServer, cluster: LiveCluster
) -> None:
    synced(cluster, SERVICE)
    server.restart(new_history=True, keep=False)
    gone = taken(cluster, lambda changes: len(told(changes)) >= 3 and phase_in(changes) in {None, Phase.SYNCED})
    assert [line for line in told(gone) if line.startswith("drop")] == [
        f"drop Service shop/{name} (missing)" for name in ("api", "job", "web")
    ]


def test_a_server_that_was_away_is_back_with_another_history(server: ApiServer, cluster: LiveCluster) -> None:
    synced(cluster, SERVICE)
    server.kill()
    (down,) = taken(cluster)
    assert isinstance(down, KindChange)
    assert down.state.phase is Phase.FAILING
    call, _, why = down.state.detail.rpartition(f"{server.url}: ")
    assert call == "GET /api/v1/services: "
    assert why in {"no connection: Connection refused", "the connection was cut"}
    server.put(service("new"))
    server.restart()
    said = told(taken(cluster, lambda changes: phase_in(changes) is Phase.SYNCED))
    assert said == ["add Service shop/new", "Service is synced"]
    assert not any("drop" in line for line in settled(server, cluster))


def test_an_edit_in_another_history_is_seen_though_its_version_is_a_known_one(
    server: ApiServer, cluster: LiveCluster
) -> None:
    version = server.version + 1
    assert server.put(service("web", type="NodePort"))["metadata"]["resourceVersion"] == str(version)
    for _ in range(10):  # so far ahead was the server when it was lost
        server.put(service("job"))
    synced(cluster, SERVICE)
    server.kill()
    server.api.store.begin_anew(keep=True)
    while server.version < version - 1:
        server.put(service("api"))
    assert server.put(service("web", type="ClusterIP"))["metadata"]["resourceVersion"] == str(version)
    server.start()
    assert "edit Service shop/web" in settled(server, cluster)


def test_another_history_is_listed_at_once_after_the_one_pause_that_the_cut_cost(
    server: ApiServer, tmp_path: Path
) -> None:
    drawn = count()
    cluster = live_cluster(server, tmp_path, chance=lambda: float(next(drawn) >= 0))
    synced(cluster, SERVICE)
    assert settled(server, cluster, "open") == []
    before = next(drawn)
    with server.api.store.lock:
        server.api.store.begin_anew(keep=True)
        server.end_watches(Order.CUT)
    assert settled(server, cluster) == []
    assert next(drawn) - before - 1 == 2  # the pause, and how long the new watch shall stand
    cluster.close()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(None, id="for-an-event"),
        pytest.param(Stall(), id="for-an-answer"),
        pytest.param(Stall(1), id="amid-a-list"),
        pytest.param(Refuse(code=429, retry_after_s=60), id="for-its-next-attempt"),
    ],
)
def test_the_end_ends_every_thread_whatever_it_waits_for(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault | None
) -> None:
    monkeypatch.setattr(room, "_CLOSING_S", PATIENCE_S)
    access = Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=PATIENCE_S * 2)
    made = LiveCluster(Api(Client(access), request_timeout_s=PATIENCE_S * 2))
    if fault is not None:
        server.faults.arm(fault, verb="watch")
    made.need(SERVICE)
    server.log.wait_for("watch", "services")
    made.close()
    assert not [thread for thread in threads() if thread.name == "services"]
