"""Store the encoded objects of the fake API server and their history, numbered by one counter as in etcd.

Keys are `namespace/name`, or `name` for cluster-scoped kinds, and are sorted by bytes as in etcd. Callers hold the lock
of the store unless a docstring states otherwise.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from threading import Condition, RLock
from typing import Any, Final

import msgspec

from tests.fakes.apiserver.kinds import Kind

Json = dict[str, Any]
FIRST_VERSION: Final = 1000
"""The first version of the history, high enough that a new history can begin at a lower one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of an object.

    Attributes:
        tail: the JSON after `{"metadata":{"resourceVersion":"` and the version, without kind and apiVersion.
    """

    key: str
    version: int
    tail: bytes

    def encode(self, kind: Kind, *, typed: bool) -> bytes:
        head = b'"kind":"%b","apiVersion":"%b",' % (kind.kind.encode(), kind.api_version.encode()) if typed else b""
        return b'{%b"metadata":{"resourceVersion":"%d%b' % (head, self.version, self.tail)

    def decode(self, kind: Kind) -> Json:
        decoded: Json = msgspec.json.decode(self.encode(kind, typed=True))
        return decoded


@dataclass(frozen=True, slots=True)
class Event:
    """A change of one object: created if *old* is None, deleted if *new* is None, else modified."""

    version: int
    key: str
    old: Stored | None
    new: Stored | None


class Collection:
    """The objects of one resource (plural and group), shared by all its API versions.

    Attributes:
        keys: the sorted keys of `objects`.
        events: all changes so far, sorted by version.
        changed: notified at each change, and when watches receive an order.
    """

    def __init__(self, lock: RLock) -> None:
        self.objects: dict[str, Stored] = {}
        self.keys: list[str] = []
        self.events: list[Event] = []
        self.changed = Condition(lock)

    def find_position(self, version: int) -> int:
        """Return the index in `events` of the first change after *version*."""
        return bisect_right(self.events, version, key=attrgetter("version"))

    def list_at(self, version: int) -> tuple[list[str], Mapping[str, Stored]]:
        """Return the sorted keys and the objects as of *version*."""
        later = self.events[self.find_position(version) :]
        if not later:
            return self.keys, self.objects
        objects = dict(self.objects)
        for event in reversed(later):
            if event.old is None:
                del objects[event.key]
            else:
                objects[event.key] = event.old
        return sorted(objects), objects


class Store:
    """All collections of the fake API server.

    Attributes:
        version: the version of the last change of any object.
        horizon: the oldest version that can still be listed at or watched from.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.version = self.horizon = FIRST_VERSION
        self._collections: dict[tuple[str, str], Collection] = {}

    def collection(self, kind: Kind) -> Collection:
        found = self._collections.get((kind.group, kind.plural))
        if found is None:
            found = self._collections[kind.group, kind.plural] = Collection(self.lock)
        return found

    def put(self, kind: Kind, key: str, obj: Json) -> Stored:
        """Store *obj* with the next version and report the change to watches."""
        collection = self.collection(kind)
        old = collection.objects.get(key)
        if old is None:
            insort(collection.keys, key)
        self.version += 1
        new = encode_object(key, self.version, obj)
        collection.objects[key] = new
        self._notify(collection, Event(self.version, key, old, new))
        return new

    def load(self, kind: Kind, objects: Iterable[tuple[str, Json]]) -> None:
        """Store many objects. Same as `put` for each, but keys are sorted only once."""
        collection = self.collection(kind)
        for key, obj in objects:
            old = collection.objects.get(key)
            self.version += 1
            new = collection.objects[key] = encode_object(key, self.version, obj)
            collection.events.append(Event(self.version, key, old, new))
        collection.keys = sorted(collection.objects)
        collection.changed.notify_all()

    def remove(self, kind: Kind, key: str) -> Stored:
        """Remove the object at *key* with the next version and report this to watches. Return its last state."""
        collection = self.collection(kind)
        old = collection.objects.pop(key)
        del collection.keys[bisect_left(collection.keys, key)]
        self.version += 1
        self._notify(collection, Event(self.version, key, old, None))
        return replace(old, version=self.version)

    def forget(self) -> None:
        """Delete the history: all versions so far become too old."""
        self.version += 1
        self.horizon = self.version

    def begin_new_history(self, *, keep: bool) -> None:
        """Begin a new history with lower versions. *keep* keeps the objects; otherwise all are deleted."""
        self.version = self.horizon = 1
        for collection in self._collections.values():
            collection.events.clear()
            for key in list(collection.keys) if keep else []:
                self.version += 1
                collection.objects[key] = replace(collection.objects[key], version=self.version)
            if not keep:
                collection.objects.clear()
                collection.keys.clear()
        self.horizon = self.version

    def swap(self) -> None:
        """Replace the contents by those of another cluster: no objects, and a version above all returned so far."""
        for collection in self._collections.values():
            collection.events.clear()
            collection.objects.clear()
            collection.keys.clear()
        self.version = self.horizon = 1

    @staticmethod
    def _notify(collection: Collection, event: Event) -> None:
        collection.events.append(event)
        collection.changed.notify_all()


def encode_object(key: str, version: int, obj: Json) -> Stored:
    """Encode *obj*. Its kind, apiVersion and resourceVersion are replaced."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    rest = {name: value for name, value in obj.items() if name not in {"kind", "apiVersion", "metadata"}}
    inner, outer = msgspec.json.encode(metadata)[1:], msgspec.json.encode(rest)[1:]
    comma = b"," if rest else b""
    return Stored(key, version, b'",' + inner + comma + outer)
