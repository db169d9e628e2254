"""The rows of an ownership store, in the store and as records beside those of a zone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from extdns.errors import ExtdnsError
from extdns.model import ttl
from extdns.model.dns_name import DnsName
from extdns.model.record import OWNER, DesiredRecord, Record, RecordKey
from extdns.model.rrtype import ROW
from extdns.model.value import StringMap, Value

_T = TypeVar("_T")


class Row(Value, frozen=True, kw_only=True):
    """What a store states about one record.

    Attributes:
        id: how the store names the row.
        labels: the labels of an ownership record, without `owner`.
    """

    id: str
    key: RecordKey
    owner: str
    labels: StringMap


class RowChange(Value, frozen=True, kw_only=True):
    """A row before and after. If they are equal, the store only checks that the row is so.

    Attributes:
        old: None if there is no row.
        new: None if there will be none.
        record: the record that the row is about, as it will be, for stores that show it; None if that is not known.
    """

    old: Row | None
    new: Row | None
    record: DesiredRecord | None = None

    @property
    def row(self) -> Row:
        """The row after the change, or before it if there will be none."""
        found = self.new or self.old
        assert found  # noqa: S101 - one of them always exists
        return found

    @property
    def key(self) -> RecordKey:
        """The record that the row is about."""
        return self.row.key

    @property
    def allowed(self) -> tuple[Row | None, ...]:
        """What there may be now: the row as it was or as it will be, but no row if one is inserted."""
        return tuple(dict.fromkeys((self.old, self.new))) if self.old else (None,)


class RowsChangedError(ExtdnsError):
    """Rows are not as a change states. *rows* has them as they are, None for those that do not exist."""

    def __init__(self, store: str, rows: Mapping[RecordKey, Row | None]) -> None:
        key, row = min(rows.items())
        held = f"is owned by {row.owner!r}" if row else "does not exist"
        more = f", and {len(rows) - 1} more rows have changed" if len(rows) > 1 else ""
        super().__init__(f"{store}: the row of {key} {held}{more}")
        self.rows = rows


class RowStore(Protocol):
    """Keeps rows. Methods raise `ProviderError`; safe from any thread.

    Attributes:
        name: what it is, for messages.
        max_changes: the most changes that `write` takes.
    """

    name: str
    max_changes: int

    def build_id(self, key: RecordKey) -> str:
        """Return the id of a new row about the record *key*."""
        ...

    def read_all(self) -> Iterable[Row]:
        """Return all rows, of all owners."""
        ...

    def read(self, ids: Collection[str]) -> Iterable[Row]:
        """Return the rows *ids*."""
        ...

    def write(self, changes: Sequence[RowChange]) -> None:
        """Make *changes*: all, or none.

        Raises:
            RowsChangedError: a row is not as its change allows.
        """
        ...


def split(items: Sequence[_T], most: int) -> Iterator[Sequence[_T]]:
    """Yield *items* in parts of at most *most*."""
    return (items[at : at + most] for at in range(0, len(items), most))


def write_unless_changed(store: RowStore, changes: Sequence[RowChange]) -> Iterator[RowsChangedError]:
    """Make *changes* except those of rows that somebody else has changed; yield the errors about these."""
    for part in split(changes, store.max_changes):
        left = part
        while left:
            try:
                store.write(left)
            except RowsChangedError as changed:
                yield changed
                left = [one for one in left if one.key not in changed.rows]
            else:
                break


def build_row_key(key: RecordKey) -> RecordKey:
    """Return the key at which the row about the record *key* is presented: at its name, with a type of its own."""
    return RecordKey(key.name, key.set_identifier, f"{ROW}{key.type}")


def present_row(row: Row) -> Record:
    """Return *row* as a record."""
    key = build_row_key(row.key)
    return Record(
        name=key.name,
        type=key.type,
        targets=_format_labels(row.owner, row.labels),
        ttl_s=ttl.UNSET,
        has_ttl=False,
        set_identifier=key.set_identifier,
        exact=row,
    )


def build_desired_row(key: RecordKey, owner: str, labels: StringMap) -> DesiredRecord:
    """Return the row about the record *key*, as a record to write."""
    key = build_row_key(key)
    targets = _format_labels(owner, labels)
    return DesiredRecord(name=key.name, type=key.type, targets=targets, set_identifier=key.set_identifier)


def _format_labels(owner: str, labels: StringMap) -> tuple[str, ...]:
    """Return the targets of a row; without labels that external-dns wrote and that would be read as others."""
    return tuple(sorted(f"{key}={value}" for key, value in labels.set(OWNER, owner) if "=" not in key))


def parse_row(record: Record | DesiredRecord) -> Row:
    """Return the row that *record* presents, without its id."""
    labels = StringMap.from_items(dict(target.split("=", 1) for target in record.targets))
    key = RecordKey(record.name, record.set_identifier, record.type.removeprefix(ROW))
    return Row(id="", key=key, owner=labels.get(OWNER), labels=labels.without(OWNER))


def parse_name(text: str) -> DnsName | None:
    """Return the name of a record in a store; None if no record that we manage can have it."""
    try:
        return DnsName.parse(text)
    except ValueError:
        return None
