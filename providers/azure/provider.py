"""Read and write zones of Azure: the `ZoneReader` and `ZoneWriter` ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import (
    AdjustedRecords,
    Applied,
    Batch,
    ChangeSet,
    Forbidden,
    Outcome,
    TryLater,
    Unknown,
    Write,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.azure.adjust import HOLDERS, adjust_record
from providers.azure.client import CONFLICT, PRECONDITION, AzureApi, AzureZone
from providers.azure.records import (
    DEFAULT_TTL_S,
    TAGS,
    AzureRecordSet,
    Exact,
    OwnershipNames,
    build_body,
    build_record,
    build_records,
    build_relative_name,
    merge_metadata,
    parse_tags,
)
from providers.azure.settings import AzureSettings
from providers.common.api_calls import (
    CallFailedError,
    Failure,
    FailureKind,
    convert_to_outcome,
    parse_service_name,
)
from providers.common.plain_batches import find_local_refusal, join_failures
from providers.common.zone_contents import ZoneContents
from providers.common.zone_lists import find_zones

_CONFLICTS: Final = frozenset({CONFLICT, PRECONDITION})
_MISSING: Final = "NotFound"
_MAX_WITHDRAWALS: Final = 5
_MAX_BATCH: Final = {False: 100, True: 50}
"""The most writes of a batch, in public and in private zones: other names wait while their limits slow it down."""


class AzureReader:
    """Reads zones; safe from any thread."""

    def __init__(self, settings: AzureSettings, api: AzureApi, ownership_names: OwnershipNames | None) -> None:
        self._settings = settings
        self._api = api
        self._ownership_names = ownership_names
        self._tags: dict[RecordKey, dict[str, str]] = {}  # what was desired last, without ownership records
        self.read_rate_limits = api.read_rate_limits
        self.capabilities = Capabilities(
            atomic=False,
            conditional=True,
            max_batch_writes=_MAX_BATCH[settings.private],
            reads_full_zones=True,
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the zones that match the filters."""
        found = find_zones(self._api.list_zones, self._get_zone, self._settings.zone_ids)
        return found.build_list(self._build_zone)

    def _get_zone(self, zone_id: str) -> AzureZone:
        return self._api.get_zone(zone_id.rpartition("/")[2])  # the last part of an id is the name

    def _build_zone(self, found: AzureZone) -> tuple[Zone, bool] | None:
        if (name := parse_service_name(found.name)) is None:
            return None
        zone = Zone(name=name, id=str(name), private=self._settings.private)
        return zone, self._settings.is_selected(zone)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why Azure would refuse it."""
        found = AdjustedRecords.from_results(adjust_record(record, zone) for record in desired)
        if self._ownership_names is None:
            tagged = (one for one in found.accepted if one.properties or one.key in self._tags)
            self._tags.update({one.key: parse_tags(one.properties.get(TAGS)) for one in tagged})
        return found

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names. Each page reads the whole zone; few zones have several."""
        return self._read_zone(zone).build_page(after, self._settings.page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, for which the zone is read as a whole."""
        return self._read_zone(zone).select_records(sorted(set(names))) if names else ()

    def _read_zone(self, zone: Zone) -> ZoneContents:
        sets = self._api.list_sets(zone.name)
        return ZoneContents(build_records(sets, zone, self._ownership_names, self._tags))


class _Made(NamedTuple):
    """What became of a change set: the records that it left, whether anything was written, and why it failed."""

    records: tuple[Record, ...] = ()
    is_written: bool = False
    failure: Failure | None = None


class AzureWriter:
    """Writes one record set after the other, in the order of the batch."""

    def __init__(self, api: AzureApi, ownership_names: OwnershipNames | None) -> None:
        self._api = api
        self._ownership_names = ownership_names

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Write the change sets of *batch* one after the other.

        A name that is refused does not stop the others. If some of it was written and some was not, the outcome is
        unknown, and the engine reads the names.
        """
        if refused := find_local_refusal(batch.writes, zone, holders=HOLDERS):
            return refused
        if unread := sorted({one.key.name for one in batch.writes if one.old and not isinstance(one.old.exact, Exact)}):
            return WriteConflict(message="the etags of the records are not known", offending_names=tuple(unread))
        made: list[_Made] = []
        for change_set in batch.change_sets:
            made.append(self._write_set(zone, change_set))
            if isinstance(made[-1].failure, Forbidden | TryLater | Unknown):
                break
        failures = [one.failure for one in made if one.failure]
        if not failures:
            records = (record for one in made for record in one.records)
            return Applied(records=tuple(sorted(records, key=lambda record: record.key)))
        if any(one.is_written for one in made):
            return Unknown(message=f"some of it was written, and then: {failures[0].message}")
        return join_failures(failures)

    def _write_set(self, zone: Zone, change_set: ChangeSet) -> _Made:
        before = {write.key: write.old for write in change_set.writes if write.old}
        records = dict(before)
        for write in change_set.writes:
            try:
                record = self._write(zone, write)
            except CallFailedError as exc:
                gone = {exc.code} if exc.code.endswith(_MISSING) else set[str]()
                failure = convert_to_outcome(exc, names=(write.key.name,), conflicts=_CONFLICTS, gone=gone)
                if not isinstance(failure, Unknown):
                    for key in sorted(self._find_useless(change_set, records)):
                        if self._withdraw(zone, records[key]):
                            del records[key]
                return _Made(is_written=records != before or isinstance(failure, Unknown), failure=failure)
            if record is not None:
                records[write.key] = record
            else:
                records.pop(write.key, None)
        return _Made(records=tuple(records.values()), is_written=records != before)

    def _find_useless(self, change_set: ChangeSet, records: Mapping[RecordKey, Record]) -> set[RecordKey]:
        """Return which ownership records in *records*, those that are there now, have no record there.

        Each would make a record ours that somebody else creates. Of several that a record can have, the newest counts,
        and those that *change_set* deletes anyway.
        """
        changed = {change.key for change in change_set.changes}
        deleted = {write.key for write in change_set.writes if write.new is None}
        needed: set[RecordKey] = set()
        useless: set[RecordKey] = set()
        for key in changed:
            names = self._ownership_names(key.name, key.type) if self._ownership_names else ()
            marks = (RecordKey(DnsName(name), "", rrtype.TXT) for name in names)
            found = [mark for mark in marks if mark in records and mark not in changed]
            if key in records:
                needed.update(found[:1])
            else:
                useless.update({*found[:1], *deleted.intersection(found)})
        return useless - needed

    def _withdraw(self, zone: Zone, record: Record) -> bool:
        """Delete *record*, and return whether it is gone. While Azure is busy, the limiter paces several attempts."""
        for _ in range(_MAX_WITHDRAWALS if _get_etag(record) else 0):
            try:
                self._delete(zone, record)
            except CallFailedError as exc:
                if exc.kind is not FailureKind.RETRYABLE:
                    return False
            else:
                return True
        return False

    def _write(self, zone: Zone, write: Write) -> Record | None:
        """Make *write*, and return the record that is there now: the old one if nothing had to be written."""
        old, new = write.old, write.new
        if new is None:
            if old is not None:
                self._delete(zone, old)
            return None
        return old if old is not None and _is_equal(old, new) else self._put(zone, old, new)

    def _put(self, zone: Zone, old: Record | None, new: DesiredRecord) -> Record | None:
        etag, name = _get_etag(old), build_relative_name(new.name, zone)
        body = build_body(new, old, private=zone.private)

        def is_made(found: AzureRecordSet | None) -> bool:
            return found is not None and found.etag != etag and _is_written(_restate(found, new), new, old)

        put = partial(self._api.put_set, zone.name, new.type, name, body, etag)
        found = self._send(put, is_made, partial(self._api.get_set, zone.name, new.type, name), etag)
        return None if found is None else _restate(found, new)

    def _delete(self, zone: Zone, old: Record) -> None:
        etag, place = _get_etag(old), (zone.name, old.type, build_relative_name(old.name, zone))
        delete = partial(self._api.delete_set, *place, etag)
        self._send(delete, lambda found: found is None, partial(self._api.get_set, *place), etag)

    def _send(
        self,
        write: Callable[[], AzureRecordSet | None],
        is_made: Callable[[AzureRecordSet | None], bool],
        read: Callable[[], AzureRecordSet | None],
        etag: str,
    ) -> AzureRecordSet | None:
        """Call *write*. If no answer comes, *read* the record set, and write once more if it still has *etag*.

        What is there although we meant to create it, and is not what we wrote, is somebody else's.
        """
        try:
            return write()
        except CallFailedError as exc:
            if exc.kind is not FailureKind.UNANSWERED:
                raise
            failed = exc
        found = _read_after(failed, read)
        if not is_made(found) and (found.etag if found else "") == etag:
            try:
                return write()
            except CallFailedError as exc:
                if exc.code != PRECONDITION:  # it says nothing about the first attempt, which may have come late
                    raise failed from exc
            found = _read_after(failed, read)
        if is_made(found):
            return found
        if found is not None and not etag:
            raise CallFailedError(FailureKind.REFUSED, str(failed), "", PRECONDITION, "there is another one now")
        raise failed


def _read_after(failed: CallFailedError, read: Callable[[], AzureRecordSet | None]) -> AzureRecordSet | None:
    """Read the record set whose write *failed*. Raise *failed* if that fails, too."""
    try:
        return read()
    except CallFailedError as exc:
        raise failed from exc


def _get_etag(old: Record | None) -> str:
    return old.exact.etag if old is not None and isinstance(old.exact, Exact) else ""


def _restate(found: AzureRecordSet, new: DesiredRecord) -> Record:
    """Return the record of *found*, with the properties of *new*, which it was written with."""
    return replace(build_record(found, new.name), properties=new.properties)


def _is_equal(old: Record, new: DesiredRecord) -> bool:
    return (old.targets, old.ttl_s, old.properties) == (new.targets, new.ttl_s or DEFAULT_TTL_S, new.properties)


def _is_written(record: Record, new: DesiredRecord, old: Record | None) -> bool:
    metadata = record.exact.metadata if isinstance(record.exact, Exact) else None
    return _is_equal(record, new) and metadata == merge_metadata(new, old)
