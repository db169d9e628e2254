"""Build desired records and zones for the tests of Cloud DNS."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from providers.google import record_sets
from tests.unit.providers.desired import endpoint

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


def routed(routing: Mapping[str, Any], *, name: str = "www.example.org") -> DesiredRecord:
    """Build a desired record with the routing policy *routing*, which is stored as JSON in a property."""
    return endpoint(name=name, props={record_sets.ROUTING_POLICY: json.dumps(routing)})
