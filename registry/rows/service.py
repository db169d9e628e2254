"""Read and write the rows of a store together with the records of a DNS service.

Rows are presented as records at the names of those that they are about, so that everything else treats them as it
treats ownership records. The store and the service cannot be written in one call, so a batch is written in this order::

    rows      those of new records are inserted, those of changed ones replaced; all others are checked
    records   the batch without the rows
    rows      those of deleted records are removed; if the service refused the batch, those that were inserted

If the process ends in between, a row without a record remains, and never a record of ours without its row. Such a row
is used by the next record at its key, or removed after the next batch in its zone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock, RLock
from typing import Final, NamedTuple

from msgspec.structs import replace

from extdns import log
from extdns.errors import ForbiddenError, ProviderError, RefusedError, RetryableError
from extdns.log import Event
from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import (
    AdjustedRecords,
    Applied,
    Batch,
    ChangeSet,
    Delete,
    Forbidden,
    Outcome,
    Refused,
    TryLater,
    Unknown,
    Write,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import RateLimitStatus, Zone, ZoneList, ZonePage, ZonePlacement
from extdns.ports import AdjustingReader, RateLimited, ZoneReader, ZoneWriter
from registry.rows.row import (
    Row,
    RowChange,
    RowsChangedError,
    RowStore,
    parse_row,
    present_row,
    split,
    write_unless_changed,
)

_log = log.get(__name__)

_MAX_LEFTOVERS: Final = 100
"""How many rows without a record are removed after one batch."""


@dataclass(slots=True)
class _Round:
    """One round of reading a zone.

    Attributes:
        cursors: by name, the cursor of the page with which its rows were presented.
    """

    cursors: dict[DnsName, str | None] = field(default_factory=dict[DnsName, "str | None"])
    records: set[RecordKey] = field(default_factory=set[RecordKey])


class _SpareRow(NamedTuple):
    """A row that is to be removed, because it has no record.

    Attributes:
        zone: the id of the zone after whose next batch it is removed.
        term: that of the lease when this was decided. In another one, the row may have a record.
    """

    row: Row
    zone: str
    term: int


class _Rows:
    """The rows as last read or written, by name, and which of them are to be removed; safe from any thread."""

    def __init__(self, read_term: Callable[[], int]) -> None:
        self._read_term = read_term
        self._lock = RLock()
        self._names: dict[DnsName, dict[RecordKey, Row]] = {}
        self._since_scan: dict[RecordKey, Row | None] = {}
        self._spare: dict[RecordKey, _SpareRow] = {}

    def start_scan(self) -> None:
        """Remember the rows that are set from now on, because the scan may have read older ones."""
        with self._lock:
            self._since_scan = {}

    def take_scan(self, rows: Iterable[Row]) -> None:
        """Replace all rows by *rows*, except those set since the scan began."""
        with self._lock:
            found = {row.key: row for row in rows} | self._since_scan
            self._names = {}
            self.set(found)
            self._since_scan = {}

    def set(self, rows: Mapping[RecordKey, Row | None]) -> None:
        """Store *rows*, None for those that do not exist."""
        with self._lock:
            self._since_scan |= rows
            for key, row in rows.items():
                found = self._names.setdefault(key.name, {})
                if row:
                    found[key] = row
                else:
                    found.pop(key, None)

    def settle(self, rows: Mapping[RecordKey, Row | None]) -> None:
        """Store *rows* as written: none of them is to be removed any more."""
        with self._lock:
            for key in rows:
                self._spare.pop(key, None)
            self.set(rows)

    def find(self, name: DnsName) -> tuple[Row, ...]:
        """Return the rows about records at *name*, except those that are to be removed."""
        with self._lock:
            return tuple(row for row in self._names.get(name, {}).values() if self.find_spare(row.key) != row)

    def list_all(self) -> tuple[Row, ...]:
        """Return all rows, except those that are to be removed."""
        with self._lock:
            return tuple(row for name in self._names for row in self.find(name))

    def add_spare(self, rows: Iterable[Row], zone: Zone, term: int) -> None:
        """Store that *rows* are to be removed after a batch of *zone*, as decided in *term* of the lease."""
        with self._lock:
            self._spare |= {row.key: _SpareRow(row, zone.id, term) for row in rows}

    def find_spare(self, key: RecordKey) -> Row | None:
        """Return the row about the record *key* if it is to be removed, else None."""
        with self._lock:
            found = self._spare.get(key)
            return found.row if found and found.term == self._read_term() else None

    def list_spare(self, zone: Zone) -> tuple[Row, ...]:
        """Return the rows that are to be removed after a batch of *zone*."""
        with self._lock:
            return tuple(row for row, home, _ in self._spare.values() if home == zone.id and self.find_spare(row.key))


class RowService:
    """A `ZoneReader` and `ZoneWriter` that adds the rows of a store to the records of a DNS service."""

    def __init__(
        self,
        reader: ZoneReader,
        writer: ZoneWriter | None,
        store: RowStore,
        *,
        owner: str,
        managed_types: Collection[str],
        read_term: Callable[[], int],
    ) -> None:
        """Read with *reader*, write with *writer*, None in a dry run; the rows of *owner* are ours.

        *read_term* returns a number that changes if another process may have written.
        """
        self._reader = reader
        self._writer = writer
        self._store = store
        self._owner = owner
        self._managed_types = sorted(managed_types)
        self._rows = _Rows(read_term)
        self._read_term = read_term
        self._scanning = Lock()
        self._scanned_for: set[str] = set()
        self._rounds: dict[str, _Round] = {}
        self._leftovers: dict[str, tuple[Row, ...]] = {}
        self._with_record: dict[str, frozenset[RecordKey]] = {}
        self._zones: ZoneList = ZoneList(zones=())
        self._placement = ZonePlacement(())

    # Reading.

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the service."""
        found = self._reader.capabilities
        measure = found.measure
        if measure is None:
            return found

        def measure_records(change_set: ChangeSet) -> int:
            return measure(_remove_rows(change_set))

        return replace(found, measure=measure_records)

    def list_zones(self) -> ZoneList:
        """List the zones of the service."""
        self._zones = self._reader.list_zones()
        self._placement = ZonePlacement(self._zones.zones, longest_only=self._reader.capabilities.longest_match_only)
        return self._zones

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Adjust *desired* as the service does."""
        return self._reader.adjust(desired, zone)

    def load_adjustments(self, desired: Sequence[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        """Show *desired* to the service, if it adjusts records itself."""
        return self._reader.load_adjustments(desired) if isinstance(self._reader, AdjustingReader) else {}

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return the rate limits of the service, () without any."""
        return self._reader.read_rate_limits() if isinstance(self._reader, RateLimited) else ()

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return one page of *zone* with the rows of its names; the last page also has the rows without a record."""
        if after is None:
            self._scan_for(zone)
            self._rounds[zone.id] = _Round()
        page = self._reader.read_page(zone, after)
        current = self._rounds.setdefault(zone.id, _Round())
        current.records.update(record.key for record in page.records)
        rows: list[Row] = []
        for name in dict.fromkeys(record.name for record in page.records):
            if current.cursors.setdefault(name, after) == after:
                rows += self._rows.find(name)
        if page.after is None:
            known = self._rows.list_all()
            self._with_record[zone.id] = frozenset(row.key for row in known if row.key in current.records)
            left = [row for row in known if self._is_left(row, zone, current)]
            ours = (row for row in left if row.owner == self._owner)
            records = current.records
            self._leftovers[zone.id] = tuple(row for row in ours if not is_delegated(row.key.name, zone, records))
            rows += [row for row in left if row.key.name not in current.cursors]
            del self._rounds[zone.id]
        # in front, because a page may end in the middle of a name
        return ZonePage(records=(*map(present_row, rows), *page.records), after=page.after)

    def _is_left(self, row: Row, zone: Zone, current: _Round) -> bool:
        name = row.key.name
        return (
            name.within(zone.name)
            and current.records.isdisjoint((row.key, *find_unreadable(row)))
            and zone in self._placement.find_zones(name)
        )

    def _scan_for(self, zone: Zone) -> None:
        """Read all rows, unless they were read for another zone since *zone* was read the last time."""
        with self._scanning:
            if self._scanned_for and zone.id not in self._scanned_for:
                self._scanned_for.add(zone.id)
                return
            self._rows.start_scan()
            self._rows.take_scan(self._store.read_all())
            self._scanned_for = {zone.id}

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, and the rows about them."""
        records = self._reader.read_names(zone, names)
        keys = {record.key for record in records if record.name in names}
        keys |= {RecordKey(name, "", rtype) for name in names for rtype in self._managed_types}
        known = [row for name in names for row in self._rows.find(name)]
        ids = {*map(self._store.build_id, keys), *(row.id for row in known)}
        keys |= {row.key for row in known}
        self._rows.set(dict.fromkeys(keys) | {row.key: row for row in self._store.read(sorted(ids))})
        return (*records, *(present_row(row) for name in dict.fromkeys(names) for row in self._rows.find(name)))

    # Writing.

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Submit *batch*, and write its rows around it."""
        assert self._writer is not None  # noqa: S101 - a dry run has no writer
        desired = {
            one.key: one.desired
            for change_set in batch.change_sets
            for one in change_set.changes
            if not isinstance(one, Delete)
        }
        changes = [self._build_change(write, desired) for write in batch.writes if rrtype.is_row(write.key.type)]
        if not changes:
            return self._writer.submit(zone, batch)
        term = self._read_term()
        made: set[RecordKey] = set()
        try:
            for part in split(list(map(self._build_first_change, changes)), self._store.max_changes):
                self._store.write(part)
                self._rows.settle({one.key: one.new for one in part})
                made.update(one.key for one in part)
        except RowsChangedError as changed:
            self._rows.settle(changed.rows)
            names = sorted({key.name for key in changed.rows})
            outcome: Outcome = WriteConflict(message=str(changed), offending_names=tuple(names))
        except ProviderError as failed:
            outcome = _convert_to_outcome(failed)
        else:
            rest = replace(batch, change_sets=tuple(one for one in map(_remove_rows, batch.change_sets) if one.writes))
            outcome = self._writer.submit(zone, rest) if rest.change_sets else Applied(records=())
        if isinstance(outcome, Unknown):
            return outcome
        if not isinstance(outcome, Applied):
            self._remove((one.new for one in changes if one.new and not one.old and one.key in made), zone, term)
            return outcome
        self._remove(self._list_spare(zone, changes), zone, term)
        rows = tuple(present_row(change.new) for change in changes if change.new)
        return replace(outcome, records=(*outcome.records, *rows))

    def _build_change(self, write: Write, desired: Mapping[RecordKey, DesiredRecord]) -> RowChange:
        """Return the change of the row that *write* presents as a record."""
        old = write.old.exact if write.old else None
        assert old is None or isinstance(old, Row)  # noqa: S101 - as `present_row` made it
        new = parse_row(write.new) if write.new else None
        if new:
            new = replace(new, id=old.id if old else self._store.build_id(new.key))
        change = RowChange(old=old, new=new)
        return replace(change, record=desired.get(change.key))

    def _build_first_change(self, change: RowChange) -> RowChange:
        """Return what is written of *change* before the batch, which may use a row that was to be removed."""
        return replace(change, old=change.old or self._rows.find_spare(change.key), new=change.new or change.old)

    def _list_spare(self, zone: Zone, changes: Iterable[RowChange]) -> list[Row]:
        """Return the rows of deleted records, and rows of ours in *zone* that have no record.

        A row stays if a record that it may be about is in another zone, or if that is not known.
        """
        removed = [one.old for one in changes if one.new is None and one.old]
        others = ({one.key for one in changes}, *self._with_record.values())
        found = (row for row in self._leftovers.pop(zone.id, ()) if not any(row.key in keys for keys in others))
        return [*removed, *self._select_unneeded(tuple(islice(found, _MAX_LEFTOVERS)))]

    def _select_unneeded(self, rows: Sequence[Row]) -> list[Row]:
        """Return those of *rows* whose record is in no zone; none if that is not known."""
        names: dict[Zone, dict[DnsName, None]] = {}
        for row in rows:
            for zone in self._placement.find_zones(row.key.name):
                names.setdefault(zone, {})[row.key.name] = None
        if self._zones.failed:
            return []
        try:
            records = {
                record.key for zone, found in names.items() for record in self._reader.read_names(zone, tuple(found))
            }
        except ProviderError:
            return []
        return [row for row in rows if records.isdisjoint((row.key, *find_unreadable(row)))]

    def _remove(self, rows: Iterable[Row], zone: Zone, term: int) -> None:
        """Remove *rows*, and those that could not be removed after an earlier batch of *zone*."""
        self._rows.add_spare(rows, zone, term)
        spare = [RowChange(old=row, new=None) for row in self._rows.list_spare(zone)]
        left: dict[RecordKey, Row | None] = {one.key: None for one in spare}
        try:
            for changed in write_unless_changed(self._store, spare):
                left |= changed.rows
        except ProviderError as failed:
            _log.warning(Event.ROWS_LEFT, store=self._store.name, count=len(spare), message=str(failed))
        else:
            self._rows.settle(left)


def find_unreadable(row: Row) -> tuple[RecordKey, ...]:
    """Return the keys that the record of *row* can have while it cannot be read."""
    return tuple(replace(row.key, type=rrtype.UNREADABLE + rtype) for rtype in ("", row.key.type))


def is_delegated(name: DnsName, zone: Zone, records: Collection[RecordKey]) -> bool:
    """Return whether *records* of *zone* delegate *name* to a zone, which has its records even if it is not listed."""
    while name != zone.name:
        if RecordKey(name, "", rrtype.NS) in records:
            return True
        name = DnsName(name.parent)
    return False


def _remove_rows(change_set: ChangeSet) -> ChangeSet:
    writes = [write for write in change_set.writes if not rrtype.is_row(write.key.type)]
    return replace(change_set, writes=tuple(writes))


def _convert_to_outcome(failed: ProviderError) -> Outcome:
    """Return the outcome of a batch before which the store *failed*: nothing was written to the zone."""
    if isinstance(failed, ForbiddenError):
        return Forbidden(message=str(failed))
    if isinstance(failed, RefusedError):
        return Refused(message=str(failed))
    retry_after_s = failed.retry_after_s if isinstance(failed, RetryableError) else None
    return TryLater(message=str(failed), retry_after_s=retry_after_s)
