"""Routing policies: fields of a record set to and from properties of an endpoint (spec plan 4.4, 4.5, 4.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from extdns.model import pairs
from extdns.model.pairs import Pairs

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
# one property, one field; coordinates are two fields
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
_NEAR: Final = frozenset({NEAR_REGION, NEAR_GROUP, BIAS, COORDINATES})
_PLACE: Final = frozenset({CONTINENT, COUNTRY, SUBDIVISION})
_POLICIES: Final = (
    ("weight", frozenset({WEIGHT})),
    ("region", frozenset({REGION})),
    ("failover", frozenset({FAILOVER})),
    ("multi-value-answer", frozenset({MULTI_VALUE})),
    ("geolocation", _PLACE),
    ("geoproximity", _NEAR),
)
NAMES: Final = frozenset(_FIELDS) | {COORDINATES}
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_REGION: Final = re.compile(r"[a-z]+(?:-[a-z]+)+-[0-9]+", re.ASCII)
_DEGREES: Final = re.compile(r"([+-]?)0*([0-9]{1,3}(?:\.[0-9]{1,2})?)", re.ASCII)
_MAX_WEIGHT: Final = 255
_MAX_BIAS: Final = 99
_MAX_LATITUDE: Final = 90
_MAX_LONGITUDE: Final = 180


def fields(properties: Pairs) -> Pairs:
    """The fields of the policy that *properties* describe; NONE for a simple record."""
    found = {_FIELDS[name]: "true" if name == MULTI_VALUE else value for name, value in properties if name in _FIELDS}
    if coordinates := properties.get(COORDINATES):
        found[_LATITUDE], _, found[_LONGITUDE] = coordinates.partition(",")
    return Pairs.of(found) if found else pairs.NONE


def properties(routing: Pairs) -> Mapping[str, str]:
    """The properties that *routing* is read as; fields we do not know are left out."""
    found = {_PROPERTIES[field]: value for field, value in routing if field in _PROPERTIES}
    if MULTI_VALUE in found:
        found[MULTI_VALUE] = ""
    if routing.has(_LATITUDE):
        found[COORDINATES] = f"{routing.get(_LATITUDE)},{routing.get(_LONGITUDE)}"
    return found


def settled(given: Mapping[str, str], *, biased: bool) -> dict[str, str]:
    """The routing properties among *given* as they will be read back; only if *biased*, a missing bias is added.

    As in the reference, a weight or a bias that is no number is 0, and coordinates that are none are
    left out; a continent makes country and subdivision meaningless. Codes of countries are capitals, and coordinates
    have no zeros before them.
    """
    found = {name: value for name, value in given.items() if name in NAMES}
    if MULTI_VALUE in found:
        found[MULTI_VALUE] = ""
    for name in (WEIGHT, BIAS):
        if name in found:
            found[name] = _number(found[name])
    if CONTINENT in found:
        found = {name: value for name, value in found.items() if name not in {COUNTRY, SUBDIVISION}}
    if COUNTRY in found:
        found[COUNTRY] = found[COUNTRY].upper()
    if coordinates := found.pop(COORDINATES, ""):
        found |= _coordinates(coordinates)
    if biased and not found.keys().isdisjoint(_NEAR):
        found.setdefault(BIAS, "0")
    return found


def objection(properties: Pairs, set_identifier: str, *, alias: bool, rtype: str) -> str:
    """Why the service would refuse the policy that settled *properties* describe; "" if it would not."""
    if not (properties or set_identifier):
        return ""
    present = {name for name, _ in properties}
    policies = [policy for policy, names in _POLICIES if not names.isdisjoint(present)]
    if policies and not set_identifier:
        return f"{policies[0]} needs a set identifier"
    if set_identifier and not policies:
        return f"set identifier {set_identifier!r} needs a routing policy, as the annotation aws-weight"
    if len(policies) > 1:
        return f"{' and '.join(policies)} together; a record has one routing policy"
    if MULTI_VALUE in present and (alias or rtype == "CNAME"):
        return f"multi-value answers need values, not {'an alias' if alias else 'a CNAME'}"
    empty = next((name for name, value in properties if name in NAMES - {MULTI_VALUE} and not value), "")
    return f"{empty} is empty" if empty else _wrong_value(properties)


def _wrong_value(properties: Pairs) -> str:
    weight, bias, failover = (properties.get(name) for name in (WEIGHT, BIAS, FAILOVER))
    if weight and not 0 <= int(weight) <= _MAX_WEIGHT:
        return f"weight {weight}; allowed: 0 to {_MAX_WEIGHT}"
    if bias and abs(int(bias)) > _MAX_BIAS:
        return f"bias {bias}; allowed: -{_MAX_BIAS} to {_MAX_BIAS}"
    if properties.has(FAILOVER) and failover not in {"PRIMARY", "SECONDARY"}:
        return f"failover {failover!r}; allowed: PRIMARY, SECONDARY"
    if properties.has(REGION) and not _REGION.fullmatch(properties.get(REGION)):
        return f"region {properties.get(REGION)!r}; allowed: a region of AWS, as eu-central-1"
    if properties.has(SUBDIVISION) and not properties.get(COUNTRY):
        return "a geolocation subdivision needs its country, US or UA"
    if not _NEAR.isdisjoint(name for name, _ in properties) and sum(map(properties.has, _NEAR - {BIAS})) != 1:
        return "geoproximity needs either a region, a local zone group or coordinates"
    return ""


def _number(text: str) -> str:
    return str(int(text)) if _INTEGER.fullmatch(text) else "0"


def _coordinates(text: str) -> dict[str, str]:
    """The property that says where *text* is; none if that is nowhere."""
    latitude, longitude = (_DEGREES.fullmatch(part) for part in text.partition(",")[::2])
    if latitude is None or longitude is None:
        return {}
    if abs(float(latitude[0])) > _MAX_LATITUDE or abs(float(longitude[0])) > _MAX_LONGITUDE:
        return {}
    return {COORDINATES: f"{latitude[1]}{latitude[2]},{longitude[1]}{longitude[2]}"}
