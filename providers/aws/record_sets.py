"""Record sets of Route 53: to and from records, and to and from the dictionaries of the SDK.

See docs/spec/plan.md 4.4, 4.7, and the API reference, ResourceRecordSet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, cast

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.dns_name import DnsName
from extdns.model.record import ALIAS, DesiredRecord, Record, canonicalize_targets
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.model.zone import Zone
from providers.aws.alias_targets import find_alias_zone
from providers.common.api_calls import parse_service_name
from providers.common.txt_strings import join_strings, split_strings


class AliasTarget(Value, frozen=True, kw_only=True):
    """The target of an alias.

    Attributes:
        zone_id: the id of the zone that holds the target, without `/hostedzone/`.
        name: the name of the target, as Route 53 spells it.
    """

    zone_id: str
    name: str
    evaluate_target_health: bool


class Route53RecordSet(Value, frozen=True, kw_only=True):
    """One resource record set.

    Attributes:
        name: the name, in any spelling that Route 53 accepts.
        ttl_s: None for an alias.
        values: in the order of Route 53; () for an alias.
        routing: the fields of the routing policy by their names in the API, nested ones as `GeoLocation.CountryCode`.
    """

    name: str
    type: str
    ttl_s: int | None = None
    values: tuple[str, ...] = ()
    alias: AliasTarget | None = None
    set_identifier: str = ""
    routing: StringMap = EMPTY_MAP
    health_check_id: str = ""


class HostedZone(Value, frozen=True, kw_only=True):
    """One zone of an account.

    Attributes:
        id: without `/hostedzone/`.
        name: the name, as Route 53 spells it.
    """

    id: str
    name: str
    private: bool = False


class RecordSetPosition(Value, frozen=True, kw_only=True):
    """The first record set of a page."""

    name: str
    type: str
    set_identifier: str = ""


class Route53Page(Value, frozen=True, kw_only=True):
    """A page of record sets. *after* is the position of the next page, None on the last page."""

    sets: tuple[Route53RecordSet, ...]
    after: RecordSetPosition | None = None


class ChangeAction(StrEnum):
    """The action of a change: create, delete, or create or overwrite (UPSERT)."""

    CREATE = "CREATE"
    DELETE = "DELETE"
    UPSERT = "UPSERT"


class RecordSetChange(Value, frozen=True, kw_only=True):
    """One element of a change batch."""

    action: ChangeAction
    record_set: Route53RecordSet


MAX_BATCH_ELEMENTS: Final = 1000
MAX_BATCH_CHARACTERS: Final = 32000
MAX_TAGGED_ZONES: Final = 10  # API reference, ListTagsForResources


def fits_in_batch(changes: Iterable[RecordSetChange]) -> bool:
    """Return whether *changes* fit into one batch; an alias counts as one value, an UPSERT counts twice."""
    elements = characters = 0
    for change in changes:
        weight, values = 2 if change.action is ChangeAction.UPSERT else 1, change.record_set.values
        elements += weight * (len(values) or 1)
        characters += weight * sum(map(len, values))
    return elements <= MAX_BATCH_ELEMENTS and characters <= MAX_BATCH_CHARACTERS


def strip_id_path(text: str) -> str:
    """Return the zone id *text* without the prefix `/hostedzone/`, which some API responses contain."""
    return text.removeprefix("/hostedzone/")


_OCTAL: Final = re.compile(r"\\([0-3][0-7]{2})")


def unescape(text: str) -> str:
    """Replace the octal escapes in *text* by their characters (docs/spec/plan.md 4.4)."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text) if "\\" in text else text


def parse_name(text: str) -> DnsName | None:
    """Parse a name in the spelling of Route 53. Return None for a name that no object can request."""
    return parse_service_name(unescape(text))


# Routing policies: properties of a record, and the fields of a record set.

HEALTH_CHECK: Final = "aws/health-check-id"
WEIGHT: Final = "aws/weight"
REGION: Final = "aws/region"
FAILOVER: Final = "aws/failover"
MULTI_VALUE: Final = "aws/multi-value-answer"
CONTINENT: Final = "aws/geolocation-continent-code"
COUNTRY: Final = "aws/geolocation-country-code"
SUBDIVISION: Final = "aws/geolocation-subdivision-code"
NEAR_REGION: Final = "aws/geoproximity-region"
NEAR_GROUP: Final = "aws/geoproximity-local-zone-group"
BIAS: Final = "aws/geoproximity-bias"
COORDINATES: Final = "aws/geoproximity-coordinates"

