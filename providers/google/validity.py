"""What Cloud DNS refuses, where the rule is known (guides "Error messages", "DNS records overview")."""

from __future__ import annotations

from typing import Final

from extdns.model import rrtype, texts
from extdns.model.placing import misplaced
from extdns.model.record import Endpoint
from extdns.model.target import address
from extdns.model.validity import flaw
from extdns.model.zone import Zone
from providers.google import policy
from providers.google.wire import Limits

TYPES: Final = frozenset(rrtype.OWNABLE) - {rrtype.DNAME}


def objection(endpoint: Endpoint, zone: Zone, limits: Limits) -> str:
    """Why the service would not take *endpoint*, which is adjusted; "" if no rule known here speaks against it."""
    if endpoint.set_identifier:
        return f"Cloud DNS has no set identifiers; {endpoint.set_identifier!r} is one"
    return misplaced(endpoint, zone) or _wrong_values(endpoint, limits)


def _wrong_values(endpoint: Endpoint, limits: Limits) -> str:
    rtype, targets = endpoint.type, endpoint.targets
    if rtype == rrtype.CNAME and len(targets) > 1 and not endpoint.properties.has(policy.PROPERTY):
        return f"a CNAME has one target, this has {len(targets)}: {', '.join(targets)}"
    most = limits.name_servers if rtype == rrtype.NS else limits.values
    if len(targets) > most:
        return f"{len(targets)} values in one record; allowed: {most}"
    if rtype == rrtype.TXT:
        wrong = next((target for target in targets if not texts.is_value(target)), None)
        return f"{wrong[:60]!r}; allowed: TXT values of printable ASCII in double quotes" if wrong is not None else ""
    if rtype in rrtype.ADDRESSES and (host := next((text for text in targets if address(text) is None), "")):
        return f"{rtype} needs addresses, not {host}; Cloud DNS has no aliases"
    found = flaw(endpoint) if rtype != rrtype.PTR else None  # the service takes PTR at any name
    return f"{found.value!r}; allowed: {found.allowed}" if found else ""
