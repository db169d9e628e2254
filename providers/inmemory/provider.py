"""Serve zones from memory: the `ZoneReader` and `ZoneWriter` ports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from threading import Lock
from types import MappingProxyType
from typing import Final

from extdns.errors import InvalidValueError, RetryableError, UsageError, sanitize
from extdns.model import rrtype, ttl
from extdns.model.capabilities import Capabilities
from extdns.model.change import (
    AdjustedRecords,
    Applied,
    Batch,
    Outcome,
    Refusal,
    Refused,
    TryLater,
    Write,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.value import group_by
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.common.refusals import build_conflict, build_refused, find_change, find_cname_problem, refuse
from providers.inmemory.records import StoredRecords

_DEFAULT_TTL_S: Final = 300
_NO_SEED: Final[Mapping[Zone, Iterable[Record]]] = MappingProxyType({})


class InMemoryProvider:
    """Holds zones and their records; safe from any thread."""

    capabilities = Capabilities(atomic=True, conditional=True)

    def __init__(
        self,
        zones: Iterable[str] = (),
        *,
        seed: Mapping[Zone, Iterable[Record]] = _NO_SEED,
        page_size: int = 300,
    ) -> None:
        """Start with the empty *zones* and the zones in *seed*, which can have any id and account.

        *zones* are the values of `--inmemory-zone`; "", the default of external-dns, is ignored.
        """
        named = [_parse_zone(text) for text in zones if text]
        self._zones = {zone.id: zone for zone in (*named, *seed)}
        self._records = {zone_id: StoredRecords(seed.get(zone, ())) for zone_id, zone in self._zones.items()}
        self._page_size = page_size
        self._lock = Lock()

    def list_zones(self) -> ZoneList:
        """Return all zones; this never fails."""
        return ZoneList(zones=tuple(sorted(self._zones.values())))

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Refuse records *desired* of an unsupported type or outside *zone*; return the others unchanged."""
        return AdjustedRecords.from_results([_adjust(record, zone) for record in desired])

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the next record sets, sorted by `DnsName.order`, set identifier and type."""
        with self._lock:
            return self._find_zone(zone).read_page(after, self._page_size)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, in the order of *names*."""
        with self._lock:
            return self._find_zone(zone).read_names(names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Apply *batch* if its conditions hold and its records are allowed together."""
        writes = batch.writes
        with self._lock:
            try:
                stored = self._find_zone(zone)
            except RetryableError as exc:
                return TryLater(message=str(exc))
            refused = find_refusal(stored, writes, zone)
            if refused is not None:
                return refused
            records = tuple(_build_record(write.new) for write in writes if write.new is not None)
            for write in writes:
                if write.new is None:
                    stored.remove(write.key)
            for record in records:
                stored.put(record)
        return Applied(records=records)

    def _find_zone(self, zone: Zone) -> StoredRecords:
        stored = self._records.get(zone.id)
        if stored is None:
            raise RetryableError(f"there is no zone {zone} in memory")
        return stored


def _build_record(desired: DesiredRecord) -> Record:
    return Record(
        name=desired.name,
        type=desired.type,
        targets=desired.targets,
        ttl_s=_DEFAULT_TTL_S if desired.ttl_s == ttl.UNSET else desired.ttl_s,
        set_identifier=desired.set_identifier,
        properties=desired.properties,
    )


def _parse_zone(text: str) -> Zone:
    try:
        name = DnsName.parse(text)
    except InvalidValueError as exc:
        raise UsageError(f"--inmemory-zone={sanitize(text)} is not a DNS name\n  allowed: {exc.allowed}") from exc
    return Zone(name=name, id=str(name))


def _adjust(desired: DesiredRecord, zone: Zone) -> DesiredRecord | Refusal:
    if desired.type not in rrtype.OWNABLE:
        detail = f"{desired.type} is not among the supported types: {', '.join(rrtype.OWNABLE)}"
    elif not desired.name.within(zone.name):
        detail = f"{desired.name} lies outside zone {zone}"
    else:
        return desired
    return refuse(desired, detail)


def find_refusal(stored: StoredRecords, writes: Sequence[Write], zone: Zone) -> WriteConflict | Refused | None:
    """Return why *writes* cannot be applied to the records of *zone*, or None if they can."""
    changes = ((write.key, find_change(stored.find(write.key), write.old)) for write in writes)
    if conflicts := [(key, detail) for key, detail in changes if detail]:
        return build_conflict(conflicts)
    groups = group_by(writes, lambda write: write.key.name)
    return build_refused(
        (name, detail) for name, group in groups.items() if (detail := _find_problem(stored, name, group, zone))
    )


def _find_problem(stored: StoredRecords, name: DnsName, writes: Sequence[Write], zone: Zone) -> str:
    if not name.within(zone.name):
        return f"it lies outside zone {zone}"
    keys = sorted(write.key for write in writes)
    if repeated := [key.type for key, after in pairwise(keys) if key == after]:
        return f"{repeated[0]} is written twice in one batch"
    remaining = {record.key for record in stored.get_records(name)}.difference(keys)
    return _find_incompatibility(remaining | {write.key for write in writes if write.new is not None})


def _find_incompatibility(keys: Collection[RecordKey]) -> str:
    """Return why *keys*, all of one name, cannot coexist; "" if they can.

    The record sets of a type are either one simple
    record set or the members of a routing policy, as in Route 53.
    """
    types = [key.type for key in keys]
    if problem := find_cname_problem(types):
        return problem
    mixed = sorted(key.type for key in keys if not key.set_identifier and types.count(key.type) > 1)
    return f"{mixed[0]} without set identifier cannot coexist with {mixed[0]} with one" if mixed else ""
