"""The resources of the API (Cloud DNS v1) that we deal with, without the SDK's types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from extdns.model.value import Value

_KIND: Final = "dns#resourceRecordSet"


class RecordSet(Value, frozen=True, kw_only=True):
    """A ResourceRecordSet.

    Attributes:
        name: with a dot at the end.
        values: its `rrdatas`, in the service's order; () where there is a policy.
        policy: its `routingPolicy` as JSON, "" for none.
    """

    name: str
    type: str
    ttl_s: int
    values: tuple[str, ...] = ()
    policy: str = ""


class ManagedZone(Value, frozen=True, kw_only=True):
    """A ManagedZone.

    Attributes:
        name: what its owner calls it, unique in the project.
        number: its id, unique everywhere.
        dns_name: the domain name, with a dot at the end.
        peering: whether it shows what another network resolves, and so holds nothing.
    """

    name: str
    number: str
    dns_name: str
    private: bool = False
    peering: bool = False


class ListedSets(Value, frozen=True, kw_only=True):
    """A page of record sets; *after* is the token of the next one, "" on the last."""

    sets: tuple[RecordSet, ...]
    after: str = ""


class Limits(Value, frozen=True, kw_only=True):
    """What a project may hold and change, from its Quota; the defaults are those of "Quotas and limits".

    Attributes:
        additions: record sets added by a change.
        deletions: record sets deleted by a change.
        size: bytes of record data in a change.
        values: values of a record set.
        name_servers: values of an NS record set.
    """

    additions: int = 1000
    deletions: int = 1000
    size: int = 100_000
    values: int = 100
    name_servers: int = 8


def record_set(found: Mapping[str, Any]) -> RecordSet:
    """Read a ResourceRecordSet."""
    policy = found.get("routingPolicy")
    return RecordSet(
        name=found["name"],
        type=found["type"],
        ttl_s=int(found.get("ttl", 0)),
        values=tuple(found.get("rrdatas", ())),
        policy=json.dumps(policy, sort_keys=True, separators=(",", ":")) if policy else "",
    )


def written(one: RecordSet) -> dict[str, Any]:
    """Write a ResourceRecordSet."""
    made: dict[str, Any] = {"kind": _KIND, "name": one.name, "type": one.type, "ttl": one.ttl_s}
    if one.policy:
        made["routingPolicy"] = json.loads(one.policy)
    else:
        made["rrdatas"] = list(one.values)
    return made


def zone(found: Mapping[str, Any]) -> ManagedZone:
    """Read a ManagedZone."""
    return ManagedZone(
        name=found["name"],
        number=str(found["id"]),
        dns_name=found["dnsName"],
        private=found.get("visibility") == "private",
        peering="peeringConfig" in found,
    )


def limits(quota: Mapping[str, Any]) -> Limits:
    """Read a Quota; what it does not tell, or not as a limit, is as documented."""
    usual = Limits()

    def most(field: str, default: int) -> int:
        return int(quota.get(field) or default)

    return Limits(
        additions=most("rrsetAdditionsPerChange", usual.additions),
        deletions=most("rrsetDeletionsPerChange", usual.deletions),
        size=most("totalRrdataSizePerChange", usual.size),
        values=most("resourceRecordsPerRrset", usual.values),
        name_servers=most("nameserversPerDelegation", usual.name_servers),
    )
