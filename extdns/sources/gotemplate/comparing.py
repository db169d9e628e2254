"""How the functions of templates compare values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.types import Form
from extdns.sources.gotemplate.values import NIL, Maybe, Value, octets


class _Basic(Enum):
    BOOLEAN = auto()
    NUMBER = auto()
    FLOAT = auto()
    STRING = auto()
    OTHER = auto()


_BASICS: Final = {
    Form.BOOLEAN: _Basic.BOOLEAN,
    Form.INTEGER: _Basic.NUMBER,
    Form.UNSIGNED: _Basic.NUMBER,
    Form.FLOAT: _Basic.FLOAT,
    Form.STRING: _Basic.STRING,
}
_ORDERED: Final = frozenset({_Basic.NUMBER, _Basic.FLOAT, _Basic.STRING})


def equals_any(first: Maybe, others: Sequence[Maybe]) -> bool:
    """Whether *first* equals one of *others*; the first that it does ends the search.

    Raises:
        TemplateError: nothing to compare with, or values that cannot be compared.
    """
    if not others:
        raise TemplateError("eq has nothing to compare with")
    return any(_equal(first, other) for other in others)


def less(first: Maybe, second: Maybe) -> bool:
    """Whether *first* comes before *second*; raises `TemplateError` for values without an order between them."""
    kind = _basic(first)
    if first is None or second is None or kind not in _ORDERED or _basic(second) not in _ORDERED:
        raise TemplateError("values of these kinds have no order; allowed: two numbers or two strings")
    if kind is not _basic(second):
        raise TemplateError(f"{first.form} and {second.form} cannot be compared")
    if kind is _Basic.STRING:
        return octets(first.data) < octets(second.data)
    return bool(first.data < second.data)


def _basic(value: Maybe) -> _Basic:
    return _BASICS.get(value.form, _Basic.OTHER) if value is not None else _Basic.OTHER


def _is_nil(value: Value) -> bool:
    return value.form in {Form.POINTER, Form.SLICE, Form.MAP} and value.data is None


def _equal(first: Maybe, second: Maybe) -> bool:
    first, second = (None if value is NIL else value for value in (first, second))
    if first is None or second is None:
        there = first or second
        return there is None or _is_nil(there)
    kind = _basic(first)
    if kind is _basic(second):
        if kind is not _Basic.OTHER:
            return bool(first.data == second.data)
        if first.form is second.form and (_is_nil(first) or _is_nil(second)):
            return _is_nil(first) is _is_nil(second)
        if first.form is second.form is Form.POINTER:
            return first.data is second.data
    raise TemplateError(f"{first.form} and {second.form} cannot be compared")
