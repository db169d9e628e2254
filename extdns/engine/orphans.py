"""Records that their objects do not ask for, so that news of an object makes their names due (design 6)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from extdns.model.cluster import ObjectKey
from extdns.model.name import DnsName


class Orphans:
    """Names by the objects that records of ours there were made for, though nobody asks for them."""

    def __init__(self) -> None:
        """Start with none."""
        self._names: dict[ObjectKey | None, set[DnsName]] = {}
        self._keys: dict[DnsName, AbstractSet[ObjectKey | None]] = {}

    def of(self, key: ObjectKey | None) -> AbstractSet[DnsName]:
        """The names that hold something for which news of the object at *key* count, of any object if that is None."""
        return self._names.get(key, frozenset())

    def all(self) -> AbstractSet[DnsName]:
        """Every such name."""
        return self._keys.keys()

    def put(self, name: DnsName, keys: AbstractSet[ObjectKey | None]) -> set[ObjectKey]:
        """News of *keys* count for what stands unclaimed at *name*; returns objects of which none do any more."""
        before = self._keys.pop(name, frozenset())
        if not (keys or before):
            return set()
        if keys:
            self._keys[name] = keys
        for key in keys - before:
            self._names.setdefault(key, set()).add(name)
        for key in before - keys:
            self._names[key].discard(name)
        done = {key for key in before - keys if not self._names[key]}
        for key in done:
            del self._names[key]
        return {key for key in done if key}
