"""Build desired records for the tests of Route 53 and Cloud DNS."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, canonicalize_targets
from extdns.model.value import StringMap


def endpoint(
    rtype: str = "A",
    *targets: str,
    name: str = "www.example.org",
    ttl_s: int = 0,
    sid: str = "",
    props: Mapping[str, str] | None = None,
) -> DesiredRecord:
    """Build a desired record with canonical targets, by default an A record at `www.example.org`."""
    return DesiredRecord(
        name=DnsName(name),
        type=rtype,
        targets=canonicalize_targets(rtype, targets or {"A": ["192.0.2.1"]}.get(rtype, [])),
        ttl_s=ttl_s,
        set_identifier=sid,
        properties=StringMap.from_items(props or {}),
    )
