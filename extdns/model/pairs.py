"""A small immutable mapping of text to text, used for labels and provider-specific properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Pairs(tuple[tuple[str, str], ...]):
    """Key-value pairs, sorted by key, each key once.

    A tuple, so that it hashes, compares and costs as little as one; equal content is equal bytes.
    """

    __slots__ = ()

    @classmethod
    def of(cls, entries: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> Pairs:
        """Build from a mapping or from pairs; of a key given twice the last one wins."""
        content = dict(entries)
        return cls(sorted(content.items())) if content else NONE

    def get(self, key: str, default: str = "") -> str:
        """The value of *key*, or *default*."""
        for name, value in self:
            if name == key:
                return value
        return default

    def has(self, key: str) -> bool:
        """Tell whether *key* is present, whatever its value."""
        for name, _ in self:  # noqa: SIM110 - asked several times of every mark, and four times as fast as a generator
            if name == key:
                return True
        return False

    def set(self, key: str, value: str) -> Pairs:
        """A copy in which *key* has *value*."""
        return Pairs(sorted([*(pair for pair in self if pair[0] != key), (key, value)]))

    def without(self, *keys: str) -> Pairs:
        """A copy that lacks *keys*."""
        left = [pair for pair in self if pair[0] not in keys]
        if len(left) == len(self):
            return self
        return Pairs(left) if left else NONE


NONE = Pairs()
