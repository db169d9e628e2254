"""Add synthetic objects to a cluster, such as the generated records of the `fake` source."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from extdns.kube.local_store import LocalStore
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, build_key
from extdns.ports import Cluster, ClusterView


class ClusterWithSyntheticObjects:
    """Implements `Cluster` by adding objects to another cluster. The added objects never change."""

    def __init__(
        self,
        cluster: Cluster,
        objects: Mapping[Kind, Sequence[KubernetesObject]],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Add *objects* to *cluster*. `take` returns those of a kind in this order. *monotonic* returns seconds."""
        self._cluster = cluster
        self._objects = {kind: {build_key(kind, obj.metadata): obj for obj in added} for kind, added in objects.items()}
        self._monotonic = monotonic
        self._store = LocalStore(self.require)
        self._states: dict[Kind, KindState] = {}

    @property
    def view(self) -> ClusterView:
        """A view of the objects that `take` has returned so far: the added ones, and those of the cluster."""
        return self

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Return the object, as `ClusterView.get`."""
        return self._choose_view(kind).get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """Return the objects, as `ClusterView.select`."""
        return self._choose_view(kind).select(kind, namespace, labels)

    def _choose_view(self, kind: Kind) -> ClusterView:
        return self._store if kind in self._objects else self._cluster.view

    def require(self, kind: Kind) -> KindState:
        """Make `take` report objects of *kind* from its next call on. Return the current state of *kind*."""
        if kind not in self._objects:
            return self._cluster.require(kind)
        return self._states.setdefault(kind, KindState(kind=kind, phase=Phase.LISTING, since_s=self._monotonic()))

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether *key* is that of an added object. If none of its kind was added, ask the cluster."""
        return key in self._objects[key.kind] if key.kind in self._objects else self._cluster.exists(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Return the added objects of kinds required since the last call, then the changes of the cluster."""
        changes: list[ClusterChange] = []
        for kind, state in self._states.items():
            if state.phase is Phase.LISTING:
                self._states[kind] = synced = KindState(kind=kind, phase=Phase.SYNCED, since_s=self._monotonic())
                changes += (ObjectChange(key=key, old=None, new=obj) for key, obj in self._objects[kind].items())
                changes.append(KindChange(state=synced))
        self._store.apply(changes)
        return (*changes, *self._cluster.take(0 if changes else timeout_s))

    def close(self) -> None:
        """Close the cluster."""
        self._cluster.close()
