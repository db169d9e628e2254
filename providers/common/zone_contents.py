"""The records of a fully read zone: by name, and split into pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Final

from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.zone import ZonePage

_ORDER: Final = attrgetter("order")


class ZoneContents:
    """The records of a zone, which never change. Safe from any thread."""

    def __init__(self, by_name: Mapping[DnsName, tuple[Record, ...]]) -> None:
        """Hold *by_name*, which nobody may change afterwards."""
        self.by_name = by_name

    @cached_property
    def names(self) -> tuple[DnsName, ...]:
        """All names that have records, sorted by `DnsName.order`."""
        return tuple(sorted(self.by_name, key=_ORDER))

    def build_page(self, after: str | None, size: int) -> ZonePage:
        """Return the records of the next *size* names after the name *after*, or of the first ones if it is None."""
        start = 0 if after is None else bisect_right(self.names, DnsName(after).order, key=_ORDER)
        part = self.names[start : start + size]
        return ZonePage(
            records=tuple(record for name in part for record in self.by_name[name]),
            after=part[-1] if start + size < len(self.names) else None,
        )

    def select_records(self, names: Iterable[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, in the order of *names*."""
        return tuple(record for name in dict.fromkeys(names) for record in self.by_name.get(name, ()))

    def index_records(self, names: Iterable[DnsName]) -> dict[RecordKey, Record]:
        """Return all records of *names* by key."""
        return {record.key: record for record in self.select_records(names)}


NO_CONTENTS: Final = ZoneContents({})
