"""Store the records of one zone, by name and in the order in which pages return them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import chain

from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import ZonePage


class StoredRecords:
    """Stores the records of a zone. A change takes constant time; the next page after it sorts all records."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_name: dict[DnsName, tuple[Record, ...]] = {}
        self._sorted: list[Record] = []  # empty after a change
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
        if not self._sorted:
            self._sorted = sorted(chain.from_iterable(self._by_name.values()), key=_get_position)
        start = 0 if after is None else bisect_right(self._sorted, _parse_cursor(after), key=_get_position)
        records = tuple(self._sorted[start : start + size])
        more = start + size < len(self._sorted)
        return ZonePage(records=records, after=_format_cursor(records[-1].key) if more else None)

    def put(self, record: Record) -> None:
        """Store *record* at its key."""
        others = self._list_others(record.key)
        self._by_name[record.name] = tuple(sorted((*others, record), key=_get_position)) if others else (record,)
        self._sorted = []

    def remove(self, key: RecordKey) -> None:
        """Remove the record at *key*, if any."""
        self._by_name[key.name] = self._list_others(key)
        if not self._by_name[key.name]:
            del self._by_name[key.name]
        self._sorted = []

    def _list_others(self, key: RecordKey) -> tuple[Record, ...]:
        return tuple(record for record in self.get_records(key.name) if record.key != key)


def _get_position(record: Record) -> tuple[str, str, str]:
    return record.name.order, record.set_identifier, record.type


def _format_cursor(key: RecordKey) -> str:
    return f"{key.name} {key.type} {key.set_identifier}"  # names and types contain no blanks


def _parse_cursor(cursor: str) -> tuple[str, str, str]:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return DnsName(name).order, set_identifier, rtype
