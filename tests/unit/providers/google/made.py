"""Endpoints and zones for tests of the provider."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint, canonical_targets
from extdns.model.zone import Zone
from providers.google import policy

ZONE: Final = Zone(name=DnsName("example.org"), id="main")
WEIGHTED: Final[Mapping[str, Any]] = {
    "wrr": {"items": [{"weight": 1, "rrdatas": ["192.0.2.2"]}, {"weight": 2.5, "rrdatas": ["192.0.2.1"]}]}
}
GEO: Final[Mapping[str, Any]] = {
    "geo": {
        "enableFencing": True,
        "items": [
            {"location": "us-east1", "rrdatas": ["192.0.2.1"]},
            {"location": "asia-east1", "healthCheckedTargets": {"externalEndpoints": ["192.0.2.9"]}},
        ],
    }
}
FAILOVER: Final[Mapping[str, Any]] = {
    "primaryBackup": {
        "primaryTargets": {"internalLoadBalancers": [{"ipAddress": "10.1.0.2", "port": "80", "ipProtocol": "tcp"}]},
        "backupGeoTargets": {"items": [{"location": "us-east1", "rrdatas": ["10.1.0.3"]}]},
        "trickleTraffic": 0.1,
    }
}


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


def routed(routing: Mapping[str, Any], *, name: str = "www.example.org") -> Endpoint:
    """An endpoint with a routing policy."""
    return endpoint(name=name, props={policy.PROPERTY: json.dumps(routing)})
