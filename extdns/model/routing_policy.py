"""Routing policies, derived from the properties of a record. Route 53 allows one policy for a name and type."""

from __future__ import annotations

from typing import Final

from extdns.model.record import DesiredRecord, Record
from extdns.model.value import StringMap

POLICIES: Final = {
    "aws/weight": "weight",
    "aws/region": "region",
    "aws/failover": "failover",
    "aws/multi-value-answer": "multi-value-answer",
    "aws/geolocation-continent-code": "geolocation",
    "aws/geolocation-country-code": "geolocation",
    "aws/geolocation-subdivision-code": "geolocation",
    "aws/geoproximity-region": "geoproximity",
    "aws/geoproximity-bias": "geoproximity",
    "aws/geoproximity-coordinates": "geoproximity",
    "aws/geoproximity-local-zone-group": "geoproximity",
}
"""The policy of each property that states one, in the order in which messages name them."""

SIMPLE: Final = ""
"""The routing of a record without set identifier."""
_ROUTED: Final = "routed"


def find_policies(properties: StringMap) -> tuple[str, ...]:
    """Return the routing policies that *properties* state. A service accepts at most one."""
    if not properties:
        return ()
    present = {name for name, _ in properties}
    return tuple(dict.fromkeys(policy for name, policy in POLICIES.items() if name in present))


def find_routing(content: DesiredRecord | Record) -> str:
    """Return the routing of *content*: `SIMPLE`, or its policy ("routed" if the properties state none)."""
    if not content.set_identifier:
        return SIMPLE
    return "+".join(find_policies(content.properties)) or _ROUTED
