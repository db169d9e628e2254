"""Claims of objects as a cluster shows them, so that what gets lost on the way to a source fails the source's tests.

A module of tests that asks with `shown` is run over each kind of cluster: `pytest.mark.usefixtures("cluster")`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, Kind, ObjectChange, ObjectKey, ObjectProblem, Phase
from extdns.model.objects import STRUCTS, KubernetesObject, key_of
from extdns.ports import Cluster, NotReadyError, Source, View
from tests.clusters import taken, told
from tests.conformance.cluster import Rig

_KINDS: Final = {struct: kind for kind, struct in STRUCTS.items()}


class Shown:
    """Shows objects to a source.

    Attributes:
        rig: the cluster to show them by; it holds nothing.
    """

    rig: Rig | None = None

    def __call__(
        self, source: Source, obj: KubernetesObject, *others: KubernetesObject, listed: Iterable[Kind] = ()
    ) -> tuple[Claim, ...]:
        """What *source* claims for *obj* in a cluster of *obj* and *others* alone.

        Kinds of *others* and those *listed* are synced. Every other kind is not ready, so a look-up that a
        source should not make fails the test.
        """
        assert self.rig is not None
        cluster, objects = self.rig.cluster, {_key(shown): shown for shown in (obj, *others)}
        kinds = frozenset((*listed, *(_key(other).kind for other in others)))
        for key, shown in objects.items():
            self.rig.put(_json(key, shown))
        _wait(cluster, kinds | {_key(obj).kind}, objects)
        try:
            seen = cluster.view.get(*_key(obj))
            assert seen is not None
            return source.claims(seen, _Listed(cluster.view, kinds))
        finally:
            for key in objects:
                self.rig.remove(key)
            _wait(cluster, (), objects, gone=True)


shown: Final = Shown()


@dataclass(frozen=True, slots=True)
class _Listed:
    """Of *view* the *kinds* alone."""

    view: View
    kinds: Collection[Kind]

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        self._require(kind)
        return self.view.get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        self._require(kind)
        return self.view.select(kind, namespace, labels)

    def _require(self, kind: Kind) -> None:
        if kind not in self.kinds:
            raise NotReadyError(kind)


def _wait(cluster: Cluster, kinds: Iterable[Kind], keys: Iterable[ObjectKey], *, gone: bool = False) -> None:
    """Take what *cluster* tells until *kinds* are synced and all of *keys* came, or are *gone*."""
    left = set(keys)
    for kind in kinds:
        cluster.need(kind)

    def enough(changes: Sequence[ClusterChange]) -> bool:
        assert not any(isinstance(change, ObjectProblem) for change in changes), told(changes)
        seen = {change.key for change in changes if isinstance(change, ObjectChange) and (change.new is None) is gone}
        return left <= seen and all(cluster.need(kind).phase is Phase.SYNCED for kind in kinds)

    taken(cluster, enough)


def _key(obj: KubernetesObject) -> ObjectKey:
    return key_of(_KINDS[type(obj)], obj)


def _json(key: ObjectKey, obj: KubernetesObject) -> dict[str, Any]:
    return {"apiVersion": key.kind.api_version, "kind": key.kind.name, **msgspec.to_builtins(obj)}
