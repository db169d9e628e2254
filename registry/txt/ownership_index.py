"""Read the text of ownership records, and find the records that each covers (docs/spec/plan.md 3.2.3, 3.2.5).

The name of an ownership record can be ambiguous. Without an affix, the ownership record of A `foo` is at `a-foo`, and
older versions put the ownership record of a host named `a-foo` there, too. With a wildcard replacement, `*.x` and
`any.x` can share one. Therefore each ownership record is assigned to the records of one name: the name stated in its
text, else the only name that is possible with the surrounding records. If no name is possible, or several are, it
covers nothing (docs/spec/plan.md 11).
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import Final, Protocol

from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import ALIAS, OWNED_RECORD, OWNER, RESOURCE, Record, RecordKey
from extdns.model.value import StringMap, Value, group_by
from registry.txt.naming import Naming, NamingFormat, build_apex_name


class OwnershipRecord(Value, frozen=True):
    """A TXT record whose only value is the text of an ownership record."""

    record: Record
    labels: StringMap

    @property
    def owner(self) -> str:
        """Return the owner id, "" if the text contains none."""
        return self.labels.get(OWNER)

    def has_same_resource(self, other: OwnershipRecord) -> bool:
        """Return whether both ownership records state the same resource and owner."""
        resource = self.labels.get(RESOURCE)
        return bool(resource) and resource == other.labels.get(RESOURCE) and self.owner == other.owner


class OwnershipMatch(Value, frozen=True):
    """An ownership record that covers a record, and the format of its name."""

    format: NamingFormat
    ownership_record: OwnershipRecord


class _CandidateMatch(Value, frozen=True):
    format: NamingFormat
    record: Record


class TxtSettings(Value, frozen=True, kw_only=True):
    """Settings of the txt registry.

    Attributes:
        previous_owner: the owner whose records are taken over, "" for none.
        managed_types: records of other types are never ours.
        creates_without_ownership: do as external-dns does: create a record even if its ownership record cannot be
            written, use again an ownership record whose record was deleted, and state the record in the text only if
            the ownership record would otherwise be ambiguous.
    """

    owner: str
    previous_owner: str = ""
    naming: Naming
    managed_types: frozenset[str]
    codec: OwnershipTextCodec
    creates_without_ownership: bool = False

    def is_our_owner(self, owner: str) -> bool:
        """Return whether *owner* is our owner id or the previous owner, so that we may change its records."""
        return owner == self.owner or (bool(owner) and owner == self.previous_owner)

    def should_state_record(self, name: DnsName) -> bool:
        """Return whether ownership records of *name* state the name in their text.

        They do, except with `creates_without_ownership`, if *name* looks like an ownership name: the ownership record
        of A `foo` is at `a-foo`, and must not be read as an old ownership record of the host `a-foo` if one object
        requests both names.
        """
        if self.creates_without_ownership:
            return False
        old = self.naming.build_untyped_name(name)
        return old is not None and self.naming.can_hold_type(old, self.managed_types)


class OwnershipIndex(Value, frozen=True, kw_only=True, dict=True, gc=True):
    """The records and ownership records of some names, and which ownership record covers which record.

    Attributes:
        current: all records, in any order.
        records: those that are not ownership records, sorted by key; TXT records without values are left out.
        ownership_records: all ownership records, of any owner.
        matches: the ownership records that cover each record, the deciding one first.
        matched_records: keys of the records that each ownership record covers.
    """

    settings: TxtSettings
    current: Collection[Record] = ()
    records: tuple[Record, ...] = ()
    ownership_records: Mapping[RecordKey, OwnershipRecord] = {}
    matches: Mapping[RecordKey, Sequence[OwnershipMatch]] = {}
    matched_records: Mapping[RecordKey, Sequence[RecordKey]] = {}

    @cached_property
    def by_identifier(self) -> Mapping[str, Sequence[Record]]:
        """All records by set identifier. Computed once: a name with thousands has a change set for each."""
        return group_by(self.current, _get_identifier)

    @cached_property
    def _cnames(self) -> Sequence[Record]:
        return [record for record in self.current if record.type == rrtype.CNAME]

    def list_rivals(self, key: RecordKey) -> Iterable[Record]:
        """Return the records that cannot coexist with a record *key*, and others."""
        if not key.set_identifier or key.type == rrtype.CNAME:
            return self.current
        same = [one for identifier in ("", key.set_identifier) for one in self.by_identifier.get(identifier, ())]
        return chain(same, self._cnames)

    def get_owner(self, key: RecordKey) -> str | None:
        """Return the owner of the record *key*, None if no ownership record covers it."""
        matches = self.matches.get(key)
        return matches[0].ownership_record.owner if matches else None

    def is_ours(self, key: RecordKey) -> bool:
        """Return whether the record *key* belongs to us or to the previous owner."""
        owner = self.get_owner(key)
        return owner is not None and self.settings.is_our_owner(owner)


def build_index(records: Collection[Record], zone: DnsName, settings: TxtSettings) -> OwnershipIndex:
    """Assign each ownership record among *records* to the records it covers. The order of *records* does not matter.

    *records* are all records of some names of *zone* and of their `RelatedNames`. Those of unmanaged types are never
    covered.
    """
    if not records:
        return OwnershipIndex(settings=settings)
    return _IndexBuilder(zone, settings).build(records)


_ALIAS_VALUES: Final = {"true", "A"}
_SORT_KEY: Final = attrgetter("key", "targets")
_get_identifier: Final = attrgetter("set_identifier")


class _IndexBuilder:
    __slots__ = ("keys", "naming", "ownership_records", "records", "settings", "zone")

    def __init__(self, zone: DnsName, settings: TxtSettings) -> None:
        self.zone = zone
        self.settings = settings
        self.naming = settings.naming
        self.records: list[Record] = []
        self.ownership_records: dict[RecordKey, OwnershipRecord] = {}
        self.keys: frozenset[RecordKey] = frozenset()  # records by name; built on first use

    def build(self, current: Collection[Record]) -> OwnershipIndex:
        """Return the index of *current*."""
        for record in sorted(current, key=_SORT_KEY):
            # A TXT record with several values is not an ownership record: rewriting it would lose the other values.
            is_candidate = record.type == rrtype.TXT and len(record.targets) == 1
            labels = self.settings.codec.decode(record.targets[0]) if is_candidate else None
            if labels is not None:
                self.ownership_records[record.key] = OwnershipRecord(record, labels)
            elif record.type != rrtype.TXT or record.targets:
                self.records.append(record)
        if len(self.ownership_records) > 1:
            self._drop_published()
        matches: defaultdict[RecordKey, list[OwnershipMatch]] = defaultdict(list)
        matched_records: defaultdict[RecordKey, list[RecordKey]] = defaultdict(list)
        for ownership_key, found in self._find_candidates().items():
            ownership_record = self.ownership_records[ownership_key]
            for chosen in self._choose_matches(ownership_record, found):
                key = chosen.record.key
                matches[key].append(OwnershipMatch(chosen.format, ownership_record))
                matched_records[ownership_key].append(key)
        for several in matches.values():
            if len(several) > 1:
                several.sort(key=self._rank)
        return OwnershipIndex(
            settings=self.settings,
            current=current,
            records=tuple(self.records),
            ownership_records=self.ownership_records,
            matches=matches,
            matched_records=matched_records,
        )

    def _rank(self, match: OwnershipMatch) -> tuple[object, ...]:
        """Return the sort key of *match*: at the name of a zone, an ownership record inside the zone decides.

        So it does not matter which other zones a process reads.
        """
        key = match.ownership_record.record.key
        return match.format, not key.name.within(self.zone), key

    def _drop_published(self) -> None:
        """Treat each ownership record that another one covers as an ordinary TXT record: somebody published it.

        This holds even if a third one covers the covering one: a chain of forged texts must not change the result.
        """
        published = [
            key
            for key in self.ownership_records
            if self._find_own_record(key.name, rrtype.TXT, key.set_identifier) or self._find_apex_key(key)
        ]
        if published:
            restored = [self.ownership_records[key].record for key in published]
            self.records = sorted((*self.records, *restored), key=attrgetter("key"))
            for key in published:
                del self.ownership_records[key]

    def _find_candidates(self) -> Mapping[RecordKey, Sequence[_CandidateMatch]]:
        """Return, for each ownership record, the records that it can cover according to its name."""
        found: defaultdict[RecordKey, list[_CandidateMatch]] = defaultdict(list)
        names = {key.name for key in self.ownership_records}
        for record in self.records if names else ():
            if record.type not in self.settings.managed_types:
                continue
            # Older versions named the ownership record of an A alias after the type CNAME.
            alias = record.type == rrtype.A and record.properties.get(ALIAS) in _ALIAS_VALUES
            for naming_format, name in self.naming.build_all_names(record.name, record.type, alias=alias):
                key = RecordKey(name, record.set_identifier, rrtype.TXT)
                if name in names and key in self.ownership_records:
                    found[key].append(_CandidateMatch(naming_format, record))
            if record.name == self.zone and (apex_key := self._find_apex_key(record.key)):
                found[apex_key].append(_CandidateMatch(NamingFormat.CURRENT, record))
        return found

    def _find_apex_key(self, key: RecordKey) -> RecordKey | None:
        """Return the key of the ownership record inside the zone that covers a record *key* at the name of the zone.

        Its text states the record, because by its name alone it could also be one of another record.
        """
        if key.name != self.zone or (name := build_apex_name(self.zone, key.type)) is None:
            return None
        found = self.ownership_records.get(RecordKey(name, key.set_identifier, rrtype.TXT))
        return found.record.key if found and found.labels.get(OWNED_RECORD) == self.zone else None

    def _choose_matches(
        self, ownership_record: OwnershipRecord, candidates: Sequence[_CandidateMatch]
    ) -> Sequence[_CandidateMatch]:
        """Return those of *candidates* that *ownership_record* covers, which are records of one name."""
        if ownership_record.labels.has(OWNED_RECORD):
            stated = ownership_record.labels.get(OWNED_RECORD)
            return [candidate for candidate in candidates if candidate.record.name == stated]
        if len(candidates) == 1 and candidates[0].format is not NamingFormat.UNTYPED:
            return candidates
        typed = [candidate for candidate in candidates if candidate.format is not NamingFormat.UNTYPED]
        untyped = [candidate for candidate in candidates if candidate.format is NamingFormat.UNTYPED]
        return self._choose_name(
            ownership_record, untyped if self._is_untyped(ownership_record, untyped, typed) else typed
        )

    def _is_untyped(
        self, ownership_record: OwnershipRecord, untyped: Sequence[_CandidateMatch], typed: Sequence[_CandidateMatch]
    ) -> bool:
        """Return whether *ownership_record* has no type in its name, so that it covers *untyped* and not *typed*.

        It has a type if a name in *typed* has other ownership records of the same resource. Otherwise, it has none if a
        host in *untyped* has no other ownership record, or one of the same resource: older versions wrote both formats.
        """
        if not untyped:
            return False
        if not self.naming.can_hold_type(ownership_record.record.name, self.settings.managed_types):
            return True
        if any(self._has_other_records(ownership_record, candidate) for candidate in typed):
            return False
        return any(self._lacks_own_record(ownership_record, candidate.record) for candidate in untyped)

    def _lacks_own_record(self, ownership_record: OwnershipRecord, host: Record) -> bool:
        """Return whether *host* has no ownership record of its own in the newest format.

        An ownership record whose text states another record does not count. Nor does one whose text states no record
        and that has the resource of *ownership_record*.
        """
        own = self._find_own_record(host.name, host.type, host.set_identifier)
        if own is None:
            return True
        return (
            own.labels.get(OWNED_RECORD) != host.name
            if own.labels.has(OWNED_RECORD)
            else own.has_same_resource(ownership_record)
        )

    def _choose_name(
        self, ownership_record: OwnershipRecord, candidates: Sequence[_CandidateMatch]
    ) -> Sequence[_CandidateMatch]:
        """Return those of *candidates* that have the most likely name, () if several names remain.

        If the name of *ownership_record* states no type, names whose record has no ownership record of its own are
        preferred. Among several, names are preferred that have other records with ownership records of the same
        resource.
        """
        rivals = candidates
        for prefers in (self._lacks_untyped_record, self._has_other_records):
            if len({rival.record.name for rival in rivals}) > 1:
                rivals = [rival for rival in rivals if prefers(ownership_record, rival)] or rivals
        return rivals if len({rival.record.name for rival in rivals}) == 1 else ()

    def _lacks_untyped_record(self, ownership_record: OwnershipRecord, candidate: _CandidateMatch) -> bool:
        return candidate.format is NamingFormat.UNTYPED and self._lacks_own_record(ownership_record, candidate.record)

    def _has_other_records(self, ownership_record: OwnershipRecord, candidate: _CandidateMatch) -> bool:
        """Return whether the name of *candidate* has other ownership records, in the newest format, of the resource."""
        self.keys = self.keys or frozenset(record.key for record in self.records)
        name, sid = candidate.record.name, ownership_record.record.set_identifier
        found = (
            self._find_own_record(name, rtype, sid)
            for rtype in self.settings.managed_types
            if RecordKey(name, sid, rtype) in self.keys
        )
        return any(
            other is not None and other is not ownership_record and other.has_same_resource(ownership_record)
            for other in found
        )

    def _find_own_record(self, name: DnsName, rtype: str, set_identifier: str) -> OwnershipRecord | None:
        ownership = self.naming.build_name(name, rtype)
        return self.ownership_records.get(RecordKey(ownership, set_identifier, rrtype.TXT)) if ownership else None


NONCE_LABEL: Final = "txt-encryption-nonce"  # a label of encrypted values only

MAX_CHARACTERS: Final = 4096  # DNS services accept at most 4,000; longer text is never an ownership record

ENCODABLE_LABELS: Final = "short texts in printable ASCII without comma, double quote and backslash"

# Characters that keys and values may contain, so that the text can be parsed: commas separate labels, `=` ends a key.
_LABEL: Final = r",external-dns/[ !#-+\--<>-\[\]-~]*=[ !#-+\--\[\]-~]*"
_TEXT: Final = re.compile(rf'"heritage=external-dns(?:{_LABEL})*"')
_HERITAGE: Final = "heritage"
_VENDOR: Final = "external-dns"
_BEFORE_KEYS: Final = f"{_VENDOR}/"

_ENCRYPTED: Final = re.compile(
    r'"?[A-Za-z0-9+/]{64,}={0,2}"?'
)  # nonce, tag and the shortest text have at least 64 characters in base64


def is_possibly_encrypted(target: str) -> bool:
    """Return whether a TXT value that cannot be decoded looks like an encrypted one (docs/spec/plan.md 3.2.4)."""
    return len(target) <= MAX_CHARACTERS and len(target.strip('"')) % 4 == 0 and bool(_ENCRYPTED.fullmatch(target))


_ESCAPE: Final = re.compile(r"\\([0-9]{3})|\\(.)", re.DOTALL)


def is_ownership_text(target: str, codec: OwnershipTextCodec) -> bool:
    r"""Return whether *target* is the text of an ownership record, or may become one when a DNS service stores it.

    Services replace escapes such as `\104` (`h`) by the character; they are decimal (RFC 1035 section 5.1) or octal
    (Route 53).
    """
    spellings = {target}
    if "\\" in target:
        spellings |= {_ESCAPE.sub(partial(_unescape, base=base), target) for base in (8, 10)}
    return any(codec.decode(text) is not None for text in spellings)


def _unescape(found: re.Match[str], *, base: int) -> str:
    if not found[1]:
        return found[2]
    try:
        return chr(int(found[1], base))
    except ValueError:
        return found[0]


class OwnershipTextCodec(Protocol):
    """Reads and writes the TXT value of an ownership record."""

    def decode(self, target: str) -> StringMap | None:
        """Return the labels in *target*, None if it is not an ownership record; never raises."""
        ...

    def encode(self, labels: StringMap) -> str | None:
        """Return the TXT value that contains *labels*, None if no value can."""
        ...

    def is_current(self, target: str) -> bool:
        """Return whether *target*, the text of an ownership record, is encrypted, or plain, as `encode` writes it."""
        ...


class PlainTextCodec:
    """Reads and writes ownership records in plain text, in quotes: `"heritage=external-dns,external-dns/owner=me"`."""

    def decode(self, target: str) -> StringMap | None:
        """Return the labels in the TXT value *target*, None if it is not an ownership record; never raises.

        Tokens without `=` and keys of other programs are skipped. If a label occurs twice, the last one wins.
        """
        if len(target) > MAX_CHARACTERS:
            return None
        labels: dict[str, str] = {}
        has_heritage = False
        for token in target.strip('"').split(","):
            key, equals, value = token.partition("=")
            if not equals:
                continue
            if key == _HERITAGE:
                if value != _VENDOR:
                    return None
                has_heritage = True
            elif key.startswith(_VENDOR):
                # keys and owners repeat in all ownership records
                labels[sys.intern(key.removeprefix(_BEFORE_KEYS))] = sys.intern(value)
        return StringMap(sorted(labels.items())) if has_heritage else None

    def encode(self, labels: StringMap) -> str | None:
        """Return the TXT value that contains *labels*, sorted by key.

        There is no escaping. Return None for labels that would be read back as others, or that a DNS service would
        change.
        """
        tokens = [f"{_HERITAGE}={_VENDOR}"]
        for key, value in labels:
            if not key or "=" in key:
                return None
            if key != NONCE_LABEL:
                tokens.append(f"{_BEFORE_KEYS}{key}={value}")
        text = f'"{",".join(tokens)}"'
        apart = text.count(",") == len(tokens) - 1
        return text if apart and len(text) <= MAX_CHARACTERS and _TEXT.fullmatch(text) else None

    def is_current(self, target: str) -> bool:
        """Return whether *target* is plain text."""
        return self.decode(target) is not None
