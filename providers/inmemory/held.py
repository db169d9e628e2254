"""The records of one zone, by key and in the order in which pages give them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator

from extdns.model.name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Page

_Position = tuple[str, ...]  # order of the name, set identifier, type; fewer of them stand before all that begin so


class Held:
    """Records that change one by one; a change costs the same in small and large zones."""

    def __init__(self, records: Iterable[Record]) -> None:
        """Begin with *records*, each key once."""
        self._records = {record.key: record for record in records}
        self._order = sorted(self._records, key=_position)

    def get(self, key: RecordKey) -> Record | None:
        """The record that stands at *key*."""
        return self._records.get(key)

    def keys(self, name: DnsName) -> Iterator[RecordKey]:
        """The keys at *name*, sorted by set identifier and type."""
        start: _Position = (name.order,)
        index = bisect_left(self._order, start, key=_position)
        while index < len(self._order) and self._order[index].name == name:
            yield self._order[index]
            index += 1

    def names(self, names: Iterable[DnsName]) -> tuple[Record, ...]:
        """The records of *names*, each name once."""
        return tuple(self._records[key] for name in dict.fromkeys(names) for key in self.keys(name))

    def page(self, after: str | None, size: int) -> Page:
        """At most *size* records behind the cursor *after*."""
        start = 0 if after is None else bisect_right(self._order, _position(_key(after)), key=_position)
        keys = self._order[start : start + size]
        more = start + size < len(self._order)
        return Page(records=tuple(self._records[key] for key in keys), after=_cursor(keys[-1]) if more else None)

    def put(self, record: Record) -> None:
        """Let *record* stand at its key."""
        if record.key not in self._records:
            insort(self._order, record.key, key=_position)
        self._records[record.key] = record

    def remove(self, key: RecordKey) -> None:
        """Let nothing stand at *key*, where a record stands now."""
        del self._records[key]
        del self._order[bisect_left(self._order, _position(key), key=_position)]


def _position(key: RecordKey) -> _Position:
    return (key.name.order, key.set_identifier, key.type)


def _cursor(key: RecordKey) -> str:
    return f"{key.name} {key.type} {key.set_identifier}"  # names and types hold no blank


def _key(cursor: str) -> RecordKey:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return RecordKey(DnsName(name), set_identifier, rtype)
