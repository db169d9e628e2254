"""What a zone file can hold of what is wanted, in the form in which it is read back.

Refused is also what makes a server reject the whole zone instead of the one record: BIND, by
default (`check-names`), for owners of addresses and hosts in data that are no host names (RFC 1123
section 2.1).
"""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError
from extdns.model import pairs, rrtype
from extdns.model.adjusted import Refusal
from extdns.model.placing import misplaced
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, canonical_targets
from extdns.model.target import address
from extdns.model.zone import Zone
from providers.zonefile import rdata

TYPES: Final = frozenset(rrtype.OWNABLE)
_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?)+", re.IGNORECASE)
_OF_HOSTS: Final = rrtype.ADDRESSES | {rrtype.MX}
_AT_HOSTS: Final = frozenset({rrtype.NS, rrtype.MX, rrtype.SRV})
_SINGLE: Final = frozenset({rrtype.CNAME, rrtype.DNAME})
_REVERSE: Final = ("in-addr.arpa", "ip6.arpa")


def adjusted(endpoint: Endpoint, zone: Zone) -> Endpoint | Refusal:
    """*endpoint* as a file of *zone* would hold it, or why none can."""
    detail = _unsupported(endpoint, zone)
    if detail:
        return Refusal(endpoint=endpoint, reason=Reason.UNSUPPORTED, detail=detail)
    try:
        targets = [_target(endpoint, target) for target in endpoint.targets]
    except InvalidValueError as exc:
        return Refusal(endpoint=endpoint, reason=Reason.INVALID_TARGET, detail=str(exc))
    found = canonical_targets(endpoint.type, targets)
    if found == endpoint.targets and not endpoint.properties:
        return endpoint
    return replace(endpoint, targets=found, properties=pairs.NONE)


def _unsupported(endpoint: Endpoint, zone: Zone) -> str:
    name, rtype = endpoint.name, endpoint.type
    if rtype not in TYPES:
        return f"{rtype} is not among the types written to zone files: {', '.join(rrtype.OWNABLE)}"
    if endpoint.set_identifier:
        return f"zone files have no routing policies; {endpoint.set_identifier!r} is a set identifier"
    if endpoint.is_alias and not all(address(target) for target in endpoint.targets):
        return f"zone files have no aliases; {rtype} needs addresses, a name needs CNAME"
    if wrong := misplaced(endpoint, zone):
        return wrong
    if rtype in _SINGLE and len(endpoint.targets) > 1:
        return f"a {rtype} has one target, this has {len(endpoint.targets)}: {', '.join(endpoint.targets)}"
    if rtype in _OF_HOSTS and not _HOST.fullmatch(name.removeprefix("*.")):
        return f"{name} is no host name (letters, digits, hyphens); BIND rejects the whole zone for such an {rtype}"
    return ""


def _target(endpoint: Endpoint, target: str) -> str:
    rtype = endpoint.type
    held = rdata.held(rtype, target)
    if rtype in _AT_HOSTS or (rtype == rrtype.PTR and any(endpoint.name.within(tree) for tree in _REVERSE)):
        host = held.rpartition(" ")[2].removesuffix(".")
        if host and not _HOST.fullmatch(host):
            raise InvalidValueError(
                target, f"{rtype} data whose host has letters, digits and hyphens", Reason.INVALID_TARGET
            )
    return held
