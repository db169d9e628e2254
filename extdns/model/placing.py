"""What can stand in a zone, whoever serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.model import rrtype

if TYPE_CHECKING:
    from extdns.model.record import Endpoint
    from extdns.model.zone import Zone

_NOT_AT_WILDCARDS: Final = frozenset({rrtype.NS, rrtype.DNAME})


def misplaced(endpoint: Endpoint, zone: Zone) -> str:
    """Why *endpoint* cannot stand in *zone*, "" if it can (RFC 1034 section 3.6.2, RFC 4592 sections 4.2 and 4.4)."""
    name, rtype = endpoint.name, endpoint.type
    if not name.within(zone.name):
        return f"{name} lies outside zone {zone}"
    if not endpoint.targets:
        return f"{rtype} needs a target"
    if rtype == rrtype.CNAME and name == zone.name:
        return f"a CNAME cannot stand at the apex of {zone}, beside SOA and NS"
    if rtype in _NOT_AT_WILDCARDS and name.is_wildcard:
        return f"{rtype} cannot stand at a wildcard"
    return ""
