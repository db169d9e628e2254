"""The functions of templates, those of Go and those that external-dns adds, and the limits of rendering."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import quote_plus

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.go_format import format_output, format_plain, format_values, print_values
from extdns.gotemplate.values import (
    BYTE,
    NIL,
    STRING,
    STRINGS,
    GoValue,
    OptionalValue,
    TypeForm,
    decode_string,
    dereference,
    encode_string,
    is_true,
    make_boolean,
    make_integer,
    make_string,
    make_typed,
    make_untyped,
)
from extdns.model import rrtype
from extdns.model.record import choose_record_type

MAX_STEPS: Final = 100_000
MAX_TEXT: Final = 1 << 20
"""Characters that functions read and write and that the output holds, in total."""


class TemplateBudget:
    """Counts the steps and characters used to render a template for one object."""

    __slots__ = ("_steps", "_text")

    def __init__(self) -> None:
        """Start with the full budget."""
        self._steps = MAX_STEPS
        self._text = MAX_TEXT

    def use_steps(self, count: int = 1) -> None:
        """Subtract *count* steps from the budget. Raises `TemplateError` if too few are left."""
        self._steps -= count
        if self._steps < 0:
            raise TemplateError(f"the template takes too many steps; allowed: {MAX_STEPS}")

    def use_text(self, size: int) -> None:
        """Subtract *size* characters from the budget. Raises `TemplateError` if too few are left."""
        self._text -= size
        if self._text < 0:
            raise TemplateError(f"the template reads and writes too much text; allowed: {MAX_TEXT} characters")


_ORDERED: Final = frozenset({TypeForm.INTEGER, TypeForm.FLOAT, TypeForm.STRING})
_COMPARABLE: Final = _ORDERED | {TypeForm.BOOLEAN}


def is_equal_to_any(first: OptionalValue, others: Sequence[OptionalValue]) -> bool:
    """Return whether *first* equals one of *others*. The search stops at the first match.

    Raises:
        TemplateError: *others* is empty, or two values cannot be compared.
    """
    if not others:
        raise TemplateError("eq takes at least 2 arguments, not 1")
    return any(_is_equal(first, other) for other in others)


def is_less(first: OptionalValue, second: OptionalValue) -> bool:
    """Return whether *first* is less than *second*. Raises `TemplateError` if the values have no order."""
    kind = _classify(first)
    if first is None or second is None or kind not in _ORDERED or _classify(second) not in _ORDERED:
        raise TemplateError("cannot compare the order of these values; allowed: two numbers or two strings")
    if kind is not _classify(second):
        raise TemplateError(f"{first.form} and {second.form} cannot be compared")
    if kind is TypeForm.STRING:
        return encode_string(first.data) < encode_string(second.data)
    return bool(first.data < second.data)


def _classify(value: OptionalValue) -> TypeForm | None:
    """Return the form that decides whether *value* can be compared with another one; None if it never can."""
    form = value.form if value is not None else TypeForm.ANY
    return TypeForm.INTEGER if form is TypeForm.UNSIGNED else form if form in _COMPARABLE else None


def _is_nil(value: GoValue) -> bool:
    return value.form in {TypeForm.POINTER, TypeForm.SLICE, TypeForm.MAP} and value.data is None


def _is_equal(first: OptionalValue, second: OptionalValue) -> bool:
    first, second = (None if value is NIL else value for value in (first, second))
    if first is None or second is None:
        there = first or second
        return there is None or _is_nil(there)
    kind = _classify(first)
    if kind is _classify(second):
        if kind is not None:
            return bool(first.data == second.data)
        if first.form is second.form and (_is_nil(first) or _is_nil(second)):
            return _is_nil(first) is _is_nil(second)
        if first.form is second.form is TypeForm.POINTER:
            return first.data is second.data
    raise TemplateError(f"{first.form} and {second.form} cannot be compared")


VALUE_PARAMETER: Final = "value"
"""The type of a parameter that accepts any value, and also a missing value."""

ANY_PARAMETER: Final = "any"
"""The type of a parameter that accepts any value; a missing value becomes nil."""


class TemplateFunction(NamedTuple):
    """A function that templates can call.

    Attributes:
        call: the implementation; it takes one argument for each parameter, or more if the function is variadic.
        parameters: the type of each parameter: `VALUE_PARAMETER`, `ANY_PARAMETER` or the Go spelling of a type.
        is_variadic: whether the last parameter takes any number of arguments, including none.
    """

    call: Callable[..., OptionalValue]
    parameters: tuple[str, ...]
    is_variadic: bool = False


def _index_value(item: OptionalValue, *keys: OptionalValue) -> OptionalValue:
    if item is None or item is NIL:
        raise TemplateError("cannot index nil")
    found: GoValue = item
    for key in keys:
        found, is_nil = dereference(found)
        if is_nil:
            raise TemplateError("cannot index nil")
        found = _index_once(found, key)
    return found


def _index_once(item: GoValue, key: OptionalValue) -> GoValue:
    match item.form:
        case TypeForm.STRING:
            text = encode_string(item.data)
            return GoValue(BYTE, text[_parse_index(key, len(text))])
        case TypeForm.SLICE:
            data = item.data or []
            return make_typed(item.type.element, data[_parse_index(key, len(data))])
        case TypeForm.MAP:
            if key is None or key.type.name != item.type.key:
                raise TemplateError(f"{_describe(key)} cannot be a key of {item.type.name}")
            return make_typed(item.type.element, (item.data or {}).get(key.data))
        case _:
            raise TemplateError(f"index: {item.form} cannot be indexed; allowed: a string, a list or a map")


def _parse_index(key: OptionalValue, size: int, most: int = -1) -> int:
    """Return *key* as an index: at most *most*, or less than *size* if *most* is negative. Raises `TemplateError`."""
    if key is None or key.form not in {TypeForm.INTEGER, TypeForm.UNSIGNED}:
        raise TemplateError(f"{_describe(key)} cannot be the index of a string or list; allowed: an integer")
    if not 0 <= key.data <= (most if most >= 0 else size - 1):
        raise TemplateError(f"index {key.data} is out of range; the length is {size}")
    return int(key.data)


def _slice_value(item: OptionalValue, *keys: OptionalValue) -> OptionalValue:
    if item is None or item is NIL:
        raise TemplateError("slice: the argument is nil; allowed: a string or a list")
    item, _ = dereference(item)
    most_keys = {TypeForm.STRING: 2, TypeForm.SLICE: 3}.get(item.form)
    if most_keys is None:
        raise TemplateError(f"slice: {item.form} cannot be sliced; allowed: a string or a list")
    if len(keys) > most_keys:
        raise TemplateError(f"too many indexes: {len(keys)}; allowed: {most_keys}")
    data = encode_string(item.data) if item.form is TypeForm.STRING else item.data or []
    places = [_parse_index(key, len(data), len(data)) for key in keys]
    if places != sorted(places):
        raise TemplateError(f"the indexes {', '.join(map(str, places))} are not in order")
    start, stop = (*places, len(data))[:2] if places else (0, len(data))
    piece = data[start:stop]
    return GoValue(item.type, decode_string(piece) if isinstance(piece, bytes) else piece)


def _measure_length(item: OptionalValue) -> GoValue:
    if item is None:
        raise TemplateError("len: the argument has no value; allowed: a string, a list or a map")
    item, is_nil = dereference(item)
    if is_nil or item.form not in {TypeForm.STRING, TypeForm.SLICE, TypeForm.MAP}:
        raise TemplateError(f"{'nil' if is_nil else item.form} has no length")
    return make_integer(len(encode_string(item.data) if item.form is TypeForm.STRING else item.data or ()))


def _describe(value: OptionalValue) -> str:
    return "nil" if value is None or value is NIL else f"{value.form} ({value.type.name})"


def _refuse_call(*_: OptionalValue) -> OptionalValue:
    raise TemplateError("call needs a function, but values of templates are never functions")


_HTML_ESCAPES: Final = str.maketrans(
    {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\N{REPLACEMENT CHARACTER}"}
)
_SCRIPT_ESCAPES: Final = str.maketrans(
    {"\\": "\\\\", "'": "\\'", '"': '\\"', **{character: f"\\u{ord(character):04X}" for character in "<>&="}}
    | {chr(code): f"\\u{code:04X}" for code in range(0x20)}
)


def _join_for_escaping(values: Sequence[GoValue]) -> str:
    """Join *values* into the text to escape, as `print` does, with pointers dereferenced."""
    if len(values) == 1 and values[0].form is TypeForm.STRING:
        return str(values[0].data)
    return print_values(
        [make_string(format_output(NIL)) if value is NIL else dereference(value)[0] for value in values]
    )


def _escape_unprintable(text: str) -> str:
    return "".join(one if one.isprintable() else f"\\u{ord(one):04X}" for one in text)


def _is_at_most(first: OptionalValue, second: OptionalValue) -> bool:
    return is_less(first, second) or is_equal_to_any(first, (second,))


def _write(compose: Callable[[Sequence[GoValue]], str]) -> TemplateFunction:
    return TemplateFunction(lambda *values: make_string(compose(values)), (ANY_PARAMETER,), is_variadic=True)


def _compare(accept: Callable[[OptionalValue, OptionalValue], bool]) -> TemplateFunction:
    return TemplateFunction(
        lambda first, second: make_boolean(accept(first, second)), (VALUE_PARAMETER, VALUE_PARAMETER)
    )


_BUILTINS: Final[Mapping[str, TemplateFunction]] = {
    "not": TemplateFunction(lambda value: make_boolean(not is_true(value)), (VALUE_PARAMETER,)),
    "len": TemplateFunction(_measure_length, (VALUE_PARAMETER,)),
    "index": TemplateFunction(_index_value, (VALUE_PARAMETER, VALUE_PARAMETER), is_variadic=True),
    "slice": TemplateFunction(_slice_value, (VALUE_PARAMETER, VALUE_PARAMETER), is_variadic=True),
    "call": TemplateFunction(_refuse_call, (VALUE_PARAMETER, VALUE_PARAMETER), is_variadic=True),
    "print": _write(print_values),
    "println": _write(lambda values: " ".join(map(format_plain, values)) + "\n"),
    "printf": TemplateFunction(
        lambda form, *values: make_string(format_values(form.data, values)), ("string", ANY_PARAMETER), is_variadic=True
    ),
    "html": _write(lambda values: _join_for_escaping(values).translate(_HTML_ESCAPES)),
    "js": _write(lambda values: _escape_unprintable(_join_for_escaping(values).translate(_SCRIPT_ESCAPES))),
    "urlquery": _write(lambda values: quote_plus(encode_string(_join_for_escaping(values)), safe="~")),
    "eq": TemplateFunction(
        lambda first, *others: make_boolean(is_equal_to_any(first, others)),
        (VALUE_PARAMETER, VALUE_PARAMETER),
        is_variadic=True,
    ),
    "ne": _compare(lambda first, second: not is_equal_to_any(first, (second,))),
    "lt": _compare(is_less),
    "le": _compare(_is_at_most),
    "gt": _compare(lambda first, second: not _is_at_most(first, second)),
    "ge": _compare(lambda first, second: not is_less(first, second)),
}


_TEXT: Final = STRING.name
# The white space that Go's strings.TrimSpace removes.
_BLANKS: Final = (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_SPACES: Final = "".join(map(chr, _BLANKS))


def _replace_text(before: GoValue, after: GoValue, text: GoValue) -> GoValue:
    if len(after.data) * (text.data.count(before.data)) > MAX_TEXT:
        raise TemplateError("replace makes the text too long")
    return make_string(text.data.replace(before.data, after.data))


def _parse_json(text: GoValue) -> OptionalValue:
    try:
        return make_untyped(json.loads(text.data, parse_int=float, parse_constant=_refuse_constant))
    except (ValueError, RecursionError):
        return NIL


def _refuse_constant(constant: str) -> object:
    raise ValueError(constant)


def _check_record_type(rtype: str) -> TemplateFunction:
    return TemplateFunction(lambda text: make_boolean(choose_record_type(text.data) == rtype), (_TEXT,))


_ADDED_FUNCTIONS: Final[Mapping[str, TemplateFunction]] = {
    "contains": TemplateFunction(lambda text, part: make_boolean(part.data in text.data), (_TEXT, _TEXT)),
    "trimPrefix": TemplateFunction(lambda text, part: make_string(text.data.removeprefix(part.data)), (_TEXT, _TEXT)),
    "trimSuffix": TemplateFunction(lambda text, part: make_string(text.data.removesuffix(part.data)), (_TEXT, _TEXT)),
    "trim": TemplateFunction(lambda text: make_string(text.data.strip(_SPACES)), (_TEXT,)),
    "toLower": TemplateFunction(lambda text: make_string(text.data.lower()), (_TEXT,)),
    "replace": TemplateFunction(_replace_text, (_TEXT, _TEXT, _TEXT)),
    "isIPv4": _check_record_type(rrtype.A),
    "isIPv6": _check_record_type(rrtype.AAAA),
    "hasKey": TemplateFunction(lambda held, key: make_boolean(key.data in (held.data or {})), (STRINGS.name, _TEXT)),
    "fromJson": TemplateFunction(_parse_json, (_TEXT,)),
}
NAMES: Final = frozenset({*_BUILTINS, *_ADDED_FUNCTIONS, "and", "or", "isSource"})


@cache
def list_functions(source: str, sources: tuple[str, ...]) -> Mapping[str, TemplateFunction]:
    """Return all functions but `and` and `or` by name, for templates of *source*.

    *sources* are the names that `isSource` accepts.
    """

    def is_source(name: GoValue) -> GoValue:
        if name.data.lower() not in sources:
            raise TemplateError(f"isSource: there is no source {name.data[:60]!r}; allowed: {', '.join(sources)}")
        return make_boolean(name.data.lower() == source)

    return {**_BUILTINS, **_ADDED_FUNCTIONS, "isSource": TemplateFunction(is_source, (_TEXT,))}
