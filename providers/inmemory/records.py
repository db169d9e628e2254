"""Store the records of one zone, by name and in the order in which pages return them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import chain

from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import ZonePage

_Position = tuple[str, str, str, DnsName]  # order of the name, set identifier, type, name


class StoredRecords:
    """Stores the records of a zone. A change takes constant time; reading a page sorts the keys first if needed."""

    def __init__(self, records: Iterable[Record]) -> None:
        """Start with *records*, each key once."""
        self._by_name: dict[DnsName, tuple[Record, ...]] = {}
        self._order: list[_Position] = []
        self._changed: set[DnsName] = set()
        for record in records:
            self.put(record)

    def get_records(self, name: DnsName) -> tuple[Record, ...]:
        """Return the records at *name*, sorted by set identifier and type."""
        return self._by_name.get(name, ())

    def find(self, key: RecordKey) -> Record | None:
        """Return the record at *key*, None if there is none."""
        return next((record for record in self.get_records(key.name) if record.key == key), None)

    def read_names(self, names: Iterable[DnsName]) -> tuple[Record, ...]:
        """Return the records of *names*; a repeated name counts once."""
        return tuple(chain.from_iterable(self.get_records(name) for name in dict.fromkeys(names)))

    def read_page(self, after: str | None, size: int) -> ZonePage:
        """Return at most *size* records after the cursor *after*, or the first ones if it is None."""
        order = self._sort()
        start = 0 if after is None else bisect_right(order, _get_position(_parse_cursor(after)))
        records = tuple(record for position in order[start : start + size] if (record := self.find(_get_key(position))))
        more = start + size < len(order)
        return ZonePage(records=records, after=_format_cursor(records[-1].key) if more else None)

    def put(self, record: Record) -> None:
        """Store *record* at its key."""
        others = self._list_others(record.key)
        self._set(record.name, tuple(sorted((*others, record), key=_get_record_key)) if others else (record,))

    def remove(self, key: RecordKey) -> None:
        """Remove the record at *key*, if any."""
        self._set(key.name, self._list_others(key))

    def _list_others(self, key: RecordKey) -> tuple[Record, ...]:
        return tuple(record for record in self.get_records(key.name) if record.key != key)

    def _set(self, name: DnsName, records: tuple[Record, ...]) -> None:
        if records:
            self._by_name[name] = records
        else:
            self._by_name.pop(name, None)
        self._changed.add(name)
        if len(self._changed) > len(self._order):  # sorting all keys once is then as cheap
            self._order.clear()
            self._changed.clear()

    def _sort(self) -> list[_Position]:
        if self._changed or not self._order:
            named = self._changed or self._by_name
            self._order = [position for position in self._order if position[-1] not in self._changed]
            self._order += (_get_position(record.key) for name in named for record in self.get_records(name))
            self._order.sort()
            self._changed.clear()
        return self._order


def _get_position(key: RecordKey) -> _Position:
    return (key.name.order, key.set_identifier, key.type, key.name)


def _get_key(position: _Position) -> RecordKey:
    _, set_identifier, rtype, name = position
    return RecordKey(name, set_identifier, rtype)


def _get_record_key(record: Record) -> RecordKey:
    return record.key


def _format_cursor(key: RecordKey) -> str:
    return f"{key.name} {key.type} {key.set_identifier}"  # names and types contain no blanks


def _parse_cursor(cursor: str) -> RecordKey:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return RecordKey(DnsName(name), set_identifier, rtype)
