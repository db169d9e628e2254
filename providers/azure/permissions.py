"""What the credentials must be allowed to do, and a check of it without writing."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from extdns.model import rrtype
from extdns.model.zone import Permission, Zone
from providers.azure.client import AzureApi, Role
from providers.common.api_calls import CallFailedError

_ROLES: Final = {False: "DNS Zone Contributor", True: "Private DNS Zone Contributor"}
_SERVICES: Final = {False: "Microsoft.Network/dnsZones", True: "Microsoft.Network/privateDnsZones"}
_OPERATIONS: Final = ("write", "delete")


def _list_actions(types: Iterable[str], operations: Iterable[str], *, private: bool) -> list[str]:
    return [f"{_SERVICES[private]}/{one}/{operation}" for one in sorted(types) for operation in operations]


def describe_actions(types: Iterable[str], *, private: bool) -> str:
    """Return the roles that contain what is needed, and what that is."""
    everything = "ALL" if private else "all"
    return "\n".join(
        (
            f"the role {_ROLES[private]} on the zones, or one with these actions:",
            f"{_SERVICES[private]}/read",
            f"{_SERVICES[private]}/{everything}/read",
            *_list_actions(types, ("read", *_OPERATIONS), private=private),
            "and the role Reader on the resource group (not needed if --zone-id-filter has the ids of the zones)",
        )
    )


def check_permission(api: AzureApi, zone: Zone, types: Iterable[str]) -> Permission:
    """Return whether our credentials may change records of *types*, and their ownership records, in *zone*."""
    remedy = f"assign the role {_ROLES[zone.private]} on the zone"
    try:
        locks = api.read_locks(zone.name)
        roles = api.read_roles(zone.name)
        numbers = api.get_zone(zone.name).properties
    except CallFailedError as exc:
        return Permission(granted=None, detail=str(exc), remedy=remedy)
    if locks:
        what = "nothing can be changed" if "ReadOnly" in locks else "nothing can be deleted"
        return Permission(granted=False, detail=f"a lock ({', '.join(locks)}): {what}", remedy="remove the lock")
    needed = _list_actions({*types, rrtype.TXT}, _OPERATIONS, private=zone.private)
    if missing := [action for action in needed if not any(_allows(role, action) for role in roles)]:
        return Permission(granted=False, detail=f"{', '.join(missing)} not granted", remedy=remedy)
    detail = f"by its roles; {numbers.numberOfRecordSets} of {numbers.maxNumberOfRecordSets} record sets are used"
    return Permission(granted=True, detail=detail)


def _allows(role: Role, action: str) -> bool:
    def matches(patterns: Iterable[str]) -> bool:
        return any(fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)

    return matches(role.actions) and not matches(role.notActions)
