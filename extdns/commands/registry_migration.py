"""Move the ownership of our records from one registry to another.

At every moment, each of our records has its TXT ownership record, its row, or both: the new one is written first, and
the old one is removed after it. What is left of an interrupted migration is found by the next one, because both
registries are read again. Only TXT records and rows are written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec.structs import replace

from extdns.app.provider import build_context, build_provider
from extdns.app.registry import build_registry
from extdns.app.row_store import open_row_store
from extdns.config import Config
from extdns.engine.batches import select_for_batch
from extdns.errors import ProviderError, sanitize
from extdns.model import rrtype
from extdns.model.change import Applied, Batch, Blocked, Change, ChangeSet, Outcome, Refused, Update, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import OWNER, DesiredRecord, OwnedRecord, Record, RecordKey, restate_record
from extdns.model.value import Value
from extdns.model.zone import Zone, ZonePlacement
from extdns.ports import Registry, ZoneReader, ZoneWriter
from registry.rows.row import Row, RowChange, RowStore, split, write_unless_changed
from registry.rows.service import find_unreadable, is_delegated

TXT: Final = "txt"
_MAX_LINE: Final = 500


class Migration(Value, frozen=True, kw_only=True):
    """What a migration moves, or has moved.

    Attributes:
        moved: a line for each record whose ownership is moved, or was moved.
        removed: a line for each row that has no record, and is removed or was removed.
    """

    moved: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class MigrationScope(Value, frozen=True, kw_only=True):
    """Which records are moved: those of *owner* whose name *matches*."""

    owner: str
    matches: Callable[[DnsName], bool]


class _Zones(Value, frozen=True, kw_only=True):
    """The records of all zones, rows included, and what could not be read."""

    records: Mapping[Zone, tuple[Record, ...]]
    placement: ZonePlacement
    failed: tuple[str, ...]


def migrate_registry(config: Config, source: str, *, writes: bool) -> Migration:
    """Move the ownership of our records from the registry *source* to that of *config*; only list it unless *writes*.

    Nothing is written if something cannot be read.
    """
    target = config.registry.name
    scope = MigrationScope(owner=config.registry.txt_owner_id, matches=config.plan.build_domain_filter().matches)
    other = _choose(config, source)
    try:
        if TXT not in {source, target}:
            return move_rows(_open_store(other), _open_store(config), scope, writes=writes)
        reader, writer = build_provider(config if source == TXT else other)
        writer = writer if writes else None
        if source == TXT:
            return move_to_rows(reader, writer, build_registry(config), scope)
        return move_to_texts(reader, writer, _open_store(other), build_registry(other), build_registry(config), scope)
    except ProviderError as failed:
        return Migration(failed=(sanitize(str(failed), _MAX_LINE),))


def _choose(config: Config, registry: str) -> Config:
    return dataclasses.replace(config, registry=config.registry.replace(name=registry))


def _open_store(config: Config) -> RowStore:
    store = open_row_store(config, build_context(config).calls)
    assert store is not None  # noqa: S101 - the command refuses other registries
    return store


def _read_zones(reader: ZoneReader) -> _Zones:
    found = reader.list_zones()
    failed = [f"{one.account}: {one.message}" if one.account else one.message for one in found.failed]
    return _Zones(
        records={zone: tuple(sorted(_read_zone(reader, zone), key=lambda record: record.key)) for zone in found.zones},
        placement=ZonePlacement(found.zones, longest_only=reader.capabilities.longest_match_only),
        failed=tuple(sanitize(one, _MAX_LINE) for one in failed),
    )


def _read_zone(reader: ZoneReader, zone: Zone) -> Iterator[Record]:
    after = None
    while True:
        page = reader.read_page(zone, after)
        yield from page.records
        after = page.after
        if after is None:
            return


def move_to_rows(reader: ZoneReader, writer: ZoneWriter | None, registry: Registry, scope: MigrationScope) -> Migration:
    """Write a row for each of our records that has none, and delete the TXT records that are no longer needed.

    Without *writer*, nothing is written. *registry* is that of the rows.
    """
    zones = _read_zones(reader)
    moved: list[str] = []
    failed = list(zones.failed)
    for zone, records in zones.records.items() if not failed else ():
        around = (*records, *_list_parent_records(zones, zone, registry))
        owned = registry.read(around, zone)
        old = [one for one in owned if one.is_ours and not one.has_current_format and scope.matches(one.record.name)]
        old = [one for one in old if one.record.name.within(zone.name)]
        done, problems = _write(zone, _complete(old, around, zone, registry), reader, writer)
        moved += done
        failed += problems
    return Migration(moved=tuple(moved), failed=tuple(failed))


def _list_parent_records(zones: _Zones, zone: Zone, registry: Registry) -> Iterator[Record]:
    """Yield the records in other zones that decide who owns the records of the name of *zone* itself."""
    for name in map(DnsName, registry.related_names(zone.name, zone)):
        if not name.within(zone.name):
            for home in zones.placement.find_zones(name):
                yield from (record for record in zones.records[home] if record.name == name)


def move_to_texts(
    reader: ZoneReader,
    writer: ZoneWriter | None,
    store: RowStore,
    by_rows: Registry,
    by_texts: Registry,
    scope: MigrationScope,
) -> Migration:
    """Write the TXT ownership records of our records that have a row in *store*, then remove the rows.

    Without *writer*, nothing is written.
    """
    zones = _read_zones(reader)
    moved: list[str] = []
    failed = list(zones.failed)
    for zone, records in zones.records.items() if not failed else ():
        texts = [one for one in records if not rrtype.is_row(one.type)]
        covered = {one.key for one in by_texts.read(texts, zone) if one.is_ours}
        owned = [one for one in by_rows.read(records, zone) if one.is_ours and scope.matches(one.record.name)]
        old = [replace(one, ownership_records=()) for one in owned if one.key not in covered]
        done, problems = _write(zone, _complete(old, texts, zone, by_texts), reader, writer)
        moved += done
        failed += problems
    if writer and not zones.failed:
        zones = _read_zones(reader)
        failed += zones.failed
    spare, empty = _find_spare_rows(store, zones, by_texts, scope)
    if writer:
        failed += _write_rows(store, [RowChange(old=row, new=None) for row in (*spare, *empty)])
    return Migration(
        moved=tuple(sorted({*moved, *map(_describe, spare)})),
        removed=tuple(map(_describe, empty)),
        failed=tuple(failed),
    )


def _find_spare_rows(
    store: RowStore, zones: _Zones, by_texts: Registry, scope: MigrationScope
) -> tuple[list[Row], list[Row]]:
    """Return our rows whose records have TXT ownership records in all their zones, and those that have no record.

    Rows about names in zones that are not listed stay, and those about records that cannot be read.
    """
    ours: set[tuple[Zone, RecordKey]] = set()
    existing: dict[Zone, set[RecordKey]] = {}
    for zone, records in zones.records.items():
        found = by_texts.read([one for one in records if not rrtype.is_row(one.type)], zone)
        existing[zone] = {one.key for one in found}
        ours |= {(zone, one.key) for one in found if one.is_ours}
    spare, empty = [], []
    for row in sorted(store.read_all(), key=lambda row: row.key) if not zones.failed else ():
        homes = zones.placement.find_zones(row.key.name)
        if row.owner != scope.owner or not homes or not scope.matches(row.key.name):
            continue
        if present := {(zone, row.key) for zone in homes if row.key in existing[zone]}:
            spare += [row] if present <= ours else []
        elif not any(
            not existing[zone].isdisjoint(find_unreadable(row)) or is_delegated(row.key.name, zone, existing[zone])
            for zone in homes
        ):
            empty.append(row)
    return spare, empty


def move_rows(old: RowStore, new: RowStore, scope: MigrationScope, *, writes: bool) -> Migration:
    """Copy our rows from *old* to *new*, then remove from *old* those that *new* has."""
    ours = [row for row in old.read_all() if row.owner == scope.owner and scope.matches(row.key.name)]
    present = {row.key: row.owner for row in new.read_all()}
    missing = [row for row in ours if row.key not in present]
    failed: list[str] = []
    if writes:
        for part in split(missing, new.max_changes):  # ids depend on the rows that were written
            copies = [replace(row, id=new.build_id(row.key)) for row in part]
            failed += _write_rows(new, [RowChange(old=None, new=row) for row in copies])
        present = {row.key: row.owner for row in new.read_all()}
    else:
        present |= {row.key: row.owner for row in missing}
    moved = [row for row in ours if present.get(row.key) == row.owner]
    refused = [row for row in ours if present.get(row.key, row.owner) != row.owner]
    failed += [f"{_describe(row)}: another owner has a row about it in {new.name}" for row in refused]
    if writes:
        failed += _write_rows(old, [RowChange(old=row, new=None) for row in moved])
    return Migration(moved=tuple(sorted(map(_describe, moved))), failed=tuple(failed))


def _write_rows(store: RowStore, changes: Sequence[RowChange]) -> list[str]:
    """Make *changes*, and return a line for each row that somebody else has changed."""
    return [sanitize(str(changed), _MAX_LINE) for changed in write_unless_changed(store, changes)]


def _complete(
    old: Iterable[OwnedRecord], records: Sequence[Record], zone: Zone, registry: Registry
) -> Iterator[ChangeSet | Blocked]:
    """Yield for each name the change set that gives its records *old* the ownership of *registry*, and nothing else."""
    by_name: Mapping[str, list[Record]] = {
        name: list(found)
        for name, found in groupby(sorted(records, key=lambda record: record.key), key=lambda record: record.name)
    }
    for name, found in groupby(old, key=lambda owned: owned.record.name):
        changes = tuple(
            Update(current=one, desired=_keep(one), differences=("ownership record",))
            for one in sorted(found, key=lambda owned: owned.key)
        )
        current = [one for other in (name, *registry.related_names(name, zone)) for one in by_name.get(other, ())]
        completed = registry.complete(ChangeSet(zone=zone, name=name, changes=changes), current)
        if isinstance(completed, Blocked):
            yield replace(completed, detail=f"{name}: {completed.detail}")
            continue
        keys = {change.key for change in changes}
        yield replace(completed, writes=tuple([one for one in completed.writes if one.key not in keys]))


def _keep(owned: OwnedRecord) -> DesiredRecord:
    return replace(restate_record(owned.record), labels=owned.labels.without(OWNER))


def _write(
    zone: Zone, found: Iterable[ChangeSet | Blocked], reader: ZoneReader, writer: ZoneWriter | None
) -> tuple[list[str], list[str]]:
    """Write the change sets that were *found*; return a line for each record of those written, and for each problem.

    Without *writer*, nothing is written.
    """
    change_sets, failed = [], []
    for one in found:
        if isinstance(one, Blocked):
            failed.append(sanitize(f"{zone}: {one.detail}", _MAX_LINE))
        else:
            change_sets.append(one)
    moved: list[str] = []
    number = 0
    parts: list[Sequence[ChangeSet]] = [change_sets]
    while parts:
        if not (part := parts.pop()):
            continue
        selected = select_for_batch(part, reader.capabilities) if writer else tuple(part)
        names = {one.name for one in selected}
        parts.append([one for one in part if one.name not in names])
        number += 1
        batch = Batch(number=number, zone=zone, change_sets=selected)
        outcome = _submit(batch, reader, writer) if writer else Applied(records=())
        if isinstance(outcome, Refused | WriteConflict) and (half := len(selected) // 2):
            parts += [selected[half:], selected[:half]]
        elif not isinstance(outcome, Applied):
            failed += [f"{name}: {sanitize(outcome.message, _MAX_LINE)}" for name in sorted(names)]
        else:
            moved += [_describe(change) for one in selected for change in one.changes]
    return moved, failed


def _submit(batch: Batch, reader: ZoneReader, writer: ZoneWriter) -> Outcome:
    if not reader.capabilities.is_safe_to_write_blind:
        names = tuple(dict.fromkeys(write.key.name for write in batch.writes))
        current = {record.key: record for record in reader.read_names(batch.zone, names)}
        if any(current.get(write.key) != write.old for write in batch.writes):
            return WriteConflict(message="its ownership records have changed since they were read")
    return writer.submit(batch.zone, batch)


def _describe(one: Row | Change) -> str:
    return sanitize(str(one.key), 300)
