"""Record sets of Route 53, without the SDK's types: to and from records, and to and from XML.

See docs/spec/plan.md 4.4, 4.7, and the API reference, ResourceRecordSet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.dns_name import DnsName
from extdns.model.record import ALIAS, DesiredRecord, Record, canonicalize_targets
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.model.zone import Zone
from providers.aws.alias_targets import find_alias_zone
from providers.common.api_calls import parse_service_name
from providers.common.txt_strings import join_strings, split_strings

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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
        health_check_id: "" for none.
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


# XML. Rendering and parsing it here takes a fraction of the CPU time of a call with botocore, which looks up each
# element in its service model: 2.1 instead of 6.7 ms for a page of 300 record sets, and 2.2 instead of 34 ms for a
# batch of 1,000 changes (python -m tests.bench.sdkcalls).

_HEAD: Final = (
    '<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes>'
)
_TAIL: Final = "</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>"


def render_batch(changes: Iterable[RecordSetChange]) -> bytes:
    """Return the body of the request that makes *changes*."""
    elements = [
        f"<Change><Action>{change.action}</Action>"
        f"<ResourceRecordSet>{_render_record_set(change.record_set)}</ResourceRecordSet></Change>"
        for change in changes
    ]
    return f"{_HEAD}{''.join(elements)}{_TAIL}".encode()


def _render_record_set(record_set: Route53RecordSet) -> str:
    """Return the elements of *record_set* in the order of the service's schema."""
    text = f"<Name>{escape(record_set.name)}</Name><Type>{record_set.type}</Type>"
    if record_set.set_identifier:
        text += f"<SetIdentifier>{escape(record_set.set_identifier)}</SetIdentifier>"
    if record_set.routing:
        text += _render_elements(_nest(record_set.routing))
    if alias := record_set.alias:
        health = "true" if alias.evaluate_target_health else "false"
        text += (
            f"<AliasTarget><HostedZoneId>{escape(alias.zone_id)}</HostedZoneId><DNSName>{escape(alias.name)}</DNSName>"
            f"<EvaluateTargetHealth>{health}</EvaluateTargetHealth></AliasTarget>"
        )
    else:
        values = [f"<ResourceRecord><Value>{escape(value)}</Value></ResourceRecord>" for value in record_set.values]
        text += f"<TTL>{record_set.ttl_s}</TTL><ResourceRecords>{''.join(values)}</ResourceRecords>"
    if record_set.health_check_id:
        text += f"<HealthCheckId>{escape(record_set.health_check_id)}</HealthCheckId>"
    return text


def _nest(routing: StringMap) -> dict[str, Any]:
    """Return the fields *routing* as nested dictionaries."""
    root: dict[str, Any] = {}
    for field, text in routing:
        *path, last = field.split(".")
        inner = root
        for name in path:
            inner = inner.setdefault(name, {})
        inner[last] = text
    return root


def _render_elements(fields: dict[str, Any]) -> str:
    return "".join(
        f"<{name}>{_render_elements(value) if isinstance(value, dict) else escape(value)}</{name}>"
        for name, value in fields.items()
    )


_POLICIES: Final = frozenset(field.partition(".")[0] for field in _PROPERTIES) | {"CidrRoutingConfig"}


def parse_page(body: bytes) -> Route53Page:
    """Parse the body of a response to ListResourceRecordSets.

    Raises:
        ValueError: it is not such a body.
    """
    try:
        root = ET.fromstring(body)  # noqa: S314 - botocore uses the same parser; the body comes from AWS over TLS
    except ET.ParseError as exc:
        raise ValueError(f"the response is not XML: {exc}") from exc
    namespace = root.tag[: root.tag.find("}") + 1]
    found = root.find(f"{namespace}ResourceRecordSets")
    if found is None:
        raise ValueError("the response has no ResourceRecordSets")
    sets = tuple(_parse_record_set(element, len(namespace)) for element in found)
    if root.findtext(f"{namespace}IsTruncated") != "true":
        return Route53Page(sets=sets)
    after = RecordSetPosition(
        name=root.findtext(f"{namespace}NextRecordName", ""),
        type=root.findtext(f"{namespace}NextRecordType", ""),
        set_identifier=root.findtext(f"{namespace}NextRecordIdentifier", ""),
    )
    return Route53Page(sets=sets, after=after)


def _parse_record_set(element: Element, skip: int) -> Route53RecordSet:
    """Parse one record set; *skip* is the length of the namespace before each tag."""
    fields = {child.tag[skip:]: child for child in element}
    ttl_element, values, alias = fields.get("TTL"), fields.get("ResourceRecords"), fields.get("AliasTarget")
    record_set = Route53RecordSet(
        name=fields["Name"].text or "",
        type=fields["Type"].text or "",
        ttl_s=None if ttl_element is None else int(ttl_element.text or ""),
        values=() if values is None else tuple([record[0].text or "" for record in values]),
        alias=None if alias is None else _parse_alias({child.tag[skip:]: child.text or "" for child in alias}),
        health_check_id=fields["HealthCheckId"].text or "" if "HealthCheckId" in fields else "",
    )
    if "SetIdentifier" not in fields:
        return record_set
    routing = (
        item for tag, child in fields.items() if tag in _POLICIES for item in _flatten(child, path="", skip=skip)
    )
    return replace(record_set, set_identifier=fields["SetIdentifier"].text or "", routing=StringMap.from_items(routing))


def _parse_alias(fields: Mapping[str, str]) -> AliasTarget:
    return AliasTarget(
        zone_id=fields["HostedZoneId"],
        name=fields["DNSName"],
        evaluate_target_health=fields["EvaluateTargetHealth"] == "true",
    )


def _flatten(element: Element, *, path: str, skip: int) -> Iterator[tuple[str, str]]:
    """Yield the texts of *element* and of nested elements, each with its path, such as `GeoLocation.CountryCode`."""
    name = path + element.tag[skip:]
    if len(element) == 0:
        yield name, element.text or ""
    for child in element:
        yield from _flatten(child, path=f"{name}.", skip=skip)
