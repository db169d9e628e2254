"""Names that must be read together for the ledger to be right.

Of A `foo`, say, without affixes and with A and CNAME managed::

    foo ──marks──▶ a-foo, cname-foo         may prove it
                     │
                     └─may also speak of──▶ host a-foo, which needs the mark less
                                            if it has a mark of its own ──▶ a-a-foo, cname-a-foo
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.model import rrtype
from extdns.model.name import MAX_LABEL_BYTES, MAX_NAME_BYTES, DnsName
from registry.txt.naming import Naming, Reading

# Stand for the first label of a name and for the rest, and part names; no name holds them.
_HEAD: Final = "\0"
_REST: Final = "\1"
_NEXT: Final = "\n"


class Kinship:
    """Knows the names around a name; the relation is symmetric, so that each is planned with the other."""

    __slots__ = ("_growth", "_managed", "_naming", "_pattern", "_texts", "_types")

    def __init__(self, naming: Naming, managed: frozenset[str]) -> None:
        """Take the types whose records we may own; marks of no others are looked for."""
        self._naming = naming
        self._managed = tuple(sorted(managed))
        self._types = tuple(sorted(managed | {rrtype.CNAME} if rrtype.A in managed else managed))
        self._texts = frozenset(rtype.lower() for rtype in self._types)
        unknown = DnsName(f"{_HEAD}.{_REST}")
        kin = self._work_out(unknown)
        self._pattern = _NEXT.join(kin)
        self._growth = max(map(len, kin), default=0) - len(unknown)

    def of(self, name: DnsName) -> tuple[DnsName, ...]:
        """Names whose records decide about *name*, or the other way round, each once, without *name*."""
        head, dot, rest = name.partition(".")
        if dot and self._pattern and self._is_plain(name, head):
            return tuple(map(DnsName, self._pattern.replace(_HEAD, head).replace(_REST, rest).split(_NEXT)))
        return self._work_out(name)

    def _is_plain(self, name: DnsName, head: str) -> bool:
        """Tell whether the kin of *name* follow the pattern, in which any labels can be put.

        They do, unless something could be read out of it, or a name made of it would be too long.
        Where the type goes into an affix, or a wildcard has a stand-in, too many readings meet to say.
        """
        naming = self._naming
        return not (
            naming.templated
            or naming.wildcard_replacement
            or name.partition("-")[0] in self._texts
            or len(head) + self._growth > MAX_LABEL_BYTES
            or len(name) + self._growth > MAX_NAME_BYTES
            or naming.affixed(name)
        )

    def _work_out(self, name: DnsName) -> tuple[DnsName, ...]:
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
