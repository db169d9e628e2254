"""The records of one zone, by name and in the order in which pages give them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import chain

from extdns.model.name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Page

_Position = tuple[str, str, str, DnsName]  # order of the name, set identifier, type, and the name itself


class Held:
    """Records that change one by one, at the same cost in small and large zones; pages pay for the order."""

    def __init__(self, records: Iterable[Record]) -> None:
        """Begin with *records*, each key once."""
        self._by_name: dict[DnsName, tuple[Record, ...]] = {}
        self._order: list[_Position] = []
        self._moved: set[DnsName] = set()
        for record in records:
            self.put(record)

    def at(self, name: DnsName) -> tuple[Record, ...]:
        """The records that stand at *name*, sorted by set identifier and type."""
        return self._by_name.get(name, ())

    def get(self, key: RecordKey) -> Record | None:
        """The record that stands at *key*."""
        return next((record for record in self.at(key.name) if record.key == key), None)

    def names(self, names: Iterable[DnsName]) -> tuple[Record, ...]:
        """The records of *names*, each name once."""
        return tuple(chain.from_iterable(self.at(name) for name in dict.fromkeys(names)))

    def page(self, after: str | None, size: int) -> Page:
        """At most *size* records behind the cursor *after*."""
        order = self._in_order()
        start = 0 if after is None else bisect_right(order, _position(_key(after)))
        records = tuple(record for place in order[start : start + size] if (record := self.get(_place(place))))
        more = start + size < len(order)
        return Page(records=records, after=_cursor(records[-1].key) if more else None)

    def put(self, record: Record) -> None:
        """Let *record* stand at its key."""
        others = self._others(record.key)
        self._set(record.name, tuple(sorted((*others, record), key=_key_of)) if others else (record,))

    def remove(self, key: RecordKey) -> None:
        """Let nothing stand at *key*."""
        self._set(key.name, self._others(key))

    def _others(self, key: RecordKey) -> tuple[Record, ...]:
        return tuple(record for record in self.at(key.name) if record.key != key)

    def _set(self, name: DnsName, records: tuple[Record, ...]) -> None:
        self._by_name[name] = records
        self._moved.add(name)
        if len(self._moved) > len(self._order):  # then all is put in order anew
            self._order.clear()
            self._moved.clear()

    def _in_order(self) -> list[_Position]:
        if self._moved or not self._order:
            named = self._moved or self._by_name
            self._order = [place for place in self._order if place[-1] not in self._moved]
            self._order += (_position(record.key) for name in named for record in self.at(name))
            self._order.sort()
            self._moved.clear()
        return self._order


def _position(key: RecordKey) -> _Position:
    return (key.name.order, key.set_identifier, key.type, key.name)


def _place(position: _Position) -> RecordKey:
    _, set_identifier, rtype, name = position
    return RecordKey(name, set_identifier, rtype)


def _key_of(record: Record) -> RecordKey:
    return record.key


def _cursor(key: RecordKey) -> str:
    return f"{key.name} {key.type} {key.set_identifier}"  # names and types hold no blank


def _key(cursor: str) -> RecordKey:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return RecordKey(DnsName(name), set_identifier, rtype)
