"""Objects, encoded once, and their history under one counter, as etcd keeps them.

Keys are `namespace/name`, or `name` in kinds without namespaces, and are ordered as etcd orders them: by bytes.
Everything here is called with the store's lock held, except where it says otherwise.
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
"""Where history begins: high enough for another history to begin lower."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of an object.

    Attributes:
        tail: its JSON from behind the digits of `{"metadata":{"resourceVersion":"1`, without kind and apiVersion.
    """

    key: str
    version: int
    labels: Mapping[str, str]
    tail: bytes

    def item(self, kind: Kind, *, typed: bool) -> bytes:
        """Encode it, with kind and apiVersion if *typed*."""
        head = b'"kind":"%b","apiVersion":"%b",' % (kind.kind.encode(), kind.api_version.encode()) if typed else b""
        return b'{%b"metadata":{"resourceVersion":"%d%b' % (head, self.version, self.tail)

    def decode(self, kind: Kind) -> Json:
        """Decode it, with kind and apiVersion."""
        decoded: Json = msgspec.json.decode(self.item(kind, typed=True))
        return decoded


@dataclass(frozen=True, slots=True)
class Event:
    """A change: *old* is None for an object that was not there before, *new* for one that is gone."""

    version: int
    key: str
    old: Stored | None
    new: Stored | None


class Collection:
    """The objects of one plural of one group, in whatever version they are served.

    Attributes:
        keys: of `objects`, sorted.
        events: all that ever happened, by version.
        changed: signals another event, or that somebody wants the attention of watches.
    """

    def __init__(self, lock: RLock) -> None:
        self.objects: dict[str, Stored] = {}
        self.keys: list[str] = []
        self.events: list[Event] = []
        self.changed = Condition(lock)

    def since(self, version: int) -> int:
        """Give the position in `events` of the first change after *version*."""
        return bisect_right(self.events, version, key=attrgetter("version"))

    def at(self, version: int) -> tuple[list[str], Mapping[str, Stored]]:
        """Give keys, sorted, and objects as of *version*."""
        later = self.events[self.since(version) :]
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
    """All collections.

    Attributes:
        version: of the last change of any object.
        horizon: what happened before that version is forgotten: nothing can be listed at, or watched from, an
            older one.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.version = self.horizon = FIRST_VERSION
        self._collections: dict[tuple[str, str], Collection] = {}

    def collection(self, kind: Kind) -> Collection:
        """Give the objects of *kind*'s plural."""
        found = self._collections.get((kind.group, kind.plural))
        if found is None:
            found = self._collections[kind.group, kind.plural] = Collection(self.lock)
        return found

    def put(self, kind: Kind, key: str, obj: Json) -> Stored:
        """Store *obj* under the next version, and tell watches."""
        collection = self.collection(kind)
        old = collection.objects.get(key)
        if old is None:
            insort(collection.keys, key)
        self.version += 1
        new = encoded(key, self.version, obj)
        collection.objects[key] = new
        self._tell(collection, Event(self.version, key, old, new))
        return new

    def load(self, kind: Kind, objects: Iterable[tuple[str, Json]]) -> None:
        """Store many objects at once: as `put`, with the sorting done only at the end."""
        collection = self.collection(kind)
        for key, obj in objects:
            old = collection.objects.get(key)
            self.version += 1
            new = collection.objects[key] = encoded(key, self.version, obj)
            collection.events.append(Event(self.version, key, old, new))
        collection.keys = sorted(collection.objects)
        collection.changed.notify_all()

    def remove(self, kind: Kind, key: str) -> Stored:
        """Remove the object at *key* under the next version, and tell watches; gives its last state.

        Raises:
            KeyError: It is not there.
        """
        collection = self.collection(kind)
        old = collection.objects.pop(key)
        del collection.keys[bisect_left(collection.keys, key)]
        self.version += 1
        self._tell(collection, Event(self.version, key, old, None))
        return replace(old, version=self.version)

    def forget(self) -> None:
        """Forget history: every version given out until now is too old."""
        self.version += 1
        self.horizon = self.version

    def begin_anew(self, *, keep: bool) -> None:
        """Begin another history with lower versions, with the objects as they are if *keep*, else with none."""
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

    @staticmethod
    def _tell(collection: Collection, event: Event) -> None:
        collection.events.append(event)
        collection.changed.notify_all()


def encoded(key: str, version: int, obj: Json) -> Stored:
    """Encode *obj*, whose metadata is a mapping; what it says of kind, apiVersion and resourceVersion is left out."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    rest = {name: value for name, value in obj.items() if name not in {"kind", "apiVersion", "metadata"}}
    inner, outer = msgspec.json.encode(metadata)[1:], msgspec.json.encode(rest)[1:]
    comma = b"," if rest else b""
    labels = metadata.get("labels")
    chosen = {k: v for k, v in labels.items() if isinstance(v, str)} if isinstance(labels, dict) else {}
    return Stored(key, version, chosen, b'",' + inner + comma + outer)
