"""Resource record sets: as values, and as the dictionaries that boto3 takes and gives (`decode`, `encode`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.route53 import names, routing
from tests.fakes.route53.errors import invalid_input, invalid_xml
from tests.fakes.route53.routing import Routing

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""Where a record set stands in the order of its zone: reversed name, type, set identifier."""

TYPES: Final = frozenset(
    {"A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR", "NS", "PTR", "SOA", "SPF", "SRV", "SSHFP", "SVCB"}
    | {"TLSA", "TXT"}
)
MAX_TTL_S: Final = 2**31 - 1
_MAX_IDENTIFIER: Final = 128
_EXPECTED: Final = (
    "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """An alias target; its name is settled."""

    zone_id: str
    name: str
    evaluate_target_health: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSet:
    """A resource record set.

    Attributes:
        name: settled.
        set_identifier: empty for a simple one.
        ttl: None for an alias.
        values: in the order given; empty for an alias.
        key: where it stands in its zone.
    """

    name: str
    type: str
    set_identifier: str = ""
    ttl: int | None = None
    values: tuple[str, ...] = ()
    alias: Alias | None = None
    routing: Routing | None = None
    health_check_id: str = ""
    key: Key = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", (names.order(self.name), self.type, self.set_identifier))

    @property
    def shown(self) -> str:
        """Name it as messages of the service do."""
        identifier = f", set-identifier='{self.set_identifier}'" if self.set_identifier else ""
        return f"[name='{self.name}', type='{self.type}'{identifier}]"

    def matches(self, other: RecordSet) -> bool:
        """Tell whether a DELETE of *self* fits *other*: the same in all, but for the order of values."""
        return self == other or (
            sorted(self.values) == sorted(other.values)
            and (self.ttl, self.alias, self.routing, self.health_check_id)
            == (other.ttl, other.alias, other.routing, other.health_check_id)
        )


def decode(given: Json, *, action: str = "CREATE") -> RecordSet:
    """Read a record set in the form of boto3; values may be plain strings, too.

    Raises:
        ApiError: InvalidInput, for what is missing or does not go together.
        names.BadName: Its name, or that of its alias target, is none.
    """
    identifier, alias = given.get("SetIdentifier", ""), given.get("AliasTarget")
    if given.get("Type") not in TYPES:
        raise invalid_xml(
            f"Value '{given.get('Type')}' is not facet-valid with respect to enumeration of type 'RRType'"
        )
    if "Name" not in given:
        raise invalid_xml("The content of element 'ResourceRecordSet' is not complete. One of 'Name' is expected.")
    if "SetIdentifier" in given and not 1 <= len(identifier) <= _MAX_IDENTIFIER:
        raise invalid_xml(f"Value '{identifier}' is not facet-valid with respect to 'ResourceRecordSetIdentifier'")
    problem = _contents_problem(given) or routing.problem(given)
    if problem:
        whom = f"Action={action}, Name={given['Name']}, Type={given['Type']}, SetIdentifier={identifier or 'null'}"
        raise invalid_input(f"Invalid request: {problem} in Change with [{whom}]")
    return RecordSet(
        name=names.normalise(given["Name"]),
        type=given["Type"],
        set_identifier=identifier,
        ttl=given.get("TTL"),
        values=tuple(one if isinstance(one, str) else one["Value"] for one in given.get("ResourceRecords", ())),
        alias=_alias(alias) if alias else None,
        routing=routing.decode(given),
        health_check_id=given.get("HealthCheckId", ""),
    )


def encode(record: RecordSet) -> dict[str, Any]:
    """Write a record set in the form of boto3."""
    shown: dict[str, Any] = {"Name": record.name, "Type": record.type}
    if record.set_identifier:
        shown["SetIdentifier"] = record.set_identifier
    if record.routing:
        shown[record.routing.policy] = record.routing.thawed()
    if record.alias:
        shown["AliasTarget"] = {
            "HostedZoneId": record.alias.zone_id,
            "DNSName": record.alias.name,
            "EvaluateTargetHealth": record.alias.evaluate_target_health,
        }
    else:
        shown["TTL"] = record.ttl
        shown["ResourceRecords"] = [{"Value": value} for value in record.values]
    if record.health_check_id:
        shown["HealthCheckId"] = record.health_check_id
    return shown


def _contents_problem(given: Json) -> str | None:
    if "AliasTarget" in given:
        return f"{_EXPECTED}, but found more than one" if "TTL" in given or "ResourceRecords" in given else None
    if "TTL" not in given or "ResourceRecords" not in given:
        return f"{_EXPECTED}, but found none"
    if not given["ResourceRecords"]:
        raise invalid_xml(
            "The content of element 'ResourceRecords' is not complete. One of 'ResourceRecord' is expected."
        )
    if not 0 <= given["TTL"] <= MAX_TTL_S:
        raise invalid_xml(f"Value '{given['TTL']}' is not facet-valid with respect to element 'TTL'")
    return None


def _alias(given: Json) -> Alias:
    for needed in ("HostedZoneId", "DNSName", "EvaluateTargetHealth"):
        if needed not in given:
            raise invalid_xml(f"The content of element 'AliasTarget' is not complete. One of '{needed}' is expected.")
    return Alias(
        zone_id=given["HostedZoneId"],
        name=names.normalise(given["DNSName"]),
        evaluate_target_health=given["EvaluateTargetHealth"],
    )
