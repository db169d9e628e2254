"""A `ClusterView` of given objects, for tests of sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from extdns.model.kind import Kind, KubernetesObject, ObjectKey, build_key
from extdns.ports import NotSyncedError
from extdns.resources.kinds import STRUCTS

_KINDS = {struct: kind for kind, struct in STRUCTS.items()}


class FakeView:
    """A view of *objects*, whose kinds are synced. Kinds in *listed* are synced, too, even without objects.

    A lookup of any other kind raises an error, so that an unexpected lookup fails the test.
    """

    def __init__(self, *objects: KubernetesObject, listed: Iterable[Kind] = ()) -> None:
        self._objects: dict[ObjectKey, KubernetesObject] = {
            build_key(_KINDS[type(obj)], obj.metadata): obj for obj in objects
        }
        self._listed = {*listed, *(key.kind for key in self._objects)}

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        self._require(kind)
        return self._objects.get(ObjectKey(kind, namespace, name))

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        self._require(kind)
        return [
            obj
            for key, obj in sorted(self._objects.items(), key=lambda item: item[0])
            if key.kind == kind and namespace in {"", key.namespace} and labels.items() <= obj.selectable.items()
        ]

    def _require(self, kind: Kind) -> None:
        if kind not in self._listed:
            raise NotSyncedError(kind)
