"""Reads a master file: directives, owners and TTLs that carry over, included and generated records.

The zone is what the SOA's owner says; until then names are relative to the name of the file. What is
wrong is named with its place: a record costs its name, as a record set of type `UNREADABLE` that says
so; anything after which nothing else could be trusted, such as a quote without end, makes the zone
unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extdns.errors import InvalidValueError, ProviderError
from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey
from providers.zonefile import header, rdata, scan
from providers.zonefile.master import BEGIN, END, Entry, Master, Role, TtlFrom
from providers.zonefile.scan import Piece, Word

Include = Callable[[str], str]
"""Gives the Latin-1 text of the file that an $INCLUDE names; raises `ProviderError`."""

MAX_DEPTH: Final = 8  # of files that include files
MAX_INCLUDES: Final = 1000  # a zone; eight files that include each other often enough would never end
_SIGNATURES: Final = frozenset({"RRSIG", "NSEC", "NSEC3"})
_DIRECTIVES: Final = "$ORIGIN name, $TTL ttl, $INCLUDE file [origin] or $GENERATE"
_TTL_ALLOWED: Final = "a TTL, here or in a $TTL line above"
_SERIAL: Final = 2  # third word of the SOA's data


def parse(text: str, label: str, include: Include) -> Master:
    """Read the file *label* (its name, which counts as the origin) with content *text*; never raises."""
    found = _read(text, label, origin_of(label), include)
    if found.soa and found.soa[0].lower() != origin_of(label):
        owner = found.soa[0].lower()
        found = _read(text, label, owner, include)
        if [name.lower() for name in found.soa[:1]] != [owner]:
            found.faults.append(f"{label}: the owner of its SOA depends on the name of the file; write it in full")
    zone = rdata.published(found.soa[0]) if found.soa else None
    if zone is None:
        none = f"{label}: there is no SOA record of a zone that can be published"
        found.faults.extend((*found.wrong, none))  # what is wrong may be the SOA
    return Master(
        label=label,
        zone=zone,
        entries=tuple(found.entries),
        records={} if zone is None else _records(found.sets, zone),
        fixed=found.fixed,
        wrong=bool(found.wrong),
        fault=next(iter(found.faults), ""),
        frozen=found.frozen,
    )


def origin_of(label: str) -> str:
    """The absolute name that the file name *label* stands for; the root if it stands for none."""
    name = label.removesuffix(".zone") if label.endswith(".zone") else label.removeprefix("db.")
    try:
        return rdata.spelled(DnsName.parse(name))
    except InvalidValueError:
        return rdata.ROOT


def _records(sets: Mapping[RecordKey, Mapping[str, int]], zone: DnsName) -> dict[DnsName, tuple[Record, ...]]:
    records: dict[DnsName, tuple[Record, ...]] = {}
    for key in sorted(sets):
        if key.name.within(zone):
            targets = sets[key]
            record = Record(name=key.name, type=key.type, targets=tuple(sorted(targets)), ttl_s=min(targets.values()))
            records[key.name] = (*records.get(key.name, ()), record)
    return records


@dataclass(slots=True)
class _Found:
    entries: list[Entry] = field(default_factory=list)
    sets: dict[RecordKey, dict[str, int]] = field(default_factory=dict)
    fixed: dict[RecordKey, str] = field(default_factory=dict)
    soa: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    frozen: str = ""
    includes: int = 0

    def add(self, key: RecordKey, target: str, ttl_s: int, *, fixed: str = "") -> None:
        ttls_s = self.sets.setdefault(key, {})
        ttls_s[target] = min(ttl_s, ttls_s.get(target, ttl_s))
        if fixed:
            self.fixed[key] = fixed


def _read(text: str, label: str, origin: str, include: Include) -> _Found:
    found = _Found()
    reader = _Reader(found=found, label=label, origin=origin, include=include)
    found.entries.extend(reader.entries(text))
    return found


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads one file; an included one has a reader of its own, so that what carries over comes back."""

    found: _Found
    label: str
    origin: str
    include: Include
    owner: str = ""
    default_ttl_s: int | None = None
    last_ttl_s: int | None = None
    depth: int = 0

    def entries(self, text: str) -> Sequence[Entry]:
        entries = []
        for piece in scan.pieces(text):
            try:
                entries.append(self._entry(piece))
            except InvalidValueError as exc:
                self._fault(piece, str(exc))
                entries.append(Entry(text=piece.text))
        return entries

    def _entry(self, piece: Piece) -> Entry:
        if piece.fault:
            raise InvalidValueError(piece.text.strip(), piece.fault, Reason.INVALID_OBJECT)
        if not piece.words:
            return Entry(text=piece.text, role=_role(piece.text.strip()))
        if piece.words[0].text.startswith("$"):
            self._directive(piece)
            return Entry(text=piece.text)
        return self._record(piece)

    def _directive(self, piece: Piece) -> None:
        match _texts(piece.words):
            case (name, origin) if name.upper() == "$ORIGIN":
                self.origin = rdata.absolute(origin, self.origin)
            case (name, ttl) if name.upper() == "$TTL":
                self.default_ttl_s = rdata.ttl_named(ttl)
            case (name, file, *origin) if name.upper() == "$INCLUDE" and len(origin) <= 1:
                self._include(piece, file.strip('"'), origin[0] if origin else "@")
            case (name, _, _, _, _, *_) if name.upper() == "$GENERATE":
                self._generate(piece)
            case _:
                raise InvalidValueError(piece.text.strip(), _DIRECTIVES, Reason.INVALID_OBJECT)

    def _include(self, piece: Piece, file: str, origin: str) -> None:
        self.found.includes += 1
        if self.depth == MAX_DEPTH or self.found.includes > MAX_INCLUDES:
            allowed = f"$INCLUDE at most {MAX_DEPTH} deep and {MAX_INCLUDES} times in all"
            raise InvalidValueError(file, allowed, Reason.INVALID_OBJECT)
        origin = rdata.absolute(origin, self.origin)
        # It begins without owner and TTL: what it took from the lines above would change when those are edited.
        inner = replace(self, label=file, origin=origin, owner="", last_ttl_s=None, depth=self.depth + 1)
        try:
            inner.entries(self.include(file))
        except ProviderError as exc:
            self._fault(piece, str(exc))

    def _generate(self, piece: Piece) -> None:
        words = _texts(piece.words)
        if self.default_ttl_s is None and not words[3][0].isdigit():
            raise InvalidValueError(piece.text.strip(), _TTL_ALLOWED, Reason.INVALID_TTL)
        for record in rdata.generated(words, self.origin, self.default_ttl_s or 0):
            name = rdata.published(record.owner)
            if name is not None:
                place = f"{self._place(piece)} ($GENERATE)"
                self.found.add(RecordKey(name, "", record.type), record.target, record.ttl_s, fixed=place)

    def _record(self, piece: Piece) -> Entry:
        self.owner, owner_end, rest = self._owner(piece)
        ttl_s: int | None = None
        try:
            ttl_s, rest = header.split(rest)
            rtype = header.type_of(rest[0].text)
            if rtype != rrtype.SOA:
                return self._stated(piece, owner_end, ttl_s, rtype, rest[1:])
        except InvalidValueError as exc:
            return self._wrong(piece, owner_end, ttl_s, str(exc))
        return self._soa(piece, owner_end, ttl_s, rest[1:])

    def _stated(self, piece: Piece, owner_end: int, ttl_s: int | None, rtype: str, data: Sequence[Word]) -> Entry:
        if rtype in _SIGNATURES:
            self.found.frozen = (
                f"{self._place(piece)}: the zone is signed in its file ({rtype}); change the unsigned file"
            )
        target = rdata.read(rtype, _texts(data), self.origin)
        ttl_s, ttl_from = self._ttl(piece, ttl_s)
        name = rdata.published(self.owner)
        key = None if name is None else RecordKey(name, "", rtype)
        if key is not None:
            self.found.add(key, target, ttl_s, fixed=self._place(piece) if self.depth else "")
        return Entry(
            text=piece.text,
            role=Role.RECORD,
            owner=self.owner,
            owner_end=owner_end,
            ttl_s=ttl_s,
            ttl_from=ttl_from,
            key=key,
            target=target,
        )

    def _wrong(self, piece: Piece, owner_end: int, ttl_s: int | None, words: str) -> Entry:
        """A record that is kept as it stands; without key, so that no edit takes it for another."""
        message = f"{self._place(piece)}: {words}"
        self.found.wrong.append(message)
        name = rdata.published(self.owner)
        if name is not None:
            self.found.add(RecordKey(name, "", rrtype.UNREADABLE), message, 0)
        ttl_from = TtlFrom.DEFAULT
        if ttl_s is not None:
            ttl_s, ttl_from = self._ttl(piece, ttl_s)
        return Entry(
            text=piece.text,
            role=Role.RECORD,
            owner=self.owner,
            owner_end=owner_end,
            ttl_s=ttl_s or 0,
            ttl_from=ttl_from,
        )

    def _soa(self, piece: Piece, owner_end: int, ttl_s: int | None, data: Sequence[Word]) -> Entry:
        minimum_s = rdata.minimum_s(_texts(data), self.origin)
        if ttl_s is None and self.default_ttl_s is None and self.last_ttl_s is None:
            self.default_ttl_s = minimum_s
        ttl_s, ttl_from = self._ttl(piece, ttl_s)
        if self.found.soa:
            raise InvalidValueError(piece.text.strip(), "one SOA record a file", Reason.INVALID_OBJECT)
        self.found.soa.append(self.owner)
        if self.depth:
            self.found.frozen = f"{self._place(piece)}: the SOA stands in an included file, where it is not changed"
        return Entry(
            text=piece.text,
            role=Role.SOA,
            owner=self.owner,
            owner_end=owner_end,
            ttl_s=ttl_s,
            ttl_from=ttl_from,
            serial=(data[_SERIAL].start, data[_SERIAL].end),
        )

    def _owner(self, piece: Piece) -> tuple[str, int, Sequence[Word]]:
        first = piece.words[0]
        if first.start == 0:
            return rdata.absolute(first.text, self.origin), first.end, piece.words[1:]
        if not self.owner:
            raise InvalidValueError(first.text, "a name at the start of the first record", Reason.INVALID_NAME)
        if not header.begins(first.text):
            raise InvalidValueError(
                piece.text.strip(), "a name without blanks before it, or its type", Reason.INVALID_NAME
            )
        return self.owner, 0, piece.words

    def _ttl(self, piece: Piece, stated_s: int | None) -> tuple[int, TtlFrom]:
        if stated_s is not None:
            self.last_ttl_s = stated_s
            return stated_s, TtlFrom.STATED
        if self.default_ttl_s is not None:
            return self.default_ttl_s, TtlFrom.DEFAULT
        if self.last_ttl_s is not None:
            return self.last_ttl_s, TtlFrom.PREVIOUS
        raise InvalidValueError(piece.text.strip(), _TTL_ALLOWED, Reason.INVALID_TTL)

    def _fault(self, piece: Piece, words: str) -> None:
        self.found.faults.append(f"{self._place(piece)}: {words}")

    def _place(self, piece: Piece) -> str:
        return f"{self.label}:{piece.line}"


def _role(comment: str) -> Role:
    if comment.startswith(BEGIN):
        return Role.BEGIN
    return Role.END if comment.startswith(END) else Role.OTHER


def _texts(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words)
