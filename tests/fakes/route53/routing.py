"""Validate routing policies (API reference, ResourceRecordSet, GeoLocation, GeoProximityLocation)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.route53.errors import build_invalid_xml

Json = Mapping[str, Any]
POLICIES: Final = (
    *("Weight", "Region", "Failover", "GeoLocation", "MultiValueAnswer"),
    *("CidrRoutingConfig", "GeoProximityLocation"),
)
_EXPECTED: Final = f"Expected exactly one of [{', '.join(POLICIES[:-1])}, or {POLICIES[-1]}]"
_REGION: Final = re.compile(r"[a-z]{2,4}(-[a-z]+)+-[0-9]")
_CONTINENTS: Final = frozenset({"AF", "AN", "AS", "EU", "NA", "OC", "SA"})
_LATITUDE: Final = re.compile(r"[-+]?[0-9]{1,2}(\.[0-9]{0,2})?")
_LONGITUDE: Final = re.compile(r"[-+]?[0-9]{1,3}(\.[0-9]{0,2})?")
_MAX_BIAS: Final = 99
_MAX_WEIGHT: Final = 255


@dataclass(frozen=True, slots=True)
class Routing:
    """A routing policy: the name of its field in the API, and its details as a plain value or as pairs."""

    policy: str
    details: object

    def thaw_details(self) -> object:
        return _thaw(self.details)


def find_problem(original: Json) -> str | None:
    """Return the message if a record set in the form of boto3 has an invalid routing policy or several, else None."""
    found = sum(policy in original for policy in POLICIES)
    if found > 1:
        return f"{_EXPECTED}, but found more than one"
    if found and "SetIdentifier" not in original:
        return "Missing field 'SetIdentifier'"
    if not found and "SetIdentifier" in original:
        return f"{_EXPECTED}, but found none"
    return None


def decode(original: Json) -> Routing | None:
    policy = next((policy for policy in POLICIES if policy in original), None)
    if policy is None:
        return None
    details = original[policy]
    if not _is_valid(policy, details):
        raise build_invalid_xml(f"Value '{details}' is not facet-valid with respect to element '{policy}'")
    return Routing(policy, _freeze(details))


def _is_valid(policy: str, details: Any) -> bool:  # noqa: ANN401 - any field of the API
    match policy:
        case "Weight":
            return isinstance(details, int) and 0 <= details <= _MAX_WEIGHT
        case "Region":
            return isinstance(details, str) and bool(_REGION.fullmatch(details))
        case "Failover":
            return details in {"PRIMARY", "SECONDARY"}
        case "MultiValueAnswer":
            return isinstance(details, bool)
        case "GeoLocation":
            return isinstance(details, Mapping) and _is_location(details)
        case "GeoProximityLocation":
            return isinstance(details, Mapping) and _is_proximity(details)
        case _:
            return isinstance(details, Mapping) and {"CollectionId", "LocationName"} <= details.keys()


def _is_location(details: Json) -> bool:
    continent, country = details.get("ContinentCode"), details.get("CountryCode")
    if continent is not None:
        return continent in _CONTINENTS and len(details) == 1
    return bool(re.fullmatch(r"[A-Z]{2}|\*", country or "")) and ("SubdivisionCode" not in details or country == "US")


def _is_proximity(details: Json) -> bool:
    where = [details[field] for field in ("AWSRegion", "LocalZoneGroup", "Coordinates") if field in details]
    if len(where) != 1 or not -_MAX_BIAS <= details.get("Bias", 0) <= _MAX_BIAS:
        return False
    if "Coordinates" not in details:
        return True
    latitude, longitude = where[0].get("Latitude", ""), where[0].get("Longitude", "")
    return bool(
        _LATITUDE.fullmatch(latitude)
        and _LONGITUDE.fullmatch(longitude)
        and abs(float(latitude)) <= 90
        and abs(float(longitude)) <= 180
    )


def _freeze(details: Any) -> object:  # noqa: ANN401 - any field of the API
    if isinstance(details, Mapping):
        return tuple((name, _freeze(value)) for name, value in sorted(details.items()))
    return details


def _thaw(details: object) -> object:
    if isinstance(details, tuple):
        return {name: _thaw(value) for name, value in details}
    return details