_LATITUDE: Final = "GeoProximityLocation.Coordinates.Latitude"
_LONGITUDE: Final = "GeoProximityLocation.Coordinates.Longitude"
_FIELDS: Final = {
    WEIGHT: "Weight",
    REGION: "Region",
    FAILOVER: "Failover",
    MULTI_VALUE: "MultiValueAnswer",
    CONTINENT: "GeoLocation.ContinentCode",
    COUNTRY: "GeoLocation.CountryCode",
    SUBDIVISION: "GeoLocation.SubdivisionCode",
    NEAR_REGION: "GeoProximityLocation.AWSRegion",
    NEAR_GROUP: "GeoProximityLocation.LocalZoneGroup",
    BIAS: "GeoProximityLocation.Bias",
}
_PROPERTIES: Final = {field: name for name, field in _FIELDS.items()}
PROPERTY_NAMES: Final = frozenset(_FIELDS) | {COORDINATES}


def build_fields(properties: StringMap) -> StringMap:
    """Return the fields of the routing policy in *properties*, `EMPTY_MAP` for a simple record."""
    found = {_FIELDS[name]: "true" if name == MULTI_VALUE else value for name, value in properties if name in _FIELDS}
    if coordinates := properties.get(COORDINATES):
        found[_LATITUDE], _, found[_LONGITUDE] = coordinates.partition(",")
    return StringMap.from_items(found) if found else EMPTY_MAP


def build_properties(routing: StringMap) -> Mapping[str, str]:
    """Return the properties for the fields *routing*; unknown fields are dropped."""
    found = {_PROPERTIES[field]: value for field, value in routing if field in _PROPERTIES}
    if MULTI_VALUE in found:
        found[MULTI_VALUE] = ""
    if routing.has(_LATITUDE):
        found[COORDINATES] = f"{routing.get(_LATITUDE)},{routing.get(_LONGITUDE)}"
    return found


# Record sets to and from records.

DEFAULT_TTL_S: Final = 300
EVALUATE_HEALTH: Final = "aws/evaluate-target-health"
TARGET_ZONE: Final = "aws/target-hosted-zone"
HOSTED_ZONE: Final = "aws/hosted-zone-id"


def build_record_set(content: DesiredRecord | Record, zone: Zone) -> Route53RecordSet:
    """Return the record set for *content* in *zone*.

    For a record that was read, this is the record set that was read, except for the order of the values.
    """
    if isinstance(content, Record) and isinstance(content.exact, Route53RecordSet):
        return content.exact
    properties = content.properties
    is_alias = bool(properties) and properties.get(ALIAS) == "true" and content.type in rrtype.ADDRESSES
    ttl_s = DEFAULT_TTL_S if content.ttl_s == ttl.UNSET and isinstance(content, DesiredRecord) else content.ttl_s
    return Route53RecordSet(
        name=content.name,
        type=content.type,
        ttl_s=None if is_alias else ttl_s,
        values=() if is_alias else _build_values(content),
        alias=_build_alias_target(content, zone) if is_alias else None,
        set_identifier=content.set_identifier,
        routing=build_fields(properties) if properties else EMPTY_MAP,
        health_check_id=properties.get(HEALTH_CHECK) if properties else "",
    )


def _build_values(content: DesiredRecord | Record) -> tuple[str, ...]:
    return tuple(map(split_strings, content.targets)) if content.type == rrtype.TXT else content.targets


def _build_alias_target(content: DesiredRecord | Record, zone: Zone) -> AliasTarget:
    host = content.targets[0]
    return AliasTarget(
        zone_id=content.properties.get(TARGET_ZONE) or find_alias_zone(host, zone.id),
        name=host,
        evaluate_target_health=content.properties.get(EVALUATE_HEALTH) == "true",
    )


def build_record(found: Route53RecordSet, zone: Zone) -> Record | None:
    """Return the record for the record set *found*; None if its name is one that no object can request."""
    name = parse_name(found.name)
    if name is None:
        return None
    properties = dict(build_properties(found.routing)) if found.routing else {}
    if found.health_check_id:
        properties[HEALTH_CHECK] = found.health_check_id
    if found.alias:
        host = parse_name(found.alias.name) or found.alias.name.removesuffix(".")
        targets: tuple[str, ...] = (host,)
        properties |= _build_alias_properties(found.alias, host, zone)
    elif found.type == rrtype.TXT:
        targets = tuple(sorted(set(map(join_strings, found.values))))
    else:
        targets = canonicalize_targets(found.type, found.values)
    record = Record(
        name=name,
        type=found.type,
        targets=targets,
        ttl_s=DEFAULT_TTL_S if found.ttl_s is None else found.ttl_s,
        set_identifier=found.set_identifier,
        properties=StringMap.from_items(properties) if properties else EMPTY_MAP,
    )
    return record if _can_rebuild(record, found) else replace(record, exact=found)


