"""The method `changes.create`, which is atomic: "Atomically updates the ResourceRecordSet collection"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tests.fakes.clouddns.errors import Complaint, Refusal, build_invalid, build_refusal
from tests.fakes.clouddns.records import Json, Key, RecordSet, decode
from tests.fakes.clouddns.zones import Zone

_FIELDS: Final = frozenset({"kind", "additions", "deletions", "id", "startTime", "status", "isServing"})
_SINGLE: Final = frozenset({"CNAME", "SOA"})
_PER_CHANGE: Final = {
    "additions": ("rrsetAdditionsPerChange", "additions per change"),
    "deletions": ("rrsetDeletionsPerChange", "deletions per change"),
}

Change = tuple[tuple[RecordSet, ...], tuple[RecordSet, ...]]
"""The additions and the deletions of a change."""


def decode_change(original: Json) -> Change:
    if unknown := sorted(original.keys() - _FIELDS):
        raise build_refusal(400, "invalid", f"Unknown field '{unknown[0]}'")
    if not original.get("additions") and not original.get("deletions"):
        raise build_refusal(400, "required", "Required parameter is missing: 'entity.change'")
    found: dict[str, list[RecordSet]] = {"additions": [], "deletions": []}
    complaints: list[Complaint] = []
    for part, sets in found.items():
        for location, item in enumerate(original.get(part, ())):
            path = f"entity.change.{part}[{location}]"
            record, fault = decode(item, path)
            complaints += fault
            if record is not None:
                sets.append(record)
        complaints += _find_repeated(part, sets)
    if complaints:
        raise Refusal(400, tuple(complaints))
    return tuple(found["additions"]), tuple(found["deletions"])


def apply(zone: Zone, change: Change, quota: Mapping[str, Any]) -> None:
    additions, deletions = change
    _raise(403, _exceeds_quota(zone, change, quota))
    _raise(400, _find_outside(zone, additions))
    _raise(404, _find_missing(zone, deletions))
    _raise(412, _find_different(zone, deletions))
    gone = {record.key for record in deletions}
    _raise(409, _find_existing(zone, additions, gone))
    after = {key: record for key, record in zone.held.items() if key not in gone}
    after |= {record.key: record for record in additions}
    _raise(400, _find_conflicts(zone, additions, after, gone))
    zone.held = after


def _raise(status: int, complaints: Iterable[Complaint]) -> None:
    if found := tuple(complaints):
        raise Refusal(status, found)


def _find_repeated(part: str, sets: list[RecordSet]) -> Iterator[Complaint]:
    counts: Counter[Key] = Counter()
    for location, record in enumerate(sets):
        counts[record.key] += 1
        if counts[record.key] > 1:
            yield build_invalid(f"entity.change.{part}[{location}]", record.description)


def _exceeds_quota(zone: Zone, change: Change, quota: Mapping[str, Any]) -> Iterator[Complaint]:
    additions, deletions = change
    for part, sets in (("additions", additions), ("deletions", deletions)):
        name, words = _PER_CHANGE[part]
        if len(sets) > quota[name]:
            yield Complaint("quotaExceeded", f"The change would exceed quota for {words}.")
    if (
        sum(len(value) for record in (*additions, *deletions) for value in record.rrdatas)
        > quota["totalRrdataSizePerChange"]
    ):
        yield Complaint("quotaExceeded", "The change would exceed quota for total rrdata size per change.")
    if any(len(record.rrdatas) > quota["resourceRecordsPerRrset"] for record in additions):
        yield Complaint("quotaExceeded", "The change would exceed quota for resource records per rrset.")
    if len(zone.held) + len(additions) - len(deletions) > quota["rrsetsPerManagedZone"]:
        yield Complaint("quotaExceeded", "The change would exceed quota for rrsets per managed zone.")


def _find_outside(zone: Zone, additions: tuple[RecordSet, ...]) -> Iterator[Complaint]:
    for location, record in enumerate(additions):
        path = f"entity.change.additions[{location}]"
        if record.name != zone.dns_name and not record.name.endswith(f".{zone.dns_name}"):
            yield build_invalid(f"{path}.name", record.name)
        elif record.type in _SINGLE and len(record.rrdatas) > 1:
            words = f"is only permitted to have one record because it is of type {record.type}."
            yield Complaint("invalidRecordCount", f"The resource record set '{path}' {words}")
        elif record.type == "NS" and record.name.startswith("*."):
            words = f"is not allowed to have a wildcard DNS name because it is of type {record.type}."
            yield Complaint("wildcardNotAllowed", f"The resource record set '{path}' {words}")
        elif record.type == "CNAME" and record.name == zone.dns_name:
            words = f"is invalid because records of type {record.type} are not allowed at the zone apex."
            yield Complaint("recordTypeDisallowedAtZoneApex", f"The resource record set '{path}' {words}")


def _find_missing(zone: Zone, deletions: tuple[RecordSet, ...]) -> Iterator[Complaint]:
    for location, record in enumerate(deletions):
        if record.key not in zone.held:
            message = f"The 'entity.change.deletions[{location}]' resource named '{record.description}' does not exist."
            yield Complaint("notFound", message)


def _find_different(zone: Zone, deletions: tuple[RecordSet, ...]) -> Iterator[Complaint]:
    for location, record in enumerate(deletions):
        if not record.matches(zone.held[record.key]):
            yield Complaint("conditionNotMet", f"Precondition not met for 'entity.change.deletions[{location}]'")


def _find_existing(zone: Zone, additions: tuple[RecordSet, ...], gone: set[Key]) -> Iterator[Complaint]:
    for location, record in enumerate(additions):
        if record.key in zone.held and record.key not in gone:
            message = f"The resource 'entity.change.additions[{location}]' named '{record.description}' already exists"
            yield Complaint("alreadyExists", message)


def _find_conflicts(
    zone: Zone, additions: tuple[RecordSet, ...], after: Mapping[Key, RecordSet], gone: set[Key]
) -> Iterator[Complaint]:
    types: dict[str, set[str]] = {}
    for name, kind in after:
        types.setdefault(name, set()).add(kind)
    for location, record in enumerate(additions):
        if "CNAME" in types[record.name] and len(types[record.name]) > 1:
            yield Complaint(
                "cnameResourceRecordSetConflict",
                f"The resource record set 'entity.change.additions[{location}]' is invalid because the DNS name "
                f"'{record.name}' may have either one CNAME resource record set or resource record sets of other "
                "types, but not both.",
            )
    for kind in ("NS", "SOA"):
        if (zone.dns_name, kind) in gone and (zone.dns_name, kind) not in after:
            message = f"A zone must contain exactly one resource record set of type '{kind}' at the apex."
            yield Complaint("invalidZoneApex", message)
