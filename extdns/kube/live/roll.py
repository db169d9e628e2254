"""What one list and watch has shown so far, and what is new in what it shows next."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from extdns.kube.live.wire import Head, Item
from extdns.kube.manifests.contents import Flaw, Found
from extdns.kube.manifests.objects import from_json
from extdns.kube.whole import kept_whole
from extdns.model.cluster import Kind, ObjectChange, ObjectKey, ObjectProblem, ObjectRef, Sight
from extdns.model.objects import KubernetesObject

News = ObjectChange | ObjectProblem

MAX_OBJECT_BYTES: Final = 8 * 1024 * 1024
"""Larger than any object that an API server stores by itself; an aggregated one may do otherwise."""


class _Bad(NamedTuple):
    """A version that cannot be read, and why."""

    uid: str
    resource_version: str
    message: str


class Roll:
    """The objects of one kind in one namespace, or in all.

    Shares each object with the store, so that it costs little more than a key. Knows no I/O; calls must
    not overlap.

    Attributes:
        decoded: how many versions of objects have been decoded.
    """

    def __init__(self, kind: Kind, *, whole: bool = False) -> None:
        """Know nothing yet of *kind*, whose objects are to be kept *whole*."""
        self._kind = kind
        self._whole = whole
        self._good: dict[str, dict[str, KubernetesObject]] = {}
        self._bad: dict[ObjectKey, _Bad] = {}
        self._nameless = ""
        self._unseen: set[ObjectKey] = set()
        self._has_nameless = self._has_seen = False
        self._knows_versions = True
        self.decoded = 0

    def forget_versions(self) -> None:
        """Another history has begun, in which a known version may be another content: all is read once more."""
        self._knows_versions = False

    def begin(self) -> None:
        """A complete list follows; whatever came of an earlier one counts for nothing."""
        self._unseen = {
            ObjectKey(self._kind, namespace, name) for namespace, names in self._good.items() for name in names
        } | self._bad.keys()
        self._has_nameless = self._has_seen = False

    def see(self, item: Item) -> Iterator[News]:
        """Take in an *item* of the list; one of a known version is no news and is not decoded."""
        self._has_seen = True
        if item.head is None:
            self._has_nameless = True
            yield from self._fail_nameless()
            return
        key = self._key(item.head)
        self._unseen.discard(key)
        version = item.head.uid, item.head.resource_version
        if not (self._knows_versions and item.head.resource_version and version == self._version(key)):
            yield from self._read(key, item.head, item.raw)

    @property
    def lost_all(self) -> bool:
        """Whether the list held nothing at all, though something was known before."""
        return not self._has_seen and bool(self._unseen)

    def complete(self) -> Iterator[News]:
        """The list has ended: what it lacks is missing, unless it may be what could not be identified."""
        self._knows_versions = True
        if self._has_nameless:
            return
        if self._nameless:
            self._nameless = ""
            yield self._problem(None, "")
        for key in sorted(self._unseen):
            yield from self._leave(key, Sight.MISSING)

    def change(self, item: Item) -> Iterator[News]:
        """Take in an event: the object was added, or is another version now."""
        if item.head is None:
            yield from self._fail_nameless()
        else:
            yield from self._read(self._key(item.head), item.head, item.raw)

    def delete(self, item: Item) -> Iterator[News]:
        """Take in an event: the object was deleted."""
        if item.head is None:
            yield from self._fail_nameless()
        else:
            key = self._key(item.head)
            self._unseen.discard(key)
            yield from self._leave(key, Sight.DELETED)

    def _key(self, head: Head) -> ObjectKey:
        return ObjectKey(self._kind, sys.intern(head.namespace) if self._kind.namespaced else "", head.name)

    def _version(self, key: ObjectKey) -> tuple[str, str] | None:
        if (bad := self._bad.get(key)) is not None:
            return bad.uid, bad.resource_version
        good = self._good.get(key.namespace, {}).get(key.name)
        return (good.metadata.uid, good.metadata.resource_version) if good is not None else None

    def _read(self, key: ObjectKey, head: Head, raw: bytes | msgspec.Raw) -> Iterator[News]:
        self.decoded += 1
        read = self._decode(raw)
        if isinstance(read, str):
            before = self._bad.get(key)
            self._bad[key] = _Bad(head.uid, head.resource_version, read)
            if before is None or before.message != read:
                yield self._problem(key, read)
            return
        if self._bad.pop(key, None) is not None:
            yield self._problem(key, "")
        names = self._good.setdefault(key.namespace, {})
        old = names.get(key.name)
        names[key.name] = read
        yield ObjectChange(key=key, old=old, new=read)

    def _decode(self, raw: bytes | msgspec.Raw) -> KubernetesObject | str:
        """The object, or why there is none."""
        size = len(memoryview(raw))
        if size > MAX_OBJECT_BYTES:
            return f"the object is {size >> 20} MiB large; allowed: {MAX_OBJECT_BYTES >> 20} MiB"
        found = from_json(self._kind, bytes(raw), 1)
        if self._whole and isinstance(found, Found):
            found = kept_whole(found, bytes(raw))
        if isinstance(found, Flaw):
            return found.message
        return found.obj

    def _leave(self, key: ObjectKey, seen: Sight) -> Iterator[News]:
        if self._bad.pop(key, None) is not None:
            yield self._problem(key, "")
        old = self._good.get(key.namespace, {}).pop(key.name, None)
        if old is not None:
            yield ObjectChange(key=key, old=old, new=None, seen=seen)

    def _fail_nameless(self) -> Iterator[ObjectProblem]:
        if not self._nameless:
            self._nameless = "an object of this kind cannot be identified; allowed: metadata with name and namespace"
            yield self._problem(None, self._nameless)

    def _problem(self, key: ObjectKey | None, message: str) -> ObjectProblem:
        place = str(ObjectRef(key=key)) if key is not None else f"some {self._kind.name}"
        return ObjectProblem(place=place, key=key, message=message)
