"""The resource record types that extdns treats specially (RFC 9499 section 5; docs/spec/plan.md 0.1).

Types are plain text, because a zone may hold any type.

"""

from __future__ import annotations

from typing import Final

A: Final = "A"
AAAA: Final = "AAAA"
CNAME: Final = "CNAME"
DNAME: Final = "DNAME"
MX: Final = "MX"
NAPTR: Final = "NAPTR"
NS: Final = "NS"
PTR: Final = "PTR"
SOA: Final = "SOA"
SRV: Final = "SRV"
TXT: Final = "TXT"
# What the type of a record that cannot be read begins with, before its type if that is known; its targets state what is
# wrong, and where.
UNREADABLE: Final = "?"
# What the type of a row begins with, before the type of the record that it is about: a row states an owner outside of
# the zone (registry.rows). In lower case, so that no record has such a type.
ROW: Final = "row:"

ADDRESSES: Final = frozenset({A, AAAA})
# In the order in which names of ownership records are matched against them (docs/spec/plan.md 3.2.2).
OWNABLE: Final = (A, AAAA, CNAME, NS, MX, PTR, SRV, NAPTR, TXT, DNAME)
# The publishable types whose record data is one host name.
HOSTS: Final = frozenset({CNAME, DNAME, NS, PTR})
# A CNAME excludes all other types at its name (RFC 1034 section 3.6.2).
EXCLUSIVE: Final = CNAME


def is_row(rtype: str) -> bool:
    """Return whether *rtype* is that of a row, presented as a record."""
    return rtype.startswith(ROW)


def is_unreadable(rtype: str) -> bool:
    """Return whether *rtype* is that of a record that cannot be read."""
    return rtype.startswith(UNREADABLE)
