"""Whether zones may be changed, which Cloud DNS tells (guide "Roles and permissions"; `testIamPermissions`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.model.grant import Grant
from providers.remote.failure import CallFailedError

if TYPE_CHECKING:
    from extdns.model.zone import Zone
    from providers.google.client import Client

PERMISSIONS: Final = (
    "dns.changes.create",
    "dns.resourceRecordSets.create",
    "dns.resourceRecordSets.delete",
    "dns.resourceRecordSets.update",
)
"""What `changes.create` needs to make, remove and alter record sets."""


def grant(client: Client, zone: Zone) -> Grant:
    """Whether *zone* may be changed."""
    try:
        there = client.permitted(zone.id, f"zone {zone}", PERMISSIONS)
    except CallFailedError as exc:
        return Grant(granted=None, detail=str(exc), remedy="who may list zones may ask: dns.managedZones.list")
    if lacking := [permission for permission in PERMISSIONS if permission not in there]:
        remedy = "grant roles/dns.admin, or a role with these, on the project or on the zone"
        return Grant(granted=False, detail=f"{', '.join(lacking)} not granted", remedy=remedy)
    return Grant(granted=True, detail="as testIamPermissions tells")
