"""A master file with records put in and taken out, all else as it was.

New records go into the section between two comments at the end of the file, each where it sorts,
written in full, so that they read the same wherever they stand. A record taken out goes with its
lines. A line that stays and had its owner or TTL from one before it is completed when that one is
no longer the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from extdns.model.record import Record
from providers.zonefile import rdata
from providers.zonefile.batch import Effect
from providers.zonefile.master import BEGIN, END, Entry, Master, Role, TtlFrom
from providers.zonefile.serial import advanced


def edited(master: Master, change: Effect, today: date) -> Master:
    """*master* after *change*, its SOA serial advanced.

    Raises:
        InvalidValueError: a target of an added record is no record data; `effect` lets none through.
    """
    newline = "\r\n" if master.entries and master.entries[0].text.endswith("\r\n") else "\n"
    lines = sorted((entry for record in change.added for entry in _lines(record, newline)), key=_position)
    kept = [entry for entry in master.entries if entry.key is None or entry.key not in change.removed]
    before, section, after = _parted(kept, newline)
    between = list(_merged(section[1:-1], lines))
    if between:
        before, between = _ended(before, newline), [section[0], *between, section[-1]]
    entries = tuple(_completed([*before, *between, *after], today))
    return replace(master, entries=entries, records=change.records)


def _lines(record: Record, newline: str) -> Iterator[Entry]:
    owner = rdata.spelled(record.name)
    for target in record.targets:
        data = rdata.written(record.type, target)
        yield Entry(
            text=f"{owner} {record.ttl_s} IN {record.type} {data}{newline}",
            role=Role.RECORD,
            owner=owner,
            owner_end=len(owner),
            ttl_s=record.ttl_s,
            ttl_from=TtlFrom.STATED,
            key=record.key,
            target=target,
        )


def _position(entry: Entry) -> tuple[str, str, str]:
    """Sorts by name, type and target; entries without key go first."""
    return ("", "", "") if entry.key is None else (entry.key.name.order, entry.key.type, entry.target)


def _parted(entries: Sequence[Entry], newline: str) -> tuple[Sequence[Entry], Sequence[Entry], Sequence[Entry]]:
    """What stands before our section, the section with its two comments, and what stands behind it."""
    roles = [entry.role for entry in entries]
    if Role.END in roles:
        end = len(roles) - 1 - roles[::-1].index(Role.END)
        if Role.BEGIN in roles[:end]:
            begin = end - 1 - roles[:end][::-1].index(Role.BEGIN)
            return entries[:begin], entries[begin : end + 1], entries[end + 1 :]
    begin_entry = Entry(text=f"{BEGIN}: the lines from here on are written by extdns{newline}", role=Role.BEGIN)
    return entries, (begin_entry, Entry(text=f"{END}{newline}", role=Role.END)), ()


def _merged(section: Sequence[Entry], lines: Sequence[Entry]) -> Iterator[Entry]:
    index = 0
    for entry in section:
        position = _position(entry)
        while index < len(lines) and _position(lines[index]) < position:
            yield lines[index]
            index += 1
        yield entry
    yield from lines[index:]


def _ended(entries: Sequence[Entry], newline: str) -> Sequence[Entry]:
    """*entries* with an end for the last line if it has none."""
    if not entries or entries[-1].text.endswith("\n"):
        return entries
    return [*entries[:-1], replace(entries[-1], text=entries[-1].text + newline)]


def _completed(entries: Iterable[Entry], today: date) -> Iterator[Entry]:
    owner, ttl_s = "", None
    for entry in entries:
        whole = _numbered(entry, today) if entry.role is Role.SOA else entry
        if entry.owner:
            whole = _whole(whole, owner, ttl_s)
            owner = entry.owner
            ttl_s = entry.ttl_s if whole.ttl_from is TtlFrom.STATED else ttl_s
        yield whole


def _numbered(soa: Entry, today: date) -> Entry:
    start, end = soa.serial
    serial = str(advanced(int(soa.text[start:end]), today))
    return replace(soa, text=soa.text[:start] + serial + soa.text[end:], serial=(start, start + len(serial)))


def _whole(entry: Entry, owner: str, ttl_s: int | None) -> Entry:
    """*entry* with what it took from the record before, if that one now has another *owner* or *ttl_s*."""
    if not entry.owner_end and entry.owner != owner:
        entry = replace(_inserted(entry, entry.owner), owner_end=len(entry.owner))
    if entry.ttl_from is TtlFrom.PREVIOUS and entry.ttl_s != ttl_s:
        entry = replace(_inserted(entry, f" {entry.ttl_s}"), ttl_from=TtlFrom.STATED)
    return entry


def _inserted(entry: Entry, text: str) -> Entry:
    at, (start, end) = entry.owner_end, entry.serial
    shift = len(text) if entry.role is Role.SOA else 0
    return replace(entry, text=entry.text[:at] + text + entry.text[at:], serial=(start + shift, end + shift))
