"""Find owners that a record may have if their affix, naming format or key differs from ours (docs/design/forgery.md).

The settings of other owners are unknown. An ownership record of `web.example.org` has one of these names::

    PREFIX web .example.org         the prefix may hold the type, and dots
    web SUFFIX .example.org         likewise
    a-web SUFFIX .example.org

Each record with such a name is a possible ownership record, unless its text states another record, or its name, read
without any affix, is the ownership name of another existing record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import OWNED_RECORD, OWNER, Record, RecordKey
from extdns.model.value import Value
from registry.txt.ownership_index import OwnershipTextCodec, is_possibly_encrypted

_NamedRecord = tuple[str, str]
"""The name and type of the record that an ownership record is named after; type "" if its name contains none."""


class PossibleOwner(Value, frozen=True):
    """An owner that a record may have.

    Attributes:
        text: the name of the ownership record.
        owner: the owner id that the ownership record states, None if it is encrypted.
    """

    text: DnsName
    owner: str | None


class PossibleOwners:
    """Finds ownership records that could cover a record, among all records of its zone."""

    def __init__(
        self, records: Collection[Record], matched_keys: Iterable[RecordKey], codec: OwnershipTextCodec
    ) -> None:
        """Index the ownership records among *records*, except those whose keys are in *matched_keys*.

        Args:
            records: all records of the zone.
            matched_keys: the keys of ownership records that cover a record by our own settings.
            codec: how the text of ownership records is read.
        """
        self._codec = codec
        self._keys = {record.key for record in records}
        self._by_rest: defaultdict[tuple[str, str], list[tuple[str, PossibleOwner, _NamedRecord | None]]] = defaultdict(
            list
        )
        matched = set(matched_keys)
        for record in records:
            if record.type == rrtype.TXT and record.key not in matched:
                self._add_record(record)

    def _add_record(self, record: Record) -> None:
        for labels in filter(None, map(self._codec.decode, record.targets)):
            stated = labels.get(OWNED_RECORD)
            named = (stated, "") if stated else self._find_named(record)
            self._add_owner(record, PossibleOwner(record.name, labels.get(OWNER)), named)
            return
        if any(map(is_possibly_encrypted, record.targets)):
            self._add_owner(record, PossibleOwner(record.name, None), self._find_named(record))

    def _find_named(self, record: Record) -> _NamedRecord | None:
        """Return name and type of the existing record that *record*, read without any affix, covers; or None."""
        rtype, dash, name = record.name.partition("-")
        if not dash or rtype.upper() not in rrtype.OWNABLE:
            return None
        key = RecordKey(DnsName(name), record.set_identifier, rtype.upper())
        return (key.name, key.type) if key in self._keys else None

    def _add_owner(self, record: Record, owner: PossibleOwner, named: _NamedRecord | None) -> None:
        head, rest = "", str(record.name)
        while rest:
            label, _, rest = rest.partition(".")
            head = f"{head}.{label}" if head else label
            self._by_rest[record.set_identifier, rest].append((head, owner, named))

    def find(self, record: Record) -> PossibleOwner | None:
        """Return the first ownership record by name that could cover *record*, with its owner; or None."""
        return min(self._find_all(record), key=lambda found: found.text, default=None)

    def _find_all(self, record: Record) -> Iterator[PossibleOwner]:
        head, _, rest = record.name.partition(".")
        for text, owner, named in self._by_rest.get((record.set_identifier, rest), ()):
            if named in {(record.name, ""), (record.name, record.type)} or (
                named is None and _could_name(text, head, record.type)
            ):
                yield owner


def _could_name(text: str, head: str, rtype: str) -> bool:
    """Return whether an ownership record whose name starts with *text* can cover a record of *rtype* and label *head*.

    *head* is the first label of the record. An ownership record without a type in its name never covers an AAAA
    record. The wildcard replacement of the other owner is unknown, so any text can replace `*`.
    """
    kind = rtype.lower()
    if head == "*":
        return rtype != rrtype.AAAA or kind in text
    if not (text.endswith(head) or text.startswith((head, f"{kind}-{head}", f"cname-{head}"))):
        return False
    return rtype != rrtype.AAAA or kind in text.replace(head, "", 1)
