"""The objects known of each kind, indexed for the look-ups that sources make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from extdns.model.cluster import ClusterChange, Kind, KindChange, ObjectChange, ObjectKey, Phase
from extdns.model.dnsendpoint import DnsEndpoint
from extdns.model.objects import KubernetesObject
from extdns.ports import NotReadyError

_NO_NAMES: Final[frozenset[str]] = frozenset()


def unchanged(old: KubernetesObject, new: KubernetesObject) -> bool:
    """Tell whether *new* says the same as *old*; versions that only count writes are left out.

    A generation counts where a status is written that names it.
    """
    if old == new:
        return True
    generation = new.metadata.generation if isinstance(new, DnsEndpoint) else old.metadata.generation
    metadata = msgspec.structs.replace(
        new.metadata, resource_version=old.metadata.resource_version, generation=generation
    )
    return metadata == old.metadata and msgspec.structs.replace(new, metadata=metadata) == old


class Store:
    """Objects by kind, namespace and name; implements `View`.

    Reads and `apply` belong to one thread, so there is no lock. Look-ups cost in proportion to
    their answer, but for the first one by a label key, which indexes that key in its namespace.
    """

    def __init__(self, need: Callable[[Kind], object]) -> None:
        """Start empty; *need* is called with each kind asked for before it is synced."""
        self._need = need
        self._synced: set[Kind] = set()
        self._shelves: dict[Kind, dict[str, _Shelf]] = {}

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """One object, None if there is none; raises `NotReadyError`."""
        self._ensure_synced(kind)
        return self.peek(ObjectKey(kind, namespace, name))

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> tuple[KubernetesObject, ...]:
        """Objects that carry all *labels*, by namespace and name; "" means all namespaces; raises `NotReadyError`."""
        self._ensure_synced(kind)
        shelves = self._shelves.get(kind, {})
        if namespace or not kind.namespaced:
            shelf = shelves.get(namespace)
            return shelf.select(labels) if shelf else ()
        return tuple(obj for name in sorted(shelves) for obj in shelves[name].select(labels))

    def peek(self, key: ObjectKey) -> KubernetesObject | None:
        """The object at *key* as far as known; for the room itself, which may look before the kind is synced."""
        shelf = self._shelves.get(key.kind, {}).get(key.namespace)
        return shelf.objects.get(key.name) if shelf else None

    def keys(self, kind: Kind) -> Iterator[ObjectKey]:
        """Keys of all objects of *kind*, in no order."""
        for namespace, shelf in self._shelves.get(kind, {}).items():
            for name in shelf.objects:
                yield ObjectKey(kind, namespace, name)

    def apply(self, changes: Iterable[ClusterChange]) -> None:
        """Become what *changes* say; a kind once synced stays readable whatever becomes of its watch."""
        for change in changes:
            if isinstance(change, ObjectChange):
                self._put(change.key, change.new)
            elif isinstance(change, KindChange) and change.state.phase is Phase.SYNCED:
                self._synced.add(change.state.kind)

    def _ensure_synced(self, kind: Kind) -> None:
        if kind not in self._synced:
            self._need(kind)
            raise NotReadyError(kind)

    def _put(self, key: ObjectKey, obj: KubernetesObject | None) -> None:
        shelves = self._shelves.setdefault(key.kind, {})
        shelf = shelves.setdefault(key.namespace, _Shelf())
        shelf.put(key.name, obj)
        if not shelf.objects:
            del shelves[key.namespace]


class _Shelf:
    """The objects of one kind in one namespace."""

    __slots__ = ("_by_label", "_in_order", "objects")

    def __init__(self) -> None:
        self.objects: dict[str, KubernetesObject] = {}
        self._in_order: tuple[KubernetesObject, ...] | None = None
        self._by_label: dict[str, dict[str, set[str]]] = {}

    def put(self, name: str, obj: KubernetesObject | None) -> None:
        old = self.objects.pop(name, None)
        if obj is not None:
            self.objects[name] = obj
        self._in_order = None
        for label, names in self._by_label.items():
            before, after = _label(old, label), _label(obj, label)
            if before != after:
                _discard(names, before, name)
                if after is not None:
                    names.setdefault(after, set()).add(name)

    def select(self, labels: Mapping[str, str]) -> tuple[KubernetesObject, ...]:
        if not labels:
            if self._in_order is None:
                self._in_order = tuple(self.objects[name] for name in sorted(self.objects))
            return self._in_order
        fewest = min((self._index(label).get(value, _NO_NAMES) for label, value in labels.items()), key=len)
        wanted = labels.items()
        return tuple(
            obj
            for obj in map(self.objects.__getitem__, sorted(fewest))
            if wanted <= (obj.metadata.labels or {}).items()
        )

    def _index(self, label: str) -> dict[str, set[str]]:
        """Names by value of *label*, kept up to date from now on."""
        names = self._by_label.get(label)
        if names is None:
            names = self._by_label[label] = {}
            for name, obj in self.objects.items():
                value = _label(obj, label)
                if value is not None:
                    names.setdefault(value, set()).add(name)
        return names


def _label(obj: KubernetesObject | None, label: str) -> str | None:
    return obj.metadata.labels.get(label) if obj is not None and obj.metadata.labels else None


def _discard(names: dict[str, set[str]], value: str | None, name: str) -> None:
    if value is not None:
        names[value].discard(name)
        if not names[value]:
            del names[value]
