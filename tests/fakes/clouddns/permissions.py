"""The permissions of a caller on a zone: `managedZones.testIamPermissions`, and what a change requires.

See the guides "Roles and permissions" and "Set and manage IAM policies for managed zones", and the method
`managedZones.testIamPermissions` in the API reference.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from tests.fakes.clouddns.changes import Change
from tests.fakes.clouddns.errors import build_refusal

_CHANGE = "dns.changes.create"
_RECORDS = "dns.resourceRecordSets"


def filter_permissions(body: bytes, missing: Collection[str]) -> dict[str, Any]:
    """Return the response of `testIamPermissions`: the permissions in *body* that are not *missing*.

    An empty list is omitted, as everywhere in the API.
    """
    try:
        query = json.loads(body)["permissions"]
    except (ValueError, LookupError, TypeError) as exc:
        raise build_refusal(400, "required", "Required parameter is missing: 'permissions'") from exc
    for permission in query:
        if "*" in permission:
            raise build_refusal(400, "invalid", f"Invalid value for 'permissions': '{permission}'")
    found = [permission for permission in query if permission not in missing]
    return {"permissions": found} if found else {}


def check(change: Change, missing: Collection[str]) -> None:
    if set(_find_required(change)) & set(missing):
        raise build_refusal(403, "forbidden", "Forbidden")


def _find_required(change: Change) -> Iterable[str]:
    added, deleted = ({record.key for record in part} for part in change)
    yield _CHANGE
    if added - deleted:
        yield f"{_RECORDS}.create"
    if deleted - added:
        yield f"{_RECORDS}.delete"
    if added & deleted:
        yield f"{_RECORDS}.update"
