"""The actions of the Route 53 API, on zones in memory (API reference, "Actions")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import Any, Final

from tests.fakes.route53 import batch, names, wire
from tests.fakes.route53.bodies import Submission
from tests.fakes.route53.errors import (
    build_invalid_input,
    build_no_zone,
    build_other_account,
)
from tests.fakes.route53.records import TYPES, encode
from tests.fakes.route53.requests import Called
from tests.fakes.route53.zones import NAME_SERVERS, Zone

Fields = dict[str, Any]
MAX_RECORDS: Final = 300
MAX_ZONES: Final = 100
MAX_TAGGED: Final = 10


@dataclass(kw_only=True, eq=False)
class Api:
    """The state and the actions of the fake Route 53.

    Attributes:
        health_checks: the health checks that exist.
    """

    lock: RLock = field(default_factory=RLock)
    zones: dict[str, Zone] = field(default_factory=dict)
    health_checks: set[str] = field(default_factory=set)
    _numbers: int = 0

    def answer(self, called: Called, account: str, submission: Submission) -> tuple[str, Fields]:
        """Carry out a call. Return the root element of the response and its fields."""
        with self.lock:
            match called.action:
                case "ListHostedZones":
                    detail = self._list_zones(called.query, account)
                case "GetHostedZone":
                    detail = self._get_zone(self.zone(called.context, account))
                case "ListResourceRecordSets":
                    detail = self._list_records(self.zone(called.context, account), called.query)
                case "ChangeResourceRecordSets":
                    detail = self._change(self.zone(called.context, account), submission)
                case _:
                    detail = self._list_tags(called.body, account)
        return f"{called.action}Response", detail

    def zone(self, zone_id: str, account: str) -> Zone:
        zone = self.zones.get(zone_id)
        if zone is None:
            raise build_no_zone(zone_id)
        if zone.account != account:
            raise build_other_account(account)
        return zone

    def new_id(self, first: str) -> str:
        self._numbers += 1
        return f"{first}{self._numbers:012d}FAKE"

    # Zones

    def _list_zones(self, query: Mapping[str, str], account: str) -> Fields:
        limit = _parse_limit(query, MAX_ZONES)
        private = query.get("hostedzonetype") == "PrivateHostedZone"
        mine = [zone for zone in self.zones.values() if zone.account == account and (zone.private or not private)]
        marker = query.get("marker", "")
        first = next((location for location, zone in enumerate(mine) if zone.zone_id == marker), None if marker else 0)
        if first is None:
            raise build_invalid_input(f"The provided marker, '{marker}', is not valid")
        shown = mine[first : first + limit]
        detail: Fields = {"HostedZones": [_render(zone) for zone in shown]}
        detail |= {"Marker": marker} if marker else {}
        detail["IsTruncated"] = first + limit < len(mine)
        detail |= {"NextMarker": mine[first + limit].zone_id} if detail["IsTruncated"] else {}
        return detail | {"MaxItems": limit}

    def _get_zone(self, zone: Zone) -> Fields:
        detail: Fields = {"HostedZone": _render(zone)}
        if zone.private:
            return detail
        return detail | {"DelegationSet": {"NameServers": list(NAME_SERVERS)}}

    # Records

    def _list_records(self, zone: Zone, query: Mapping[str, str]) -> Fields:
        limit = _parse_limit(query, MAX_RECORDS)
        name, kind, identifier = (query.get(field, "") for field in ("name", "type", "identifier"))
        if kind and not name:
            raise build_invalid_input("type requires name")
        if identifier and not kind:
            raise build_invalid_input("identifier requires type and name")
        if kind and kind not in TYPES:
            raise build_invalid_input(f"Value '{kind}' is not facet-valid with respect to enumeration of type 'RRType'")
        start = names.build_sort_key(_parse_name(name)) if name else ""
        found = zone.page((start, kind, identifier), limit + 1)
        detail: Fields = {"ResourceRecordSets": [encode(record) for record in found[:limit]]}
        detail["IsTruncated"] = len(found) > limit
        if detail["IsTruncated"]:
            following = found[limit]
            detail |= {"NextRecordName": following.name, "NextRecordType": following.type}
            detail |= {"NextRecordIdentifier": following.set_identifier} if following.set_identifier else {}
        return detail | {"MaxItems": limit}

    def _change(self, zone: Zone, submission: Submission) -> Fields:
        batch.apply(zone, submission.changes, knows_health_check=self.health_checks.__contains__)
        return {"ChangeInfo": self._submit(submission.comment)}

    def _submit(self, comment: str) -> Fields:
        at = datetime.now(UTC)
        shown = at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
        detail = {"Id": f"/change/{self.new_id('C')}", "Status": "PENDING", "SubmittedAt": shown}
        return detail | ({"Comment": comment} if comment else {})

    def _list_tags(self, body: bytes, account: str) -> Fields:
        options = wire.parse(body, "ListTagsForResourcesRequest").get("ResourceIds", [])
        if not 1 <= len(options) <= MAX_TAGGED:
            raise build_invalid_input(f"1 to {MAX_TAGGED} resource ids are expected, not {len(options)}")
        return {"ResourceTagSets": [_render_tags(self.zone(zone_id, account)) for zone_id in options]}


def _parse_name(text: str) -> str:
    try:
        return names.normalize(text)
    except names.BadName as exc:
        raise build_invalid_input(str(exc)) from exc


def _parse_limit(query: Mapping[str, str], maximum: int) -> int:
    text = query.get("maxitems", str(maximum))
    if not (text.isascii() and text.isdigit() and int(text)):
        raise build_invalid_input(f"maxitems must be a number from 1, not '{text}'")
    return min(int(text), maximum)


def _render(zone: Zone) -> Fields:
    config = {"PrivateZone": zone.private}
    return {
        "Id": f"/hostedzone/{zone.zone_id}",
        "Name": zone.name,
        "CallerReference": zone.zone_id,
        "Config": config,
        "ResourceRecordSetCount": len(zone),
    }


def _render_tags(zone: Zone) -> Fields:
    tags = [{"Key": key, "Value": value} for key, value in zone.tags.items()]
    return {"ResourceType": "hostedzone", "ResourceId": zone.zone_id, "Tags": tags}
