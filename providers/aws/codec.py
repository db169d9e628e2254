"""Record sets to and from records and endpoints (spec plan 4.4, 4.7)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.model import pairs, rrtype, texts, ttl
from extdns.model.pairs import Pairs
from extdns.model.record import ALIAS, Endpoint, Record, canonical_targets
from extdns.model.zone import Zone
from providers.aws import names, routing
from providers.aws.targets import target_zone
from providers.aws.wire import AliasTarget, RecordSet

DEFAULT_TTL_S: Final = 300
HEALTH: Final = "aws/evaluate-target-health"
TARGET_ZONE: Final = "aws/target-hosted-zone"


def record_set(content: Endpoint | Record, zone: Zone) -> RecordSet:
    """What stands for *content* in *zone*; of a record that was read, what was read."""
    if isinstance(content, Record) and isinstance(content.exact, RecordSet):
        return content.exact
    properties = content.properties
    health_check = properties.get(routing.HEALTH_CHECK) if properties else ""
    policy = routing.fields(properties)
    if properties and properties.get(ALIAS) == "true" and content.type in rrtype.ADDRESSES:
        return RecordSet(
            name=content.name,
            type=content.type,
            alias=_alias(content, zone),
            set_identifier=content.set_identifier,
            routing=policy,
            health_check_id=health_check,
        )
    return RecordSet(
        name=content.name,
        type=content.type,
        ttl_s=DEFAULT_TTL_S if content.ttl_s == ttl.UNSET and isinstance(content, Endpoint) else content.ttl_s,
        values=_values(content),
        set_identifier=content.set_identifier,
        routing=policy,
        health_check_id=health_check,
    )


def _values(content: Endpoint | Record) -> tuple[str, ...]:
    return tuple(map(texts.cut, content.targets)) if content.type == rrtype.TXT else content.targets


def _alias(content: Endpoint | Record, zone: Zone) -> AliasTarget:
    host = content.targets[0]
    return AliasTarget(
        zone_id=content.properties.get(TARGET_ZONE) or target_zone(host, zone.id),
        name=host,
        evaluate_target_health=content.properties.get(HEALTH) == "true",
    )


def record(found: RecordSet, zone: Zone) -> Record | None:
    """The record that *found* is, None if it has a name that we could not ask for."""
    name = names.parsed(found.name)
    if name is None:
        return None
    properties = dict(routing.properties(found.routing)) if found.routing else {}
    if found.health_check_id:
        properties[routing.HEALTH_CHECK] = found.health_check_id
    if found.alias:
        targets: tuple[str, ...] = (_host(found.alias.name),)
        properties |= _alias_properties(found.alias, targets[0], zone)
    else:
        targets = _targets(found)
    made = Record(
        name=name,
        type=found.type,
        targets=targets,
        ttl_s=DEFAULT_TTL_S if found.ttl_s is None else found.ttl_s,
        set_identifier=found.set_identifier,
        properties=Pairs.of(properties) if properties else pairs.NONE,
    )
    return made if _says_all(made, found) else replace(made, exact=found)


def _targets(found: RecordSet) -> tuple[str, ...]:
    if found.type == rrtype.TXT:
        return tuple(sorted({texts.joined(value) for value in found.values}))
    return canonical_targets(found.type, found.values)


def _alias_properties(alias: AliasTarget, host: str, zone: Zone) -> dict[str, str]:
    found = {ALIAS: "true", HEALTH: "true" if alias.evaluate_target_health else "false"}
    if alias.zone_id != target_zone(host, zone.id):
        found[TARGET_ZONE] = alias.zone_id
    return found


def _host(text: str) -> str:
    return names.parsed(text) or text.removesuffix(".")


def _says_all(made: Record, found: RecordSet) -> bool:
    """Tell whether the fields of *made* are enough to name *found* again, the order of its values aside."""
    if found.routing and routing.fields(made.properties) != found.routing:
        return False
    if found.alias:
        return made.type in rrtype.ADDRESSES and found.ttl_s is None
    values = _values(made)
    return found.ttl_s is not None and (values == found.values or sorted(values) == sorted(found.values))
