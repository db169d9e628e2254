"""Record sets to and from the dictionaries that the SDK takes and gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from extdns.model import pairs
from extdns.model.pairs import Pairs
from providers.aws.wire import AliasTarget, RecordSet, bare_id

_POLICIES: Final = (
    "Weight",
    "Region",
    "Failover",
    "MultiValueAnswer",
    "GeoLocation",
    "GeoProximityLocation",
    "CidrRoutingConfig",
)
_NUMBERS: Final = frozenset({"Weight", "GeoProximityLocation.Bias"})


def read_set(found: Mapping[str, Any]) -> RecordSet:
    """The record set that the SDK gives as *found*."""
    alias = found.get("AliasTarget")
    identifier = found.get("SetIdentifier", "")
    return RecordSet(
        name=found["Name"],
        type=found["Type"],
        ttl_s=found.get("TTL"),
        values=tuple(record["Value"] for record in found.get("ResourceRecords", ())),
        alias=AliasTarget(
            zone_id=bare_id(alias["HostedZoneId"]),
            name=alias["DNSName"],
            evaluate_target_health=alias["EvaluateTargetHealth"],
        )
        if alias
        else None,
        set_identifier=identifier,
        routing=Pairs.of(_flattened({name: found[name] for name in _POLICIES if name in found}))
        if identifier
        else pairs.NONE,
        health_check_id=found.get("HealthCheckId", ""),
    )


def written_set(one: RecordSet) -> dict[str, Any]:
    """*one* as the SDK takes it."""
    made: dict[str, Any] = {"Name": one.name, "Type": one.type}
    if one.alias:
        made["AliasTarget"] = {
            "HostedZoneId": one.alias.zone_id,
            "DNSName": one.alias.name,
            "EvaluateTargetHealth": one.alias.evaluate_target_health,
        }
    else:
        made["TTL"] = one.ttl_s
        made["ResourceRecords"] = [{"Value": value} for value in one.values]
    if one.set_identifier:
        made["SetIdentifier"] = one.set_identifier
    for field, text in one.routing:
        _put(made, field, text)
    if one.health_check_id:
        made["HealthCheckId"] = one.health_check_id
    return made


def _flattened(found: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", str(value).lower() if isinstance(value, bool) else str(value)


def _put(made: dict[str, Any], field: str, text: str) -> None:
    *path, last = field.split(".")
    inner = made
    for name in path:
        inner = inner.setdefault(name, {})
    if field in _NUMBERS:
        inner[last] = int(text)
    else:
        inner[last] = text == "true" if last == "MultiValueAnswer" else text
