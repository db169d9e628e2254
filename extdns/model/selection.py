"""Which objects and names are selected: by labels and annotations (docs/spec/sources.md 2.7), and by domain.

The grammar of selectors is that of Kubernetes label selectors; blanks between tokens are ignored::

    selector    = [ requirement *( "," requirement ) ]
    requirement = key / "!" key / key ("=" / "==" / "!=") [value] / key (">" / "<") integer
                / key ("in" / "notin") "(" [value *( "," [value] )] ")"

Annotation filters have no `!=`, `>` and `<`, and only the last equality of a key counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeGuard, assert_never

from extdns.errors import InvalidValueError
from extdns.model.dns_name import DnsName


class Operator(StrEnum):
    """How a requirement compares the value of its key."""

    EXISTS = "exists"
    MISSING = "!"
    EQUAL = "="
    UNEQUAL = "!="
    IN = "in"
    NOT_IN = "notin"
    GREATER = ">"
    LESS = "<"


API_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.MISSING,
}
"""The operators of label selectors in objects, by their names there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One condition of a selector.

    Attributes:
        values: the values to compare with, sorted; () for EXISTS and MISSING.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def is_met(self, labels: Mapping[str, str]) -> bool:
        """Return whether *labels* meet this requirement. UNEQUAL and NOT_IN are met if *labels* lack the key."""
        found = labels.get(self.key)
        match self.operator:
            case Operator.EXISTS:
                return found is not None
            case Operator.MISSING:
                return found is None
            case Operator.EQUAL | Operator.IN:
                return found in self.values
            case Operator.UNEQUAL | Operator.NOT_IN:
                return found not in self.values
            case Operator.GREATER:
                return _is_integer(found) and int(found) > int(self.values[0])
            case Operator.LESS:
                return _is_integer(found) and int(found) < int(self.values[0])
            case _:
                assert_never(self.operator)

    def __str__(self) -> str:
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.MISSING:
                return f"!{self.key}"
            case Operator.IN | Operator.NOT_IN:
                return f"{self.key} {self.operator} ({','.join(self.values) or ','})"
            case _:
                return f"{self.key}{self.operator}{self.values[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Requirements that must all be met. A selector without requirements selects everything."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Return whether an object with these labels (or annotations) is selected."""
        return not self.requirements or all(one.is_met(labels or {}) for one in self.requirements)

    def mentions(self, key: str) -> bool:
        """Return whether one of the requirements is about the label or annotation *key*."""
        return any(one.key == key for one in self.requirements)

    @property
    def text(self) -> str:
        """The selector as the value of a flag; parsing it gives an equal selector."""
        return ",".join(str(one) for one in self.requirements)


EVERYTHING: Final = Selector()

# `re` compiles these when they are first used, and stores them. `--version` imports this module and needs none of them.
_SYMBOL: Final = r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)"
_NAME: Final = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_KEY: Final = rf"(?:(?=[^/]{{1,253}}/){_LABEL}(?:\.{_LABEL})*/)?{_NAME}"
_VALUE: Final = rf"(?:{_NAME})?"
_INTEGER: Final = r"[+-]?[0-9]+"
_MAX_DIGITS: Final = 64  # Python refuses to parse much longer numbers
_INT64: Final = 2**63
_END: Final = ""
_PUNCTUATION: Final = frozenset({"=", "==", "!=", "!", "(", ")", ",", "<", ">", _END})
_OPERATORS: Final = {"==": Operator.EQUAL} | {
    str(operator): operator for operator in Operator if operator not in {Operator.EXISTS, Operator.MISSING}
}
_SETS: Final = frozenset({Operator.IN, Operator.NOT_IN})
_ORDERS: Final = frozenset({Operator.GREATER, Operator.LESS})
_LABELS_ONLY: Final = _ORDERS | {Operator.UNEQUAL}


def parse_label_selector(text: str) -> Selector:
    """Parse `--label-filter`.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    return Selector(requirements=tuple(_Reader(text).parse_requirements()))


