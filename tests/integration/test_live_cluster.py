"""Lists and watches of a live cluster, one fault of the API server at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import enumerate as threads
from typing import Final

import pytest

from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.live import cluster as cluster_module
from extdns.kube.live import pages
from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import Phase
from extdns.resources.core import SERVICE
from tests.cluster_changes import (
    PhaseSummary,
    added,
    edited,
    summarize_changes,
    synced,
)
from tests.clusters import (
    MAX_WAIT_S,
    QUICK,
    list_changes_until_added,
    live_cluster,
    phase_in,
    service,
    wait_for_changes,
    wait_until_synced,
)
from tests.fakes.apiserver.faults import Cut, Drop, Empty, Fault, Html, Refuse, Slow, Stall, Truncated, Unknown
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

HOUR_S: Final = 3600.0


ALL: Final = [added(SERVICE, "shop/api"), added(SERVICE, "shop/job"), added(SERVICE, "shop/web"), synced(SERVICE)]


def lists(server: ApiServer) -> list[Request]:
    """Return the requests for all Services: the first page of each list, and each streamed list."""
    requests = server.log.requests("list", "services")
    return [
        *(request for request in requests if "continue" not in request.query and request.query["limit"] != "1"),
        *(request for request in server.log.requests("watch", "services") if "sendInitialEvents" in request.query),
    ]


@pytest.mark.parametrize("mode", WatchList)
def test_all_objects_are_listed_whether_or_not_the_server_supports_streamed_lists(
    server: ApiServer, cluster: LiveCluster, mode: WatchList
) -> None:
    server.api.watch_list = mode
    assert wait_until_synced(cluster, SERVICE) == ALL
    pages = server.log.requests("list", "services")
    assert len(pages) == (0 if mode is WatchList.SERVED else 2)
    assert {page.query["limit"] for page in pages} <= {str(QUICK.page_size)}
    assert cluster.decoded == 3
    assert list_changes_until_added(server, cluster, "open") == []
    server.log.clear()
    server.expire()
    server.end_watches(Order.EXPIRE)
    server.log.wait_for("watch" if mode is WatchList.SERVED else "list", "services")
    assert list_changes_until_added(server, cluster) == []
    assert len(lists(server)) == 1


def test_a_watch_that_ends_is_resumed_from_the_last_version_without_a_list(
    server: ApiServer, cluster: LiveCluster
) -> None:
    wait_until_synced(cluster, SERVICE)
    server.log.clear()
    server.send_bookmarks()
    server.put(service("new"))
    wait_for_changes(cluster)
    server.end_watches()
    requests = server.log.wait_for("watch", "services").query
    assert requests["resourceVersion"] == str(server.version)
    assert list_changes_until_added(server, cluster) == []
    assert requests["allowWatchBookmarks"] == "true"
    assert QUICK.min_watch_s <= int(requests["timeoutSeconds"]) <= QUICK.max_watch_s
    assert server.log.requests("list", "services") == ()


def test_a_watch_is_resumed_from_the_version_of_the_last_bookmark(server: ApiServer, cluster: LiveCluster) -> None:
    wait_until_synced(cluster, SERVICE)
    server.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    server.send_bookmarks("Service")
    server.end_watches()
    server.log.clear()
    assert server.log.wait_for("watch", "services").query["resourceVersion"] == str(server.version)


CUTS: Final = [
    pytest.param(Order.CUT, None, id="cut"),
    pytest.param(Order.END, Cut(0), id="cut-in-the-middle-of-a-line"),
    pytest.param(Order.END, Drop(), id="dropped"),
    pytest.param(Order.END, Truncated(), id="half-a-line-at-a-clean-end"),
    pytest.param(Order.END, Refuse(code=500), id="500"),
    pytest.param(Order.END, Refuse(code=429, retry_after_s=0), id="429"),
    pytest.param(Order.END, Refuse(code=500, framed=True), id="error-frame"),
    pytest.param(Order.END, Html(), id="html"),
    pytest.param(Order.END, Unknown(), id="another-kind"),
]


@pytest.mark.parametrize(("order", "fault"), CUTS)
def test_a_broken_watch_is_resumed_without_a_list_after_a_check_of_the_version_of_the_server(
    server: ApiServer, cluster: LiveCluster, order: Order, fault: Fault | None
) -> None:
    check_resumption(server, cluster, order, fault)


@pytest.mark.parametrize(
    ("fault", "watches"), [pytest.param(Stall(), 1, id="no-answer"), pytest.param(Stall(0), 2, id="half-open")]
)
def test_a_silent_watch_is_resumed_without_a_list_after_a_check_of_the_version_of_the_server(
    server: ApiServer, impatient_cluster: LiveCluster, fault: Fault, watches: int
) -> None:
    check_resumption(server, impatient_cluster, Order.END, fault, watches=watches)


def check_resumption(
    server: ApiServer, cluster: LiveCluster, order: Order, fault: Fault | None, *, watches: int = 1
) -> None:
    """Check that *cluster* lists nothing again after *fault*; *watches*: how many are answered until the last one."""
    wait_until_synced(cluster, SERVICE)
    if fault is not None:
        server.faults.arm(fault, verb="watch", resource="services")
    server.log.clear()
    server.end_watches(order)
    server.log.wait_for("watch", "services", count=watches)
    assert list_changes_until_added(server, cluster) == []
    assert lists(server) == []
    (requests,) = server.log.requests("list", "services")
    assert (requests.query["limit"], requests.query["resourceVersionMatch"]) == ("1", "NotOlderThan")
    assert cluster.decoded == 4


@pytest.mark.parametrize(("order", "watches"), [(Order.END, 2), (Order.EXPIRE, 1)])
def test_after_a_resource_version_expired_the_list_does_not_wait_for_a_pause(
    server: ApiServer, tmp_path: Path, order: Order, watches: int
) -> None:
    server.put_all(map(service, ("web", "api", "job")))
    cluster = live_cluster(server, tmp_path, timing=replace(QUICK, initial_backoff_s=HOUR_S, max_backoff_s=HOUR_S))
    wait_until_synced(cluster, SERVICE)
    assert list_changes_until_added(server, cluster, "first") == []
    server.end_watches()  # with an event, so the next one follows at once
    server.log.wait_for("watch", "services", count=2)
    assert list_changes_until_added(server, cluster, "second") == []
    server.expire()
    server.log.clear()
    server.end_watches(order)
    server.log.wait_for("watch", "services", count=watches)
    assert list_changes_until_added(server, cluster) == []
    cluster.close()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(Html, id="html"),
        pytest.param(Truncated, id="truncated"),
        pytest.param(Cut, id="cut"),
        pytest.param(Unknown, id="another-kind"),
        pytest.param(lambda: Refuse(code=503), id="503"),
    ],
)
@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
def test_a_failing_list_removes_no_object_from_the_cache(
    server: ApiServer, cluster: LiveCluster, mode: WatchList, make: Callable[[], Fault]
) -> None:
    check_failing_list(server, cluster, mode, make)


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
def test_a_list_that_is_not_complete_in_time_removes_no_object_from_the_cache(
    server: ApiServer, impatient_cluster: LiveCluster, mode: WatchList
) -> None:
    check_failing_list(server, impatient_cluster, mode, lambda: Slow(1, 0.01))


def check_failing_list(server: ApiServer, cluster: LiveCluster, mode: WatchList, make: Callable[[], Fault]) -> None:
    """Check that *cluster* keeps its objects while lists and watches fail as *make* says, and is synced afterwards."""
    wait_until_synced(cluster, SERVICE)
    server.api.watch_list = mode
    for verb in ("list", "watch"):
        server.faults.arm(make(), verb=verb, resource="services", times=3)
    server.expire()
    server.end_watches(Order.EXPIRE)
    meanwhile = summarize_changes(wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.FAILING))
    server.faults.clear()
    meanwhile += summarize_changes(wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.SYNCED))
    assert set(meanwhile) == {PhaseSummary(SERVICE, Phase.FAILING), synced(SERVICE)}
    assert len(cluster.view.select(SERVICE, "", {})) == 3
    assert cluster.decoded == 3


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
@pytest.mark.parametrize("null", [False, True])
def test_a_single_empty_list_removes_no_object_from_the_cache(
    server: ApiServer, cluster: LiveCluster, mode: WatchList, null: bool
) -> None:
    server.api.watch_list = mode
    wait_until_synced(cluster, SERVICE)
    assert list_changes_until_added(server, cluster, "open") == []
    verb = "watch" if mode is WatchList.SERVED else "list"
    empty_list = server.faults.arm(Empty(null=null), verb=verb, resource="services")
    server.expire()
    server.end_watches(Order.EXPIRE)
    empty_list.wait()
    assert list_changes_until_added(server, cluster) == []
    for name in ("web", "api", "job", "open", "last"):
        server.delete("Service", "shop", name)
    wait_for_changes(cluster, lambda changes: len(changes) == 5)
    server.expire()
    server.end_watches(Order.EXPIRE)
    assert list_changes_until_added(server, cluster) == []


def test_an_edit_after_a_reset_of_resource_versions_is_reported_although_its_version_was_seen_before(
    server: ApiServer, cluster: LiveCluster
) -> None:
    version = server.version + 1
    assert server.put(service("web", type="NodePort"))["metadata"]["resourceVersion"] == str(version)
    for _ in range(10):  # the last version of the server before the reset
        server.put(service("job"))
    wait_until_synced(cluster, SERVICE)
    server.kill()
    server.api.store.begin_new_history(keep=True)
    while server.version < version - 1:
        server.put(service("api"))
    assert server.put(service("web", type="ClusterIP"))["metadata"]["resourceVersion"] == str(version)
    server.start()
    assert edited(SERVICE, "shop/web") in list_changes_until_added(server, cluster)


def test_after_a_version_reset_all_objects_are_listed_after_a_single_pause(server: ApiServer, tmp_path: Path) -> None:
    drawn = count()
    server.put_all(map(service, ("web", "api", "job")))
    cluster = live_cluster(server, tmp_path, chance=lambda: float(next(drawn) >= 0))
    wait_until_synced(cluster, SERVICE)
    assert list_changes_until_added(server, cluster, "open") == []
    before = next(drawn)
    with server.api.store.lock:
        server.api.store.begin_new_history(keep=True)
        server.end_watches(Order.CUT)
    assert list_changes_until_added(server, cluster) == []
    assert next(drawn) - before - 1 == 2  # one for the pause, one for the timeout of the new watch
    cluster.close()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(None, id="waiting-for-an-event"),
        pytest.param(Stall(), id="waiting-for-an-answer"),
        pytest.param(Stall(1), id="in-the-middle-of-a-list"),
        pytest.param(Refuse(code=429, retry_after_s=60), id="waiting-to-retry"),
    ],
)
def test_closing_the_cluster_ends_every_thread_whatever_it_waits_for(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault | None
) -> None:
    monkeypatch.setattr(cluster_module, "_CLOSING_S", MAX_WAIT_S)
    access = ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=MAX_WAIT_S * 2)
    made = LiveCluster(ApiClient(access))
    armed = server.faults.arm(fault, verb="watch") if fault is not None else None
    made.require(SERVICE)
    if armed is not None:
        armed.wait()
    else:
        server.log.wait_for("watch", "services")
    made.close()
    assert not [thread for thread in threads() if thread.name == "services"]


def test_a_page_that_is_too_large_is_requested_again_with_fewer_objects(
    server: ApiServer, cluster: LiveCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_MAX_PAGE_BYTES", 5000)
    server.api.watch_list = WatchList.UNKNOWN
    for name in ("api", "job"):
        server.put(service(name, annotations={"note": "x" * 6000}))
    assert wait_until_synced(cluster, SERVICE) == ALL
    assert [page.query["limit"] for page in server.log.requests("list", "services")] == ["2", "1", "1", "1"]
