"""The functions that the language itself has, but `and` and `or`, which do not evaluate all they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote_plus

from extdns.sources.gotemplate.comparing import equals_any, less
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.formats import formatted, plain, printed, shown
from extdns.sources.gotemplate.types import Form
from extdns.sources.gotemplate.values import (
    NIL,
    Maybe,
    Value,
    boolean,
    byte,
    from_octets,
    integer,
    is_true,
    octets,
    pointed,
    string,
    typed,
)

VALUE: Final = "value"
"""A parameter that takes anything, also nothing."""

ANY: Final = "any"
"""A parameter that takes anything, nothing as nil."""


class Function(NamedTuple):
    """A function of templates.

    Attributes:
        call: takes as many arguments as there are parameters, or more.
        parameters: `VALUE`, `ANY` or the spelling of a type; the last one also for further arguments
            if it *repeats*, for which none may be given either.
    """

    call: Callable[..., Maybe]
    parameters: tuple[str, ...]
    repeats: bool = False


def _index(item: Maybe, *keys: Maybe) -> Maybe:
    if item is None or item is NIL:
        raise TemplateError("nothing can be indexed in nil")
    found: Value = item
    for key in keys:
        found, is_nil = pointed(found)
        if is_nil:
            raise TemplateError("nothing can be indexed in nil")
        found = _element(found, key)
    return found


def _element(item: Value, key: Maybe) -> Value:
    match item.form:
        case Form.STRING:
            text = octets(item.data)
            return byte(text[_position(key, len(text))])
        case Form.SLICE:
            data = item.data or []
            return typed(item.type.of, data[_position(key, len(data))])
        case Form.MAP:
            if key is None or key.type.name != item.type.key:
                raise TemplateError(f"{_said(key)} is no key of {item.type.name}")
            return typed(item.type.of, (item.data or {}).get(key.data))
        case _:
            raise TemplateError(f"{item.form} cannot be indexed")


def _position(key: Maybe, size: int, most: int = -1) -> int:
    """*key* as a place among *size* elements, or up to *most* where that is given."""
    if key is None or key.form not in {Form.INTEGER, Form.UNSIGNED}:
        raise TemplateError(f"{_said(key)} is no index; allowed: an integer")
    if not 0 <= key.data <= (most if most >= 0 else size - 1):
        raise TemplateError(f"index {key.data} is out of range; there are {size} elements")
    return int(key.data)


def _slice(item: Maybe, *keys: Maybe) -> Maybe:
    if item is None or item is NIL:
        raise TemplateError("nil cannot be sliced")
    item, _ = pointed(item)
    most_keys = {Form.STRING: 2, Form.SLICE: 3}.get(item.form)
    if most_keys is None:
        raise TemplateError(f"{item.form} cannot be sliced")
    if len(keys) > most_keys:
        raise TemplateError(f"too many indexes: {len(keys)}; allowed: {most_keys}")
    data = octets(item.data) if item.form is Form.STRING else item.data or []
    places = [_position(key, len(data), len(data)) for key in keys]
    if places != sorted(places):
        raise TemplateError(f"the indexes {', '.join(map(str, places))} are not in order")
    start, stop = (*places, len(data))[:2] if places else (0, len(data))
    piece = data[start:stop]
    return Value(item.type, from_octets(piece) if isinstance(piece, bytes) else piece)


def _len(item: Maybe) -> Value:
    if item is None:
        raise TemplateError("nothing has no length")
    item, is_nil = pointed(item)
    if is_nil or item.form not in {Form.STRING, Form.SLICE, Form.MAP}:
        raise TemplateError(f"{'nil' if is_nil else item.form} has no length")
    return integer(len(octets(item.data) if item.form is Form.STRING else item.data or ()))


def _said(value: Maybe) -> str:
    return "nil" if value is None or value is NIL else f"{value.form} ({value.type.name})"


def _call(*_: Maybe) -> Maybe:
    raise TemplateError("there is nothing that can be called")


_HTML: Final = str.maketrans(
    {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\N{REPLACEMENT CHARACTER}"}
)
_SCRIPT: Final = str.maketrans(
    {"\\": "\\\\", "'": "\\'", '"': '\\"', **{character: f"\\u{ord(character):04X}" for character in "<>&="}}
    | {chr(code): f"\\u{code:04X}" for code in range(0x20)}
)


def _joined(values: Sequence[Value]) -> str:
    """The text to be escaped: of several values what `print` makes, pointers followed."""
    if len(values) == 1 and values[0].form is Form.STRING:
        return str(values[0].data)
    return printed([string(shown(NIL)) if value is NIL else pointed(value)[0] for value in values])


def _unprintable_escaped(text: str) -> str:
    return "".join(one if one.isprintable() else f"\\u{ord(one):04X}" for one in text)


BUILTINS: Final[Mapping[str, Function]] = {
    "not": Function(lambda value: boolean(not is_true(value)), (VALUE,)),
    "len": Function(_len, (VALUE,)),
    "index": Function(_index, (VALUE, VALUE), repeats=True),
    "slice": Function(_slice, (VALUE, VALUE), repeats=True),
    "call": Function(_call, (VALUE, VALUE), repeats=True),
    "print": Function(lambda *values: string(printed(values)), (ANY,), repeats=True),
    "println": Function(lambda *values: string(" ".join(map(plain, values)) + "\n"), (ANY,), repeats=True),
    "printf": Function(lambda form, *values: string(formatted(form.data, values)), ("string", ANY), repeats=True),
    "html": Function(lambda *values: string(_joined(values).translate(_HTML)), (ANY,), repeats=True),
    "js": Function(
        lambda *values: string(_unprintable_escaped(_joined(values).translate(_SCRIPT))), (ANY,), repeats=True
    ),
    "urlquery": Function(lambda *values: string(quote_plus(octets(_joined(values)), safe="~")), (ANY,), repeats=True),
    "eq": Function(lambda first, *others: boolean(equals_any(first, others)), (VALUE, VALUE), repeats=True),
    "ne": Function(lambda first, second: boolean(not equals_any(first, (second,))), (VALUE, VALUE)),
    "lt": Function(lambda first, second: boolean(less(first, second)), (VALUE, VALUE)),
    "le": Function(lambda first, second: boolean(less(first, second) or equals_any(first, (second,))), (VALUE, VALUE)),
    "gt": Function(
        lambda first, second: boolean(not (less(first, second) or equals_any(first, (second,)))), (VALUE, VALUE)
    ),
    "ge": Function(lambda first, second: boolean(not less(first, second)), (VALUE, VALUE)),
}
