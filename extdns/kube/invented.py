"""A cluster that also has objects of kinds which no API server knows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from extdns.kube.store import Store
from extdns.model.cluster import ClusterChange, Kind, KindChange, KindState, ObjectChange, ObjectKey, Phase
from extdns.model.objects import KubernetesObject, key_of
from extdns.ports import Cluster, View


class Invented:
    """Implements `Cluster`: what is invented is there from the first `take` on and never changes."""

    def __init__(
        self,
        cluster: Cluster,
        objects: Mapping[Kind, Sequence[KubernetesObject]],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Add *objects* to *cluster*, in the order in which they are to be shown; *monotonic* counts seconds."""
        self._cluster = cluster
        self._objects = {kind: {key_of(kind, obj): obj for obj in those} for kind, those in objects.items()}
        self._monotonic = monotonic
        self._store = Store(self.need)
        self._states: dict[Kind, KindState] = {}

    @property
    def view(self) -> View:
        """Look-ups in what `take` has returned so far."""
        return _Both(self._store, self._cluster.view, self._objects)

    def need(self, kind: Kind) -> KindState:
        """Show *kind* by the next `take`, and tell how far it is."""
        if kind not in self._objects:
            return self._cluster.need(kind)
        return self._states.setdefault(kind, KindState(kind=kind, phase=Phase.LISTING, since_s=self._monotonic()))

    def exists(self, key: ObjectKey) -> bool | None:
        """Whether it is among the objects, or in the cluster."""
        return key in self._objects[key.kind] if key.kind in self._objects else self._cluster.exists(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """The objects of each kind first needed and that it is synced, then what the cluster tells."""
        shown: list[ClusterChange] = []
        for kind, state in self._states.items():
            if state.phase is Phase.LISTING:
                self._states[kind] = synced = KindState(kind=kind, phase=Phase.SYNCED, since_s=self._monotonic())
                shown += (ObjectChange(key=key, old=None, new=obj) for key, obj in self._objects[kind].items())
                shown.append(KindChange(state=synced))
        self._store.apply(shown)
        return (*shown, *self._cluster.take(0 if shown else timeout_s))

    def close(self) -> None:
        """Close the cluster."""
        self._cluster.close()


class _Both:
    """Implements `View`."""

    def __init__(self, invented: View, real: View, kinds: Mapping[Kind, object]) -> None:
        self._invented = invented
        self._real = real
        self._kinds = kinds

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        return self._of(kind).get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        return self._of(kind).select(kind, namespace, labels)

    def _of(self, kind: Kind) -> View:
        return self._invented if kind in self._kinds else self._real
