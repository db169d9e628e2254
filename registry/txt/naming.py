"""Names of marks (spec plan 3.2.1 and 3.2.2).

A mark lies beside its record: the first label of the record's name gets the type and an affix, the
rest of the name stays. Older versions left the type out, or named the A alias as a CNAME.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from extdns.errors import UsageError, shown
from extdns.model import rrtype
from extdns.model.name import MAX_LABEL_BYTES, MAX_NAME_BYTES, DnsName

_TEMPLATE: Final = "%{record_type}"
_SAMPLES: Final = (DnsName("x.test"), DnsName("*.x.test"))


class Form(IntEnum):
    """How a mark came by its name; where several prove one record, the first in this order decides."""

    TODAY = 0
    DASHED = 1  # the affix has a template, but the type stands before the name
    ALIAS = 2  # an A alias under the type CNAME
    UNTYPED = 3  # no type at all; proves every type but AAAA


class Reading(NamedTuple):
    """What the name of a mark may speak of; type "" for the untyped form."""

    name: DnsName
    type: str


_Way = tuple[Form, str, str]
"""A form, and the affixes that make a name of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Turns names of records into names of marks, and back.

    Attributes:
        prefix: put before the first label, may contain dots and `%{record_type}`.
        suffix: put after the first label, likewise; not together with *prefix*.
        wildcard_replacement: stands for a first label `*`, "" to keep it.
        templated: whether an affix says where the type goes.

    Raises:
        UsageError: both affixes are given, or names made with them cannot be read back.
    """

    prefix: str = ""
    suffix: str = ""
    wildcard_replacement: str = ""
    templated: bool = field(init=False, repr=False, compare=False)
    _known: dict[tuple[str, bool], tuple[_Way, ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict[tuple[str, bool], tuple[_Way, ...]]
    )

    def __post_init__(self) -> None:
        for affix in ("prefix", "suffix", "wildcard_replacement"):
            object.__setattr__(self, affix, getattr(self, affix).lower())
        object.__setattr__(self, "templated", _TEMPLATE in self.prefix or _TEMPLATE in self.suffix)
        if self.prefix and self.suffix:
            raise UsageError(
                f"--txt-prefix={shown(self.prefix)} and --txt-suffix={shown(self.suffix)} exclude each other\n"
                "  allowed: one of them"
            )
        for sample in _SAMPLES:
            self._try(sample)

    def _try(self, sample: DnsName) -> None:
        """Refuse affixes that no name survives, so that the mistake shows at the start and not name by name."""
        mark = self.today(sample, rrtype.A)
        if mark is None or not _well_formed(mark) or Reading(sample, rrtype.A) not in self.readings(mark, (rrtype.A,)):
            given = {
                "--txt-prefix": self.prefix,
                "--txt-suffix": self.suffix,
                "--txt-wildcard-replacement": self.wildcard_replacement,
            }
            flags = " ".join(f"{flag}={shown(value)}" for flag, value in given.items() if value)
            raise UsageError(
                f"{flags} does not make a name for the ownership mark of {sample}\n"
                "  allowed: ASCII letters, digits, - and _, dots only between labels or at the end of a prefix"
            )

    def today(self, name: DnsName, rtype: str) -> DnsName | None:
        """The name of the mark that is written today, None if DNS allows no such name."""
        _, prefix, suffix = self._ways(rtype, alias=False)[0]
        return self._build(name, prefix, suffix)

    def forms(self, name: DnsName, rtype: str, *, alias: bool) -> list[tuple[Form, DnsName]]:
        """Names of all marks that may prove the record *name*, *rtype*; the one that decides first.

        Args:
            name: of the record.
            rtype: of the record.
            alias: whether it is an A that points at a name.
        """
        return [
            (form, mark)
            for form, prefix, suffix in self._ways(rtype, alias=alias)
            if (mark := self._build(name, prefix, suffix)) is not None
        ]

    def untyped(self, name: DnsName) -> DnsName | None:
        """The name of the mark before types were part of it, None if DNS allows no such name."""
        return self._build(name, *self._affixes(""))

    def _ways(self, rtype: str, *, alias: bool) -> tuple[_Way, ...]:
        """How marks of *rtype* are named, today's first; worked out once, as this is asked all the time."""
        ways = self._known.get((rtype, alias))
        if ways is None:
            ways = self._known[rtype, alias] = tuple(self._worked_out(rtype, alias=alias))
        return ways

    def _worked_out(self, rtype: str, *, alias: bool) -> Iterator[_Way]:
        yield Form.TODAY, *self._typed(rtype)
        if self.templated:
            yield Form.DASHED, *self._dashed(rtype)
        if alias and rtype == rrtype.A:
            yield Form.ALIAS, *self._typed(rrtype.CNAME)
            if self.templated:
                yield Form.ALIAS, *self._dashed(rrtype.CNAME)
        if rtype != rrtype.AAAA:
            yield Form.UNTYPED, *self._affixes("")

    def _typed(self, rtype: str) -> tuple[str, str]:
        return self._affixes(rtype.lower()) if self.templated else self._dashed(rtype)

    def _dashed(self, rtype: str) -> tuple[str, str]:
        prefix, suffix = self._affixes("")
        return f"{prefix}{rtype.lower()}-", suffix

    def _build(self, name: DnsName, prefix: str, suffix: str) -> DnsName | None:
        head, dot, rest = name.partition(".")
        if self.wildcard_replacement and head == "*":
            head = self.wildcard_replacement
        elif not (prefix or suffix):
            return name
        head = f"{prefix}{head}{suffix}"
        text = f"{head}{dot}{rest}"
        return DnsName(text) if len(text) <= MAX_NAME_BYTES and _are_labels(head) else None

    def _affixes(self, filling: str) -> tuple[str, str]:
        """The affixes with *filling* for the type."""
        if not self.templated:
            return self.prefix, self.suffix
        return self.prefix.replace(_TEMPLATE, filling), self.suffix.replace(_TEMPLATE, filling)

    def may_be_typed(self, mark: DnsName, managed: Collection[str]) -> bool:
        """Tell whether the name *mark* may hold a type, so that it may speak of two names."""
        if not self.templated:
            first = self._strip(mark, "").partition("-")[0].upper()
            if first not in rrtype.OWNABLE and first not in managed:
                return False
        return any(reading.type for reading in self.readings(mark, (*rrtype.OWNABLE, *managed)))

    def readings(self, mark: DnsName, types: Sequence[str]) -> tuple[Reading, ...]:
        """All that the name *mark* may speak of, in the order in which the reference tries it.

        Where the reference takes the first, we keep them all: the ledger knows which records stand.
        """
        found: dict[Reading, None] = {}
        for rtype in types if self.templated else ():
            found.update(self._spelled(self._strip(mark, rtype.lower()), rtype))
        bare = self._strip(mark, "")
        before, _, after = bare.partition("-")
        if (rtype := before.upper()) in types:
            found.update(self._spelled(after, rtype))
        found.update(self._spelled(bare, ""))
        return tuple(found)

    def affixed(self, name: DnsName) -> bool:
        """Tell whether *name* carries the affix of a mark without type; where there is none, no name does."""
        return bool(self.prefix or self.suffix) and self._strip(name, "") != ""

    def _strip(self, mark: DnsName, filling: str) -> str:
        """*mark* without its affix, "" if it has another one."""
        prefix, suffix = self._affixes(filling)
        if not suffix:
            return mark.removeprefix(prefix) if mark.startswith(prefix) else ""
        labels = mark.split(".")
        count = 1 + suffix.count(".")
        head = ".".join(labels[:count])
        if len(labels) < count or not head.endswith(suffix):
            return ""
        return ".".join((head.removesuffix(suffix), *labels[count:]))

    def _spelled(self, text: str, rtype: str) -> dict[Reading, None]:
        """*text* as a name, and as the wildcard whose replacement it starts with; `*` itself was replaced."""
        head = text.partition(".")[0]
        stand_in = self.wildcard_replacement
        if not head or (stand_in and head == "*"):
            return {}
        found = {Reading(DnsName(text), rtype): None}
        if stand_in and f"{text}.".startswith(f"{stand_in}."):
            found[Reading(DnsName(f"*{text.removeprefix(stand_in)}"), rtype)] = None
        return found


def _are_labels(text: str) -> bool:
    if "." not in text:
        return 1 <= len(text) <= MAX_LABEL_BYTES
    return all(1 <= len(label) <= MAX_LABEL_BYTES for label in text.split("."))


def _well_formed(name: DnsName) -> bool:
    try:
        return DnsName.parse(name) == name
    except ValueError:
        return False
