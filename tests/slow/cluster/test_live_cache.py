"""The live cluster against the real API server: after any changes and restarts its cache equals the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.watch_timing import WatchTiming
from extdns.model.cluster import ClusterChange, KindChange, ObjectChange, Phase, Sighting
from extdns.resources.networking import INGRESS, Ingress
from tests.clusters import wait_for_changes
from tests.kubernetes.cluster import Cluster
from tests.objects import ingress

TIMING: Final = WatchTiming(
    initial_backoff_s=0.01, max_backoff_s=0.1, idle_timeout_s=20.0, healthy_after_s=0.5, page_size=2
)
TIMEOUT_S: Final = 20.0
MAX_WAIT_S: Final = 120.0
"""Longest time in seconds to wait: restarting an API server on a busy machine takes long."""

FAR: Final = 60
"""More resource versions than a script uses."""


@pytest.fixture
def server(cluster: Cluster) -> Cluster:
    return cluster


@contextmanager
def synced(server: Cluster, folder: Path) -> Iterator[LiveCluster]:
    """Yield a live cluster that has read all Ingresses."""
    access = ClusterAccess(kubeconfig=str(server.kubeconfig(folder / "kubeconfig")), request_timeout_s=TIMEOUT_S)
    cluster = LiveCluster(ApiClient(access), timing=TIMING)
    try:
        cluster.require(INGRESS)
        wait_until(cluster, lambda changes: phase_in(changes) is Phase.SYNCED)
        yield cluster
    finally:
        cluster.close()


def wait_until(cluster: LiveCluster, enough: Callable[[Sequence[ClusterChange]], bool]) -> list[ClusterChange]:
    return wait_for_changes(cluster, enough, timeout_s=MAX_WAIT_S)


def begin(server: Cluster) -> None:
    """Delete all Ingresses and advance the resource version.

    The version is then too high to be reached by an API server that restarts without data.
    """
    for found in server.objects("Ingress"):
        server.delete("Ingress", found["metadata"]["namespace"], found["metadata"]["name"])
    server.advance(FAR)


def phase_in(changes: Sequence[ClusterChange]) -> Phase | None:
    phases = [change.state.phase for change in changes if isinstance(change, KindChange)]
    return phases[-1] if phases else None


def put(server: Cluster, name: str, host: str) -> None:
    server.put(ingress(name, host, address=None))


def hosts(cluster: LiveCluster) -> dict[str, str]:
    """Return the first host of each Ingress in the cache, by name."""
    hosts_by_name = {}
    for found in cluster.view.select(INGRESS, "shop", {}):
        assert isinstance(found, Ingress)
        hosts_by_name[found.metadata.name] = found.spec.rules[0].host if found.spec.rules else ""
    return hosts_by_name


def dropped(changes: Sequence[ClusterChange]) -> set[tuple[str, Sighting]]:
    """Return the names of the removed objects, each with how its removal was observed."""
    return {(change.key.name, change.seen) for change in changes if isinstance(change, ObjectChange) and not change.new}


NAMES: Final = st.sampled_from("abc")
STEPS: Final = st.one_of(
    st.tuples(st.just("put"), NAMES, st.sampled_from(["a.example.org", "b.example.org"])),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.sampled_from(["expire", "new history", "restart", "wait"])),
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=st.lists(STEPS, min_size=1, max_size=8))
def test_after_any_sequence_of_changes_and_restarts_the_cache_equals_the_server(
    server: Cluster, tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, ...]]
) -> None:
    begin(server)
    for name in "abcd":
        put(server, name, "0.example.org")
    expected, deleted = dict.fromkeys("abcd", "0.example.org"), set()
    histories = 1
    with synced(server, tmp_path_factory.mktemp("access")) as cluster:
        changes: list[ClusterChange] = []
        for step in script:
            match step:
                case ("put", name, host):
                    put(server, name, host)
                    expected[name] = host
                case ("delete", name) if name in expected:
                    server.delete("Ingress", "shop", name)
                    deleted.add(name)
                    del expected[name]
                case ("expire",):
                    server.expire()
                case ("new history",) if (
                    histories == 1
                ):  # versions after a second reset could equal those after the first
                    server.restart()
                    histories += 1
                case ("restart",):
                    server.restart(new_history=False)
                case ("wait",):
                    changes += (
                        wait_until(cluster, lambda _: hosts(cluster) == expected) if hosts(cluster) != expected else []
                    )
                case _:
                    pass
        put(server, "last", "0.example.org")
        changes += wait_until(cluster, lambda _: hosts(cluster) == expected | {"last": "0.example.org"})
        assert {name for name, _ in dropped(changes)} <= deleted
