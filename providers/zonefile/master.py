"""Zone files in memory: their entries, their records, and changes to them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from extdns.model.value import Value
from providers.common.zone_contents import ZoneContents

ZoneRecords = Mapping[DnsName, tuple[Record, ...]]
"""The records of a zone by name, sorted by type."""

BEGIN = "; BEGIN extdns"
END = "; END extdns"


class EntryRole(StrEnum):
    """The role of an entry: a record, the SOA, the first or last line of our section, or none of these."""

    RECORD = "record"
    SOA = "soa"
    BEGIN = "begin"
    END = "end"
    OTHER = "other"


class TtlSource(StrEnum):
    """Where the TTL of a record is stated."""

    STATED = "stated"
    DEFAULT = "default"  # $TTL, or the SOA if no TTL is stated before it
    PREVIOUS = "previous"  # the last stated TTL (RFC 1035 section 5.1)


class MasterEntry(Value, frozen=True, kw_only=True):
    """One entry of a file: a record, a directive, a comment or a blank line.

    Attributes:
        text: the lines of the entry, decoded as Latin-1, including the last newline.
        owner: the absolute owner name of a record; "" for other entries.
        owner_end: where the owner ends in *text*, 0 if the entry inherits the owner of the record before.
        key: the key of a valid record whose owner is a `DnsName`; None for other entries, which are never removed.
        target: the record data; "" for the SOA, and for entries that are not valid records.
        serial: start and end of the serial in the text of the SOA.
    """

    text: str
    role: EntryRole = EntryRole.OTHER
    owner: str = ""
    owner_end: int = 0
    ttl_s: int = 0
    ttl_source: TtlSource = TtlSource.STATED
    key: RecordKey | None = None
    target: str = ""
    serial: tuple[int, int] = (0, 0)


class MasterFile(Value, frozen=True, kw_only=True):
    """A file and the zone in it.

    Attributes:
        zone: the owner of the SOA; None if there is no SOA, or its owner is no `DnsName`.
        records: the records of the zone without the SOA.
        read_only: record sets that are at least partly in included files or $GENERATE lines, with the place for
            messages.
        has_invalid_lines: whether some records cannot be parsed; their messages contain line numbers.
        problem: why the file cannot be read, "" if it can.
        write_problem: why the file cannot be changed, "" if it can.
    """

    label: str
    zone: DnsName | None
    entries: tuple[MasterEntry, ...]
    records: ZoneContents
    read_only: Mapping[RecordKey, str]
    has_invalid_lines: bool = False
    problem: str = ""
    write_problem: str = ""

    @property
    def text(self) -> str:
        """The content of the file, to be encoded as Latin-1."""
        return "".join(entry.text for entry in self.entries)


class FileChange(Value, frozen=True, kw_only=True):
    """What a batch changes in a file.

    Attributes:
        removed: keys of the records whose lines are removed.
        added: records whose lines are added; a record that changes is in both.
        written: the records at the keys of the batch after the change.
        records: all records of the zone after the change.
    """

    removed: frozenset[RecordKey]
    added: tuple[Record, ...]
    written: tuple[Record, ...]
    records: ZoneRecords
