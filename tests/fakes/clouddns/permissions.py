"""Which permissions a caller has on a zone: `managedZones.testIamPermissions`, and what a change needs.

Guides "Roles and permissions" (what `changes.create` needs) and "Set and manage IAM policies for managed zones"; method
`managedZones.testIamPermissions` of the API reference.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from tests.fakes.clouddns.changes import Change
from tests.fakes.clouddns.errors import refusal

_CHANGE = "dns.changes.create"
_RECORDS = "dns.resourceRecordSets"


def granted(body: bytes, lacking: Collection[str]) -> dict[str, Any]:
    """Answer which of the permissions in *body* the caller has; an empty list is left out, as everywhere in the API.

    Raises:
        Refusal: That is no list of permissions.
    """
    try:
        asked = json.loads(body)["permissions"]
    except (ValueError, LookupError, TypeError) as exc:
        raise refusal(400, "required", "Required parameter is missing: 'permissions'") from exc
    for permission in asked:
        if "*" in permission:
            raise refusal(400, "invalid", f"Invalid value for 'permissions': '{permission}'")
    found = [permission for permission in asked if permission not in lacking]
    return {"permissions": found} if found else {}


def check(change: Change, lacking: Collection[str]) -> None:
    """Let *change* through, where record sets come, go, and do both.

    Raises:
        Refusal: A permission is lacking.
    """
    if set(_needed(change)) & set(lacking):
        raise refusal(403, "forbidden", "Forbidden")


def _needed(change: Change) -> Iterable[str]:
    added, deleted = ({record.key for record in part} for part in change)
    yield _CHANGE
    if added - deleted:
        yield f"{_RECORDS}.create"
    if deleted - added:
        yield f"{_RECORDS}.delete"
    if added & deleted:
        yield f"{_RECORDS}.update"
