"""Selectors of labels and annotations, as `--label-filter` and its kin write them (spec sources 2.7).

The grammar is that of Kubernetes label selectors; blanks between tokens mean nothing::

    selector = [ term *( "," term ) ]
    term     = key / "!" key / key ("=" / "==" / "!=") [value] / key (">" / "<") integer
             / key ("in" / "notin") "(" value-or-"," … ")"

Annotation filters have no `!=`, `>` and `<`, and there only the last equality of a key counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeGuard, assert_never


class Operator(StrEnum):
    """What a term says of its key."""

    EXISTS = "exists"
    MISSING = "!"
    EQUAL = "="
    UNEQUAL = "!="
    IN = "in"
    NOT_IN = "notin"
    GREATER = ">"
    LESS = "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One condition.

    Attributes:
        values: what the key's value is compared with, sorted; () for EXISTS and MISSING.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Tell whether *labels* meet this condition; UNEQUAL and NOT_IN hold where the key is missing."""
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
    """Conditions that must all hold; without any it selects everything."""

    terms: tuple[Term, ...] = ()

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Tell whether an object with these labels (or annotations) is selected."""
        return not self.terms or all(term.holds(labels or {}) for term in self.terms)

    def mentions(self, key: str) -> bool:
        """Tell whether a condition is about *key*."""
        return any(term.key == key for term in self.terms)

    @property
    def text(self) -> str:
        """The selector as a flag would write it; reading it gives an equal selector."""
        return ",".join(str(term) for term in self.terms)


EVERYTHING: Final = Selector()

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")
_NAME: Final = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_KEY = re.compile(rf"(?:(?=[^/]{{1,253}}/){_LABEL}(?:\.{_LABEL})*/)?{_NAME}")
_VALUE = re.compile(rf"(?:{_NAME})?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_MAX_DIGITS: Final = 64  # Python refuses to read much longer numbers
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
    """Read `--label-filter`.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    return Selector(terms=tuple(_Reader(text).terms()))


def parse_annotation_selector(text: str) -> Selector:
    """Read `--annotation-filter` or `--gateway-label-filter`: the smaller grammar.

    Raises:
        ValueError: not a selector; the message says what is wrong.
    """
    terms = _Reader(text, refused=_LABELS_ONLY).terms()
    last = {term.key: term for term in terms if term.operator is Operator.EQUAL}
    return Selector(
        terms=tuple(term for term in terms if term.operator is not Operator.EQUAL or term is last[term.key])
    )


def is_label_key(text: str) -> bool:
    """Tell whether *text* may be a label's key: a name as a value has it, perhaps after a domain and `/`."""
    return _KEY.fullmatch(text) is not None


def is_label_value(text: str) -> bool:
    """Tell whether *text* may be a label's value: up to 63 of `A-Z a-z 0-9 - _ .`, its ends alphanumeric."""
    return _VALUE.fullmatch(text) is not None


def _is_integer(text: str | None) -> TypeGuard[str]:
    if text is None or len(text) > _MAX_DIGITS or not _INTEGER.fullmatch(text):
        return False
    return -_INT64 <= int(text) < _INT64


class _Reader:
    """Recursive descent over the tokens of one selector."""

    def __init__(self, text: str, refused: frozenset[Operator] = frozenset()) -> None:
        self._tokens = [match[1] for match in _TOKEN.finditer(text)]
        self._at = 0
        self._refused = refused

    def terms(self) -> list[Term]:
        if self._next == _END:
            return []
        found = [self._term()]
        while self._next != _END:
            self._take(",")
            found.append(self._term())
        return found

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _pop(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, wanted: str) -> None:
        if self._next != wanted:
            raise ValueError(f"{self._next or 'the end'!r} stands where {wanted!r} should")
        self._pop()

    def _term(self) -> Term:
        if self._next == "!":
            self._pop()
            return Term(key=self._key(), operator=Operator.MISSING)
        key = self._key()
        if self._next in {",", _END}:
            return Term(key=key, operator=Operator.EXISTS)
        operator = self._operator(key)
        return Term(key=key, operator=operator, values=self._operands(operator))

    def _key(self) -> str:
        if not _KEY.fullmatch(self._next):
            raise ValueError(f"{self._next or 'the end'!r} is not a key")
        return self._pop()

    def _operator(self, key: str) -> Operator:
        operator = _OPERATORS.get(self._next)
        if operator is None:
            raise ValueError(f"{self._next!r} after {key!r} is not an operator")
        if operator in self._refused:
            raise ValueError(f"{self._next!r} is for --label-filter only; notin (…) can say 'is not'")
        self._pop()
        return operator

    def _operands(self, operator: Operator) -> tuple[str, ...]:
        if operator in _SETS:
            return self._set()
        value = self._value()
        if operator in _ORDERS and not _is_integer(value):
            raise ValueError(f"{value!r} is not an integer")
        return (value,)

    def _set(self) -> tuple[str, ...]:
        self._take("(")
        if self._next == ")":
            raise ValueError("a set needs at least one value; '(,)' holds the empty one")
        values = {self._value()}
        while self._next == ",":
            self._pop()
            values.add(self._value())
        self._take(")")
        return tuple(sorted(values))

    def _value(self) -> str:
        value = "" if self._next in _PUNCTUATION else self._pop()
        if not is_label_value(value):
            raise ValueError(f"{value!r} is not a label value: at most 63 of A-Z a-z 0-9 - _ .")
        return value
