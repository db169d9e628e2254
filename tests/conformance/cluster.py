"""The rigs of the conformance tests of `Cluster`: for each implementation, a cluster whose objects a test can change.

To test another implementation, add a function that builds its `Rig` to `RIGS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from extdns.kube.local_store import WatchedNamespaces
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.ports import Cluster
from tests.clusters import live_cluster
from tests.fakes.apiserver.server import ApiServer

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rig:
    """An empty cluster, with functions that change its objects.

    Attributes:
        put: creates or replaces an object, given as JSON.
        remove: deletes an object.
        locate: returns the location, or its end, that the cluster reports for a problem with an object.
    """

    cluster: Cluster
    put: Callable[[Json], object]
    remove: Callable[[ObjectKey], None]
    locate: Callable[[ObjectKey], str]


Make = Callable[[Path, Sequence[str]], AbstractContextManager[Rig]]


@contextmanager
def _open_live_cluster(folder: Path, namespaces: Sequence[str]) -> Iterator[Rig]:
    with ApiServer() as server:
        cluster = live_cluster(server, folder, namespaces=namespaces)

        def remove(key: ObjectKey) -> None:
            server.delete(key.kind.resource, key.namespace, key.name)

        yield Rig(cluster=cluster, put=server.put, remove=remove, locate=lambda key: str(ObjectRef(key=key)))
        cluster.close()


@contextmanager
def _open_manifest_cluster(folder: Path, namespaces: Sequence[str]) -> Iterator[Rig]:
    now_s = iter(range(100, 1_000_000, 10)).__next__  # each reading is at another time
    where = WatchedNamespaces(default=namespaces)
    cluster = ManifestCluster([str(folder)], watch=False, namespaces=where, monotonic=now_s)

    def find_file(kind: str, namespace: str, name: str) -> Path:
        return folder / f"{kind}.{namespace}.{name}.json"

    def read_twice() -> None:
        """Read the files as the watch does; what is missing counts as deleted after two readings."""
        cluster.refresh()
        cluster.refresh()

    def put(obj: Json) -> None:
        metadata = obj["metadata"]
        find_file(obj["kind"], metadata.get("namespace", ""), metadata["name"]).write_text(json.dumps(obj))
        read_twice()

    def remove(key: ObjectKey) -> None:
        find_file(key.kind.name, key.namespace, key.name).unlink()
        read_twice()

    yield Rig(
        cluster=cluster,
        put=put,
        remove=remove,
        locate=lambda key: f"{find_file(key.kind.name, key.namespace, key.name).name}:1",
    )
    cluster.close()


RIGS: Final[dict[str, Make]] = {"live": _open_live_cluster, "manifests": _open_manifest_cluster}


def build_key(kind: Kind, name: str, namespace: str = "shop") -> ObjectKey:
    """Return the key of an object. The namespace is ignored for cluster-scoped kinds."""
    return ObjectKey(kind, namespace if kind.namespaced else "", name)
