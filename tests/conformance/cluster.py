"""The rigs of the conformance tests of `Cluster`: for each implementation, a cluster whose objects a test can change.

To test another implementation, add a function that builds its `Rig` to `RIGS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event
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


class _Edits:
    """Writes manifest files, and replaces the file watcher: each change is reported at once, and time is simulated."""

    def __init__(self, folder: Path) -> None:
        self._reported: SimpleQueue[Collection[str] | None] = SimpleQueue()
        self._processed: SimpleQueue[None] = SimpleQueue()
        self._folder = folder
        self.now_s = 100.0

    def follow(self, _paths: Sequence[str], stop: Event) -> Iterator[Collection[str] | None]:
        while not stop.is_set():
            yield self._reported.get()
            self._processed.put(None)

    def end(self) -> None:
        self._reported.put(())

    def report(self, touched: Collection[str] | None) -> None:
        self._reported.put(touched)
        self._processed.get()

    def put(self, obj: Json) -> None:
        metadata = obj["metadata"]
        self._find_file(obj["kind"], metadata.get("namespace", ""), metadata["name"]).write_text(json.dumps(obj))
        self._report_change()

    def remove(self, key: ObjectKey) -> None:
        self._find_file(key.kind.name, key.namespace, key.name).unlink()
        self._report_change()

    def _find_file(self, kind: str, namespace: str, name: str) -> Path:
        return self._folder / f"{kind}.{namespace}.{name}.json"

    def _report_change(self) -> None:
        """Report a change and let 10 s pass: an object missing from a file counts as deleted only after a while."""
        self.report(None)
        self.now_s += 10
        self.report(None)


@contextmanager
def _open_manifest_cluster(folder: Path, namespaces: Sequence[str]) -> Iterator[Rig]:
    edits = _Edits(folder)
    where = WatchedNamespaces(default=namespaces)
    cluster = ManifestCluster([str(folder)], namespaces=where, monotonic=lambda: edits.now_s, watch_files=edits.follow)
    edits.report(None)
    yield Rig(
        cluster=cluster,
        put=edits.put,
        remove=edits.remove,
        locate=lambda key: f"{key.kind.name}.{key.namespace}.{key.name}.json:1",
    )
    cluster._stop.set()
    edits.end()
    cluster.close()


RIGS: Final[dict[str, Make]] = {"live": _open_live_cluster, "manifests": _open_manifest_cluster}


def build_key(kind: Kind, name: str, namespace: str = "shop") -> ObjectKey:
    """Return the key of an object. The namespace is ignored for cluster-scoped kinds."""
    return ObjectKey(kind, namespace if kind.namespaced else "", name)
