"""Keep the known objects of a cluster.

`WatchedNamespaces` selects what is read, `DeltaTracker` computes what each response of the API server
changes, and `LocalStore` indexes the objects for the lookups of sources.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from extdns.kube.live.responses import ObjectHeader, RawObject
from extdns.kube.managed_fields import find_managers
from extdns.kube.object_decoder import DecodedObject, DocumentProblem, decode_json, keep_all_fields
from extdns.model.cluster import ClusterChange, KindChange, ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectRef
from extdns.model.value import Value
from extdns.ports import NotSyncedError
from extdns.resources.extdns import DnsPolicy
from extdns.resources.externaldns import DnsEndpoint

_MAX_KEYS: Final = 8  # of labels in an index; with more, it has all, so that ever new ones do not read all objects
_NO_LABELS: Final[Mapping[str, str]] = {}
_Key = TypeVar("_Key", str, tuple[str, str])


def is_unchanged(old: KubernetesObject, new: KubernetesObject) -> bool:
    """Return whether *old* and *new* are equal but for the resource version.

    The generation is compared only for DNSEndpoints and DNSPolicies, whose status extdns writes.
    """
    if old == new:
        return True
    generation = new.metadata.generation if isinstance(new, DnsEndpoint | DnsPolicy) else old.metadata.generation
    metadata = msgspec.structs.replace(
        new.metadata, resource_version=old.metadata.resource_version, generation=generation
    )
    return metadata == old.metadata and msgspec.structs.replace(new, metadata=metadata) == old


class LocalStore:
    """Objects by kind, namespace and name; implements `ClusterView`.

    Only one thread may use it, so there is no lock; but any thread may `get` from a kind that is synced.

    A lookup by one label costs in proportion to its result, but the first one by its key in a namespace, or in all of
    them, extends an index.
    """

    def __init__(self, require: Callable[[Kind], object]) -> None:
        """Start empty. *require* is called with each kind that is looked up before it is synced."""
        self._require = require
        self._synced: set[Kind] = set()
        self._indexes: dict[Kind, dict[str, _Index[str]]] = {}
        self._everywhere: dict[Kind, _Index[tuple[str, str]]] = {}

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Return an object, or None if it does not exist; raises `NotSyncedError`."""
        self._ensure_synced(kind)
        return self.peek(ObjectKey(kind, namespace, name))

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> tuple[KubernetesObject, ...]:
        """List the objects with all *labels*, sorted by namespace and name; *namespace* "" is all namespaces.

        Raises:
            NotSyncedError: the kind is not completely listed yet.
        """
        self._ensure_synced(kind)
        if namespace or not kind.namespaced:
            index = self._indexes.get(kind, {}).get(namespace)
            return index.select(labels) if index else ()
        everywhere = self._everywhere.get(kind)
        if everywhere is None:
            everywhere = self._everywhere[kind] = _Index()
            for key in self.list_keys(kind):
                everywhere.put((key.namespace, key.name), self.peek(key))
        return everywhere.select(labels)

    def peek(self, key: ObjectKey) -> KubernetesObject | None:
        """Return the object at *key*, or None, even if its kind is not synced; only for `extdns.kube`."""
        index = self._indexes.get(key.kind, {}).get(key.namespace)
        return index.objects.get(key.name) if index else None

    def list_keys(self, kind: Kind) -> Iterator[ObjectKey]:
        """Yield the keys of all objects of *kind* in no particular order."""
        for namespace, index in self._indexes.get(kind, {}).items():
            for name in index.objects:
                yield ObjectKey(kind, namespace, name)

    def apply(self, changes: Iterable[ClusterChange]) -> None:
        """Store the objects and phases in *changes*. A kind that was synced once stays readable if its watch fails."""
        for change in changes:
            if isinstance(change, ObjectChange):
                self._put(change.key, change.new)
            elif isinstance(change, KindChange) and change.state.phase is Phase.SYNCED:
                self._synced.add(change.state.kind)

    def _ensure_synced(self, kind: Kind) -> None:
        if kind not in self._synced:
            self._require(kind)
            raise NotSyncedError(kind)

    def _put(self, key: ObjectKey, obj: KubernetesObject | None) -> None:
        indexes = self._indexes.setdefault(key.kind, {})
        index = indexes.setdefault(key.namespace, _Index())
        index.put(key.name, obj)
        if not index.objects:
            del indexes[key.namespace]
        if (everywhere := self._everywhere.get(key.kind)) is not None:
            everywhere.put((key.namespace, key.name), obj)


