"""What may stand in a zone, and beside what (API reference, ResourceRecordSet and AliasTarget)."""

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
_TWINLESS: Final = frozenset({"Region", "Failover", "GeoLocation", "CidrRoutingConfig", "GeoProximityLocation"})
"""Policies of which no two record sets of a name and type may say the same."""
_NEVER_ROUTED: Final = frozenset({"DS", "NS", "SOA"})


class _Changed(Protocol):
    """A zone as a batch would leave it."""

    def held(self, name: str) -> Held: ...


def misplaced(zone: Zone, record: RecordSet) -> Iterator[str]:
    """Tell why *record* cannot be in *zone* whatever else is; the words of the last three are ours."""
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


def conflicts(zone: Zone, held: Held, record: RecordSet) -> Iterator[str]:
    """Tell why *record* cannot stand beside the others that its name holds."""
    place = record.type, record.set_identifier
    others = [one for where, one in held.items() if where != place]
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
        found = _mixed(record, alike) or _twin(record, alike) or _too_many(record, alike)
        yield from (found,) if found else ()


def settled(zone: Zone, draft: _Changed, made: Iterable[RecordSet]) -> Iterator[str]:
    """Tell what is wrong with *zone* as a batch that *made* these record sets would leave it."""
    apex = draft.held(zone.name)
    if ("SOA", "") not in apex:
        yield "A HostedZone must contain exactly one SOA record."
    if ("NS", "") not in apex:
        yield "A HostedZone must contain at least one NS record for the zone itself."
    for record in made:
        if record.ttl is not None and record.routing and record.routing.policy == "Weight":
            yield from _uneven_ttl(draft.held(record.name), record)


def _mixed(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Simple beside routed, or two policies."""
    if record.routing is None:
        return (
            f"RRSet with DNS name {record.name}, type {record.type} cannot be created "
            "as other RRSets exist with the same name and type."
        )
    if any(one.routing is None or one.routing.policy != record.routing.policy for one in alike):
        kind = _KINDS[record.routing.policy]
        return f"{_shown(record)} cannot be created as a non-{kind} set exists with the same name and type."
    return None


def _twin(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Two that say the same region, country or role."""
    if record.routing is None or record.routing.policy not in _TWINLESS:
        return None
    if all(one.routing != record.routing for one in alike):
        return None
    kind = _KINDS[record.routing.policy]
    if record.routing.policy == "Region":
        return (
            f"{_shown(record)}, and Region Name={record.routing.details} cannot be created "
            "because a latency RRSet with the same name, type and region already exists."
        )
    return (
        f"{_shown(record)} cannot be created because a {kind} RRSet with the same name, type and {kind} already exists."
    )


def _too_many(record: RecordSet, alike: list[RecordSet]) -> str | None:
    if record.routing is None or record.routing.policy != "Weight" or len(alike) < MAX_WEIGHTED:
        return None
    return f"Exceeded limit on number of weighted RRSets for {record.name}, type {record.type} in this zone."


def _uneven_ttl(held: Held, record: RecordSet) -> Iterator[str]:
    """Weighted sets of a name and type have one TTL."""
    ttls = {one.ttl for one in held.values() if one.type == record.type and one.ttl is not None}
    if len(ttls) > 1:
        yield (
            f"RRSet with DNS name {record.name} and type {record.type}, SetIdentifier {record.set_identifier} "
            "cannot be created as weighted sets must contain the same TTL."
        )


def _shown(record: RecordSet) -> str:
    return f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_identifier}"
