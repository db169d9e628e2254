"""A view of objects that a test wrote down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import STRUCTS, KubernetesObject, key_of
from extdns.ports import NotReadyError

_KINDS = {struct: kind for kind, struct in STRUCTS.items()}


class FakeView:
    """Knows *objects*, and thereby their kinds; of kinds in *listed* there may be none.

    Every other kind is not ready, so a look-up that a source should not make fails the test.
    """

    def __init__(self, *objects: KubernetesObject, listed: Iterable[Kind] = ()) -> None:
        self._objects: dict[ObjectKey, KubernetesObject] = {key_of(_KINDS[type(obj)], obj): obj for obj in objects}
        self._listed = {*listed, *(key.kind for key in self._objects)}

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        self._require(kind)
        return self._objects.get(ObjectKey(kind, namespace, name))

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        self._require(kind)
        return [
            obj
            for key, obj in sorted(self._objects.items(), key=lambda item: item[0])
            if key.kind == kind
            and namespace in {"", key.namespace}
            and labels.items() <= (obj.metadata.labels or {}).items()
        ]

    def _require(self, kind: Kind) -> None:
        if kind not in self._listed:
            raise NotReadyError(kind)
