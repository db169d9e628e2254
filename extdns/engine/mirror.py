"""What a zone held when it was last read or written (design 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from extdns.engine.inputs import records_by_name
from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.record import Record, RecordKey


class Mirror:
    """The records of one zone, by name.

    Attributes:
        whole: whether the zone was read from end to end since the process started.
        revision: grows with every change.
    """

    def __init__(self) -> None:
        """Start empty and not whole."""
        self._names: dict[DnsName, tuple[Record, ...]] = {}
        self.whole = False
        self.revision = 0

    def copy(self) -> Mirror:
        """What is held now, in a table that does not change."""
        copied = Mirror()
        copied._names = dict(self._names)
        copied.whole, copied.revision = self.whole, self.revision
        return copied

    def of(self, name: DnsName) -> tuple[Record, ...]:
        """The records of *name*, sorted by key."""
        return self._names.get(name, ())

    def around(self, name: DnsName, related: Iterable[DnsName]) -> list[Record]:
        """The records of *name*, then those of the *related* names in the order of names."""
        held = self._names
        records = list(held.get(name, ()))
        for other in sorted(held.keys() & related):
            records += held[other]
        return records

    def holding(self, names: Iterable[DnsName], types: AbstractSet[str]) -> set[DnsName]:
        """Those of *names* that hold a record of one of *types*."""
        held = self._names
        return {name for name in held.keys() & names if any(record.type in types for record in held[name])}

    def names(self) -> Iterable[DnsName]:
        """Every name that holds a record."""
        return self._names.keys()

    def records(self) -> Iterator[Record]:
        """Every record, name by name."""
        return chain.from_iterable(self._names.values())

    def plannable(self, types: AbstractSet[str]) -> Iterable[DnsName]:
        """The names at which there is something to plan: a record of one of *types*, or one that cannot be read.

        What else a zone holds, above all marks, is looked at with these.
        """
        matter = {*types, rrtype.UNREADABLE}
        return (name for name, records in self._names.items() if any(record.type in matter for record in records))

    def read(self, names: Iterable[DnsName], records: Sequence[Record]) -> set[DnsName]:
        """Take in that *names* hold *records* and nothing else; returns the names that changed."""
        found = records_by_name(records)
        return {name for name in names if self._set(name, found.get(name, ()))}

    def wrote(self, keys: Iterable[RecordKey], records: Iterable[Record]) -> None:
        """Take in that *keys* were written and now hold *records*; other keys of their names stay."""
        written = set(keys)
        new = records_by_name(tuple(records))
        for name in {key.name for key in written}:
            now = new.get(name, ())
            if kept := [record for record in self.of(name) if record.key not in written]:
                now = tuple(sorted((*kept, *now), key=lambda record: record.key))
            self._set(name, now)

    def _set(self, name: DnsName, records: tuple[Record, ...]) -> bool:
        if self._names.get(name, ()) == records:
            return False
        self.revision += 1
        if records:
            self._names[name] = records
        else:
            del self._names[name]
        return True
