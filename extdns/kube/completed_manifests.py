"""Complete manifests by the objects of a cluster: what only the cluster knows, such as status, and what is not in them.

See docs/how-to/plan-in-ci.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from extdns.kube.local_store import LocalStore
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.resources.core import Service, ServicePort


class CompletedManifests:
    """Implements `Cluster` by manifests in front of the objects of a cluster.

    An object of the manifests stands in for the one of the cluster with the same kind, namespace and name, of which it
    keeps what the API server or a controller has set. All other objects are those of the cluster, but for the
    *withdrawn* ones: those of former manifests that the manifests no longer have.

    Attributes:
        completed: the keys of the objects whose status is that in the cluster.
    """

    def __init__(self, manifests: ManifestCluster, cluster: ManifestCluster, former: ManifestCluster | None) -> None:
        """Read *manifests* in front of *cluster*; *former* are the former manifests, None if unknown."""
        self._manifests = manifests
        self._cluster = cluster
        self._former = former
        self.view = LocalStore(self.require)
        self.completed: set[ObjectKey] = set()

    def require(self, kind: Kind) -> KindState:
        """Make `take` report objects of *kind* from its next call on. Return the current state of *kind*."""
        for behind in (self._cluster, self._former):
            if behind is not None:
                behind.require(kind)
        return self._manifests.require(kind)

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether the manifests or the cluster have the object at *key*; None if that is uncertain."""
        found = self._manifests.exists(key)
        if found is False and not self._is_withdrawn(key):
            return self._cluster.exists(key)
        return found

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Return the changes since the last call, those of the cluster first; see `ManifestCluster.take`."""
        if self._former is not None:
            self._former.take(0)
        behind = [change for change in self._cluster.take(0) if not isinstance(change, KindChange)]
        found: list[ClusterChange] = []
        for change in (*behind, *self._manifests.take(timeout_s)):
            if not isinstance(change, ObjectChange):
                found.append(change)
                continue
            old, new = self.view.peek(change.key), self._find(change.key)
            if old != new:
                found.append(replace(change, old=old, new=new))
                self.view.apply(found[-1:])
        self.view.apply(found)
        return tuple(found)

    def close(self) -> None:
        """Close the manifests and what is behind them."""
        for part in (self._manifests, self._cluster, self._former):
            if part is not None:
                part.close()

    def _find(self, key: ObjectKey) -> KubernetesObject | None:
        ahead, behind = self._manifests.view.peek(key), self._cluster.view.peek(key)
        if ahead is None:
            return None if self._is_withdrawn(key) else behind
        if behind is None:
            return ahead
        completed = complete(ahead, behind)
        metadata = replace(completed.metadata, full_object=ahead.metadata.full_object)
        if completed != replace(ahead, metadata=metadata):
            self.completed.add(key)
        return completed

    def _is_withdrawn(self, key: ObjectKey) -> bool:
        return self._former is not None and self._former.view.peek(key) is not None


def complete(manifest: KubernetesObject, live: KubernetesObject) -> KubernetesObject:
    """Return *manifest* with what the API server and controllers have set on *live*, the same object in the cluster.

    That is the status, the uid, the creation time, and the cluster IP and node ports of a Service, unless the manifest
    states them.
    """
    unset: Any = type(manifest)(metadata=manifest.metadata)
    changes: dict[str, Any] = {"metadata": _complete_metadata(manifest.metadata, live.metadata)}
    status = getattr(unset, "status", None)
    if getattr(manifest, "status", None) == status and (found := getattr(live, "status", None)) is not None:
        changes["status"] = found
    if isinstance(manifest, Service) and isinstance(live, Service):
        spec, other = manifest.spec, live.spec
        if spec.ports and other.ports:
            spec = replace(spec, ports=tuple(_keep_node_ports(spec.ports, other.ports)))
        changes["spec"] = replace(spec, cluster_ip=spec.cluster_ip or other.cluster_ip)
    return replace(manifest, **changes)


def _keep_node_ports(ports: Sequence[ServicePort], live: Sequence[ServicePort]) -> Iterator[ServicePort]:
    """Yield *ports* with the node ports of the *live* ports of the same name, or else of the same number.

    The API server keeps node ports by name. `kubectl apply` merges ports by number, so a renamed port keeps its own.
    """
    names = {port.name for port in ports}
    by_name = {port.name: port.node_port for port in live}
    by_number = {(port.port, port.protocol): port.node_port for port in live if port.name not in names}
    for port in ports:
        known = by_name.get(port.name) or by_number.get((port.port, port.protocol or "TCP"), 0)
        yield replace(port, node_port=port.node_port or known)


def _complete_metadata(manifest: ObjectMeta, live: ObjectMeta) -> ObjectMeta:
    full_object = manifest.full_object
    if full_object and live.full_object:
        document, other = msgspec.json.decode(full_object), msgspec.json.decode(live.full_object)
        if "status" in other:
            document.setdefault("status", other["status"])
        full_object = msgspec.json.encode(document, order="deterministic")
    return replace(
        manifest,
        uid=manifest.uid or live.uid,
        creation_timestamp=manifest.creation_timestamp or live.creation_timestamp,
        generation=manifest.generation or live.generation,
        full_object=full_object,
    )
