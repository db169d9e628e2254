"""Resource record sets of Route 53: the value `RecordSet`, and its conversion from and to dictionaries of boto3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.route53 import names, routing
from tests.fakes.route53.errors import build_invalid_input, build_invalid_xml
from tests.fakes.route53.routing import Routing

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""The sort key of a record set in its zone: reversed name, type, set identifier."""

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
    """An alias target with a normalized name."""

    zone_id: str
    name: str
    evaluate_target_health: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSet:
    """A resource record set.

    Attributes:
        name: the normalized name.
        set_identifier: "" for a simple record.
        ttl: the TTL in seconds; None for an alias.
        values: the values in the order given; empty for an alias.
        key: the sort key in its zone.
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
        object.__setattr__(self, "key", (names.build_sort_key(self.name), self.type, self.set_identifier))

    @property
    def description(self) -> str:
        identifier = f", set-identifier='{self.set_identifier}'" if self.set_identifier else ""
        return f"[name='{self.name}', type='{self.type}'{identifier}]"

    def matches(self, other: RecordSet) -> bool:
        """Return whether *other* is equal apart from the order of values, so that a DELETE of *self* deletes it."""
        return self == other or (
            sorted(self.values) == sorted(other.values)
            and (self.ttl, self.alias, self.routing, self.health_check_id)
            == (other.ttl, other.alias, other.routing, other.health_check_id)
        )


def decode(original: Json, *, action: str = "CREATE") -> RecordSet:
    """Decode a record set in the form of boto3. Values may also be plain strings.

    Raises:
        ApiError: InvalidInput, if a field is missing or two fields contradict each other.
        names.BadName: the name of the record or of its alias target is not valid.
    """
    identifier, alias = original.get("SetIdentifier", ""), original.get("AliasTarget")
    if original.get("Type") not in TYPES:
        raise build_invalid_xml(
            f"Value '{original.get('Type')}' is not facet-valid with respect to enumeration of type 'RRType'"
        )
    if "Name" not in original:
        raise build_invalid_xml(
            "The content of element 'ResourceRecordSet' is not complete. One of 'Name' is expected."
        )
    if "SetIdentifier" in original and not 1 <= len(identifier) <= _MAX_IDENTIFIER:
        raise build_invalid_xml(
            f"Value '{identifier}' is not facet-valid with respect to 'ResourceRecordSetIdentifier'"
        )
    problem = _find_contents_problem(original) or routing.find_problem(original)
    if problem:
        whom = (
            f"Action={action}, Name={original['Name']}, Type={original['Type']}, SetIdentifier={identifier or 'null'}"
        )
        raise build_invalid_input(f"Invalid request: {problem} in Change with [{whom}]")
    return RecordSet(
        name=names.normalize(original["Name"]),
        type=original["Type"],
        set_identifier=identifier,
        ttl=original.get("TTL"),
        values=tuple(one if isinstance(one, str) else one["Value"] for one in original.get("ResourceRecords", ())),
        alias=_decode_alias(alias) if alias else None,
        routing=routing.decode(original),
        health_check_id=original.get("HealthCheckId", ""),
    )


def encode(record: RecordSet) -> dict[str, Any]:
    shown: dict[str, Any] = {"Name": record.name, "Type": record.type}
    if record.set_identifier:
        shown["SetIdentifier"] = record.set_identifier
    if record.routing:
        shown[record.routing.policy] = record.routing.thaw_details()
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


def _find_contents_problem(original: Json) -> str | None:
    if "AliasTarget" in original:
        return f"{_EXPECTED}, but found more than one" if "TTL" in original or "ResourceRecords" in original else None
    if "TTL" not in original or "ResourceRecords" not in original:
        return f"{_EXPECTED}, but found none"
    if not original["ResourceRecords"]:
        raise build_invalid_xml(
            "The content of element 'ResourceRecords' is not complete. One of 'ResourceRecord' is expected."
        )
    if not 0 <= original["TTL"] <= MAX_TTL_S:
        raise build_invalid_xml(f"Value '{original['TTL']}' is not facet-valid with respect to element 'TTL'")
    return None


def _decode_alias(original: Json) -> Alias:
    for needed in ("HostedZoneId", "DNSName", "EvaluateTargetHealth"):
        if needed not in original:
            raise build_invalid_xml(
                f"The content of element 'AliasTarget' is not complete. One of '{needed}' is expected."
            )
    return Alias(
        zone_id=original["HostedZoneId"],
        name=names.normalize(original["DNSName"]),
        evaluate_target_health=original["EvaluateTargetHealth"],
    )
