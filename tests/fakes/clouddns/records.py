"""Resource record sets: as values, and as the service's JSON (`decode`, `encode`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.clouddns import values
from tests.fakes.clouddns.errors import Complaint, invalid

Json = Mapping[str, Any]
Key = tuple[str, str]

TYPES: Final = frozenset(
    {"A", "AAAA", "ALIAS", "CAA", "CNAME", "DNSKEY", "DS", "HTTPS", "IPSECKEY", "MX", "NAPTR", "NS", "PTR", "SOA"}
    | {"SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT"}
)
"""Guide "DNS records overview"."""
_FIELDS: Final = frozenset({"kind", "name", "type", "ttl", "rrdatas", "signatureRrdatas", "routingPolicy"})
_POLICIES: Final = ("geo", "primaryBackup", "wrr")
_NAME: Final = re.compile(r"(?:\*\.)?(?:[a-z0-9_*-]{1,63}\.)+", re.ASCII)
MAX_TTL_S: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSet:
    """A resource record set.

    Attributes:
        name: in lower case, with a dot at the end.
        rrdatas: in the order given; empty where there is a policy.
        policy: the routing policy as JSON, empty for none.
    """

    name: str
    type: str
    ttl: int
    rrdatas: tuple[str, ...] = ()
    policy: str = ""

    @property
    def key(self) -> Key:
        """What identifies it in its zone."""
        return self.name, self.type

    @property
    def shown(self) -> str:
        """Name it as messages of the service do."""
        return f"{self.name} ({self.type})"

    def matches(self, other: RecordSet) -> bool:
        """Tell whether a deletion of *self* fits *other*: the same in all, but for the order of data."""
        return (self.key, self.ttl, _bare(self.policy), sorted(self.rrdatas)) == (
            other.key,
            other.ttl,
            _bare(other.policy),
            sorted(other.rrdatas),
        )


def decode(given: Json, path: str) -> tuple[RecordSet | None, list[Complaint]]:
    """Read a record set at *path* of the request; without any complaint it is there."""
    found = [*_problems(given, path)]
    if found:
        return None, found
    kind = given["type"]
    policy = given.get("routingPolicy")
    return (
        RecordSet(
            name=given["name"].lower(),
            type=kind,
            ttl=given["ttl"],
            rrdatas=tuple(values.stored(kind, value) for value in given.get("rrdatas", ())),
            policy=json.dumps(_with_kinds(policy), sort_keys=True) if policy else "",
        ),
        [],
    )


def encode(record: RecordSet) -> dict[str, Any]:
    """Write a record set."""
    said: dict[str, Any] = {
        "kind": "dns#resourceRecordSet",
        "name": record.name,
        "type": record.type,
        "ttl": record.ttl,
    }
    if record.policy:
        return {**said, "routingPolicy": json.loads(record.policy)}
    return {**said, "rrdatas": list(record.rrdatas)}


def _problems(given: Json, path: str) -> list[Complaint]:
    if unknown := sorted(given.keys() - _FIELDS):
        return [invalid(path, f"Unknown field {unknown[0]}")]
    for field in ("name", "type", "ttl"):
        if field not in given:
            return [Complaint("required", f"Required parameter is missing: '{path}.{field}'")]
    name, kind, ttl = given["name"], given["type"], given["ttl"]
    if not (isinstance(name, str) and _NAME.fullmatch(name.lower()) and len(name) <= 254):
        return [invalid(f"{path}.name", name)]
    if kind not in TYPES:
        return [invalid(f"{path}.type", kind)]
    if not (isinstance(ttl, int) and 0 <= ttl <= MAX_TTL_S):
        return [invalid(f"{path}.ttl", ttl)]
    if "routingPolicy" in given:
        return _policy_problems(given, path)
    data = given.get("rrdatas") or ()
    if not data:
        return [invalid(f"{path}.rrdata", "<empty>")]
    return [
        invalid(f"{path}.rrdata[{place}]", value)
        for place, value in enumerate(data)
        if not values.is_valid(kind, value) or value in data[:place]
    ]


def _policy_problems(given: Json, path: str) -> list[Complaint]:
    policy = given["routingPolicy"]
    if given.get("rrdatas") or not isinstance(policy, Mapping) or sum(kind in policy for kind in _POLICIES) != 1:
        return [invalid(f"{path}.routingPolicy", policy)]
    items = policy.get("wrr", policy.get("geo", {})).get("items", ())
    return [
        invalid(f"{path}.routingPolicy.item[{place}].rrdata", item.get("rrdatas"))
        for place, item in enumerate(items)
        if not all(values.is_valid(given["type"], value) for value in item.get("rrdatas", ()))
    ]


def _with_kinds(policy: Any) -> Any:  # noqa: ANN401 - JSON
    """*policy* as it is given back: each object says what it is."""
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


def _bare(policy: str) -> object:
    return _without_kinds(json.loads(policy)) if policy else None


def _without_kinds(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return {name: _without_kinds(inner) for name, inner in value.items() if name != "kind"}
    return [_without_kinds(inner) for inner in value] if isinstance(value, list) else value
