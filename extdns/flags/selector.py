"""Selectors of `--label-filter` and `--annotation-filter` (spec sources 2.7).

The grammar is that of Kubernetes label selectors::

    selector = [ term *( "," term ) ]
    term     = key / "!" key / key ("=" / "==" / "!=") [value] / key (">" / "<") integer
             / key ("in" / "notin") "(" [value] *( "," [value] ) ")"

Annotation filters have no `!=`, `>` and `<`, and of two equality terms with one key only the last
counts there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from extdns.flags.kind import Kind


class Operator(StrEnum):
    """What a term says of its key."""

    EXISTS = "exists"
    MISSING = "!"
    IN = "in"
    NOT_IN = "notin"
    GREATER = ">"
    LESS = "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One condition; *values* holds what IN, NOT_IN, GREATER and LESS compare with, sorted."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Tell whether *labels* meet this condition."""
        found = labels.get(self.key)
        match self.operator:
            case Operator.EXISTS:
                return found is not None
            case Operator.MISSING:
                return found is None
            case Operator.IN:
                return found in self.values
            case Operator.NOT_IN:
                return found not in self.values
            case Operator.GREATER:
                return found is not None and _is_integer(found) and int(found) > int(self.values[0])
            case Operator.LESS:
                return found is not None and _is_integer(found) and int(found) < int(self.values[0])
            case _:
                assert_never(self.operator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Conditions that must all hold; none selects everything. *text* is what was read."""

    text: str
    terms: tuple[Term, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether an object with these labels (or annotations) is selected."""
        return all(term.holds(labels) for term in self.terms)


EVERYTHING: Final = Selector(text="", terms=())

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")
_NAME: Final = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_KEY = re.compile(rf"(?:(?=.{{1,253}}/){_LABEL}(?:\.{_LABEL})*/)?{_NAME}")
_VALUE = re.compile(rf"(?:{_NAME})?")
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_OPERATORS: Final = {
    "=": Operator.IN,
    "==": Operator.IN,
    "!=": Operator.NOT_IN,
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    ">": Operator.GREATER,
    "<": Operator.LESS,
}
_EQUAL: Final = ("=", "==")
_LABELS_ONLY: Final = ("!=", ">", "<")
_PUNCTUATION: Final = frozenset("=!(),<>") | {"==", "!=", ""}


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None


def parse_label_selector(text: str) -> Selector:
    """Read `--label-filter`.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    return Selector(text=text, terms=tuple(term for term, _ in _Reader(text).terms()))


def parse_annotation_selector(text: str) -> Selector:
    """Read `--annotation-filter` or `--gateway-label-filter`: the smaller grammar.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    reader = _Reader(text, refused=_LABELS_ONLY)
    pairs = list(reader.terms())
    last = {term.key: position for position, (term, is_equality) in enumerate(pairs) if is_equality}
    kept = (term for at, (term, is_equality) in enumerate(pairs) if not is_equality or last[term.key] == at)
    return Selector(text=text, terms=tuple(kept))


class _Reader:
    """Recursive descent over the tokens of one selector."""

    def __init__(self, text: str, refused: tuple[str, ...] = ()) -> None:
        self._tokens = [match[1] for match in _TOKEN.finditer(text)]
        self._refused = refused

    def terms(self) -> list[tuple[Term, bool]]:
        """Every term, with whether it is an equality."""
        if self._next == "":
            return []
        found = [self._term()]
        while self._next:
            self._take(",")
            found.append(self._term())
        return found

    @property
    def _next(self) -> str:
        return self._tokens[0]

    def _pop(self) -> str:
        return self._tokens.pop(0)

    def _take(self, wanted: str) -> None:
        if self._next != wanted:
            raise ValueError(f"{self._next or 'the end'!r} stands where {wanted!r} should")
        self._pop()

    def _term(self) -> tuple[Term, bool]:
        if self._next == "!":
            self._pop()
            return Term(key=self._key(), operator=Operator.MISSING), False
        key, sign = self._key(), self._next
        if sign in self._refused:
            raise ValueError(f"{sign!r} is for --label-filter only; notin (…) can say 'is not'")
        if sign in (",", ""):
            return Term(key=key, operator=Operator.EXISTS), False
        if sign not in _OPERATORS:
            raise ValueError(f"{sign!r} after {key!r} is not an operator")
        self._pop()
        operator = _OPERATORS[sign]
        return Term(key=key, operator=operator, values=self._operands(sign)), sign in _EQUAL

    def _operands(self, sign: str) -> tuple[str, ...]:
        if sign in ("in", "notin"):
            return self._values()
        return (self._integer() if sign in (">", "<") else self._value(),)

    def _key(self) -> str:
        key = self._pop()
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key or 'the end'!r} is not a key")
        return key

    def _value(self) -> str:
        value = "" if self._next in _PUNCTUATION else self._pop()
        if not _VALUE.fullmatch(value):
            raise ValueError(f"{value!r} is not a label value: at most 63 of A-Z a-z 0-9 - _ .")
        return value

    def _values(self) -> tuple[str, ...]:
        self._take("(")
        values = {self._value()}
        while self._next == ",":
            self._pop()
            values.add(self._value())
        self._take(")")
        return tuple(sorted(values))

    def _integer(self) -> str:
        value = self._value()
        if not _is_integer(value):
            raise ValueError(f"{value!r} is not an integer")
        return value


_FORMS: Final = "key, !key, key=value, key in (a,b), key notin (a,b)"
LABEL_SELECTOR: Final[Kind[Selector]] = Kind(
    noun="a label selector",
    metavar="SELECTOR",
    allowed=f"{_FORMS}, key!=value, key>1, key<1; a comma is AND",
    read=parse_label_selector,
    write=lambda selector: selector.text,
)
ANNOTATION_SELECTOR: Final[Kind[Selector]] = Kind(
    noun="an annotation selector",
    metavar="SELECTOR",
    allowed=f"{_FORMS}; a comma is AND",
    read=parse_annotation_selector,
    write=lambda selector: selector.text,
)
