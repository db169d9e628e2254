"""Record sets in Route 53's own field names, to and from records (spec plan 4.4).

The in-memory provider holds any property, so it can stand in for Route 53: routing fields become
`aws/...` properties and alias targets become addresses with `alias=true`. Left aside is what
Route 53 alone adds: the hosted zone of an alias target, and `alias=false` on every CNAME.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Record, canonical_targets

RecordSet = Mapping[str, Any]

_TTL_OF_ALIAS_S: Final = 300
_HEALTH: Final = "aws/evaluate-target-health"
_FIELDS: Final = {"Weight": "aws/weight", "Region": "aws/region", "Failover": "aws/failover"}
_PLACES: Final = {
    "ContinentCode": "aws/geolocation-continent-code",
    "CountryCode": "aws/geolocation-country-code",
    "SubdivisionCode": "aws/geolocation-subdivision-code",
}
_OCTAL: Final = re.compile(r"\\([0-3][0-7][0-7])")


def record_of(found: RecordSet) -> Record:
    """The record that the in-memory provider holds for a record set."""
    alias = found.get("AliasTarget")
    return Record(
        name=_name(found["Name"]),
        type=found["Type"],
        targets=(_name(alias["DNSName"]),) if alias else canonical_targets(found["Type"], found["ResourceRecords"]),
        ttl_s=_TTL_OF_ALIAS_S if alias else found["TTL"],
        set_identifier=found.get("SetIdentifier", ""),
        properties=Pairs.of(_properties(found)),
    )


def _properties(found: RecordSet) -> dict[str, str]:
    properties = {prop: str(found[field]) for field, prop in _FIELDS.items() if field in found}
    properties |= {
        prop: found["GeoLocation"][code] for code, prop in _PLACES.items() if code in found.get("GeoLocation", {})
    }
    if found.get("MultiValueAnswer"):
        properties["aws/multi-value-answer"] = ""
    if "HealthCheckId" in found:
        properties["aws/health-check-id"] = found["HealthCheckId"]
    if alias := found.get("AliasTarget"):
        properties["alias"] = "true"
        properties[_HEALTH] = str(alias["EvaluateTargetHealth"]).lower()
    return properties


def set_of(record: Record) -> RecordSet:
    """The record set that Route 53 would hold for *record*, as `settled` writes it."""
    properties = dict(record.properties)
    found: dict[str, Any] = {"Name": f"{record.name}.", "Type": record.type}
    if properties.get("alias") == "true" and record.type != "TXT":
        health = properties.get(_HEALTH) == "true"
        found["AliasTarget"] = {"DNSName": f"{record.targets[0]}.", "EvaluateTargetHealth": health}
    else:
        found |= {"TTL": record.ttl_s, "ResourceRecords": list(record.targets)}
    if record.set_identifier:
        found["SetIdentifier"] = record.set_identifier
    found |= {field: properties[prop] for field, prop in _FIELDS.items() if prop in properties}
    if places := {code: properties[prop] for code, prop in _PLACES.items() if prop in properties}:
        found["GeoLocation"] = places
    if "aws/multi-value-answer" in properties:
        found["MultiValueAnswer"] = True
    if "aws/health-check-id" in properties:
        found["HealthCheckId"] = properties["aws/health-check-id"]
    return found


def settled(sets: Iterable[RecordSet]) -> list[RecordSet]:
    """*sets* in one spelling and one order, so that equal zones are equal lists."""
    return sorted((set_of(record_of(found)) for found in sets), key=lambda found: sorted(map(str, found.items())))


def _name(text: str) -> DnsName:
    return DnsName.parse(_OCTAL.sub(lambda match: chr(int(match[1], 8)), text))
