"""Validate alias targets (API reference, AliasTarget).

For some hosted zones of AWS services the domain is known (AWS General Reference, "Elastic Load Balancing endpoints
and quotas" and similar pages); of others only that they belong to AWS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tests.fakes.route53 import names
from tests.fakes.route53.records import Alias, RecordSet
from tests.fakes.route53.zones import Held, Zone

CLOUDFRONT: Final = "Z2FDTNDATAQYW2"
SERVICE_ZONES: Final[Mapping[str, str]] = {
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
_AWS: Final = (".amazonaws.com.", ".amazonaws.com.cn.", ".elasticbeanstalk.com.", ".on.aws.", ".awsapprunner.com.")


def find_problems(zone: Zone, target: Held, record: RecordSet, alias: Alias) -> Iterator[str]:
    """Yield why *record* of *zone* cannot have this *alias*. *target* is the records at the alias target's name."""
    tried = f"Tried to create an alias that targets {alias.name}, type {record.type} in zone {alias.zone_id}, but"
    if alias.zone_id == zone.zone_id:
        if not names.is_within(alias.name, zone.name):
            yield f"{tried} the alias target name does not lie within the target zone"
        if alias.name == record.name or all(kind != record.type for kind, _ in target):
            yield f"{tried} that target was not found"
    elif not _is_of_aws(alias):
        yield f"{tried} the alias target name does not lie within the target zone"
        yield f"{tried} that target was not found"
    yield from _find_forbidden(zone, record, alias)


def _is_of_aws(alias: Alias) -> bool:
    suffix = SERVICE_ZONES.get(alias.zone_id)
    return alias.name.endswith(f".{suffix}") if suffix else alias.name.endswith(_AWS)


def _find_forbidden(zone: Zone, record: RecordSet, alias: Alias) -> Iterator[str]:
    """Yield aliases that the API reference excludes. The messages are our own."""
    if alias.zone_id == CLOUDFRONT and alias.evaluate_target_health:
        yield f"EvaluateTargetHealth cannot be true for the CloudFront distribution {alias.name}"
    if alias.zone_id == CLOUDFRONT and zone.private:
        yield f"An alias for the CloudFront distribution {alias.name} cannot be created in a private zone"
    if record.type in {"NS", "SOA"}:
        yield f"An alias cannot be of type {record.type}: {record.name}"
    if record.routing and record.routing.policy == "MultiValueAnswer":
        yield f"A multivalue answer record cannot be an alias: {record.name}"
