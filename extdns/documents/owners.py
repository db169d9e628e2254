"""The owners of all records, as JSON and as text. The JSON is also what `extdns plan --zone-snapshot` reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from extdns.documents.document import (
    AnswerDocument,
    Document,
    RecordData,
    ZoneDocument,
    build_record_data,
    describe_process,
)
from extdns.documents.plan import PassResult, build_zone
from extdns.documents.snapshot import RecordCounts
from extdns.documents.text import escape_lines, finish_text, format_age_of, format_missing, format_rfc3339
from extdns.engine.parent_zones import find_parent_zone, read_parent_zone
from extdns.engine.zones import Zones, ZoneState
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.rrtype import TXT
from extdns.model.saved_state import Saved
from extdns.model.value import format_count
from extdns.ports import Registry


class ZoneRecordDocument(Document, frozen=True):
    """A current record.

    `owner` is null if no ownership record covers it; `resource` is the object that its ownership record names. An
    `orphan` is ours, and no object requests it. An ownership record is `stray` if it covers no current record. A TXT
    record is `forged` if it reads as an ownership record but counts as an ordinary record: it has an ownership record
    of its own, or the registry is noop.
    """

    name: str
    type: str
    set_identifier: str
    record: RecordData
    owner: str | None
    ours: bool
    resource: str
    orphan: bool
    is_ownership_record: bool
    stray: bool
    forged: bool


class OwnerDocument(Document, frozen=True):
    """An owner id with the number of its records; null for records without an owner.

    `seen` is when this owner last saved state about the zone: "" if it never did in this state store, null if unknown.
    """

    owner: str | None
    ours: bool
    records: int
    seen: str | None


class OwnedZoneDocument(Document, frozen=True):
    """All records of one zone, and their owners."""

    zone: ZoneDocument
    owners: tuple[OwnerDocument, ...]
    records: tuple[ZoneRecordDocument, ...]


class OwnersDocument(AnswerDocument, frozen=True, tag="Owners"):
    """All records of all zones, and their owners. `missing` says what could not be read, `process` who read it.

    `extdns plan --zone-snapshot` reads this document instead of the zones.
    """

    provider: str
    owner: str
    zones: tuple[OwnedZoneDocument, ...]
    missing: tuple[str, ...]


def build_owners(
    result: PassResult, registry: Registry, saved: Iterable[tuple[str, Saved]] | None, problems: Iterable[str] = ()
) -> OwnersDocument:
    """Report the owners of all records, from a pass that has read the zones.

    *saved* is the saved state of every owner id, None if unknown. *problems* are sentences.
    """
    engine = result.engine
    orphans = {
        (decision.zone.id, decision.current.key)
        for decision in engine.decisions
        if decision.zone and decision.current and decision.current.is_ours and not decision.requested_by
    }
    seen = None if saved is None else _find_last_saves(saved)
    return OwnersDocument(
        provider=result.config.control.provider,
        owner=registry.owner,
        zones=tuple(
            _build_zone(zone_state, engine.zones, registry, orphans, seen)
            for zone_state in engine.zones
            if zone_state.cache.is_complete
        ),
        missing=(*result.missing, *problems),
    )


def _find_apex_records(zone_state: ZoneState, zones: Zones, registry: Registry) -> Iterator[Record]:
    """Yield the records of other zones on which ownership in the zone of *zone_state* depends.

    The ownership record of the apex of a zone may be in the parent zone. So these are the records of the parent zone
    that can cover this zone's apex, and the apex records of the zones below that this zone's ownership records
    can cover.
    """
    name = zone_state.zone.name
    if parent := find_parent_zone(zones, zone_state, name, registry):
        yield from read_parent_zone(parent, zone_state, registry.related_names(name, zone_state.zone))
    for other in zones:
        if find_parent_zone(zones, other, other.zone.name, registry) is zone_state:
            yield from other.cache.records(other.zone.name)


def _build_zone(
    zone_state: ZoneState,
    zones: Zones,
    registry: Registry,
    orphans: set[tuple[str, RecordKey]],
    seen: Mapping[tuple[str, str], str] | None,
) -> OwnedZoneDocument:
    zone = zone_state.zone
    records = sorted(zone_state.cache.all_records(), key=lambda record: record.key)
    keys = {record.key for record in records}
    elsewhere = [record for record in _find_apex_records(zone_state, zones, registry) if record.key not in keys]
    read = registry.read([*records, *elsewhere], zone)
    owned = {one.key: one for one in read if one.key in keys}
    covering = {record.key for one in read for record in one.ownership_records}
    return OwnedZoneDocument(
        zone=build_zone(zone, RecordCounts(len(owned), sum(one.is_ours for one in owned.values()))),
        owners=tuple(
            _list_owners(owned.values(), lambda owner: None if seen is None else seen.get((owner, zone.id), ""))
        ),
        records=tuple(
            _build_record(
                record,
                owned.get(record.key),
                registry,
                orphan=(zone.id, record.key) in orphans,
                covers=record.key in covering,
            )
            for record in records
        ),
    )


def _build_record(
    record: Record, owned: OwnedRecord | None, registry: Registry, *, orphan: bool, covers: bool
) -> ZoneRecordDocument:
    is_forged = owned is not None and record.type == TXT and len(record.targets) == 1
    return ZoneRecordDocument(
        name=record.name,
        type=record.type,
        set_identifier=record.set_identifier,
        record=build_record_data(record),
        owner=owned.owner if owned else None,
        ours=owned is not None and owned.is_ours,
        resource=owned.resource if owned else "",
        orphan=orphan,
        is_ownership_record=owned is None,
        stray=owned is None and not covers,
        forged=is_forged and registry.is_ownership_text(record.targets[0]),
    )


def _list_owners(owned: Iterable[OwnedRecord], seen: Callable[[str], str | None]) -> Iterator[OwnerDocument]:
    """Yield each owner once: ours first, then the others by id, then records without an owner."""
    counts = Counter((not one.is_ours, one.owner) for one in owned)
    for is_other, owner in sorted(counts, key=lambda one: (one[1] is None, one[0], one[1] or "")):
        records = counts[is_other, owner]
        yield OwnerDocument(
            owner=owner, ours=not is_other, records=records, seen=None if owner is None else seen(owner)
        )


def _find_last_saves(saved: Iterable[tuple[str, Saved]]) -> dict[tuple[str, str], str]:
    return {
        (owner, id_): format_rfc3339(zone.whole.most[-1][0])
        for owner, state in saved
        for id_, zone in state.zones
        if zone.whole.most
    }


@escape_lines
def format_owners(document: OwnersDocument) -> Iterator[str]:
    """Yield the lines of *document*: each zone with its owners, then orphans and stray or forged ownership records."""
    for zone in document.zones:
        yield from _format_zone(zone)
        yield ""
    yield from format_missing(document.missing)
    yield f"Answered by {describe_process(document.process)}"
    yield ""
    orphans = sum(record.orphan for zone in document.zones for record in zone.records)
    strays = sum(record.stray for zone in document.zones for record in zone.records)
    yield finish_text(
        f"{format_count(orphans, 'orphan')}, {format_count(strays, 'stray ownership record')}", document.missing
    )


def _format_zone(zone: OwnedZoneDocument) -> Iterator[str]:
    yield f"Zone {zone.zone.name} ({zone.zone.id})  {format_count(zone.zone.records, 'record')}, {zone.zone.ours} ours"
    yield ""
    for one in zone.owners:
        yield f"  {_name_owner(one):30}  {format_count(one.records, 'record'):>12}{_format_last_save(one)}"
    for title, records in (
        ("Records of ours that no object requests", [one for one in zone.records if one.orphan]),
        ("Ownership records that cover no current record", [one for one in zone.records if one.stray]),
        (
            "TXT records that read as ownership records but count as ordinary records",
            [one for one in zone.records if one.forged],
        ),
    ):
        if records:
            yield ""
            yield f"  {title}"
            yield from map(_format_record, records)


def _format_record(one: ZoneRecordDocument) -> str:
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    resource = f"  resource {one.resource}" if one.resource else ""
    return f"    {one.type:5}  {one.name}{identifier}{resource}"


def _name_owner(owner: OwnerDocument) -> str:
    if owner.owner is None:
        return "ours" if owner.ours else "no owner"
    return f'"{owner.owner}" (ours)' if owner.ours else f'"{owner.owner}"'


def _format_last_save(owner: OwnerDocument) -> str:
    if owner.seen is None:
        return ""
    return f"  last saved state at {format_age_of(owner.seen, None)}" if owner.seen else "  no saved state here"
