"""Resources of the Cloud DNS API (v1), without the SDK's types, and record sets to and from records.

See docs/spec/plan.md 5, and the API reference, ResourceRecordSet and RRSetRoutingPolicy. A routing policy is part of
its record set. It is kept as a property that holds its JSON: weighted, geolocation and failover policies alike, with
all targets and health checks. external-dns has no such property.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from extdns.errors import describe_type
from extdns.model import rrtype, ttl
from extdns.model.record import DesiredRecord, Record, canonicalize_targets, parse_address
from extdns.model.value import EMPTY_MAP, StringMap, Value
from providers.common.api_calls import parse_service_name
from providers.common.txt_strings import join_strings, split_strings

_KIND: Final = "dns#resourceRecordSet"


class CloudDnsRecordSet(Value, frozen=True, kw_only=True):
    """A ResourceRecordSet.

    Attributes:
        name: the name, with a dot at the end.
        values: its `rrdatas`, in the order of the service; () if there is a routing policy.
        policy: the `routingPolicy` as JSON, "" for none.
    """

    name: str
    type: str
    ttl_s: int
    values: tuple[str, ...] = ()
    policy: str = ""


class ManagedZone(Value, frozen=True, kw_only=True):
    """A ManagedZone.

    Attributes:
        name: chosen by whoever created the zone, unique in the project.
        number: the id of the zone, globally unique.
        dns_name: the domain name, with a dot at the end.
        peering: whether it is a peering zone, which resolves in another network and has no records.
    """

    name: str
    number: str
    dns_name: str
    private: bool = False
    peering: bool = False


class CloudDnsPage(Value, frozen=True, kw_only=True):
    """A page of record sets. *after* is the token of the next page, "" on the last page."""

    sets: tuple[CloudDnsRecordSet, ...]
    after: str = ""


class ProjectLimits(Value, frozen=True, kw_only=True):
    """The Quota of a project; the defaults are those of the page "Quotas and limits".

    Attributes:
        size: the most bytes of record data in a change.
    """

    additions: int = 1000
    deletions: int = 1000
    size: int = 100_000
    values: int = 100
    name_servers: int = 8


def parse_record_set(found: Mapping[str, Any]) -> CloudDnsRecordSet:
    """Parse a ResourceRecordSet."""
    policy = found.get("routingPolicy")
    return CloudDnsRecordSet(
        name=found["name"],
        type=found["type"],
        ttl_s=int(found.get("ttl", 0)),
        values=tuple(found.get("rrdatas", ())),
        policy=json.dumps(policy, sort_keys=True, separators=(",", ":")) if policy else "",
    )


def serialize_record_set(record_set: CloudDnsRecordSet) -> dict[str, Any]:
    """Return the ResourceRecordSet for a request."""
    resource: dict[str, Any] = {
        "kind": _KIND,
        "name": record_set.name,
        "type": record_set.type,
        "ttl": record_set.ttl_s,
    }
    if record_set.policy:
        resource["routingPolicy"] = json.loads(record_set.policy)
    else:
        resource["rrdatas"] = list(record_set.values)
    return resource


def parse_zone(found: Mapping[str, Any]) -> ManagedZone:
    """Parse a ManagedZone."""
    return ManagedZone(
        name=found["name"],
        number=str(found["id"]),
        dns_name=found["dnsName"],
        private=found.get("visibility") == "private",
        peering="peeringConfig" in found,
    )


_QUOTA_FIELDS: Final = {
    "additions": "rrsetAdditionsPerChange",
    "deletions": "rrsetDeletionsPerChange",
    "size": "totalRrdataSizePerChange",
    "values": "resourceRecordsPerRrset",
    "name_servers": "nameserversPerDelegation",
}


def parse_limits(quota: Mapping[str, Any]) -> ProjectLimits:
    """Parse a Quota; missing and zero fields have the documented default."""
    return ProjectLimits(**{name: int(quota[field]) for name, field in _QUOTA_FIELDS.items() if quota.get(field)})


# Record sets to and from records.

DEFAULT_TTL_S: Final = 300
ROUTING_POLICY: Final = "google/routing-policy"
_TYPES_WITH_HOST: Final = rrtype.HOSTS | {rrtype.MX, rrtype.SRV}


def build_record_set(content: DesiredRecord | Record) -> CloudDnsRecordSet:
    """Return the record set for *content*.

    For a record that was read, it is the one that was read, except for the order of the values.
    """
    if isinstance(content, Record) and isinstance(content.exact, CloudDnsRecordSet):
        return content.exact
    routing = content.properties.get(ROUTING_POLICY) if content.properties else ""
    return CloudDnsRecordSet(
        name=f"{content.name}.",
        type=content.type,
        ttl_s=DEFAULT_TTL_S if content.ttl_s == ttl.UNSET and isinstance(content, DesiredRecord) else content.ttl_s,
        values=() if routing else tuple(_build_value(content.type, target) for target in content.targets),
        policy=routing,
    )


def build_record(found: CloudDnsRecordSet) -> Record | None:
    """Return the record for the record set *found*; None if its name is one that no object can request."""
    name = parse_service_name(found.name)
    if name is None:
        return None
    routing = normalize_policy(found.policy) if found.policy else ""
    values = list_policy_targets(routing) if routing else found.values
    if found.type == rrtype.TXT:
        targets = tuple(sorted(set(map(join_strings, values))))
    else:
        targets = canonicalize_targets(found.type, values)
    record = Record(
        name=name,
        type=found.type,
        targets=targets,
        ttl_s=found.ttl_s,
        properties=StringMap.from_items({ROUTING_POLICY: routing}) if routing else EMPTY_MAP,
    )
    return record if _can_rebuild(record, found) else replace(record, exact=found)


def _build_value(rtype: str, target: str) -> str:
    """Return *target* as requests contain it: host names end with a dot, TXT strings have at most 255 characters."""
    if rtype == rrtype.TXT:
        return split_strings(target)
    if rtype in _TYPES_WITH_HOST and not target.endswith(".") and parse_address(target) is None:
        return f"{target}."
    return target


def _can_rebuild(record: Record, found: CloudDnsRecordSet) -> bool:
    """Return whether `build_record_set` turns *record* back into *found*, apart from the order of the values."""
    ours = build_record_set(record)
    return (ours.name, ours.policy) == (found.name, found.policy) and sorted(ours.values) == sorted(found.values)


# Routing policies.

_POLICY_KINDS: Final = frozenset({"wrr", "geo", "primaryBackup"})
_SERVICE_FIELDS: Final = frozenset({"kind", "signatureRrdatas"})  # the service adds these fields
_TARGETS: Final = {"rrdatas": list, "externalEndpoints": list, "ipAddress": str}


def normalize_policy(text: str) -> str:
    """Return the routing policy *text* as the service will return it, in one JSON spelling.

    Raises:
        ValueError: it is not a routing policy.
    """
    try:
        policy = json.loads(text)
        if not isinstance(policy, Mapping) or len(_POLICY_KINDS & policy.keys()) != 1:
            raise ValueError(f"expected a JSON object with one of {', '.join(sorted(_POLICY_KINDS))}")
        return json.dumps(_strip_defaults(policy), sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise ValueError("the JSON value is nested too deeply") from None


def list_policy_targets(text: str) -> tuple[str, ...]:
    """Return all targets of the routing policy *text*, sorted.

    Raises:
        ValueError: a target is not a text, or not where it should be.
    """
    return tuple(sorted(set(_find_targets(json.loads(text)))))


def _strip_defaults(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value* without fields that the service adds or that have their default. Whole floats become integers."""
    if isinstance(value, Mapping):
        fields = {name: _strip_defaults(inner) for name, inner in value.items() if name not in _SERVICE_FIELDS}
        return {name: inner for name, inner in fields.items() if inner not in (False, None, "") or name == "weight"}
    if isinstance(value, list):
        return [_strip_defaults(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _find_targets(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _TARGETS:
                yield from _find_targets(inner)
            elif isinstance(inner, _TARGETS[name]) and all(isinstance(target, str) for target in inner):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                allowed = "a list of texts" if _TARGETS[name] is list else "a text"
                raise ValueError(f"{name} is {describe_type(inner)}; allowed: {allowed}")
    elif isinstance(value, list):
        for inner in value:
            yield from _find_targets(inner)
