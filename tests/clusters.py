"""Clusters for tests: a live one over a stand-in for an API server, and what clusters say in short sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.pace import Rhythm
from extdns.kube.namespaces import Namespaces
from extdns.model.cluster import ClusterChange, Kind, KindChange, ObjectChange, ObjectProblem, Phase, Sight
from extdns.ports import Cluster
from tests.fakes.apiserver.server import ApiServer

PATIENCE_S: Final = 30.0
"""How long a test waits for what must come before it fails."""

REQUEST_TIMEOUT_S: Final = 0.5
QUICK: Final = Rhythm(first_pause_s=0.002, longest_pause_s=0.02, silence_s=0.5, alive_s=0.2, page_size=2)
"""A rhythm for tests, in which pauses end at once and every list has several pages."""


def live_cluster(
    server: ApiServer,
    folder: Path,
    *,
    namespaces: Sequence[str] = (),
    elsewhere: Mapping[Kind, Sequence[str]] | None = None,
    rhythm: Rhythm = QUICK,
    made: Callable[[Client], Api] | None = None,
    chance: Callable[[], float] | None = None,
) -> LiveCluster:
    """A cluster that asks *server*, through what *made* makes; its kubeconfig is written into *folder*."""
    access = Access(kubeconfig=str(server.kubeconfig(folder / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S)
    client = Client(access)
    api = made(client) if made is not None else Api(client, request_timeout_s=REQUEST_TIMEOUT_S)
    chance = chance or Random().random  # not everybody's, which hypothesis watches over
    where = Namespaces(usual=namespaces, elsewhere=elsewhere or {})
    return LiveCluster(api, namespaces=where, rhythm=rhythm, chance=chance)


def taken(
    cluster: Cluster, enough: Callable[[Sequence[ClusterChange]], bool] = bool, *, patience_s: float = PATIENCE_S
) -> list[ClusterChange]:
    """What *cluster* says until it is *enough*, by default at all.

    Raises:
        AssertionError: it was not enough in time.
    """
    changes: list[ClusterChange] = []
    until_s = time.monotonic() + patience_s
    while not enough(changes):
        left_s = until_s - time.monotonic()
        assert left_s > 0, f"waited for more than {told(changes)}"
        changes += cluster.take(left_s)
    return changes


def told(changes: Iterable[ClusterChange]) -> list[str]:
    """Changes as short sentences."""
    return [sentence(change) for change in changes]


def sentence(change: ClusterChange) -> str:
    """One change in a few words."""
    match change:
        case ObjectChange(key=at, old=old, new=new, seen=seen):
            verb = "add" if old is None else "drop" if new is None else "edit"
            return f"{verb} {at.kind.name} {at.namespace}/{at.name}" + ("" if seen is Sight.PRESENT else f" ({seen})")
        case KindChange(state=state):
            return f"{state.kind.name} is {state.phase}"
        case ObjectProblem(place=place, message=message):
            return f"{Path(place).name}: {message}"


def service(name: str, namespace: str = "shop", *, type: object = "NodePort", **metadata: Any) -> dict[str, Any]:  # noqa: A002, ANN401 - as the API has it
    """A Service as JSON."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"type": type},
    }


def phase_in(changes: Iterable[ClusterChange]) -> Phase | None:
    """The last phase that *changes* tell of."""
    phases = [change.state.phase for change in changes if isinstance(change, KindChange)]
    return phases[-1] if phases else None


def synced(cluster: Cluster, kind: Kind) -> list[str]:
    """What *cluster* says until *kind*, which alone is needed, is synced."""
    cluster.need(kind)
    return told(taken(cluster, lambda changes: phase_in(changes) is Phase.SYNCED))


def settled(server: ApiServer, cluster: Cluster, name: str = "last") -> list[str]:
    """What is said until a Service that is put now has come, without it; a watch is open then."""
    server.put(service(name))
    said = told(taken(cluster, lambda changes: f"add Service shop/{name}" in told(changes)))
    return [line for line in said if line != f"add Service shop/{name}"]
