"""Implement the registry port with rows, and with the TXT ownership records that they replace.

A record with a row belongs to the owner of the row. One without a row is ours if a TXT ownership record proves it, as
with `--registry=txt`; its next update writes the row, and deletes the TXT record unless another record needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, ChangeSet, Create, Delete, Write, build_write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, OWNER, DesiredRecord, OwnedRecord, Record, RecordKey
from extdns.model.value import Value
from extdns.model.zone import Zone
from registry.registry_spec import RegistryContext
from registry.rows.row import build_desired_row, build_row_key, parse_row
from registry.txt.ownership_index import NONCE_LABEL, PlainTextCodec
from registry.txt.registry import TxtRegistry
from registry.txt.spec import build
from registry.txt.writes import block_labels

_CODEC: Final = PlainTextCodec()

Texts = Mapping[RecordKey, tuple[Record, ...]]
"""By record, the TXT records that prove that it is ours."""


def build_row_registry(context: RegistryContext) -> RowRegistry:
    """Build the registry from its flags.

    Raises:
        UsageError: the owner id or a key is invalid, or the file of the keys cannot be read.
    """
    txt = build(replace(context, flags=context.flags.replace(migrate_from_txt_owner="")))
    return RowRegistry(txt, context.managed_types)


class _ReadRows(Value, frozen=True, kw_only=True):
    """The records of some names, as the registry `txt` reads them, and the rows about them.

    Attributes:
        rows: by the key of the record.
        texts: by the key of the record, the TXT records of its zone that prove that it is ours. The one in a parent
            zone stays until the record is deleted.
        hidden: the TXT ownership records, of any owner.
    """

    owned: tuple[OwnedRecord, ...]
    rows: Mapping[RecordKey, Record]
    texts: Texts
    hidden: tuple[Record, ...]


class RowRegistry:
    """Reads and writes ownership in rows, which `RowService` presents as records."""

    covers_all_zones = True  # a row names no zone

    def __init__(self, txt: TxtRegistry, managed_types: frozenset[str]) -> None:
        """Create a registry for the owner of *txt*, which reads the TXT ownership records that rows replace."""
        self._txt = txt
        self._managed_types = managed_types
        self.owner = txt.owner

    def is_ownership_text(self, target: str) -> bool:
        """Return whether the TXT value *target* would be read as an ownership record, of any owner."""
        return self._txt.is_ownership_text(target)

    def ownership_name(self, name: DnsName) -> DnsName:
        """Return the name of a TXT ownership record, which may be in the parent zone; if DNS allows none, *name*."""
        return self._txt.ownership_name(name) or name

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:
        """Return the names at which TXT ownership records decide about *name*."""
        return self._txt.related_names(name, zone)

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:
        """Return the records that are neither rows nor ownership records, with their owners, sorted by key."""
        read = self._read(records, zone)
        spare = self._find_spare(read)
        return tuple([self._describe(owned, read, spare) for owned in read.owned])

    def _read(self, records: Iterable[Record], zone: Zone) -> _ReadRows:
        rows: dict[RecordKey, Record] = {}
        others: list[Record] = []
        for record in records:
            if not rrtype.is_row(record.type):
                others.append(record)
            elif (key := parse_row(record).key).type in self._managed_types:
                rows[key] = record
        owned = self._txt.read(others, zone)
        shown = {one.key for one in owned}
        return _ReadRows(
            owned=owned,
            rows=rows,
            texts={
                one.key: tuple([text for text in one.ownership_records if text.name.within(zone.name)])
                for one in owned
                if one.is_ours
            },
            hidden=tuple([one for one in others if one.type == rrtype.TXT and one.key not in shown]),
        )

    def _is_ours(self, row: Record) -> bool:
        return parse_row(row).owner == self.owner

    def _describe(self, owned: OwnedRecord, read: _ReadRows, spare: frozenset[RecordKey]) -> OwnedRecord:
        row = read.rows.get(owned.key)
        if row is None:
            return replace(owned, has_current_format=not owned.is_ours)
        stated = parse_row(row)
        is_ours = stated.owner == self.owner
        texts = read.texts.get(owned.key, ()) if is_ours else ()
        return OwnedRecord(
            record=owned.record,
            owner=stated.owner,
            is_ours=is_ours,
            labels=stated.labels,
            ownership_records=tuple(sorted((row, *texts), key=lambda record: record.key)),
            has_current_format=not any(text.key in spare for text in texts),
        )

    def _find_spare(self, read: _ReadRows, changed: Iterable[RecordKey] = ()) -> frozenset[RecordKey]:
        """Return the keys of the TXT records that only records with rows need, or *changed* ones."""
        with_rows = {*changed, *(key for key, row in read.rows.items() if self._is_ours(row))}
        needed = {text.key for key, found in read.texts.items() if key not in with_rows for text in found}
        return frozenset(text.key for found in read.texts.values() for text in found if text.key not in needed)

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet | Blocked:
        """Return *change_set* with the writes of its records, their rows, and TXT records that no record needs."""
        held = tuple(current)
        read = self._read(held, change_set.zone)
        new = [one for one in change_set.changes if isinstance(one, Create) and one.key not in read.rows]
        texts = [one for one in held if not rrtype.is_row(one.type)]
        by_texts = self._txt.complete(replace(change_set, changes=tuple(new)), texts) if new else change_set
        if isinstance(by_texts, Blocked) and by_texts.reason is Reason.OWNED_BY_OTHER:
            return by_texts
        writes: dict[RecordKey, Write] = {}
        for change in change_set.changes:
            row, key = read.rows.get(change.key), build_row_key(change.key)
            if row and not self._is_ours(row):
                detail = f"{change.key} has a row of owner {parse_row(row).owner!r}"
                return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)
            writes[change.key] = build_write(change)
            if not isinstance(change, Delete):
                labels = change.desired.labels.without(OWNER, OWNED_RECORD, NONCE_LABEL)
                if _CODEC.encode(labels.set(OWNER, self.owner)) is None:
                    return block_labels(change.key)
                writes[key] = Write(old=row, new=build_desired_row(change.key, self.owner, labels))
            elif row:
                writes[key] = Write(old=row, new=None)
        changed = [change.key for change in change_set.changes]
        spare = self._find_spare(read, changed)
        for text in (text for key in changed for text in read.texts.get(key, ())):
            if text.key in spare:
                writes[text.key] = Write(old=text, new=None)
        remaining = [text for text in read.hidden if text.key not in writes]
        made = [write.new for write in writes.values() if write.new]
        return _find_occupied(made, remaining) or replace(
            change_set, writes=tuple([writes[key] for key in sorted(writes)])
        )


def _find_occupied(desired: Iterable[DesiredRecord], texts: Sequence[Record]) -> Blocked | None:
    """Return `Blocked` if one of *texts*, ownership records that stay, cannot coexist with one of *desired*."""
    for one in desired:
        for text in texts:
            if text.name == one.name and (text.key == one.key or one.type == rrtype.CNAME):
                detail = f"{text.key}, an ownership record, already exists, so {one.key} cannot be written"
                return Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=detail)
    return None
