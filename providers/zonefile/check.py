"""What may not stand together in one zone file, in the state that a batch would leave behind.

Servers reject the whole zone for a CNAME with company and for names below a DNAME; names below a
delegation they load and never serve.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.record import Record
from providers.zonefile.master import Records

_NONE: Final[tuple[Record, ...]] = ()


def discords(after: Records, written: Collection[Record], zone: DnsName) -> dict[DnsName, str]:
    """Why the records *written* cannot stand in *zone* as it is *after* the batch, by name.

    A DNAME that cannot stand is named alone: what it would put in the wrong may be right without it.
    """
    above = {record.name: detail for record in written if (detail := _below(after, record))}
    return above or {
        record.name: detail
        for record in written
        if (detail := _beside(after, record.name) or _above(after, record, zone))
    }


def _beside(after: Records, name: DnsName) -> str:
    types = [record.type for record in after.get(name, _NONE)]
    if rrtype.CNAME not in types or len(types) == 1:
        return ""
    types.remove(rrtype.CNAME)
    return f"a CNAME cannot stand beside {', '.join(sorted(types))}"


def _above(after: Records, record: Record, zone: DnsName) -> str:
    for ancestor in _ancestors(record.name, zone):
        for above in after.get(ancestor, _NONE):
            if above.type == rrtype.DNAME:
                return f"nothing can stand below the DNAME {ancestor}"
            if above.type == rrtype.NS and ancestor != zone and not _belongs_below(record, above):
                return f"it would stand below the delegation NS {ancestor} and never be served"
    return ""


def _belongs_below(record: Record, delegation: Record) -> bool:
    """Glue, and ownership marks of glue, which nobody has to serve."""
    return record.type == rrtype.TXT or (record.type in rrtype.ADDRESSES and record.name in delegation.targets)


def _below(after: Records, record: Record) -> str:
    if record.type != rrtype.DNAME:
        return ""
    below = min((name for name in after if name != record.name and name.within(record.name)), default="")
    return below and f"a DNAME cannot stand above {below}"


def _ancestors(name: DnsName, zone: DnsName) -> Iterator[DnsName]:
    while name != zone:
        name = DnsName(name.parent)
        yield name
