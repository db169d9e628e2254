"""A live cluster connected to a fake API server, and the changes that it reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from extdns.errors import ApiError
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.watch_timing import WatchTiming
from extdns.kube.local_store import WatchedNamespaces
from extdns.model.cluster import ClusterChange, IdentityRead, KindChange, Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.ports import Cluster
from extdns.resources.core import SERVICE
from tests.cluster_changes import Summary, added, summarize_changes
from tests.fakes.apiserver.server import ApiServer

MAX_WAIT_S: Final = 120.0
"""Longest time in seconds that a test waits for a change."""

REQUEST_TIMEOUT_S: Final = 20.0
"""Timeout of requests that are answered: long enough for a busy machine."""

SHORT_TIMEOUT_S: Final = 0.5
"""Timeout of requests that a test leaves without an answer, and so waits for."""

QUICK: Final = WatchTiming(
    initial_backoff_s=0.002,
    max_backoff_s=0.02,
    idle_timeout_s=REQUEST_TIMEOUT_S,
    failing_after_s=0.0,
    healthy_after_s=0.2,
    page_size=2,
    initial_relist_s=0.01,
    max_relist_s=0.02,
)
"""Timing for tests: pauses end almost at once, and every list has several pages."""


def live_cluster(
    server: ApiServer,
    folder: Path,
    *,
    namespaces: Sequence[str] = (),
    elsewhere: Mapping[Kind, Sequence[str]] | None = None,
    timeout_s: float = REQUEST_TIMEOUT_S,
    timing: WatchTiming = QUICK,
    chance: Callable[[], float] | None = None,
) -> LiveCluster:
    """Return a cluster that reads *server*; *folder* gets the kubeconfig.

    Requests without an answer and silent watches end after *timeout_s*.
    """
    access = ClusterAccess(kubeconfig=str(server.kubeconfig(folder / "kubeconfig")), request_timeout_s=timeout_s)
    api = ApiClient(access)
    chance = chance or Random().random  # not the global generator, which hypothesis controls
    where = WatchedNamespaces(default=namespaces, by_kind=elsewhere or {})
    return LiveCluster(api, namespaces=where, timing=replace(timing, idle_timeout_s=timeout_s), random_fraction=chance)


def wait_for_changes(
    cluster: Cluster, enough: Callable[[Sequence[ClusterChange]], bool] = bool, *, timeout_s: float = MAX_WAIT_S
) -> list[ClusterChange]:
    """Return the changes that *cluster* reports until *enough* accepts them, by default the first; without identities.

    Raises:
        AssertionError: *enough* did not accept them in time.
    """
    changes: list[ClusterChange] = []
    until_s = time.monotonic() + timeout_s
    while not enough(changes):
        left_s = until_s - time.monotonic()
        assert left_s > 0, f"waited for more than {summarize_changes(changes)}"
        changes += (change for change in cluster.take(left_s) if not isinstance(change, IdentityRead))
    return changes


def service(name: str, namespace: str = "shop", *, type: object = "NodePort", **metadata: Any) -> dict[str, Any]:  # noqa: A002, ANN401 - as the API has it
    """Return a Service as JSON."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"type": type},
    }


def check_existence(cluster: Cluster, key: ObjectKey) -> bool | None:
    """Return whether the object exists, or None if that is unknown."""
    try:
        return cluster.exists(key)
    except ApiError:
        return None


def phase_in(changes: Iterable[ClusterChange]) -> Phase | None:
    """Return the last phase that *changes* report, or None."""
    phases = [change.state.phase for change in changes if isinstance(change, KindChange)]
    return phases[-1] if phases else None


def wait_until_synced(cluster: Cluster, kind: Kind) -> list[Summary]:
    """Require *kind*, and return the summaries of all changes until it is synced."""
    cluster.require(kind)
    return summarize_changes(wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.SYNCED))


def list_changes_until_added(server: ApiServer, cluster: Cluster, name: str = "last") -> list[Summary]:
    """Add a Service *name* and return the summaries of all changes before it.

    A watch is open afterwards.
    """
    server.put(service(name))
    last = added(SERVICE, f"shop/{name}")
    found = summarize_changes(wait_for_changes(cluster, lambda changes: last in summarize_changes(changes)))
    return [one for one in found if one != last]