def parse_annotation_selector(text: str) -> Selector:
    """Parse `--annotation-filter` or `--gateway-label-filter`, which have the smaller grammar.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    found = _Reader(text, refused=_LABELS_ONLY).parse_requirements()
    last = {one.key: one for one in found if one.operator is Operator.EQUAL}
    return Selector(
        requirements=tuple(one for one in found if one.operator is not Operator.EQUAL or one is last[one.key])
    )


def is_label_key(text: str) -> bool:
    """Return whether *text* is a valid label key: a name like a label value, optionally after a domain and `/`."""
    return re.fullmatch(_KEY, text) is not None


def is_label_value(text: str) -> bool:
    """Return whether *text* is a valid label value: at most 63 of `A-Z a-z 0-9 - _ .`, alphanumeric at both ends."""
    return re.fullmatch(_VALUE, text) is not None


def _is_integer(text: str | None) -> TypeGuard[str]:
    if text is None or len(text) > _MAX_DIGITS or not re.fullmatch(_INTEGER, text):
        return False
    return -_INT64 <= int(text) < _INT64


class _Reader:
    """A recursive descent parser of one selector."""

    def __init__(self, text: str, refused: frozenset[Operator] = frozenset()) -> None:
        self._tokens = [match[1] for match in re.finditer(_SYMBOL, text)]
        self._at = 0
        self._refused = refused

    def parse_requirements(self) -> list[Requirement]:
        if self._next == _END:
            return []
        found = [self._parse_requirement()]
        while self._next != _END:
            self._take(",")
            found.append(self._parse_requirement())
        return found

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _pop(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, expected: str) -> None:
        if self._next != expected:
            raise ValueError(f"{self._next or 'the end'!r} found where {expected!r} is expected")
        self._pop()

    def _parse_requirement(self) -> Requirement:
        if self._next == "!":
            self._pop()
            return Requirement(key=self._parse_key(), operator=Operator.MISSING)
        key = self._parse_key()
        if self._next in {",", _END}:
            return Requirement(key=key, operator=Operator.EXISTS)
        operator = self._parse_operator(key)
        return Requirement(key=key, operator=operator, values=self._parse_operands(operator))

    def _parse_key(self) -> str:
        if not is_label_key(self._next):
            raise ValueError(f"{self._next or 'the end'!r} is not a key")
        return self._pop()

    def _parse_operator(self, key: str) -> Operator:
        operator = _OPERATORS.get(self._next)
        if operator is None:
            raise ValueError(f"{self._next!r} after {key!r} is not an operator")
        if operator in self._refused:
            raise ValueError(f"{self._next!r} is for --label-filter only; use notin (…)")
        self._pop()
        return operator

    def _parse_operands(self, operator: Operator) -> tuple[str, ...]:
        if operator in _SETS:
            return self._parse_set()
        value = self._parse_value()
        if operator in _ORDERS and not _is_integer(value):
            raise ValueError(f"{value!r} is not an integer")
        return (value,)

    def _parse_set(self) -> tuple[str, ...]:
        self._take("(")
        values = {self._parse_value()}
        while self._next == ",":
            self._pop()
            values.add(self._parse_value())
        self._take(")")
        return tuple(sorted(values))

    def _parse_value(self) -> str:
        value = "" if self._next in _PUNCTUATION else self._pop()
        if not is_label_value(value):
            raise ValueError(f"{value!r} is not a label value: at most 63 of A-Z a-z 0-9 - _ ., no - _ . at the ends")
        return value


class Pattern(Protocol):
    """A compiled regular expression."""

    def search(self, text: str, /) -> object | None:
        """Return what is found in *text*, None for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainFilter:
    """A filter by suffixes or, if either pattern is set, by patterns only. The empty filter matches every name.

    Attributes:
        include: suffixes in canonical form; one with a leading dot does not match the domain itself.
        exclude: suffixes of names that do not match, even if *include* has them.
        include_pattern: searched (not matched) in the Unicode form of the name.
        exclude_pattern: searched in that form, too. A name in which it is found does not match.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    include_pattern: Pattern | None = None
    exclude_pattern: Pattern | None = None

    def matches(self, name: DnsName) -> bool:
        """Return whether the filter selects *name*."""
        if self.include_pattern or self.exclude_pattern:
            return self._matches_patterns(name.to_unicode())
        if self.include and not any(_is_covered(suffix, name) for suffix in self.include):
            return False
        return not (self.exclude and any(_is_covered(suffix, name) for suffix in self.exclude))

    def _matches_patterns(self, text: str) -> bool:
        if self.exclude_pattern and self.exclude_pattern.search(text):
            return False
        return self.include_pattern is None or self.include_pattern.search(text) is not None


def parse_suffixes(texts: Iterable[str]) -> tuple[str, ...]:
    """Parse the values of a domain filter; blank values are skipped (docs/spec/plan.md 7.3)."""
    return tuple(suffix for suffix in (_parse_suffix(text) for text in texts) if suffix)


def _parse_suffix(text: str) -> str:
    text = text.strip()
    if text in {"", "."}:
        return ""
    dot = "." if text.startswith(".") else ""
    try:
        return dot + DnsName.parse(text.removeprefix("."))
    except InvalidValueError:
        return text.lower()  # as `a.test,b.test`: no name can equal it


def _is_covered(suffix: str, name: DnsName) -> bool:
    return name.endswith(suffix) if suffix.startswith(".") else name.within(suffix)
