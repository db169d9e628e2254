"""Validate which records a zone can contain (API reference, ResourceRecordSet and AliasTarget)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from tests.fakes.route53 import names
from tests.fakes.route53.records import RecordSet
from tests.fakes.route53.zones import Held, Zone

MAX_WEIGHTED: Final = 100
_KINDS: Final[Mapping[str, str]] = {
    "Weight": "weighted",
    "Region": "latency",
    "Failover": "failover",
    "GeoLocation": "geolocation",
    "MultiValueAnswer": "multivalue answer",
    "CidrRoutingConfig": "cidr",
    "GeoProximityLocation": "geoproximity",
}
_UNIQUE_VALUE_POLICIES: Final = frozenset(
    {"Region", "Failover", "GeoLocation", "CidrRoutingConfig", "GeoProximityLocation"}
)
"""Routing policies whose value must differ between the record sets of one name and type."""
_NEVER_ROUTED: Final = frozenset({"DS", "NS", "SOA"})


class _Changed(Protocol):
    """A zone after the changes of a batch."""

    def held(self, name: str) -> Held: ...


def find_invalid(zone: Zone, record: RecordSet) -> Iterator[str]:
    """Yield why *record* can never be in *zone*. The last three messages are our own."""
    name, routing = record.name, record.routing
    if not names.is_within(name, zone.name):
        yield f"RRSet with DNS name {name} is not permitted in zone {zone.name}"
    elif record.type == "CNAME" and name == zone.name:
        yield f"RRSet of type CNAME with DNS name {name} is not permitted at apex in zone {zone.name}"
    if (name, record.type) in zone.protections:
        comment = zone.protections[name, record.type]
        yield f"Resource record set [name='{name}', type='{record.type}'] is protected, with the comment '{comment}'"
    if record.type == "NS" and name.startswith("\\052."):
        yield f"RRSet of type NS with DNS name {name} is not permitted: NS records cannot use a wildcard"
    if routing and (record.type in _NEVER_ROUTED or (routing.policy == "MultiValueAnswer" and record.type == "CNAME")):
        yield f"RRSet of type {record.type} with DNS name {name} cannot have the policy {_KINDS[routing.policy]}"


def find_conflicts(zone: Zone, held: Held, record: RecordSet) -> Iterator[str]:
    """Yield why *record* cannot coexist with the records *held* at its name."""
    location = record.type, record.set_identifier
    others = [one for where, one in held.items() if where != location]
    alike = [one for one in others if one.type == record.type]
    if record.type == "CNAME" and len(alike) < len(others):
        yield (
            f"RRSet of type CNAME with DNS name {record.name} is not permitted "
            f"as it conflicts with other records with the same DNS name in zone {zone.name}"
        )
    elif record.type != "CNAME" and any(one.type == "CNAME" for one in others):
        yield (
            f"RRSet of type {record.type} with DNS name {record.name} is not permitted because a conflicting "
            f"RRSet of type  CNAME with the same DNS name already exists in zone {zone.name}"
        )
    elif alike:
        found = (
            _find_mixed_policies(record, alike) or _find_duplicate_value(record, alike) or _find_excess(record, alike)
        )
        yield from (found,) if found else ()


def find_zone_problems(zone: Zone, candidate: _Changed, made: Iterable[RecordSet]) -> Iterator[str]:
    """Yield what would be invalid in *zone* after a batch that created or replaced *made*."""
    apex = candidate.held(zone.name)
    if ("SOA", "") not in apex:
        yield "A HostedZone must contain exactly one SOA record."
    if ("NS", "") not in apex:
        yield "A HostedZone must contain at least one NS record for the zone itself."
    for record in made:
        if record.ttl is not None and record.routing and record.routing.policy == "Weight":
            yield from _find_uneven_ttl(candidate.held(record.name), record)


def _find_mixed_policies(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Return the message if *record* is simple and others are routed, or if the routing policies differ."""
    if record.routing is None:
        return (
            f"RRSet with DNS name {record.name}, type {record.type} cannot be created "
            "as other RRSets exist with the same name and type."
        )
    if any(one.routing is None or one.routing.policy != record.routing.policy for one in alike):
        kind = _KINDS[record.routing.policy]
        return f"{_render(record)} cannot be created as a non-{kind} set exists with the same name and type."
    return None


def _find_duplicate_value(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Return the message if another record has the same region, location or failover role."""
    if record.routing is None or record.routing.policy not in _UNIQUE_VALUE_POLICIES:
        return None
    if all(one.routing != record.routing for one in alike):
        return None
    kind = _KINDS[record.routing.policy]
    if record.routing.policy == "Region":
        return (
            f"{_render(record)}, and Region Name={record.routing.details} cannot be created "
            "because a latency RRSet with the same name, type and region already exists."
        )
    reason = f"a {kind} RRSet with the same name, type and {kind} already exists."
    return f"{_render(record)} cannot be created because {reason}"


def _find_excess(record: RecordSet, alike: list[RecordSet]) -> str | None:
    if record.routing is None or record.routing.policy != "Weight" or len(alike) < MAX_WEIGHTED:
        return None
    return f"Exceeded limit on number of weighted RRSets for {record.name}, type {record.type} in this zone."


def _find_uneven_ttl(held: Held, record: RecordSet) -> Iterator[str]:
    """Yield a message if weighted records of one name and type have different TTLs."""
    ttls = {one.ttl for one in held.values() if one.type == record.type and one.ttl is not None}
    if len(ttls) > 1:
        yield (
            f"RRSet with DNS name {record.name} and type {record.type}, SetIdentifier {record.set_identifier} "
            "cannot be created as weighted sets must contain the same TTL."
        )


def _render(record: RecordSet) -> str:
    return f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_identifier}"
