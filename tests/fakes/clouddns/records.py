"""Resource record sets of Cloud DNS: the value `RecordSet`, and its conversion from and to JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.clouddns import values
from tests.fakes.clouddns.errors import Complaint, build_invalid

Json = Mapping[str, Any]
Key = tuple[str, str]

TYPES: Final = frozenset(
    {"A", "AAAA", "ALIAS", "CAA", "CNAME", "DNSKEY", "DS", "HTTPS", "IPSECKEY", "MX", "NAPTR", "NS", "PTR", "SOA"}
    | {"SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT"}
)
"""The supported record types (guide "DNS records overview")."""
_FIELDS: Final = frozenset({"kind", "name", "type", "ttl", "rrdatas", "signatureRrdatas", "routingPolicy"})
_POLICIES: Final = ("geo", "primaryBackup", "wrr")
_NAME: Final = re.compile(r"(?:\*\.)?(?:[a-z0-9_*-]{1,63}\.)+", re.ASCII)
MAX_TTL_S: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSet:
    """A resource record set.

    Attributes:
        name: in lower case, with a trailing dot.
        rrdatas: the data in the order given; empty if there is a policy.
        policy: the routing policy as JSON, or "".
    """

    name: str
    type: str
    ttl: int
    rrdatas: tuple[str, ...] = ()
    policy: str = ""

    @property
    def key(self) -> Key:
        return self.name, self.type

    @property
    def description(self) -> str:
        """The description in messages of the service."""
        return f"{self.name} ({self.type})"

    def matches(self, other: RecordSet) -> bool:
        """Return whether *other* is equal apart from the order of its data, so that deleting *self* deletes it."""
        return (self.key, self.ttl, _decode_policy(self.policy), sorted(self.rrdatas)) == (
            other.key,
            other.ttl,
            _decode_policy(other.policy),
            sorted(other.rrdatas),
        )


def decode(original: Json, path: str) -> tuple[RecordSet | None, list[Complaint]]:
    """Decode a record set at *path* of the request. Return it, or None with the complaints about it."""
    found = [*_find_problems(original, path)]
    if found:
        return None, found
    kind = original["type"]
    policy = original.get("routingPolicy")
    return (
        RecordSet(
            name=original["name"].lower(),
            type=kind,
            ttl=original["ttl"],
            rrdatas=tuple(values.normalize(kind, value) for value in original.get("rrdatas", ())),
            policy=json.dumps(_add_kinds(policy), sort_keys=True) if policy else "",
        ),
        [],
    )


def encode(record: RecordSet) -> dict[str, Any]:
    detail: dict[str, Any] = {
        "kind": "dns#resourceRecordSet",
        "name": record.name,
        "type": record.type,
        "ttl": record.ttl,
    }
    if record.policy:
        return {**detail, "routingPolicy": json.loads(record.policy)}
    return {**detail, "rrdatas": list(record.rrdatas)}


def _find_problems(original: Json, path: str) -> list[Complaint]:
    if unknown := sorted(original.keys() - _FIELDS):
        return [build_invalid(path, f"Unknown field {unknown[0]}")]
    for field in ("name", "type", "ttl"):
        if field not in original:
            return [Complaint("required", f"Required parameter is missing: '{path}.{field}'")]
    name, kind, ttl = original["name"], original["type"], original["ttl"]
    if not (isinstance(name, str) and _NAME.fullmatch(name.lower()) and len(name) <= 254):
        return [build_invalid(f"{path}.name", name)]
    if kind not in TYPES:
        return [build_invalid(f"{path}.type", kind)]
    if not (isinstance(ttl, int) and 0 <= ttl <= MAX_TTL_S):
        return [build_invalid(f"{path}.ttl", ttl)]
    if "routingPolicy" in original:
        return _find_policy_problems(original, path)
    data = original.get("rrdatas") or ()
    if not data:
        return [build_invalid(f"{path}.rrdata", "<empty>")]
    return [
        build_invalid(f"{path}.rrdata[{location}]", value)
        for location, value in enumerate(data)
        if not values.is_valid(kind, value) or value in data[:location]
    ]


def _find_policy_problems(original: Json, path: str) -> list[Complaint]:
    policy = original["routingPolicy"]
    if original.get("rrdatas") or not isinstance(policy, Mapping) or sum(kind in policy for kind in _POLICIES) != 1:
        return [build_invalid(f"{path}.routingPolicy", policy)]
    items = policy.get("wrr", policy.get("geo", {})).get("items", ())
    return [
        build_invalid(f"{path}.routingPolicy.item[{location}].rrdata", item.get("rrdatas"))
        for location, item in enumerate(items)
        if not all(values.is_valid(original["type"], value) for value in item.get("rrdatas", ()))
    ]


def _add_kinds(policy: Any) -> Any:  # noqa: ANN401 - JSON
    """Return *policy* with a `kind` field in each object, as responses have it."""
    made = {"kind": "dns#rRSetRoutingPolicy", **policy}
    for name, kind in (("wrr", "WrrPolicy"), ("geo", "GeoPolicy")):
        if name in made:
            items = [
                {"kind": f"dns#rRSetRoutingPolicy{kind}{kind}Item", **item} for item in made[name].get("items", ())
            ]
            made[name] = {"kind": f"dns#rRSetRoutingPolicy{kind}", **made[name], "items": items}
    if "primaryBackup" in made:
        made["primaryBackup"] = {"kind": "dns#rRSetRoutingPolicyPrimaryBackupPolicy", **made["primaryBackup"]}
    return made


def _decode_policy(policy: str) -> object:
    return _remove_kinds(json.loads(policy)) if policy else None


def _remove_kinds(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return {name: _remove_kinds(inner) for name, inner in value.items() if name != "kind"}
    return [_remove_kinds(inner) for inner in value] if isinstance(value, list) else value
