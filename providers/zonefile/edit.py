"""Add records to a zone file and remove them, without changing anything else.

New records are added to the section between two comments at the end of the file, sorted, each with its full owner, TTL
and class. A removed record is removed with its lines. If a remaining line inherits its owner or TTL from a removed one,
they are added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from msgspec.structs import replace

from extdns.model.record import Record
from providers.common import rdata
from providers.common.zone_contents import ZoneContents
from providers.zonefile.master import BEGIN, END, EntryRole, FileChange, MasterEntry, MasterFile, TtlSource


def apply_file_change(master: MasterFile, change: FileChange, today: date) -> MasterFile:
    """Return *master* after *change*, with a new SOA serial.

    Raises:
        InvalidValueError: a target of an added record is invalid; `plan_file_change` refuses such records.
    """
    newline = "\r\n" if master.entries and master.entries[0].text.endswith("\r\n") else "\n"
    lines = sorted((entry for record in change.added for entry in _build_entries(record, newline)), key=_get_position)
    remaining = [entry for entry in master.entries if entry.key is None or entry.key not in change.removed]
    before, section, after = _split_sections(remaining, newline)
    between = list(_merge(section[1:-1], lines))
    if between:
        before, between = _end_last_line(before, newline), [section[0], *between, section[-1]]
    entries = tuple(_complete_entries([*before, *between, *after], today))
    return replace(master, entries=entries, records=ZoneContents(change.records))


def _build_entries(record: Record, newline: str) -> Iterator[MasterEntry]:
    owner = rdata.format_name(record.name)
    for target in record.targets:
        data = rdata.format_data(record.type, target)
        yield MasterEntry(
            text=f"{owner} {record.ttl_s} IN {record.type} {data}{newline}",
            role=EntryRole.RECORD,
            owner=owner,
            owner_end=len(owner),
            ttl_s=record.ttl_s,
            ttl_source=TtlSource.STATED,
            key=record.key,
            target=target,
        )


def _get_position(entry: MasterEntry) -> tuple[str, str, str]:
    """Return the sort key: name, type and target; entries without key come first."""
    return ("", "", "") if entry.key is None else (entry.key.name.order, entry.key.type, entry.target)


def _split_sections(
    entries: Sequence[MasterEntry], newline: str
) -> tuple[Sequence[MasterEntry], Sequence[MasterEntry], Sequence[MasterEntry]]:
    """Return the entries before our section, the section with its two comments, and the entries after it."""
    roles = [entry.role for entry in entries]
    if EntryRole.END in roles:
        end = len(roles) - 1 - roles[::-1].index(EntryRole.END)
        if EntryRole.BEGIN in roles[:end]:
            begin = end - 1 - roles[:end][::-1].index(EntryRole.BEGIN)
            return entries[:begin], entries[begin : end + 1], entries[end + 1 :]
    begin_entry = MasterEntry(
        text=f"{BEGIN}: the lines from here on are written by extdns{newline}", role=EntryRole.BEGIN
    )
    return entries, (begin_entry, MasterEntry(text=f"{END}{newline}", role=EntryRole.END)), ()


def _merge(section: Sequence[MasterEntry], lines: Sequence[MasterEntry]) -> Iterator[MasterEntry]:
    index = 0
    for entry in section:
        position = _get_position(entry)
        while index < len(lines) and _get_position(lines[index]) < position:
            yield lines[index]
            index += 1
        yield entry
    yield from lines[index:]


def _end_last_line(entries: Sequence[MasterEntry], newline: str) -> Sequence[MasterEntry]:
    if not entries or entries[-1].text.endswith("\n"):
        return entries
    return [*entries[:-1], replace(entries[-1], text=entries[-1].text + newline)]


def _complete_entries(entries: Iterable[MasterEntry], today: date) -> Iterator[MasterEntry]:
    owner, ttl_s = "", None
    for entry in entries:
        completed = _advance_soa(entry, today) if entry.role is EntryRole.SOA else entry
        if entry.owner:
            completed = _complete_entry(completed, owner, ttl_s)
            owner = entry.owner
            ttl_s = entry.ttl_s if completed.ttl_source is TtlSource.STATED else ttl_s
        yield completed


def _advance_soa(soa: MasterEntry, today: date) -> MasterEntry:
    start, end = soa.serial
    serial = str(advance_serial(int(soa.text[start:end]), today))
    return replace(soa, text=soa.text[:start] + serial + soa.text[end:], serial=(start, start + len(serial)))


def _complete_entry(entry: MasterEntry, owner: str, ttl_s: int | None) -> MasterEntry:
    """Return *entry* with its name and TTL written out if it would now inherit different ones."""
    if not entry.owner_end and entry.owner != owner:
        entry = replace(_insert(entry, entry.owner), owner_end=len(entry.owner))
    if entry.ttl_source is TtlSource.PREVIOUS and entry.ttl_s != ttl_s:
        entry = replace(_insert(entry, f" {entry.ttl_s}"), ttl_source=TtlSource.STATED)
    return entry


def _insert(entry: MasterEntry, text: str) -> MasterEntry:
    at, (start, end) = entry.owner_end, entry.serial
    shift = len(text) if entry.role is EntryRole.SOA else 0
    return replace(entry, text=entry.text[:at] + text + entry.text[at:], serial=(start + shift, end + shift))


_MODULUS: Final = 2**32
_HALF_RANGE: Final = 2**31
_PER_DAY: Final = 100
_FIRST_YEAR: Final = 1990  # a "date" before this one is a counter or timestamp that only looks like a date
_LAST_YEAR: Final = 2100


def advance_serial(serial: int, today: date) -> int:
    """Return the next serial: the first of *today* if *serial* is an earlier date (YYYYMMDDnn), else *serial* plus one.

    The result is greater than *serial* by the arithmetic of RFC 1982, even if the clock is wrong, and never 0, which
    some servers read as "no serial".
    """
    following = (serial + 1) % _MODULUS or 1
    dated = int(today.strftime("%Y%m%d")) * _PER_DAY
    return dated if _is_date(serial) and is_before(following, dated) else following


def is_before(earlier: int, later: int) -> bool:
    """Return whether *later* is greater than *earlier* by the arithmetic of RFC 1982."""
    return 0 < (later - earlier) % _MODULUS < _HALF_RANGE


def _is_date(serial: int) -> bool:
    year, rest = divmod(serial, 10_000 * _PER_DAY)
    month, rest = divmod(rest, 100 * _PER_DAY)
    if not _FIRST_YEAR <= year < _LAST_YEAR:
        return False
    try:
        date(year, month, rest // _PER_DAY)
    except ValueError:
        return False
    return True
