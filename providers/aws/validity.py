"""What Route 53 refuses, where the rule is known (API reference, ResourceRecordSet and AliasTarget)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from extdns.model import rrtype, texts
from extdns.model.placing import misplaced
from extdns.model.record import Endpoint
from extdns.model.target import address
from extdns.model.validity import flaw
from extdns.model.zone import Zone
from providers.aws import routing
from providers.aws.codec import TARGET_ZONE
from providers.aws.targets import CLOUDFRONT, canonical_zone

TYPES: Final = frozenset(rrtype.OWNABLE) - {rrtype.DNAME}
_MAX_VALUES: Final = 400
_MAX_SET_IDENTIFIER: Final = 128
# What XML cannot carry, or would give back otherwise (XML 1.0 sections 2.2 and 2.11).
_NO_XML: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def objection(endpoint: Endpoint, zone: Zone) -> str:
    """Why the service would not take *endpoint*, which is adjusted; "" if no rule known here speaks against it."""
    if wrong := misplaced(endpoint, zone):
        return wrong
    if wrong := _unsendable(endpoint):
        return wrong
    if len(endpoint.set_identifier) > _MAX_SET_IDENTIFIER:
        return f"a set identifier of {len(endpoint.set_identifier)} characters; allowed: {_MAX_SET_IDENTIFIER}"
    is_alias = endpoint.is_alias
    return (
        routing.objection(endpoint.properties, endpoint.set_identifier, alias=is_alias, rtype=endpoint.type)
        or (_wrong_alias(endpoint, zone) if is_alias else "")
        or _wrong_values(endpoint)
    )


def _unsendable(endpoint: Endpoint) -> str:
    for field, text in _texts(endpoint):
        if _NO_XML.search(text):
            return f"{field} {text[:60]!r}; allowed: no control characters"
    return ""


def _texts(endpoint: Endpoint) -> Iterator[tuple[str, str]]:
    """All that is sent as it was written, and what it is."""
    yield "set identifier", endpoint.set_identifier
    yield from endpoint.properties
    for target in endpoint.targets:
        yield endpoint.type, target


def _wrong_alias(endpoint: Endpoint, zone: Zone) -> str:
    host = endpoint.targets[0]
    if address(host):
        return f"an alias points at a name, not at {host}"
    if host == endpoint.name:
        return f"an alias of {endpoint.name} to itself"
    if zone.private and canonical_zone(host) == CLOUDFRONT:
        return f"an alias to CloudFront, {host}, stands in public zones alone"
    if not (
        endpoint.properties.has(TARGET_ZONE)
        or canonical_zone(host)
        or host.endswith(f".{zone.name}")
        or host == zone.name
    ):
        return f"{host} is neither a load balancer of AWS nor within {zone}, where an alias must point"
    return ""


def _wrong_values(endpoint: Endpoint) -> str:
    rtype, targets = endpoint.type, endpoint.targets
    if rtype == rrtype.CNAME and len(targets) > 1:
        return f"a CNAME has one target, this has {len(targets)}: {', '.join(targets)}"
    if len(targets) > _MAX_VALUES:
        return f"{len(targets)} values in one record; allowed: {_MAX_VALUES}"
    if rtype == rrtype.TXT:
        return next((wrong for target in targets if (wrong := _wrong_text(target))), "")
    found = flaw(endpoint) if rtype != rrtype.PTR else None  # the service takes PTR at any name
    return f"{found.value!r}; allowed: {found.allowed}" if found else ""


def _wrong_text(target: str) -> str:
    if not texts.is_value(target):
        return f"{target[:60]!r}; allowed: TXT values of printable ASCII in double quotes"
    if len(target) > texts.MAX_VALUE_CHARACTERS:
        return f"a TXT value of {len(target)} characters; allowed: {texts.MAX_VALUE_CHARACTERS}"
    return ""
