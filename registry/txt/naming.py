"""Build and read the names of ownership records, and find related names (docs/spec/plan.md 3.2.1 and 3.2.2).

The name of an ownership record is that of its record, with the type and an affix added to the first label. Older
versions left out the type, or named the ownership record of an A alias after the type CNAME. For the name of a zone
itself, that name can lie outside the zone; `build_apex_name` gives one inside (docs/design/zone-names.md).

Related names are the names whose records must be read together, so that the ownership index is right. For `foo`, for
example, without affixes and with A and CNAME managed::

    foo ──▶ a-foo, cname-foo           names of its ownership records
              │
              └─▶ host a-foo           the same TXT record may cover it, unless it has another one:
                    └─▶ a-a-foo, cname-a-foo

For each of these, the name is added at which its own ownership record would be if it were an ordinary TXT record
(`txt-a-foo`). A TXT record that has an ownership record was published by somebody, and is not itself an ownership
record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from extdns.errors import UsageError, sanitize
from extdns.model import rrtype
from extdns.model.dns_name import MAX_LABEL_BYTES, MAX_NAME_BYTES, RESERVED_LABEL, DnsName

_TEMPLATE: Final = "%{record_type}"
_SAMPLES: Final = (DnsName("x.test"), DnsName("*.x.test"))


class NamingFormat(IntEnum):
    """How the name of an ownership record is built.

    If ownership records of several formats cover a record, the first format in this list decides.
    """

    CURRENT = 0
    TYPE_FIRST = 1  # the affix has `%{record_type}`, but the type is a prefix of the name
    ALIAS_AS_CNAME = 2  # the ownership record of an A alias, named after the type CNAME
    UNTYPED = 3  # no type in the name; covers records of every type except AAAA


class RecordReference(NamedTuple):
    """A record that an ownership record can cover by its name. The type is "" if the ownership name contains none."""

    name: DnsName
    type: str


_FormatAffixes = tuple[NamingFormat, str, str]
"""A naming format, with the prefix and suffix of its names."""


class Naming:
    """Converts names of records into names of ownership records, and back."""

    def __init__(self, *, prefix: str = "", suffix: str = "", wildcard_replacement: str = "") -> None:
        """Add *prefix* before, or *suffix* after, the first label, and replace a first label `*`.

        Affixes may contain dots and `%{record_type}`. *wildcard_replacement* "" keeps `*`.

        Raises:
            UsageError: both affixes are given, or names built with them cannot be read back.
        """
        self.prefix, self.suffix = prefix.lower(), suffix.lower()
        self.wildcard_replacement = wildcard_replacement.lower()
        self.has_template = _TEMPLATE in self.prefix or _TEMPLATE in self.suffix
        self._formats_by_type: dict[tuple[str, bool], tuple[_FormatAffixes, ...]] = {}
        if self.prefix and self.suffix:
            raise UsageError(
                f"--txt-prefix={sanitize(self.prefix)} and --txt-suffix={sanitize(self.suffix)} "
                "cannot be used together\n  allowed: one of them"
            )
        for sample in _SAMPLES:
            self._check_sample(sample)

    def _check_sample(self, sample: DnsName) -> None:
        """Raise `UsageError` if the ownership name of *sample* is invalid, or not read back as that of *sample*."""
        ownership_name = self.build_name(sample, rrtype.A)
        if (
            ownership_name is None
            or not _is_valid_name(ownership_name)
            or RecordReference(sample, rrtype.A) not in self.find_references(ownership_name, (rrtype.A,))
            or ownership_name.is_reserved
        ):
            values = {
                "--txt-prefix": self.prefix,
                "--txt-suffix": self.suffix,
                "--txt-wildcard-replacement": self.wildcard_replacement,
            }
            flags = " ".join(f"{flag}={sanitize(value)}" for flag, value in values.items() if value)
            raise UsageError(
                f"{flags} does not give a valid name for the ownership record of {sample}\n"
                "  allowed: ASCII letters, digits, - and _, dots only between labels or at the end of a prefix; "
                f"the name must not begin with {RESERVED_LABEL}- or {RESERVED_LABEL}."
            )

    def build_name(self, name: DnsName, rtype: str) -> DnsName | None:
        """Return the name of a new ownership record for *name* and *rtype*; None if DNS does not allow it."""
        _, prefix, suffix = self._find_formats(rtype, alias=False)[0]
        return self._insert_affixes(name, prefix, suffix)

    def build_all_names(self, name: DnsName, rtype: str, *, alias: bool) -> list[tuple[NamingFormat, DnsName]]:
        """Return all names that an ownership record of this record can have, with their formats, the newest one first.

        An *alias* is an A record that points to a name.
        """
        return [
            (naming_format, ownership_name)
            for naming_format, prefix, suffix in self._find_formats(rtype, alias=alias)
            if (ownership_name := self._insert_affixes(name, prefix, suffix)) is not None
        ]

    def build_untyped_name(self, name: DnsName) -> DnsName | None:
        """Return the ownership name of *name* in the format without type, None if DNS does not allow it."""
        return self._insert_affixes(name, *self.fill_affixes(""))

    def _find_formats(self, rtype: str, *, alias: bool) -> tuple[_FormatAffixes, ...]:
        """Return the formats for *rtype* with their affixes, the newest one first.

        The result is cached, because every read uses it.
        """
        formats = self._formats_by_type.get((rtype, alias))
        if formats is None:
            formats = self._formats_by_type[rtype, alias] = tuple(self._list_formats(rtype, alias=alias))
        return formats

    def _list_formats(self, rtype: str, *, alias: bool) -> Iterator[_FormatAffixes]:
        yield NamingFormat.CURRENT, *self._build_typed_affixes(rtype)
        if self.has_template:
            yield NamingFormat.TYPE_FIRST, *self._build_type_first_affixes(rtype)
        if alias and rtype == rrtype.A:
            yield NamingFormat.ALIAS_AS_CNAME, *self._build_typed_affixes(rrtype.CNAME)
            if self.has_template:
                yield NamingFormat.ALIAS_AS_CNAME, *self._build_type_first_affixes(rrtype.CNAME)
        if rtype != rrtype.AAAA:
            yield NamingFormat.UNTYPED, *self.fill_affixes("")

    def _build_typed_affixes(self, rtype: str) -> tuple[str, str]:
        return self.fill_affixes(rtype.lower()) if self.has_template else self._build_type_first_affixes(rtype)

    def _build_type_first_affixes(self, rtype: str) -> tuple[str, str]:
        prefix, suffix = self.fill_affixes("")
        return f"{prefix}{rtype.lower()}-", suffix

    def _insert_affixes(self, name: DnsName, prefix: str, suffix: str) -> DnsName | None:
        head, dot, rest = name.partition(".")
        if self.wildcard_replacement and head == "*":
            head = self.wildcard_replacement
        elif not (prefix or suffix):
            return name
        head = f"{prefix}{head}{suffix}"
        text = f"{head}{dot}{rest}"
        if len(text) > MAX_NAME_BYTES:
            return None
        is_valid = len(head) <= MAX_LABEL_BYTES if "." not in head else _are_valid_labels(head)
        return DnsName(text) if is_valid else None

    def fill_affixes(self, filling: str) -> tuple[str, str]:
        """Return prefix and suffix with *filling* in place of `%{record_type}`."""
        if not self.has_template:
            return self.prefix, self.suffix
        return self.prefix.replace(_TEMPLATE, filling), self.suffix.replace(_TEMPLATE, filling)

    def can_hold_type(self, ownership_name: DnsName, managed_types: Collection[str]) -> bool:
        """Return whether a part of *ownership_name* can be read as a record type.

        If so, it can be the ownership name of two names: with that part, and without it.
        """
        if not self.has_template:
            first = self._strip_affix(ownership_name, "").partition("-")[0].upper()
            if first not in rrtype.OWNABLE and first not in managed_types:
                return False
        return any(
            reference.type for reference in self.find_references(ownership_name, (*rrtype.OWNABLE, *managed_types))
        )

    def find_references(self, ownership_name: DnsName, types: Sequence[str]) -> tuple[RecordReference, ...]:
        """Return all records that an ownership record named *ownership_name* can cover, in the order of external-dns.

        external-dns uses the first. We return all, because the ownership index checks which of the records exist.
        """
        found: dict[RecordReference, None] = {}
        for rtype in types if self.has_template else ():
            found.update(self._list_references(self._strip_affix(ownership_name, rtype.lower()), rtype))
        bare = self._strip_affix(ownership_name, "")
        before, _, after = bare.partition("-")
        if (rtype := before.upper()) in types:
            found.update(self._list_references(after, rtype))
        found.update(self._list_references(bare, ""))
        return tuple(found)

    def _strip_affix(self, ownership_name: DnsName, filling: str) -> str:
        """Return *ownership_name* without the affix, "" if it does not have the affix."""
        prefix, suffix = self.fill_affixes(filling)
        if not suffix:
            return ownership_name.removeprefix(prefix) if ownership_name.startswith(prefix) else ""
        labels = ownership_name.split(".")
        count = 1 + suffix.count(".")
        head = ".".join(labels[:count])
        if len(labels) < count or not head.endswith(suffix):
            return ""
        return ".".join((head.removesuffix(suffix), *labels[count:]))

    def _list_references(self, text: str, rtype: str) -> dict[RecordReference, None]:
        """Return *text* as a name, and as a wildcard if it starts with the wildcard replacement.

        If wildcards are replaced, our ownership names have no label `*`, so *text* with that label gives no name.
        """
        head = text.partition(".")[0]
        replacement = self.wildcard_replacement
        if not head or (replacement and head == "*"):
            return {}
        found = {RecordReference(DnsName(text), rtype): None}
        if replacement and f"{text}.".startswith(f"{replacement}."):
            found[RecordReference(DnsName(f"*{text.removeprefix(replacement)}"), rtype)] = None
        return found


def build_apex_name(zone: DnsName, rtype: str) -> DnsName | None:
    """Return the name inside *zone* of the ownership record of its own name and *rtype*; None if it is too long."""
    name = f"{RESERVED_LABEL}-{rtype.lower()}.{zone}"
    return DnsName(name) if len(name) <= MAX_NAME_BYTES else None


def _are_valid_labels(text: str) -> bool:
    return all(1 <= len(label) <= MAX_LABEL_BYTES for label in text.split("."))


def _is_valid_name(name: DnsName) -> bool:
    try:
        return DnsName.parse(name) == name
    except ValueError:
        return False


# Stand for the first label of a name and for the rest; no name contains these characters.
_HEAD: Final = "\0"
_REST: Final = "\1"


class RelatedNames:
    """Finds the names that must be read together with a name. If a name is related to another, so is the reverse.

    Related names come from putting affixes around the first label of a name, and taking affixes off again. Nearly all
    names have nothing in common with an affix, so one is taken off exactly where one was put. Their related names
    differ only in that label and the rest of the name, and are computed once, for placeholders.
    """

    def __init__(self, naming: Naming, managed_types: frozenset[str]) -> None:
        self._naming = naming
        self._managed_types = tuple(sorted(managed_types))
        self._types = tuple(sorted(managed_types | {rrtype.CNAME} if rrtype.A in managed_types else managed_types))
        types = [rtype.lower() for rtype in (*self._types, rrtype.TXT)]
        affixes = [naming.fill_affixes(filling) for filling in ("", *types)]
        prefixes = {*(prefix for prefix, _ in affixes), *(f"{rtype}-" for rtype in types)}
        suffixes = {suffix for _, suffix in affixes if suffix}
        # The parts of affixes that a name can hold if what was put before or after it is the other part.
        self._starts = tuple({prefix[at:] for prefix in prefixes for at in range(len(prefix))})
        self._ends = tuple({suffix[:end] for suffix in suffixes for end in range(1, len(suffix) + 1)})
        self._tails = tuple({suffix.partition(".")[2] for suffix in suffixes if "." in suffix})
        # A label can also be part of a wildcard replacement, or so short that two pairs of affixes give one name.
        replaced = (naming.wildcard_replacement, "*") if naming.wildcard_replacement else ()
        self._fragments = frozenset(
            text[at:end]
            for text in (*replaced, *(prefixes if suffixes else ()))
            for at in range(len(text))
            for end in range(at + 1, len(text) + 1)
        )
        unknown = DnsName(f"{_HEAD}.{_REST}")
        related = self._find_all(unknown)
        self._template = " ".join(related)  # no name contains a blank
        self._added_length = max(map(len, related), default=0) - len(unknown)

    def find(self, name: DnsName, zone: DnsName) -> tuple[str, ...]:
        """Return the names that must be read together with *name* of *zone*, each once, without *name*.

        They are plain strings, because every plan looks up all of them and hardly any exists.
        """
        found = self._find_without_zone(name)
        if name == zone:
            return tuple(dict.fromkeys((*found, *self._list_apex_names(zone))))
        if RESERVED_LABEL in name and name in self._list_apex_names(zone):
            return tuple(dict.fromkeys((*found, zone)))
        return found

    def _list_apex_names(self, zone: DnsName) -> list[DnsName]:
        """Return the names inside *zone* of ownership records of its own name, and of their ownership records."""
        types = {*self._managed_types, rrtype.TXT}
        names = [name for rtype in sorted(types) if (name := build_apex_name(zone, rtype))]
        return [*names, *(own for name in names if (own := self._naming.build_name(name, rrtype.TXT)))]

    def _find_without_zone(self, name: DnsName) -> tuple[str, ...]:
        head, _, rest = name.partition(".")
        if (
            not rest
            or name.startswith(self._starts)
            or head.endswith(self._ends)
            or rest.startswith(self._tails)
            or head in self._fragments
            or len(head) + self._added_length > MAX_LABEL_BYTES
            or len(name) + self._added_length > MAX_NAME_BYTES
        ):
            return self._find_all(name)
        return tuple(self._template.replace(_HEAD, head).replace(_REST, rest).split())

    def _find_all(self, name: DnsName) -> tuple[DnsName, ...]:
        """Compute the related names, including the names of ownership records of ownership records."""
        found = self._find_deciding(name)
        found |= {own for other in found if (own := self._naming.build_name(other, rrtype.TXT))}
        for reference in self._naming.find_references(name, (rrtype.TXT,)):
            if reference.type == rrtype.TXT:
                found |= self._find_deciding(reference.name)
        return tuple(sorted(found - {name}))

    def _find_deciding(self, name: DnsName) -> set[DnsName]:
        """Return *name* and the names whose records decide who owns the records of *name*."""
        found = {name}
        for ownership_name in self._list_ownership_names(name):
            found.add(ownership_name)
            found |= self._list_rival_names(ownership_name)
        for owned in self._list_owned_names(name):
            found.add(owned)
            if name in self._list_current_names(owned):
                for ownership_name in self._list_ownership_names(owned):
                    found |= self._list_owned_names(ownership_name)
        return found

    def _list_ownership_names(self, name: DnsName) -> set[DnsName]:
        return {
            ownership_name
            for rtype in self._managed_types
            for _, ownership_name in self._naming.build_all_names(name, rtype, alias=True)
        }

    def _list_owned_names(self, ownership_name: DnsName) -> set[DnsName]:
        return {reference.name for reference in self._find_references(ownership_name)}

    def _find_references(self, ownership_name: DnsName) -> list[RecordReference]:
        untyped = any(rtype != rrtype.AAAA for rtype in self._managed_types)
        return [
            reference
            for reference in self._naming.find_references(ownership_name, self._types)
            if reference.type or untyped
        ]

    def _list_rival_names(self, ownership_name: DnsName) -> set[DnsName]:
        """Return the names that *ownership_name* can stand for, and the names whose records decide between them."""
        readings = self._find_references(ownership_name)
        rivals = {reference.name for reference in readings}
        if len(rivals) == 1:
            return rivals
        return rivals | {
            other
            for reference in readings
            for other in self._list_current_names(reference.name, skipped="" if reference.type else rrtype.AAAA)
        }

    def _list_current_names(self, name: DnsName, *, skipped: str = "") -> Iterator[DnsName]:
        for rtype in self._managed_types:
            if rtype != skipped and (ownership_name := self._naming.build_name(name, rtype)):
                yield ownership_name
