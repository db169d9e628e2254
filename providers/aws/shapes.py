"""Record sets as the dictionaries that the SDK takes."""

from __future__ import annotations

from typing import Any, Final

from providers.aws.wire import RecordSet

_NUMBERS: Final = frozenset({"Weight", "GeoProximityLocation.Bias"})


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


def _put(made: dict[str, Any], field: str, text: str) -> None:
    *path, last = field.split(".")
    inner = made
    for name in path:
        inner = inner.setdefault(name, {})
    if field in _NUMBERS:
        inner[last] = int(text)
    else:
        inner[last] = text == "true" if last == "MultiValueAnswer" else text
