"""What a master file says, entry by entry, and what its zone holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from extdns.model.name import DnsName
from extdns.model.record import Record, RecordKey

Records = Mapping[DnsName, tuple[Record, ...]]
"""What a zone holds, by name, sorted by type."""

BEGIN = "; BEGIN extdns"
END = "; END extdns"


class Role(StrEnum):
    """What an entry is, as far as editing is concerned."""

    RECORD = "record"
    SOA = "soa"
    BEGIN = "begin"
    END = "end"
    OTHER = "other"


class TtlFrom(StrEnum):
    """Where the TTL of a record comes from."""

    STATED = "stated"
    DEFAULT = "default"  # $TTL, or the SOA where nothing came before it
    PREVIOUS = "previous"  # the last one stated (RFC 1035 section 5.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a file: a record, a directive, a comment or a blank line.

    Attributes:
        text: its lines as they stand in the file, Latin-1, the last newline included.
        owner: of a record, absolute; "" for other entries.
        owner_end: where the owner ends in *text*, 0 if it is that of the record before.
        key: of a record whose owner is a `DnsName`; others are kept and never read.
        target: record data, "" without key.
        serial: where the number starts and ends in the text of the SOA.
    """

    text: str
    role: Role = Role.OTHER
    owner: str = ""
    owner_end: int = 0
    ttl_s: int = 0
    ttl_from: TtlFrom = TtlFrom.STATED
    key: RecordKey | None = None
    target: str = ""
    serial: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Master:
    """A file and the zone in it.

    Attributes:
        label: the file's name, for messages.
        zone: owner of the SOA, None if none can be found.
        entries: the whole file in its order.
        records: of the zone, without its SOA.
        fixed: record sets of which a part stands where it cannot be edited, and that place.
        wrong: whether it has lines that cannot be read; what is told of them names their places.
        fault: what is wrong with the file, "" if it can be read.
        frozen: why it cannot be changed, "" if it can.
    """

    label: str
    zone: DnsName | None
    entries: tuple[Entry, ...]
    records: Records
    fixed: Mapping[RecordKey, str]
    wrong: bool = False
    fault: str = ""
    frozen: str = ""

    @property
    def text(self) -> str:
        """The file as it is to be written, Latin-1."""
        return "".join(entry.text for entry in self.entries)