def _build_alias_properties(alias: AliasTarget, host: str, zone: Zone) -> dict[str, str]:
    found = {ALIAS: "true", EVALUATE_HEALTH: "true" if alias.evaluate_target_health else "false"}
    if alias.zone_id != find_alias_zone(host, zone.id):
        found[TARGET_ZONE] = alias.zone_id
    return found


def _can_rebuild(record: Record, found: Route53RecordSet) -> bool:
    """Return whether `build_record_set` turns *record* back into *found*, apart from the order of the values."""
    if found.routing and build_fields(record.properties) != found.routing:
        return False
    if found.alias:
        return record.type in rrtype.ADDRESSES and found.ttl_s is None
    values = _build_values(record)
    return found.ttl_s is not None and (values == found.values or sorted(values) == sorted(found.values))


# Record sets to and from the dictionaries of the SDK.

_CONVERSIONS: Final[Mapping[str, Callable[[str], object]]] = {
    "Weight": int,
    "Bias": int,
    "MultiValueAnswer": lambda text: text == "true",
}
_POLICIES: Final = frozenset(field.partition(".")[0] for field in _PROPERTIES) | {"CidrRoutingConfig"}


def format_change(change: RecordSetChange) -> dict[str, Any]:
    """Return *change* as an element of the SDK's change batch."""
    one = change.record_set
    found: dict[str, Any] = {"Name": one.name, "Type": one.type}
    if one.alias:
        found["AliasTarget"] = {
            "HostedZoneId": one.alias.zone_id,
            "DNSName": one.alias.name,
            "EvaluateTargetHealth": one.alias.evaluate_target_health,
        }
    else:
        found |= {"TTL": one.ttl_s, "ResourceRecords": [{"Value": value} for value in one.values]}
    if one.set_identifier:
        found["SetIdentifier"] = one.set_identifier
    if one.health_check_id:
        found["HealthCheckId"] = one.health_check_id
    for path, text in one.routing:
        *parents, field = path.split(".")
        inner = found
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[field] = _CONVERSIONS.get(field, str)(text)
    return {"Action": str(change.action), "ResourceRecordSet": found}


def parse_page(answer: Mapping[str, Any]) -> Route53Page:
    """Return the page in the SDK's *answer* to ListResourceRecordSets.

    Raises:
        LookupError: it is not such an answer.
    """
    sets = tuple([_parse_record_set(found) for found in answer["ResourceRecordSets"]])
    if not answer["IsTruncated"]:
        return Route53Page(sets=sets)
    after = RecordSetPosition(
        name=answer["NextRecordName"],
        type=answer["NextRecordType"],
        set_identifier=answer.get("NextRecordIdentifier", ""),
    )
    return Route53Page(sets=sets, after=after)


def _parse_record_set(found: Mapping[str, Any]) -> Route53RecordSet:
    alias, set_identifier = found.get("AliasTarget"), found.get("SetIdentifier", "")
    policies = {name: value for name, value in found.items() if name in _POLICIES} if set_identifier else {}
    return Route53RecordSet(
        name=found["Name"],
        type=found["Type"],
        ttl_s=found.get("TTL"),
        values=tuple([record["Value"] for record in found.get("ResourceRecords", ())]),
        alias=AliasTarget(
            zone_id=alias["HostedZoneId"],
            name=alias["DNSName"],
            evaluate_target_health=alias["EvaluateTargetHealth"],
        )
        if alias
        else None,
        set_identifier=set_identifier,
        routing=StringMap.from_items(_flatten(policies)) if policies else EMPTY_MAP,
        health_check_id=found.get("HealthCheckId", ""),
    )


def _flatten(fields: Mapping[str, Any], parent: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of *fields* and of nested fields, each with its path, such as `GeoLocation.CountryCode`."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flatten(cast("dict[str, Any]", value), f"{parent}{name}.")
        else:
            yield parent + name, str(value).lower() if isinstance(value, bool) else str(value)
