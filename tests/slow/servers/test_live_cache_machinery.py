"""The live cluster against the real API server: after any changes and restarts its cache equals the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.kube.api import ApiClient
from extdns.kube.client import ClusterAccess, HttpClient
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.watch_timing import WatchTiming
from extdns.model.cluster import ClusterChange, KindChange, ObjectChange, Phase, Sighting
from extdns.resources.networking import INGRESS, Ingress
from tests.apimachinery.kinds import KINDS
from tests.apimachinery.server import ApiMachinery
from tests.clusters import wait_for_changes
from tests.conformance.apiserver import build_ingress

TIMING: Final = WatchTiming(
    initial_backoff_s=0.01, max_backoff_s=0.1, idle_timeout_s=20.0, healthy_after_s=0.5, page_size=2
)
TIMEOUT_S: Final = 20.0
MAX_WAIT_S: Final = 120.0
"""Longest time in seconds to wait: restarting an API server on a busy machine takes long."""

FAR: Final = 60
"""More resource versions than a script uses."""

SERVED: Final = next(kind for kind in KINDS if kind.kind == "Ingress")


@pytest.fixture(scope="module")
def machinery() -> Iterator[ApiMachinery]:
    """Run an API server that tests may kill and reset, provided that it runs again when they end."""
    with ApiMachinery(kinds=[SERVED]) as machinery:
        yield machinery


@contextmanager
def synced(machinery: ApiMachinery, folder: Path) -> Iterator[LiveCluster]:
    """Yield a live cluster that has read all Ingresses."""
    access = ClusterAccess(kubeconfig=str(machinery.kubeconfig(folder / "kubeconfig")), request_timeout_s=TIMEOUT_S)
    cluster = LiveCluster(ApiClient(HttpClient(access), request_timeout_s=TIMEOUT_S), timing=TIMING)
    try:
        cluster.require(INGRESS)
        wait_until(cluster, lambda changes: phase_in(changes) is Phase.SYNCED)
        yield cluster
    finally:
        cluster.close()


def wait_until(cluster: LiveCluster, enough: Callable[[Sequence[ClusterChange]], bool]) -> list[ClusterChange]:
    return wait_for_changes(cluster, enough, timeout_s=MAX_WAIT_S)


def begin(machinery: ApiMachinery) -> None:
    """Delete all Ingresses and advance the resource version.

    The version is then too high to be reached by an API server that restarts without data.
    """
    for found in machinery.objects("Ingress"):
        machinery.delete("Ingress", "shop", found["metadata"]["name"])
    machinery.advance(FAR)


def phase_in(changes: Sequence[ClusterChange]) -> Phase | None:
    """Return the last phase that *changes* report, or None."""
    phases = [change.state.phase for change in changes if isinstance(change, KindChange)]
    return phases[-1] if phases else None


def put(machinery: ApiMachinery, name: str, host: str) -> None:
    machinery.put(build_ingress(name, namespace="shop", spec={"rules": [{"host": host}]}))


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


def test_objects_are_listed_by_pages_and_later_changes_are_watched(machinery: ApiMachinery, tmp_path: Path) -> None:
    begin(machinery)
    for number in range(5):
        put(machinery, f"web-{number}", "a.example.org")
    with synced(machinery, tmp_path) as cluster:
        assert hosts(cluster) == {f"web-{number}": "a.example.org" for number in range(5)}
        put(machinery, "web-0", "b.example.org")
        machinery.delete("Ingress", "shop", "web-1")
        changes = wait_until(cluster, lambda _: "web-1" not in hosts(cluster))
        assert hosts(cluster)["web-0"] == "b.example.org"
        assert [change.key.name for change in changes if isinstance(change, ObjectChange)] == ["web-0", "web-1"]
        assert cluster.decoded == 6


def test_a_kind_whose_crd_is_deleted_and_created_again_is_synced_again(machinery: ApiMachinery, tmp_path: Path) -> None:
    begin(machinery)
    put(machinery, "web", "a.example.org")
    with synced(machinery, tmp_path) as cluster:
        machinery.unregister("Ingress")
        wait_until(cluster, lambda changes: phase_in(changes) is Phase.NOT_SERVED)
        machinery.register(SERVED)
        put(machinery, "new", "b.example.org")
        wait_until(cluster, lambda _: hosts(cluster) == {"new": "b.example.org"})
        assert cluster.require(INGRESS).phase is Phase.SYNCED


NAMES: Final = st.sampled_from("abc")
STEPS: Final = st.one_of(
    st.tuples(st.just("put"), NAMES, st.sampled_from(["a.example.org", "b.example.org"])),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.sampled_from(["expire", "new history", "restart", "wait"])),
)


@settings(max_examples=12)
@given(script=st.lists(STEPS, min_size=1, max_size=8))
def test_after_any_sequence_of_changes_and_restarts_the_cache_equals_the_server(
    machinery: ApiMachinery, tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, ...]]
) -> None:
    begin(machinery)
    for name in "abcd":
        put(machinery, name, "0.example.org")
    expected, deleted = dict.fromkeys("abcd", "0.example.org"), set()
    histories = 1
    with synced(machinery, tmp_path_factory.mktemp("access")) as cluster:
        changes: list[ClusterChange] = []
        for step in script:
            match step:
                case ("put", name, host):
                    put(machinery, name, host)
                    expected[name] = host
                case ("delete", name) if name in expected:
                    machinery.delete("Ingress", "shop", name)
                    deleted.add(name)
                    del expected[name]
                case ("expire",):
                    machinery.expire()
                case ("new history",) if (
                    histories == 1
                ):  # versions after a second reset could equal those after the first
                    machinery.restart()
                    histories += 1
                case ("restart",):
                    machinery.restart(new_history=False)
                case ("wait",):
                    changes += (
                        wait_until(cluster, lambda _: hosts(cluster) == expected) if hosts(cluster) != expected else []
                    )
                case _:
                    pass
        put(machinery, "last", "0.example.org")
        changes += wait_until(cluster, lambda _: hosts(cluster) == expected | {"last": "0.example.org"})
        assert {name for name, _ in dropped(changes)} <= deleted
