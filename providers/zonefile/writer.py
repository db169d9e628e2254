"""Write zone files: the `ZoneWriter` port, and what a batch changes in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model import rrtype
from extdns.model.change import Applied, Batch, Forbidden, Outcome, Refusal, Refused, TryLater, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone
from extdns.ports import Clock
from providers.common.plain_batches import build_record
from providers.common.plain_records import adjust_record
from providers.common.refusals import build_conflict, build_refused, find_change, find_cname_problem
from providers.zonefile.edit import apply_file_change
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.master import FileChange, MasterFile, ZoneRecords


class ZoneFileWriter:
    """Applies batches to the files of one folder, one at a time. A batch replaces one file, if it changes anything."""

    def __init__(self, folder: ZoneFolder, clock: Clock) -> None:
        """Create a writer for *folder*; *clock* gives the date for SOA serials."""
        self._folder = folder
        self._clock = clock

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Read the file again, check the conditions of *batch*, and replace the file if anything changes."""
        try:
            with self._folder.lock():
                return self._submit_locked(zone, batch)
        except ForbiddenError as exc:
            return Forbidden(message=str(exc))
        except ProviderError as exc:
            return TryLater(message=str(exc))

    def _submit_locked(self, zone: Zone, batch: Batch) -> Outcome:
        master = self._folder.load_zone(zone)
        found = plan_file_change(master, zone, batch.writes)
        match found:
            case WriteConflict() | Refused():
                return found
            case FileChange():
                if found.removed or found.added:
                    self._replace_file(zone, master, found)
                return Applied(records=found.written)
            case _:
                assert_never(found)

    def _replace_file(self, zone: Zone, master: MasterFile, change: FileChange) -> None:
        if master.write_problem:
            raise RetryableError(master.write_problem)
        self._folder.replace(zone.id, apply_file_change(master, change, self._clock.now().date()))


def plan_file_change(master: MasterFile, zone: Zone, writes: Sequence[Write]) -> FileChange | WriteConflict | Refused:
    """Return the changes that *writes* make to *master*, the file of *zone*, or why they are refused."""
    held = master.records.index_records(write.key.name for write in writes)
    conflicts = [
        (write.key, detail)
        for write in writes
        if (detail := find_change(held.get(write.key), write.old) or _find_unreadable(held, write.key.name))
    ]
    if conflicts:
        return build_conflict(conflicts)
    desired = {write.key: _adjust(write.new, write.old, zone) for write in writes if write.new is not None}
    records = {key: found for key, found in desired.items() if isinstance(found, Record)}
    counts = Counter(write.key for write in writes)
    changed = [key for key in counts if records.get(key) != held.get(key)]
    removed = frozenset(key for key in changed if key in held)
    added = tuple(records[key] for key in changed if key in records)
    after = _apply(master.records.by_name, removed, added)
    details = [
        *((key.name, found.detail) for key, found in desired.items() if isinstance(found, Refusal)),
        *((key.name, f"{key.type} is written twice in one batch") for key, count in counts.items() if count > 1),
        *((key.name, _describe_read_only(key, master)) for key in changed if key in master.read_only),
        *find_incompatible_records(after, added, zone.name).items(),
    ]
    return build_refused(details) or FileChange(
        removed=removed, added=added, written=tuple(records.values()), records=after
    )


def _find_unreadable(held: Mapping[RecordKey, Record], name: DnsName) -> str:
    unreadable = held.get(RecordKey(name, "", rrtype.UNREADABLE))
    return f"is not changed: a line at its name cannot be read: {'; '.join(unreadable.targets)}" if unreadable else ""


def _adjust(new: DesiredRecord, old: Record | None, zone: Zone) -> Record | Refusal:
    """Return *new* in the form in which it is written, or why it cannot be written.

    A record that equals *old* is always accepted, because nothing changes.
    """
    found = adjust_record(new, zone)
    if isinstance(found, Refusal) and (old is None or old != build_record(new)):
        return found
    return build_record(new if isinstance(found, Refusal) else found)


def _apply(before: ZoneRecords, removed: Collection[RecordKey], added: Iterable[Record]) -> ZoneRecords:
    changed: dict[DnsName, list[Record]] = {
        key.name: [record for record in before.get(key.name, ()) if record.key not in removed] for key in removed
    }
    for record in added:
        changed.setdefault(record.name, list(before.get(record.name, ()))).append(record)
    after = dict(before)
    for name, records in changed.items():
        after[name] = tuple(sorted(records, key=lambda record: record.key))
        if not records:
            del after[name]
    return after


def _describe_read_only(key: RecordKey, master: MasterFile) -> str:
    return f"{key.type} is at {master.read_only[key]}, which extdns does not edit; move it into {master.label} itself"


def find_incompatible_records(after: ZoneRecords, written: Collection[Record], zone: DnsName) -> dict[DnsName, str]:
    """Return, by name, why records among *written* are not allowed in *zone*, which has the records *after*.

    If a DNAME among *written* is not allowed, report only DNAMEs: the other records may be allowed without it.
    """
    dnames = {record.name: detail for record in written if (detail := _find_names_below(after, record))}
    return dnames or {
        record.name: detail
        for record in written
        if (
            detail := find_cname_problem([one.type for one in after[record.name]])
            or _find_cut_above(after, record, zone)
        )
    }


def _find_cut_above(after: ZoneRecords, record: Record, zone: DnsName) -> str:
    for ancestor in _list_ancestors(record.name, zone):
        for above in after.get(ancestor, ()):
            if above.type == rrtype.DNAME:
                return f"no record is allowed below the DNAME {ancestor}"
            if above.type == rrtype.NS and ancestor != zone and not _is_allowed_below(record, above):
                return f"it would be below the delegation NS {ancestor} and never be served"
    return ""


def _is_allowed_below(record: Record, delegation: Record) -> bool:
    """Return whether *record* may be below *delegation*: if it is glue, or TXT, which may be an ownership record."""
    return record.type == rrtype.TXT or (record.type in rrtype.ADDRESSES and record.name in delegation.targets)


def _find_names_below(after: ZoneRecords, record: Record) -> str:
    if record.type != rrtype.DNAME:
        return ""
    below = min((name for name in after if name != record.name and name.within(record.name)), default="")
    return below and f"a DNAME is not allowed above {below}"


def _list_ancestors(name: DnsName, zone: DnsName) -> Iterator[DnsName]:
    while name != zone:
        name = DnsName(name.parent)
        yield name
