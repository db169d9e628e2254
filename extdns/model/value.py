"""The base class of values, immutable maps of strings, and some computations that every package needs."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A frozen struct of keyword-only fields, which compares and hashes by content.

    A struct rather than a dataclass: there are dozens of values for each name, and a struct is made ten
    times as fast and takes less memory. The garbage collector does not track structs, so a value must
    not refer back to itself; a value that holds mutable objects sets `gc=True`. `msgspec.structs.replace` returns a
    changed copy.
    """


class StringMap(tuple[tuple[str, str], ...]):
    """Key-value pairs, sorted by key, each key once.

    It is a tuple, so it hashes and compares fast and takes little memory. Maps with equal content are equal.
    """

    __slots__ = ()

    @classmethod
    def from_items(cls, entries: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> StringMap:
        """Build the map from a mapping or from pairs. If a key occurs twice, the last value wins."""
        content = dict(entries)
        return cls(sorted(content.items())) if content else EMPTY_MAP

    def get(self, key: str, default: str = "") -> str:
        """Return the value of *key*, or *default*."""
        for name, value in self:
            if name == key:
                return value
        return default

    def has(self, key: str) -> bool:
        """Return whether the map contains *key*."""
        for name, _ in self:  # noqa: SIM110 - called several times for each ownership record, and four times as fast as a generator
            if name == key:
                return True
        return False

    def set(self, key: str, value: str) -> StringMap:
        """Return a copy in which *key* has *value*."""
        items = [item for item in self if item[0] != key]
        items.append((key, value))
        items.sort()
        return StringMap(items)

    def without(self, *keys: str) -> StringMap:
        """Return a copy without *keys*."""
        left = [item for item in self if item[0] not in keys]
        if len(left) == len(self):
            return self
        return StringMap(left) if left else EMPTY_MAP


EMPTY_MAP: Final = StringMap()


N = TypeVar("N", bound=Hashable)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def group_by(found: Iterable[V], get_key: Callable[[V], K]) -> dict[K, list[V]]:
    """Return *found* by what *get_key* returns for each, in their order."""
    groups: dict[K, list[V]] = {}
    for one in found:
        groups.setdefault(get_key(one), []).append(one)
    return groups


def take_turns(lines: Iterable[Iterable[V]]) -> Iterator[V]:
    """Yield the first of each of *lines*, then the second of each, and so on; take nothing before it is needed."""
    while lines:
        left: list[Iterator[V]] = []
        for line in map(iter, lines):
            for one in line:
                yield one
                left.append(line)
                break
        lines = left


def take_next(lines: dict[N, dict[K, V]], paused: Container[K] = ()) -> V | None:
    """Remove and return the first value whose key is not among *paused*, None if there is none.

    Its line is the last one from now on, and is removed if it is empty. Let long lines, and many, be ordered
    dictionaries: the first entry of others takes longer, the more were removed before it.
    """
    for name, line in lines.items():
        for key in (key for key in line if key not in paused):
            value = line.pop(key)
            del lines[name]
            if line:
                lines[name] = line
            return value
    return None


def format_count(number: int, one: str, several: str = "") -> str:
    """Return `1 delete` or `2 deletes`. *several* is the plural if it is not *one* with an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


_MOST_DOUBLINGS: Final = 30  # more would not change the result, and a float overflows at a thousand


def compute_backoff_s(first_s: float, failures: int, most_s: float) -> float:
    """Return the pause before the next attempt: *first_s*, doubled *failures* times, at most *most_s*."""
    return min(first_s * 2.0 ** min(failures, _MOST_DOUBLINGS), most_s)
