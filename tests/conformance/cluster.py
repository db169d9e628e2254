"""What the conformance suite of clusters needs of each: objects that a test puts, spoils and removes.

A new kind of cluster adds a function that makes its `Rig` to `RIGS`.
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

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.namespaces import Namespaces
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.ports import Cluster
from tests.clusters import live_cluster
from tests.fakes.apiserver.server import ApiServer

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rig:
    """An empty cluster.

    Attributes:
        put: creates or replaces an object, given as JSON.
        remove: deletes one for good.
        place: where a problem with an object is said to be; perhaps only the end of it.
    """

    cluster: Cluster
    put: Callable[[Json], object]
    remove: Callable[[ObjectKey], None]
    place: Callable[[ObjectKey], str]


Make = Callable[[Path, Sequence[str]], AbstractContextManager[Rig]]


@contextmanager
def _live(folder: Path, namespaces: Sequence[str]) -> Iterator[Rig]:
    with ApiServer() as server:
        cluster = live_cluster(server, folder, namespaces=namespaces)

        def remove(key: ObjectKey) -> None:
            server.delete(key.kind.resource, key.namespace, key.name)

        yield Rig(cluster=cluster, put=server.put, remove=remove, place=lambda key: str(ObjectRef(key=key)))
        cluster.close()


class _Edits:
    """Stands in for the watcher, so that a change is seen once it is told of, and time passes when it must."""

    def __init__(self, folder: Path) -> None:
        self._told: SimpleQueue[Collection[str] | None] = SimpleQueue()
        self._looked: SimpleQueue[None] = SimpleQueue()
        self._folder = folder
        self.now_s = 100.0

    def follow(self, _paths: Sequence[str], stop: Event) -> Iterator[Collection[str] | None]:
        while not stop.is_set():
            yield self._told.get()
            self._looked.put(None)

    def end(self) -> None:
        self._told.put(())

    def look(self, touched: Collection[str] | None) -> None:
        self._told.put(touched)
        self._looked.get()

    def put(self, obj: Json) -> None:
        metadata = obj["metadata"]
        self._file(obj["kind"], metadata.get("namespace", ""), metadata["name"]).write_text(json.dumps(obj))
        self._seen()

    def remove(self, key: ObjectKey) -> None:
        self._file(key.kind.name, key.namespace, key.name).unlink()
        self._seen()

    def _file(self, kind: str, namespace: str, name: str) -> Path:
        return self._folder / f"{kind}.{namespace}.{name}.json"

    def _seen(self) -> None:
        """A file that lost an object is believed only after it was quiet for a while."""
        self.look(None)
        self.now_s += 10
        self.look(None)


@contextmanager
def _manifests(folder: Path, namespaces: Sequence[str]) -> Iterator[Rig]:
    edits = _Edits(folder)
    where = Namespaces(usual=namespaces)
    cluster = ManifestCluster([str(folder)], namespaces=where, monotonic=lambda: edits.now_s, follow=edits.follow)
    edits.look(None)
    yield Rig(
        cluster=cluster,
        put=edits.put,
        remove=edits.remove,
        place=lambda key: f"{key.kind.name}.{key.namespace}.{key.name}.json:1",
    )
    cluster._stop.set()
    edits.end()
    cluster.close()


RIGS: Final[dict[str, Make]] = {"live": _live, "manifests": _manifests}


def key(kind: Kind, name: str, namespace: str = "shop") -> ObjectKey:
    """An object of the suite."""
    return ObjectKey(kind, namespace if kind.namespaced else "", name)
