"""Resource record types that extdns deals with (RFC 9499 section 5; spec plan 0.1).

Types are plain text, since a zone may hold any; these are the names of those that mean something
here.
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
# Of what stands at a name and cannot be read; the targets say what is wrong with it, and where.
UNREADABLE: Final = "?"

ADDRESSES: Final = frozenset({A, AAAA})
# In the order in which an ownership name is tried against them (spec plan 3.2.2).
OWNABLE: Final = (A, AAAA, CNAME, NS, MX, PTR, SRV, NAPTR, TXT, DNAME)
# Of the types a person may publish, those whose record data is one host name.
HOSTS: Final = frozenset({CNAME, DNAME, NS, PTR})
# A CNAME stands alone at its name (RFC 1034 section 3.6.2); so does DNAME's owner for CNAME.
EXCLUSIVE: Final = CNAME
