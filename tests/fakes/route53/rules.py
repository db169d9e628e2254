"""What may stand in a zone, and beside what (API reference, ResourceRecordSet and AliasTarget)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from tests.fakes.route53 import names
from tests.fakes.route53.records import Alias, RecordSet
from tests.fakes.route53.zones import Held, Zone

CLOUDFRONT: Final = "Z2FDTNDATAQYW2"
ALIAS_ZONES: Final[Mapping[str, str]] = {
    CLOUDFRONT: "cloudfront.net.",
    "Z2BJ6XQ5FK7U4H": "awsglobalaccelerator.com.",
    "Z35SXDOTRQ7X7K": "us-east-1.elb.amazonaws.com.",
    "Z26RNL4JYFTOTI": "elb.us-east-1.amazonaws.com.",
    "Z3AADJGX6KTTL2": "us-east-2.elb.amazonaws.com.",
    "ZLMOA37VPKANP": "elb.us-east-2.amazonaws.com.",
    "Z1H1FL5HABSF5": "us-west-2.elb.amazonaws.com.",
    "Z18D5FSROUN65G": "elb.us-west-2.amazonaws.com.",
    "Z32O12XQLNTSW2": "eu-west-1.elb.amazonaws.com.",
    "Z2IFOLAFXWLO4F": "elb.eu-west-1.amazonaws.com.",
    "Z215JYRZR1TBD5": "eu-central-1.elb.amazonaws.com.",
    "Z3F0SRJ5LGBH90": "elb.eu-central-1.amazonaws.com.",
}
"""Hosted zones of AWS services; of others only the suffix below is known."""
_AWS: Final = (".amazonaws.com.", ".amazonaws.com.cn.", ".elasticbeanstalk.com.", ".on.aws.", ".awsapprunner.com.")
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


class _Changed(Protocol):
    """A zone as a batch would leave it."""

    @property
    def touched(self) -> Mapping[str, Held]: ...

    def held(self, name: str) -> Held: ...


def misplaced(zone: Zone, record: RecordSet) -> Iterator[str]:
    """Tell why *record* cannot be in *zone* whatever else is."""
    if not names.is_within(record.name, zone.name):
        yield f"RRSet with DNS name {record.name} is not permitted in zone {zone.name}"
    elif record.type == "CNAME" and record.name == zone.name:
        yield f"RRSet of type CNAME with DNS name {record.name} is not permitted at apex in zone {zone.name}"


def conflict(zone: Zone, held: Held, record: RecordSet) -> str | None:
    """Tell why *record* cannot stand beside the others that its name holds."""
    others = [one for (kind, identifier), one in held.items() if (kind, identifier) != _place(record)]
    if record.type == "CNAME" and any(one.type != "CNAME" for one in others):
        return (
            f"RRSet of type CNAME with DNS name {record.name} is not permitted "
            f"as it conflicts with other records with the same DNS name in zone {zone.name}"
        )
    if record.type != "CNAME" and any(one.type == "CNAME" for one in others):
        return (
            f"RRSet of type {record.type} with DNS name {record.name} is not permitted because a conflicting "
            f"RRSet of type  CNAME with the same DNS name already exists in zone {zone.name}"
        )
    alike = [one for one in others if one.type == record.type]
    return _mixed(record, alike) or _twin(record, alike)


def settled(zone: Zone, draft: _Changed, knows_health_check: Callable[[str], bool]) -> Iterator[str]:
    """Tell what is wrong with *zone* as a batch would leave it."""
    apex = draft.held(zone.name)
    if ("SOA", "") not in apex:
        yield "A HostedZone must contain exactly one SOA record."
    if ("NS", "") not in apex:
        yield "A HostedZone must contain at least one NS record for the zone itself."
    for held in draft.touched.values():
        yield from _uneven_ttls(held)
        for record in held.values():
            if record.health_check_id and not knows_health_check(record.health_check_id):
                yield f"No health check exists with the specified ID: {record.health_check_id}"
            if record.alias:
                yield from _alias_problems(zone, draft, record, record.alias)


def _place(record: RecordSet) -> tuple[str, str]:
    return record.type, record.set_identifier


def _mixed(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Simple beside routed, or two policies."""
    if not alike:
        return None
    if record.routing is None:
        return (
            f"RRSet with DNS name {record.name}, type {record.type} cannot be created "
            "as other RRSets exist with the same name and type."
        )
    if any(one.routing is None or one.routing.policy != record.routing.policy for one in alike):
        kind = _KINDS[record.routing.policy]
        return (
            f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_identifier} "
            f"cannot be created as a non-{kind} set exists with the same name and type."
        )
    return None


def _twin(record: RecordSet, alike: list[RecordSet]) -> str | None:
    """Two that say the same region, country or role."""
    if record.routing is None or record.routing.policy not in _TWINLESS:
        return None
    if all(one.routing != record.routing for one in alike):
        return None
    kind = _KINDS[record.routing.policy]
    shown = f"RRSet with DNS name {record.name}, type {record.type}, SetIdentifier {record.set_identifier}"
    if record.routing.policy == "Region":
        return (
            f"{shown}, and Region Name={record.routing.details} cannot be created "
            "because a latency RRSet with the same name, type and region already exists."
        )
    return f"{shown} cannot be created because a {kind} RRSet with the same name, type and {kind} already exists."


def _uneven_ttls(held: Held) -> Iterator[str]:
    """Weighted sets of a name and type have one TTL."""
    first: dict[str, RecordSet] = {}
    for record in held.values():
        if record.routing is None or record.routing.policy != "Weight" or record.ttl is None:
            continue
        if first.setdefault(record.type, record).ttl != record.ttl:
            yield (
                f"RRSet with DNS name {record.name} and type {record.type}, SetIdentifier {record.set_identifier} "
                "cannot be created as weighted sets must contain the same TTL."
            )


def _alias_problems(zone: Zone, draft: _Changed, record: RecordSet, alias: Alias) -> Iterator[str]:
    tried = f"Tried to create an alias that targets {alias.name}, type {record.type} in zone {alias.zone_id}, but"
    if alias.zone_id == zone.zone_id:
        if not names.is_within(alias.name, zone.name):
            yield f"{tried} the alias target name does not lie within the target zone"
        if not any(kind == record.type for kind, _ in draft.held(alias.name)) or alias.name == record.name:
            yield f"{tried} that target was not found"
        return
    suffix = ALIAS_ZONES.get(alias.zone_id)
    known = alias.name.endswith(f".{suffix}") if suffix else alias.name.endswith(_AWS)
    if not known:
        yield f"{tried} the alias target name does not lie within the target zone"
        yield f"{tried} that target was not found"
    elif alias.zone_id == CLOUDFRONT and alias.evaluate_target_health:
        yield (f"{tried} EvaluateTargetHealth cannot be set to true when the alias target is a CloudFront distribution")
