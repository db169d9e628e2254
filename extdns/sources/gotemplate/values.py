"""Data from JSON with the Go type it would have, and how Go looks into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.types import (
    ANY,
    BOOLEAN,
    BYTE,
    FLOAT,
    INTEGER,
    LIST,
    MAP,
    STRING,
    Form,
    Type,
    members,
    type_of,
)


class Value(NamedTuple):
    """*data* as JSON has it, None for nil, as a value of *type*; a value of any type has its own one."""

    type: Type
    data: Any

    @property
    def form(self) -> Form:
        """What it is like."""
        return self.type.form


Maybe = Value | None
"""None is what a missing key yields: no value at all, which is something else than nil."""

NIL: Final = Value(ANY, None)
_MAX_INTEGER: Final = 2**63
_ZEROS: Final[Mapping[Form, object]] = {
    Form.STRING: "",
    Form.BOOLEAN: False,
    Form.INTEGER: 0,
    Form.UNSIGNED: 0,
    Form.FLOAT: 0.0,
    Form.STRUCT: {},
    Form.INT_OR_STRING: 0,
    Form.QUANTITY: "0",
}
_PYTHON: Final[Mapping[Form, tuple[type, ...]]] = {
    Form.STRING: (str,),
    Form.BOOLEAN: (bool,),
    Form.INTEGER: (int,),
    Form.UNSIGNED: (int,),
    Form.FLOAT: (int, float),
    Form.STRUCT: (dict,),
    Form.SLICE: (list,),
    Form.MAP: (dict,),
    Form.TIME: (str,),
    Form.INT_OR_STRING: (int, str),
    Form.QUANTITY: (int, float, str),
}


def string(text: str) -> Value:
    """A string."""
    return Value(STRING, text)


def boolean(is_true: bool) -> Value:  # noqa: FBT001 - it is the value
    """A boolean."""
    return Value(BOOLEAN, is_true)


def integer(number: int) -> Value:
    """An integer; raises `TemplateError` for one that Go has no room for."""
    if not -_MAX_INTEGER <= number < _MAX_INTEGER:
        raise TemplateError(f"{number} is too large")
    return Value(INTEGER, number)


def byte(number: int) -> Value:
    """A byte of a string."""
    return Value(BYTE, number)


def dynamic(data: object) -> Value:
    """*data* of JSON where Go knows no type: numbers with a fraction are floats, others integers."""
    match data:
        case None:
            return NIL
        case bool():
            return Value(BOOLEAN, data)
        case int():
            return integer(data)
        case float():
            return Value(FLOAT, data)
        case str():
            return Value(STRING, data)
        case list():
            return Value(LIST, data)
        case dict():
            return Value(MAP, data)
        case _:
            raise TypeError(f"{type(data).__name__} is nothing that JSON has")


def typed(name: str, data: object) -> Value:
    """*data* as a value of the type called *name*; null is its zero value.

    Raises:
        TemplateError: data of another kind, which no API server sends.
    """
    kind = type_of(name)
    if kind.form is Form.ANY:
        return dynamic(data)
    if data is None:
        return Value(kind, _ZEROS.get(kind.form))
    if kind.form is Form.POINTER:
        return Value(kind, typed(kind.of, data).data)
    allowed = _PYTHON[kind.form]
    if not isinstance(data, allowed) or (isinstance(data, bool) and bool not in allowed):
        raise TemplateError(
            f"the object has {type(data).__name__} {str(data)[:40]!r} where there should be {kind.form}"
        )
    return Value(kind, data)


def pointed(value: Value) -> tuple[Value, bool]:
    """What *value* points at if it is a pointer, and whether that is nil."""
    while value.form is Form.POINTER and value.data is not None:
        value = Value(type_of(value.type.of), value.data)
    return value, value.form in {Form.POINTER, Form.ANY} and value.data is None


def field(value: Value, name: str) -> Maybe:
    """`.name` of a struct or a map; None if the map lacks it.

    Raises:
        TemplateError: nil, no such field, or neither struct nor map.
    """
    value, is_nil = pointed(value)
    if is_nil:
        raise TemplateError(f"there is nothing to take .{name} of: nil")
    match value.form:
        case Form.STRUCT:
            return _member(value, name)
        case Form.INT_OR_STRING:
            return _part(value.data, name)
        case Form.MAP if value.type.key == STRING.name:
            data: dict[str, object] = value.data or {}
            return typed(value.type.of, data[name]) if name in data else None
        case _:
            raise TemplateError(f"no field .{name} in {value.form}")


def _member(value: Value, name: str) -> Value:
    member = members(value.type.name).get(name)
    if member is None:
        raise TemplateError(f"no field .{name} in {value.type.name}")
    data = value.data
    for key in member.path:
        data = data.get(key) if isinstance(data, dict) else None
    return typed(member.type, data)


def _part(data: int | str, name: str) -> Value:
    parts = {
        "Type": integer(int(isinstance(data, str))),
        "IntVal": integer(data if isinstance(data, int) else 0),
        "StrVal": string(data if isinstance(data, str) else ""),
    }
    if name not in parts:
        raise TemplateError(f"no field .{name} in intstr.IntOrString")
    return parts[name]


def is_true(value: Maybe) -> bool:
    """Go's idea of truth."""
    if value is None:
        return False
    match value.form:
        case Form.STRUCT | Form.TIME | Form.INT_OR_STRING | Form.QUANTITY:
            return True
        case Form.POINTER | Form.ANY:
            return value.data is not None
        case _:
            return bool(value.data)


def octets(text: str) -> bytes:
    """The bytes of a Go string; what is no UTF-8 is carried along."""
    return text.encode("utf-8", "surrogateescape")


def from_octets(data: bytes) -> str:
    """The reverse of `octets`."""
    return data.decode("utf-8", "surrogateescape")


def elements(value: Value) -> Sequence[Value]:
    """The elements of a list."""
    return [typed(value.type.of, one) for one in value.data or ()]


def entries(value: Value) -> Iterator[tuple[Value, Value]]:
    """Keys and values of a map, by key."""
    data: dict[str, object] = value.data or {}
    for key in sorted(data, key=octets):
        yield string(key), typed(value.type.of, data[key])