class _Index(Generic[_Key]):
    """The objects of one kind, in one namespace or in all of them."""

    __slots__ = ("_by_label", "_in_order", "_keys", "objects")

    def __init__(self) -> None:
        self.objects: dict[_Key, KubernetesObject] = {}
        self._in_order: tuple[KubernetesObject, ...] | None = None
        self._keys: frozenset[str] | None = frozenset()  # of the labels that are indexed, None if all are
        self._by_label: dict[tuple[str, str], _Key | set[_Key]] = {}  # a set of one key would take 200 bytes more

    def put(self, key: _Key, obj: KubernetesObject | None) -> None:
        old = self.objects.get(key)
        if obj is not None:
            self.objects[key] = obj
        else:
            self.objects.pop(key, None)
        self._in_order = None
        if self._keys != frozenset():
            self._replace_labels(key, _list_labels(old, self._keys), _list_labels(obj, self._keys))

    def select(self, labels: Mapping[str, str]) -> tuple[KubernetesObject, ...]:
        if not labels:
            if self._in_order is None:
                self._in_order = tuple(self.objects[key] for key in sorted(self.objects))
            return self._in_order
        if self._keys is not None and (new := frozenset(labels) - self._keys):
            self._keys = self._keys | new if len(self._keys) + len(new) <= _MAX_KEYS else None
            for key, obj in self.objects.items():
                self._replace_labels(key, _NO_LABELS, _list_labels(obj, new if self._keys else None))
        found: list[set[_Key]] = []
        for label in labels.items():
            keys = self._by_label.get(label)
            if keys is None:
                return ()
            found.append(keys if isinstance(keys, set) else {keys})
        return tuple(map(self.objects.__getitem__, sorted(min(found, key=len).intersection(*found))))

    def _replace_labels(self, key: _Key, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        if before == after:
            return
        for label in after.items() - before.items():
            keys = self._by_label.setdefault(label, key)
            if isinstance(keys, set):
                keys.add(key)
            elif keys != key:
                self._by_label[label] = {keys, key}
        for label in before.items() - after.items():
            keys = self._by_label[label]
            if isinstance(keys, set):
                keys.discard(key)
            if not isinstance(keys, set) or not keys:
                del self._by_label[label]


def _list_labels(obj: KubernetesObject | None, keys: frozenset[str] | None) -> Mapping[str, str]:
    labels = obj.selectable if obj is not None else _NO_LABELS
    return labels if keys is None else {key: labels[key] for key in keys if key in labels}


class WatchedNamespaces(Value, frozen=True, kw_only=True):
    """The namespaces from which objects are read.

    Attributes:
        default: the namespaces for all kinds that are not in `by_kind`; () is all namespaces.
    """

    default: Sequence[str] = ()
    by_kind: Mapping[Kind, Sequence[str]] = msgspec.field(default_factory=dict[Kind, Sequence[str]])

    def list_for_kind(self, kind: Kind) -> tuple[str, ...]:
        """List the namespaces for *kind* without duplicates; () is all, also for cluster-scoped kinds."""
        return tuple(dict.fromkeys(self.by_kind.get(kind, self.default))) if kind.namespaced else ()

    def contains(self, key: ObjectKey) -> bool:
        """Return whether objects in the namespace of *key* are read; true for cluster-scoped kinds."""
        where = self.list_for_kind(key.kind)
        return not where or key.namespace in where


Delta = ObjectChange | ObjectProblem

MAX_OBJECT_BYTES: Final = 8 * 1024 * 1024
"""An ordinary object is far smaller. In etcd it has at most 1.5 MB, which are up to 9 MB of JSON."""


class _InvalidVersion(NamedTuple):
    """A version of an object that cannot be decoded, and the reason."""

    uid: str
    resource_version: str
    message: str


class DeltaTracker:
    """Tracks the objects of one kind in one namespace or in all namespaces, and computes changes.

    It shares objects with the store, so it costs little memory. It does no I/O. Calls must not overlap.
    """

    def __init__(self, kind: Kind, *, keep_full: bool = False, keep_managers: bool = False) -> None:
        """Start without objects of *kind*. With *keep_full*, objects keep all fields, with *keep_managers* `set_by`."""
        self._kind = kind
        self._keep_full = keep_full
        self._keep_managers = keep_managers
        self._objects: dict[str, dict[str, KubernetesObject]] = {}
        self._invalid: dict[ObjectKey, _InvalidVersion] = {}
        self._unidentified_message = ""
        self._unseen: set[ObjectKey] = set()
        self._has_unidentified = self._has_listed_any = False
        self._knows_versions = True
        self.decoded = 0

    def forget_versions(self) -> None:
        """Decode all objects of the next list, also at known resource versions, which may have other content now."""
        self._knows_versions = False

    def contains(self, key: ObjectKey) -> bool:
        """Return whether the object at *key* was seen and has not been removed; safe from any thread."""
        return key.name in self._objects.get(key.namespace, {}) or key in self._invalid

    def recognizes(self, item: RawObject | None) -> bool:
        """Return whether *item*, the first object of a list, is an object with a known uid.

        An empty list (None) is recognized if no object is known, and an object that cannot be identified always. An
        object with an unknown uid may be new, or belong to another cluster.
        """
        if item is None:
            return not (self._invalid or any(self._objects.values()))
        if item.header is None:
            return True
        version = self._find_version(self._build_key(item.header))
        return version is not None and version[0] == item.header.uid

    def begin_list(self) -> None:
        """Begin a complete list. A list that was begun before is discarded."""
        self._unseen = {
            ObjectKey(self._kind, namespace, name) for namespace, names in self._objects.items() for name in names
        } | self._invalid.keys()
        self._has_unidentified = self._has_listed_any = False

    def receive_listed(self, item: RawObject) -> Iterator[Delta]:
        """Process an *item* of the list, and yield what it changes. Known versions are not decoded again."""
        self._has_listed_any = True
        if item.header is None:
            self._has_unidentified = True
            yield from self._report_unidentified()
            return
        key = self._build_key(item.header)
        self._unseen.discard(key)
        version = item.header.uid, item.header.resource_version
        if not (self._knows_versions and item.header.resource_version and version == self._find_version(key)):
            yield from self._receive(key, item.header, item.content)

    @property
    def is_list_empty(self) -> bool:
        """Whether the list was empty although objects were known before."""
        return not self._has_listed_any and bool(self._unseen)

    def complete_list(self) -> Iterator[Delta]:
        """End the list, remove the objects that it lacks, and yield these changes.

        If an item could not be identified, remove nothing, since the item may be any of these objects.
        """
        self._knows_versions = True
        if self._has_unidentified:
            return
        if self._unidentified_message:
            self._unidentified_message = ""
            yield self._build_problem(None, "")
        for key in sorted(self._unseen):
            yield from self._remove(key, Sighting.MISSING)

    def receive_change(self, item: RawObject) -> Iterator[Delta]:
        """Process an ADDED or MODIFIED event, and yield what it changes."""
        if item.header is None:
            yield from self._report_unidentified()
        else:
            yield from self._receive(self._build_key(item.header), item.header, item.content)

    def receive_delete(self, item: RawObject) -> Iterator[Delta]:
        """Process a DELETED event, and yield what it changes."""
        if item.header is None:
            yield from self._report_unidentified()
        else:
            key = self._build_key(item.header)
            self._unseen.discard(key)
            yield from self._remove(key, Sighting.DELETED)

    def _build_key(self, head: ObjectHeader) -> ObjectKey:
        return ObjectKey(self._kind, sys.intern(head.namespace) if self._kind.namespaced else "", head.name)

    def _find_version(self, key: ObjectKey) -> tuple[str, str] | None:
        if (bad := self._invalid.get(key)) is not None:
            return bad.uid, bad.resource_version
        good = self._objects.get(key.namespace, {}).get(key.name)
        return (good.metadata.uid, good.metadata.resource_version) if good is not None else None

    def _receive(self, key: ObjectKey, head: ObjectHeader, raw: bytes | msgspec.Raw) -> Iterator[Delta]:
        self.decoded += 1
        read = self._decode(raw)
        if isinstance(read, str):
            before = self._invalid.get(key)
            self._invalid[key] = _InvalidVersion(head.uid, head.resource_version, read)
            if before is None or before.message != read:
                yield self._build_problem(key, read)
            return
        if self._invalid.pop(key, None) is not None:
            yield self._build_problem(key, "")
        names = self._objects.setdefault(key.namespace, {})
        old = names.get(key.name)
        names[read.key.name] = read.obj
        yield ObjectChange(key=read.key, old=old, new=read.obj)  # not *key*, whose strings are copies of the object's

    def _decode(self, raw: bytes | msgspec.Raw) -> DecodedObject | str:
        size = len(memoryview(raw))
        if size > MAX_OBJECT_BYTES:
            return f"the object is {size >> 20} MiB large; allowed: {MAX_OBJECT_BYTES >> 20} MiB"
        found = decode_json(self._kind, bytes(raw))
        if self._keep_full and isinstance(found, DecodedObject):
            found = keep_all_fields(found, bytes(raw))
        if self._keep_managers and isinstance(found, DecodedObject):
            msgspec.structs.force_setattr(found.obj.metadata, "set_by", find_managers(bytes(raw)))
        return found.message if isinstance(found, DocumentProblem) else found

    def _remove(self, key: ObjectKey, sighting: Sighting) -> Iterator[Delta]:
        if self._invalid.pop(key, None) is not None:
            yield self._build_problem(key, "")
        old = self._objects.get(key.namespace, {}).pop(key.name, None)
        if old is not None:
            yield ObjectChange(key=key, old=old, new=None, seen=sighting)

    def _report_unidentified(self) -> Iterator[ObjectProblem]:
        if not self._unidentified_message:
            self._unidentified_message = (
                "an object of this kind cannot be identified; allowed: metadata with name and namespace"
            )
            yield self._build_problem(None, self._unidentified_message)

    def _build_problem(self, key: ObjectKey | None, message: str) -> ObjectProblem:
        location = str(ObjectRef(key=key)) if key is not None else f"some {self._kind.name}"
        return ObjectProblem(location=location, key=key, message=message)


class ReflectorReport(Value, frozen=True, kw_only=True):
    """Changes of one kind in one namespace, in the order in which they were received, and the phase after them.

    Attributes:
        namespace: "" for all namespaces.
        phase: the new phase, None if it has not changed.
        detail: the error if the phase is not `SYNCED`, else "".
    """

    kind: Kind
    namespace: str
    deltas: tuple[Delta, ...] = ()
    phase: Phase | None = None
    detail: str = ""
