"""Compute claims of objects that come from a cluster, so that tests of sources notice fields lost in decoding.

Test modules that use `compute_claims` have the mark `pytest.mark.usefixtures("cluster")`. `tests/conformance` checks
that clusters of manifests give the same objects, and `tests/corpus` reads manifests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, ObjectChange, ObjectProblem, Phase
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, build_key
from extdns.ports import Cluster, ClusterView, NotSyncedError, Source
from extdns.resources.kinds import STRUCTS
from tests.cluster_changes import summarize_changes
from tests.clusters import wait_for_changes
from tests.conformance.cluster import Rig

_KINDS: Final = {struct: kind for kind, struct in STRUCTS.items()}


class ClaimsInCluster:
    """Passes objects through a cluster to a source.

    Attributes:
        rig: the cluster to use; it contains no objects between tests.
    """

    rig: Rig | None = None

    def __call__(
        self, source: Source, obj: KubernetesObject, *others: KubernetesObject, listed: Iterable[Kind] = ()
    ) -> tuple[Claim, ...]:
        """Return the claims of *source* for *obj* in a cluster with only *obj* and *others*.

        The kinds of *others* and those in *listed* are synced. Other kinds are not, so a lookup that the source
        should not make fails the test.
        """
        assert self.rig is not None
        key = build_key(source.kind, obj.metadata)
        cluster, objects = self.rig.cluster, {key: obj} | {_key(other): other for other in others}
        kinds = frozenset((*listed, *(_key(other).kind for other in others)))
        for one, content in objects.items():
            self.rig.put(_json(one, content))
        _wait(cluster, kinds | {source.kind}, objects)
        try:
            seen = cluster.view.get(*key)
            assert seen is not None
            return source.find_claims(seen, _Listed(cluster.view, kinds))
        finally:
            for one in objects:
                self.rig.remove(one)
            _wait(cluster, (), objects, gone=True)


compute_claims: Final = ClaimsInCluster()


@dataclass(frozen=True, slots=True)
class _Listed:
    """A cluster view that contains only the objects of *kinds* of another view."""

    view: ClusterView
    kinds: Collection[Kind]

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        self._require(kind)
        return self.view.get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        self._require(kind)
        return self.view.select(kind, namespace, labels)

    def _require(self, kind: Kind) -> None:
        if kind not in self.kinds:
            raise NotSyncedError(kind)


def _wait(cluster: Cluster, kinds: Iterable[Kind], keys: Iterable[ObjectKey], *, gone: bool = False) -> None:
    """Process changes of *cluster* until *kinds* are synced and all of *keys* exist or, if *gone*, do not exist."""
    left = set(keys)
    for kind in kinds:
        cluster.require(kind)

    def enough(changes: Sequence[ClusterChange]) -> bool:
        assert not any(isinstance(change, ObjectProblem) for change in changes), summarize_changes(changes)
        seen = {change.key for change in changes if isinstance(change, ObjectChange) and (change.new is None) is gone}
        return left <= seen and all(cluster.require(kind).phase is Phase.SYNCED for kind in kinds)

    wait_for_changes(cluster, enough)


def _key(obj: KubernetesObject) -> ObjectKey:
    return build_key(_KINDS[type(obj)], obj.metadata)


def _json(key: ObjectKey, obj: KubernetesObject) -> dict[str, Any]:
    return {"apiVersion": key.kind.api_version, "kind": key.kind.name, **msgspec.to_builtins(obj)}
