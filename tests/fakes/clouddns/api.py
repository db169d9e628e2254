"""The methods of the Cloud DNS API, on zones in memory (API reference v1)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import Any, Final

from tests.fakes.clouddns import changes, permissions
from tests.fakes.clouddns.errors import build_no_resource, build_refusal
from tests.fakes.clouddns.records import encode
from tests.fakes.clouddns.requests import Called
from tests.fakes.clouddns.zones import Zone

Fields = dict[str, Any]
QUOTA: Final[Mapping[str, Any]] = {
    "managedZones": 10_000,
    "rrsetsPerManagedZone": 10_000,
    "rrsetAdditionsPerChange": 1000,
    "rrsetDeletionsPerChange": 1000,
    "totalRrdataSizePerChange": 100_000,
    "resourceRecordsPerRrset": 100,
    "nameserversPerDelegation": 8,
}
"""The default limits (guide "Quotas and limits")."""
_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 1000


@dataclass(kw_only=True, eq=False)
class Api:
    """The state and the methods of the fake Cloud DNS.

    Attributes:
        page_items: the maximum number of items in a page.
        quota: the limits of the project.
        lacking: permissions that the caller lacks, by zone.
    """

    page_items: int = _MAX_PAGE
    quota: dict[str, Any] = field(default_factory=lambda: dict(QUOTA))
    missing: dict[str, set[str]] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)
    zones: dict[str, dict[str, Zone]] = field(default_factory=dict)
    """The zones by project and name."""

    def answer(self, called: Called) -> Fields:
        """Carry out a call and return the response as JSON."""
        with self.lock:
            if called.project not in self.zones:
                raise build_no_resource("parameters.project", called.project)
            match called.method:
                case "projects.get":
                    return self._describe_project(called.project)
                case "managedZones.list":
                    return self._list_zones(called)
                case "managedZones.get":
                    return _render(self.zone(called))
                case "resourceRecordSets.list":
                    return self._list_records(self.zone(called), called.query)
                case "managedZones.testIamPermissions":
                    return self._test_permissions(called)
                case _:
                    return self._change(self.zone(called), called.body)

    def zone(self, called: Called) -> Zone:
        mine = self.zones[called.project]
        for zone in mine.values():
            if called.zone in {zone.name, zone.number}:
                return zone
        raise build_no_resource("parameters.managedZone", called.zone)

    def _describe_project(self, project: str) -> Fields:
        quota = {"kind": "dns#quota", **self.quota}
        return {"kind": "dns#project", "id": project, "number": "123456789012", "quota": quota}

    def _list_zones(self, called: Called) -> Fields:
        desired = called.query.get("dnsName")
        zones = sorted(self.zones[called.project].values(), key=lambda zone: zone.name)
        zones = [zone for zone in zones if desired in {None, zone.dns_name}]
        shown, more = self._page([(zone.name,) for zone in zones], called.query)
        detail: Fields = {"kind": "dns#managedZonesListResponse"}
        detail["managedZones"] = [_render(zone) for zone in zones if (zone.name,) in shown]
        return detail | more

    def _list_records(self, zone: Zone, query: Mapping[str, str]) -> Fields:
        if "type" in query and "name" not in query:
            raise build_refusal(400, "required", "Required parameter is missing: 'parameters.name'")
        sets = [
            record
            for record in zone.list_records()
            if query.get("name") in {None, record.name} and query.get("type") in {None, record.type}
        ]
        shown, more = self._page([record.key for record in sets], query)
        detail: Fields = {"kind": "dns#resourceRecordSetsListResponse"}
        detail["rrsets"] = [encode(record) for record in sets if record.key in shown]
        return detail | more

    def _page(self, keys: list[tuple[str, ...]], query: Mapping[str, str]) -> tuple[set[tuple[str, ...]], Fields]:
        """Return the part of the sorted *keys* on the requested page, and the field with the token of the next page."""
        most = query.get("maxResults", str(_DEFAULT_PAGE))
        if not most.isdecimal() or not int(most):
            raise build_refusal(400, "invalid", f"Invalid value for 'parameters.maxResults': '{most}'")
        after = _decode_token(query["pageToken"]) if "pageToken" in query else ()
        left = [key for key in keys if key > after]
        shown = left[: min(int(most), self.page_items)]
        return set(shown), {"nextPageToken": _encode_token(shown[-1])} if len(shown) < len(left) else {}

    def _test_permissions(self, called: Called) -> Fields:
        there = called.zone in self.zones[called.project]
        return permissions.filter_permissions(called.body, self.missing.get(called.zone, ())) if there else {}

    def _change(self, zone: Zone, body: bytes) -> Fields:
        try:
            original = json.loads(body)
        except ValueError as exc:
            raise build_refusal(400, "parseError", "Parse Error") from exc
        change = changes.decode_change(original)
        permissions.check(change, self.missing.get(zone.name, ()))
        changes.apply(zone, change, self.quota)
        zone.changes += 1
        started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        detail: Fields = {"kind": "dns#change", "id": str(zone.changes), "startTime": started}
        detail |= {"status": "pending", "isServing": False}
        for part, sets in zip(("additions", "deletions"), change, strict=True):
            if sets:
                detail[part] = [encode(record) for record in sets]
        return detail


def _render(zone: Zone) -> Fields:
    detail: Fields = {"kind": "dns#managedZone", "name": zone.name, "id": zone.number, "dnsName": zone.dns_name}
    detail |= {"description": "", "creationTime": "2026-01-01T00:00:00.000Z"}
    detail["visibility"] = "private" if zone.private else "public"
    return detail | zone.fields


def _encode_token(key: tuple[str, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _decode_token(token: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(base64.urlsafe_b64decode(token)))
    except ValueError as exc:
        raise build_refusal(400, "invalid", f"Invalid value for 'parameters.pageToken': '{token}'") from exc
