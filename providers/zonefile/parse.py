"""Parse zone files: directives, inherited owners and TTLs, included and generated records.

The owner of the SOA is the zone; before it is known, names are relative to the name of the file. Errors contain file
and line. An invalid record makes only its name unreadable, as a record of type `UNREADABLE`. An error that makes the
rest of the file uncertain, such as an unclosed quote, makes the zone unreadable.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, ProviderError
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey
from providers.common import rdata, scan
from providers.common.scan import RawEntry, Word
from providers.common.zone_contents import NO_CONTENTS, ZoneContents
from providers.zonefile.master import BEGIN, END, EntryRole, MasterEntry, MasterFile, TtlSource

IncludeReader = Callable[[str], str]
"""Returns the text of a file for $INCLUDE, decoded as Latin-1; raises `ProviderError`."""

MAX_DEPTH: Final = 8  # of files that include files
MAX_INCLUDES: Final = 1000  # of a zone: the depth alone does not limit files that include each other repeatedly
_SIGNATURES: Final = frozenset({"RRSIG", "NSEC", "NSEC3"})
_DIRECTIVES: Final = "$ORIGIN name, $TTL ttl, $INCLUDE file [origin] or $GENERATE"
_TTL_ALLOWED: Final = "a TTL, here or in a $TTL line above"
_SERIAL: Final = 2  # third word of the SOA's data


def parse_master_file(text: str, label: str, include: IncludeReader) -> MasterFile:
    """Parse *text*, the content of the file named *label*; the name is the initial origin. Never raises."""
    found = _parse(text, label, find_origin(label), include)
    if found.soa and found.soa[0].lower() != find_origin(label):
        owner = found.soa[0].lower()
        found = _parse(text, label, owner, include)
        if [name.lower() for name in found.soa[:1]] != [owner]:
            found.problems.append(f"{label}: the owner of its SOA depends on the name of the file; write it in full")
    zone = rdata.to_dns_name(found.soa[0]) if found.soa else None
    if zone is None:
        missing = f"{label}: there is no SOA record with the name of a zone; allowed: one SOA record in each file"
        found.problems.extend((*found.invalid_lines, missing))  # the invalid line can be the SOA
    return MasterFile(
        label=label,
        zone=zone,
        entries=tuple(found.entries),
        records=NO_CONTENTS if zone is None else ZoneContents(_build_records(found.sets, zone)),
        read_only=found.read_only,
        has_invalid_lines=bool(found.invalid_lines),
        problem=next(iter(found.problems), ""),
        write_problem=found.write_problem,
    )


def find_origin(label: str) -> str:
    """Return the zone name that the file name *label* contains, as an absolute name; the root if it contains none."""
    name = label.removesuffix(".zone") if label.endswith(".zone") else label.removeprefix("db.")
    try:
        return rdata.format_name(DnsName.parse(name))
    except InvalidValueError:
        return rdata.ROOT


def _build_records(sets: Mapping[RecordKey, Mapping[str, int]], zone: DnsName) -> dict[DnsName, tuple[Record, ...]]:
    records: dict[DnsName, tuple[Record, ...]] = {}
    for key in sorted(sets):
        if key.name.within(zone):
            targets = sets[key]
            record = Record(name=key.name, type=key.type, targets=tuple(sorted(targets)), ttl_s=min(targets.values()))
            records[key.name] = (*records.get(key.name, ()), record)
    return records


@dataclass(slots=True)
class _ParsedZone:
    entries: list[MasterEntry] = field(default_factory=list)
    sets: dict[RecordKey, dict[str, int]] = field(default_factory=dict)
    read_only: dict[RecordKey, str] = field(default_factory=dict)
    soa: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    invalid_lines: list[str] = field(default_factory=list)
    write_problem: str = ""
    includes: int = 0

    def add_target(self, key: RecordKey, target: str, ttl_s: int, *, location: str = "") -> None:
        ttls_s = self.sets.setdefault(key, {})
        ttls_s[target] = min(ttl_s, ttls_s.get(target, ttl_s))
        if location:
            self.read_only[key] = location


def _parse(text: str, label: str, origin: str, include: IncludeReader) -> _ParsedZone:
    found = _ParsedZone()
    reader = _EntryParser(found=found, label=label, origin=origin, include=include)
    found.entries.extend(reader.parse_entries(text))
    return found


@dataclass(slots=True, kw_only=True)
class _EntryParser:
    """Parses one file. An included file has its own parser, so that origin, owner and TTL are restored after it."""

    found: _ParsedZone
    label: str
    origin: str
    include: IncludeReader
    owner: str = ""
    default_ttl_s: int | None = None
    last_ttl_s: int | None = None
    depth: int = 0

    def parse_entries(self, text: str) -> Sequence[MasterEntry]:
        entries = []
        for raw in scan.split_entries(text):
            try:
                entries.append(self._parse_entry(raw))
            except InvalidValueError as exc:
                self._add_problem(raw, str(exc))
                entries.append(MasterEntry(text=raw.text))
        return entries

    def _parse_entry(self, raw: RawEntry) -> MasterEntry:
        if raw.problem:
            raise InvalidValueError(raw.text.strip(), raw.problem, Reason.INVALID_OBJECT)
        if not raw.words:
            return MasterEntry(text=raw.text, role=_find_comment_role(raw.text.strip()))
        if raw.words[0].text.startswith("$"):
            self._apply_directive(raw)
            return MasterEntry(text=raw.text)
        return self._parse_record(raw)

    def _apply_directive(self, raw: RawEntry) -> None:
        match _get_texts(raw.words):
            case (name, origin) if name.upper() == "$ORIGIN":
                self.origin = rdata.make_absolute(origin, self.origin)
            case (name, ttl) if name.upper() == "$TTL":
                self.default_ttl_s = rdata.parse_ttl(ttl)
            case (name, file, *origin) if name.upper() == "$INCLUDE" and len(origin) <= 1:
                self._include_file(raw, file.strip('"'), origin[0] if origin else "@")
            case (name, _, _, _, _, *_) if name.upper() == "$GENERATE":
                self._expand_generate(raw)
            case _:
                raise InvalidValueError(raw.text.strip(), _DIRECTIVES, Reason.INVALID_OBJECT)

    def _include_file(self, raw: RawEntry, file: str, origin: str) -> None:
        self.found.includes += 1
        if self.depth == MAX_DEPTH or self.found.includes > MAX_INCLUDES:
            allowed = f"$INCLUDE at most {MAX_DEPTH} deep and {MAX_INCLUDES} times in all"
            raise InvalidValueError(file, allowed, Reason.INVALID_OBJECT)
        origin = rdata.make_absolute(origin, self.origin)
        # It starts without owner and TTL: values inherited from the including file would change when that file is
        # edited.
        inner = dataclasses.replace(self, label=file, origin=origin, owner="", last_ttl_s=None, depth=self.depth + 1)
        try:
            inner.parse_entries(self.include(file))
        except ProviderError as exc:
            self._add_problem(raw, str(exc))

    def _expand_generate(self, raw: RawEntry) -> None:
        words = _get_texts(raw.words)
        if self.default_ttl_s is None and not words[3][0].isdigit():
            raise InvalidValueError(raw.text.strip(), _TTL_ALLOWED, Reason.INVALID_TTL)
        for record in rdata.expand_generate(words, self.origin, self.default_ttl_s or 0):
            name = rdata.to_dns_name(record.owner)
            if name is not None:
                location = f"{self._locate(raw)} ($GENERATE)"
                self.found.add_target(RecordKey(name, "", record.type), record.target, record.ttl_s, location=location)

    def _parse_record(self, raw: RawEntry) -> MasterEntry:
        self.owner, owner_end, rest = self._find_owner(raw)
        entry = MasterEntry(text=raw.text, role=EntryRole.RECORD, owner=self.owner, owner_end=owner_end)
        ttl_s: int | None = None
        try:
            _require_more_than_name(raw, rest)
            ttl_s, rest = parse_header(rest)
            rtype = parse_type(rest[0].text)
            if rtype != rrtype.SOA:
                return self._complete_entry(entry, raw, ttl_s, rtype, rest[1:])
        except InvalidValueError as exc:
            return self._complete_invalid_entry(entry, raw, ttl_s, str(exc))
        return self._complete_soa_entry(entry, raw, ttl_s, rest[1:])

    def _complete_entry(
        self, entry: MasterEntry, raw: RawEntry, ttl_s: int | None, rtype: str, data: Sequence[Word]
    ) -> MasterEntry:
        if rtype in _SIGNATURES:
            self.found.write_problem = (
                f"{self._locate(raw)}: the file contains a signed zone ({rtype}); edit the unsigned file instead"
            )
        target = rdata.parse_target(rtype, _get_texts(data), self.origin)
        ttl_s, ttl_from = self._find_ttl(raw, ttl_s)
        name = rdata.to_dns_name(self.owner)
        key = None if name is None else RecordKey(name, "", rtype)
        if key is not None:
            self.found.add_target(key, target, ttl_s, location=self._locate(raw) if self.depth else "")
        return replace(entry, ttl_s=ttl_s, ttl_source=ttl_from, key=key, target=target)

    def _complete_invalid_entry(self, entry: MasterEntry, raw: RawEntry, ttl_s: int | None, words: str) -> MasterEntry:
        """Return the entry of an invalid record. It has no key, so no edit removes it."""
        message = f"{self._locate(raw)}: {words}"
        self.found.invalid_lines.append(message)
        name = rdata.to_dns_name(self.owner)
        if name is not None:
            self.found.add_target(RecordKey(name, "", rrtype.UNREADABLE), message, 0)
        ttl_from = TtlSource.DEFAULT
        if ttl_s is not None:
            ttl_s, ttl_from = self._find_ttl(raw, ttl_s)
        return replace(entry, ttl_s=ttl_s or 0, ttl_source=ttl_from)

    def _complete_soa_entry(
        self, entry: MasterEntry, raw: RawEntry, ttl_s: int | None, data: Sequence[Word]
    ) -> MasterEntry:
        minimum_s = rdata.parse_minimum_ttl(_get_texts(data), self.origin)
        if ttl_s is None and self.default_ttl_s is None and self.last_ttl_s is None:
            self.default_ttl_s = minimum_s
        ttl_s, ttl_from = self._find_ttl(raw, ttl_s)
        if self.found.soa:
            raise InvalidValueError(raw.text.strip(), "one SOA record in each file", Reason.INVALID_OBJECT)
        self.found.soa.append(self.owner)
        if self.depth:
            self.found.write_problem = (
                f"{self._locate(raw)}: the SOA is in an included file, which extdns does not edit"
            )
        serial = data[_SERIAL].start, data[_SERIAL].end
        return replace(entry, role=EntryRole.SOA, ttl_s=ttl_s, ttl_source=ttl_from, serial=serial)

    def _find_owner(self, raw: RawEntry) -> tuple[str, int, Sequence[Word]]:
        first = raw.words[0]
        if first.start == 0:
            return rdata.make_absolute(first.text, self.origin), first.end, raw.words[1:]
        if not self.owner:
            raise InvalidValueError(first.text, "a name at the start of the first record", Reason.INVALID_NAME)
        if not can_follow_owner(first.text):
            allowed = "a name without blanks before it; or, after blanks, a TTL, class or type"
            raise InvalidValueError(raw.text.strip(), allowed, Reason.INVALID_NAME)
        return self.owner, 0, raw.words

    def _find_ttl(self, raw: RawEntry, stated_s: int | None) -> tuple[int, TtlSource]:
        if stated_s is not None:
            self.last_ttl_s = stated_s
            return stated_s, TtlSource.STATED
        if self.default_ttl_s is not None:
            return self.default_ttl_s, TtlSource.DEFAULT
        if self.last_ttl_s is not None:
            return self.last_ttl_s, TtlSource.PREVIOUS
        raise InvalidValueError(raw.text.strip(), _TTL_ALLOWED, Reason.INVALID_TTL)

    def _add_problem(self, raw: RawEntry, words: str) -> None:
        self.found.problems.append(f"{self._locate(raw)}: {words}")

    def _locate(self, raw: RawEntry) -> str:
        return f"{self.label}:{raw.line}"


def _find_comment_role(comment: str) -> EntryRole:
    if comment.startswith(BEGIN):
        return EntryRole.BEGIN
    return EntryRole.END if comment.startswith(END) else EntryRole.OTHER


def _get_texts(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _require_more_than_name(raw: RawEntry, rest: Sequence[Word]) -> None:
    if not rest:
        raise InvalidValueError(raw.text.strip(), "name [ttl] [class] type data", Reason.INVALID_OBJECT)


_CLASSES: Final = frozenset({"IN", "CH", "HS", "CLASS1", "CLASS3", "CLASS4"})
_INTERNET: Final = frozenset({"IN", "CLASS1"})
_TTL: Final = re.compile(r"\d+(?:[smhdw]\d*)*", re.IGNORECASE)


def parse_header(words: Sequence[Word]) -> tuple[int | None, Sequence[Word]]:
    """Return the TTL (None if there is none) and the words from the record type on (RFC 1035 section 5.1)."""
    ttl_s: int | None = None
    for index, word in enumerate(words):
        if word.text.upper() in _CLASSES:
            if word.text.upper() not in _INTERNET:
                raise InvalidValueError(word.text, "class IN", Reason.INVALID_OBJECT)
        elif ttl_s is None and word.text[0].isdigit():
            ttl_s = rdata.parse_ttl(word.text)
        else:
            return ttl_s, words[index:]
    text = " ".join(word.text for word in words)
    raise InvalidValueError(text, "[ttl] [class] type data", Reason.INVALID_OBJECT)


def parse_type(word: str) -> str:
    """Return the record type *word* in upper case."""
    rtype = rdata.find_type(word)
    if rtype is None:
        raise InvalidValueError(word, "a record type, such as A or CNAME", Reason.INVALID_OBJECT)
    return rtype


def can_follow_owner(word: str) -> bool:
    """Return whether *word* can follow an owner. If not, it may itself be an owner that was indented by mistake."""
    return bool(word.upper() in _CLASSES or _TTL.fullmatch(word) or rdata.find_type(word))
