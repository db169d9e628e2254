"""Endpoints, records and zones for tests of the provider."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint, canonical_targets
from extdns.model.zone import Zone

ZONE = Zone(name=DnsName("example.org"), id="ZOWN")
ALB = "lb-1.us-east-1.elb.amazonaws.com"
ALB_ZONE = "Z35SXDOTRQ7X7K"
WEIGHT = {"aws/weight": "10"}


def endpoint(
    rtype: str = "A",
    *targets: str,
    name: str = "www.example.org",
    ttl_s: int = 0,
    sid: str = "",
    props: Mapping[str, str] | None = None,
) -> Endpoint:
    """An endpoint as planning hands it to the provider."""
    return Endpoint(
        name=DnsName(name),
        type=rtype,
        targets=canonical_targets(rtype, targets or {"A": ["192.0.2.1"]}.get(rtype, [])),
        ttl_s=ttl_s,
        set_identifier=sid,
        properties=Pairs.of(props or {}),
    )
