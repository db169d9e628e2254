"""If a GET finds an object that the list lacks, the kind is failing and is listed again until both agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from extdns.kube.live.cluster import LiveCluster
from extdns.model.cluster import ClusterChange, Phase
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE
from tests.cluster_changes import (
    ObjectSummary,
    PhaseSummary,
    Step,
    added,
    list_phases,
    list_removed,
    summarize_changes,
    synced,
)
from tests.clusters import (
    list_changes_until_added,
    phase_in,
    service,
    wait_for_changes,
    wait_until_synced,
)
from tests.fakes.apiserver.faults import Empty, Refuse
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

WEB: Final = ObjectKey(SERVICE, "shop", "web")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        running.api.watch_list = WatchList.GATED
        yield running


def lose_all(server: ApiServer, cluster: LiveCluster) -> None:
    """Make the API server return empty lists twice, and wait until *cluster* has dropped all three Services."""
    wait_until_synced(cluster, SERVICE)
    server.faults.arm(Empty(), verb="list", resource="services", times=2)
    server.expire()
    server.end_watches(Order.EXPIRE)
    wait_for_changes(cluster, lambda changes: len(list_removed(changes)) == 3)


def contradict(server: ApiServer, cluster: LiveCluster) -> None:
    """Let a GET find a Service that every list lacks from now on, and wait until the kind is failing."""
    lose_all(server, cluster)
    server.faults.arm(Empty(), verb="list", resource="services", times=None)
    assert cluster.exists(WEB) is True
    wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.FAILING)


def ends_synced(changes: Sequence[ClusterChange]) -> bool:
    return phase_in(changes) is Phase.SYNCED


def test_a_kind_is_listed_again_at_once_if_a_get_finds_an_object_that_the_list_lacks(
    server: ApiServer, cluster: LiveCluster
) -> None:
    lose_all(server, cluster)
    assert cluster.exists(WEB) is True
    first, *objects, last = summarize_changes(wait_for_changes(cluster, ends_synced))
    assert (first, last) == (PhaseSummary(SERVICE, Phase.FAILING), synced(SERVICE))
    assert len(objects) == 3
    assert set(objects) == {added(SERVICE, "shop/api"), added(SERVICE, "shop/job"), added(SERVICE, "shop/web")}
    after = list_changes_until_added(server, cluster)
    assert not [one for one in after if isinstance(one, ObjectSummary) and one.step is Step.REMOVED]


def test_after_a_wrong_streamed_list_the_kind_is_listed_by_pages_from_etcd(
    server: ApiServer, cluster: LiveCluster
) -> None:
    """The watch cache of the API server may be wrong; pages without resourceVersion come from etcd."""
    server.api.watch_list = WatchList.SERVED
    wait_until_synced(cluster, SERVICE)
    server.faults.arm(Empty(), verb="watch", resource="services")
    server.faults.arm(Empty(), verb="list", resource="services", times=2)
    server.expire()
    server.end_watches(Order.EXPIRE)
    wait_for_changes(cluster, lambda changes: len(list_removed(changes)) == 3)
    server.log.clear()
    assert cluster.exists(WEB) is True
    wait_for_changes(cluster, ends_synced)
    first = server.log.wait_for("list", "services").query
    assert "resourceVersion" not in first


def test_a_kind_is_failing_until_a_repeated_list_has_the_object_that_a_get_found(
    server: ApiServer, cluster: LiveCluster
) -> None:
    lose_all(server, cluster)
    server.log.clear()
    server.faults.arm(Empty(), verb="list", resource="services", times=6)
    assert cluster.exists(WEB) is True
    changes = wait_for_changes(cluster, ends_synced)
    assert list_phases(changes) == [Phase.FAILING, Phase.SYNCED]
    assert added(SERVICE, "shop/web") in summarize_changes(changes)
    state = cluster.require(SERVICE)
    assert (state.phase, state.detail) == (Phase.SYNCED, "")


def test_the_state_of_a_failing_kind_names_the_object_that_the_list_lacks(
    server: ApiServer, cluster: LiveCluster
) -> None:
    contradict(server, cluster)
    assert cluster.require(SERVICE).detail == "the list lacks service/shop/web, which a GET found"


def test_a_failing_kind_is_synced_again_if_the_missing_object_was_deleted(
    server: ApiServer, cluster: LiveCluster
) -> None:
    contradict(server, cluster)
    server.delete("Service", "shop", "web")
    wait_for_changes(cluster, ends_synced)


def test_a_failing_kind_is_synced_again_if_a_watch_event_brings_the_missing_object(
    server: ApiServer, cluster: LiveCluster
) -> None:
    contradict(server, cluster)
    changes: list[ClusterChange] = []
    for edit in range(100):  # an edit between the list and the watch is shown by neither
        server.put(service("web", type=("ClusterIP", "LoadBalancer")[edit % 2]))
        changes += cluster.take(0.5)
        if ends_synced(changes):
            break
    assert ends_synced(changes)
    assert added(SERVICE, "shop/web") in summarize_changes(changes)


def test_a_kind_stays_failing_while_the_repeated_list_fails(server: ApiServer, cluster: LiveCluster) -> None:
    lose_all(server, cluster)
    server.faults.arm(Refuse(code=500), verb="list", resource="services", times=5)
    assert cluster.exists(WEB) is True
    assert list_phases(wait_for_changes(cluster, ends_synced)) == [Phase.FAILING, Phase.SYNCED]


def test_a_get_of_an_object_that_the_list_has_causes_no_list(server: ApiServer, cluster: LiveCluster) -> None:
    wait_until_synced(cluster, SERVICE)
    server.log.clear()
    assert cluster.exists(WEB) is True
    assert list_changes_until_added(server, cluster) == []
    assert server.log.requests("list", "services") == ()
