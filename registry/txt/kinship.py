"""Names that must be read together for the ledger to be right.

Of A `foo`, say, without affixes and with A and CNAME managed::

    foo ──marks──▶ a-foo, cname-foo         may prove it
                     │
                     └─may also speak of──▶ host a-foo, which needs the mark less
                                            if it has a mark of its own ──▶ a-a-foo, cname-a-foo
"""

from __future__ import annotations

from collections.abc import Iterator

from extdns.model import rrtype
from extdns.model.name import DnsName
from registry.txt.naming import Naming, Reading


class Kinship:
    """Knows the names around a name; the relation is symmetric, so that each is planned with the other."""

    __slots__ = ("_managed", "_naming", "_types")

    def __init__(self, naming: Naming, managed: frozenset[str]) -> None:
        """Take the types whose records we may own; marks of no others are looked for."""
        self._naming = naming
        self._managed = tuple(sorted(managed))
        self._types = tuple(sorted(managed | {rrtype.CNAME} if rrtype.A in managed else managed))

    def of(self, name: DnsName) -> tuple[DnsName, ...]:
        """Names whose records decide about *name*, or the other way round, sorted, without *name*."""
        found = {name}
        for mark in self._marks(name):
            found.add(mark)
            found |= self._evidence(mark)
        for owned in self._owned(name):
            found.add(owned)
            if name in self._today(owned):
                for mark in self._marks(owned):
                    found |= self._owned(mark)
        return tuple(sorted(found - {name}))

    def _marks(self, name: DnsName) -> set[DnsName]:
        """Names of all marks that may prove a record of *name*."""
        return {mark for rtype in self._managed for _, mark in self._naming.forms(name, rtype, alias=True)}

    def _owned(self, mark: DnsName) -> set[DnsName]:
        """Names of all records that a mark named *mark* may prove."""
        return {reading.name for reading in self._readings(mark)}

    def _readings(self, mark: DnsName) -> list[Reading]:
        untyped = any(rtype != rrtype.AAAA for rtype in self._managed)
        return [reading for reading in self._naming.readings(mark, self._types) if reading.type or untyped]

    def _evidence(self, mark: DnsName) -> set[DnsName]:
        """Names of the records and marks that tell whose *mark* is."""
        readings = self._readings(mark)
        rivals = {reading.name for reading in readings}
        if len(rivals) == 1:
            return rivals
        return rivals | {
            other
            for reading in readings
            for other in self._today(reading.name, skipped="" if reading.type else rrtype.AAAA)
        }

    def _today(self, name: DnsName, *, skipped: str = "") -> Iterator[DnsName]:
        for rtype in self._managed:
            if rtype != skipped and (mark := self._naming.today(name, rtype)):
                yield mark
