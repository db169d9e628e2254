"""Go types and values: JSON data with the type that Go would decode it into.

A type is identified by its Go spelling, as `[]core.ServicePort`. Types of Kubernetes are in the table `types.txt`.
Each line names a type and its definition: another type, a keyword for an opaque type, or a struct with its fields as
`Name=key=type`, where key is the name in JSON. `+` before Name marks an embedded field, an empty key an inlined one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from extdns.gotemplate.errors import TemplateError
from extdns.model.value import Value


class TypeForm(StrEnum):
    """The form of a Go type, such as struct, list or map. The value is used in messages."""

    ANY = "any value"
    STRING = "a string"
    BOOLEAN = "a boolean"
    INTEGER = "an integer"
    UNSIGNED = "an unsigned integer"
    FLOAT = "a floating-point number"
    STRUCT = "a struct"
    POINTER = "a pointer"
    SLICE = "a list"
    MAP = "a map"
    TIME = "a time"
    INT_OR_STRING = "an integer or a string"
    QUANTITY = "a quantity"


class GoType(Value, frozen=True, kw_only=True):
    """A Go type.

    Attributes:
        element: the spelling of the type of elements, or of what a pointer points at; "" for other forms.
        key: the spelling of the type of a map's keys.
    """

    name: str
    form: TypeForm
    element: str = ""
    key: str = ""


class StructField(Value, frozen=True, kw_only=True):
    """A field of a struct: the JSON keys that lead to it (none for an inlined struct) and the spelling of its type."""

    path: tuple[str, ...]
    type: str


ANY: Final = GoType(name="any", form=TypeForm.ANY)
STRING: Final = GoType(name="string", form=TypeForm.STRING)
BOOLEAN: Final = GoType(name="bool", form=TypeForm.BOOLEAN)
INTEGER: Final = GoType(name="int", form=TypeForm.INTEGER)
BYTE: Final = GoType(name="uint8", form=TypeForm.UNSIGNED)
FLOAT: Final = GoType(name="float64", form=TypeForm.FLOAT)
LIST: Final = GoType(name="[]any", form=TypeForm.SLICE, element=ANY.name)
MAP: Final = GoType(name="map[string]any", form=TypeForm.MAP, element=ANY.name, key=STRING.name)
VIEW: Final = "view"
"""The struct that presents any object with JSON's field names."""

_VIEW: Final = (
    "struct Name=Name=string Namespace=Namespace=string Kind=Kind=string APIVersion=APIVersion=string"
    " Labels=Labels=map[string]string Annotations=Annotations=map[string]string"
    " Metadata=Metadata=map[string]any Spec=Spec=map[string]any Status=Status=map[string]any"
    " Object=Object=map[string]any"
)
STRINGS: Final = GoType(name="map[string]string", form=TypeForm.MAP, element=STRING.name, key=STRING.name)

_BASIC_TYPES: Final = {one.name: one for one in (ANY, STRING, BOOLEAN, INTEGER, BYTE, FLOAT)} | {
    name: GoType(name=name, form=TypeForm.UNSIGNED if name.startswith("u") else TypeForm.INTEGER)
    for name in ("int32", "int64", "uint32", "uint64")
}
_SPECIAL_TYPES: Final = {"time": TypeForm.TIME, "intorstring": TypeForm.INT_OR_STRING, "quantity": TypeForm.QUANTITY}
_STRUCT: Final = "struct"


@lru_cache(maxsize=1024)
def find_type(name: str) -> GoType:
    """Return the type with the Go spelling *name*. Raises `KeyError` if it is unknown."""
    if name in _BASIC_TYPES:
        return _BASIC_TYPES[name]
    if name.startswith("*"):
        return GoType(name=name, form=TypeForm.POINTER, element=name[1:])
    if name.startswith("[]"):
        return GoType(name=name, form=TypeForm.SLICE, element=name[2:])
    if name.startswith("map["):
        key, _, of = name.removeprefix("map[").partition("]")
        return GoType(name=name, form=TypeForm.MAP, element=of, key=key)
    kind, _, _ = _load_table()[name].partition(" ")
    if kind == _STRUCT:
        return GoType(name=name, form=TypeForm.STRUCT)
    if kind in _SPECIAL_TYPES:
        return GoType(name=name, form=_SPECIAL_TYPES[kind])
    base = find_type(kind)
    return GoType(name=name, form=base.form, element=base.element, key=base.key)


@lru_cache(maxsize=256)
def find_struct_fields(name: str) -> Mapping[str, StructField]:
    """Return the fields of the struct *name*, including fields of embedded structs that it does not shadow."""
    own: dict[str, StructField] = {}
    promoted: dict[str, StructField] = {}
    for word in _load_table()[name].split(" ")[1:]:
        field, key, kind = word.split("=")
        path = (key,) if key else ()
        own[field.removeprefix("+")] = StructField(path=path, type=kind)
        if field.startswith("+") and find_type(kind).form is TypeForm.STRUCT:
            for inner, member in find_struct_fields(kind).items():
                promoted[inner] = StructField(path=path + member.path, type=member.type)
    return promoted | own


def is_known_type(name: str) -> bool:
    """Return whether `types.txt` has a type *name*."""
    return name in _load_table()


@cache
def _load_table() -> Mapping[str, str]:
    text = (files("extdns.gotemplate") / "types.txt").read_text(encoding="utf-8")
    return {VIEW: _VIEW} | dict(line.split(" ", 1) for line in text.splitlines())


class GoValue(NamedTuple):
    """A value with its Go type. *data* is decoded JSON, None for nil. A value of type `any` has its dynamic type."""

    type: GoType
    data: Any

    @property
    def form(self) -> TypeForm:
        """The form of the type."""
        return self.type.form


OptionalValue = GoValue | None
"""None if there is no value, for example if a map does not have a key. A Go value that is nil is not None."""

NIL: Final = GoValue(ANY, None)
_MAX_INTEGER: Final = 2**63
_ZERO_VALUES: Final[Mapping[TypeForm, object]] = {
    TypeForm.STRING: "",
    TypeForm.BOOLEAN: False,
    TypeForm.INTEGER: 0,
    TypeForm.UNSIGNED: 0,
    TypeForm.FLOAT: 0.0,
    TypeForm.STRUCT: {},
    TypeForm.INT_OR_STRING: 0,
    TypeForm.QUANTITY: "0",
}
_PYTHON_TYPES: Final[Mapping[TypeForm, tuple[type, ...]]] = {
    TypeForm.STRING: (str,),
    TypeForm.BOOLEAN: (bool,),
    TypeForm.INTEGER: (int,),
    TypeForm.UNSIGNED: (int,),
    TypeForm.FLOAT: (int, float),
    TypeForm.STRUCT: (dict,),
    TypeForm.SLICE: (list,),
    TypeForm.MAP: (dict,),
    TypeForm.TIME: (str,),
    TypeForm.INT_OR_STRING: (int, str),
    TypeForm.QUANTITY: (int, float, str),
}


def make_string(text: str) -> GoValue:
    """Return *text* as a Go string."""
    return GoValue(STRING, text)


def make_boolean(is_true: bool) -> GoValue:  # noqa: FBT001 - it is the value
    """Return *is_true* as a Go boolean."""
    return GoValue(BOOLEAN, is_true)


def make_integer(number: int) -> GoValue:
    """Return *number* as a Go integer. Raises `TemplateError` if it exceeds int64."""
    if not -_MAX_INTEGER <= number < _MAX_INTEGER:
        raise TemplateError(f"the integer {number} is too large; allowed: 64 bits")
    return GoValue(INTEGER, number)


def make_untyped(data: object) -> GoValue:
    """Return decoded JSON as a Go value whose type is that of *data*: an int is an integer, a float a float64."""
    match data:
        case None:
            return NIL
        case bool():
            return GoValue(BOOLEAN, data)
        case int():
            return make_integer(data)
        case float():
            return GoValue(FLOAT, data)
        case str():
            return GoValue(STRING, data)
        case list():
            return GoValue(LIST, data)
        case dict():
            return GoValue(MAP, data)
        case _:
            raise TypeError(f"{type(data).__name__} is not a type of JSON")


def make_typed(name: str, data: object) -> GoValue:
    """Make a value of type *name* from decoded JSON. None becomes the zero value of the type.

    Raises:
        TemplateError: *data* does not match the type. An API server never sends such data.
    """
    kind = find_type(name)
    if kind.form is TypeForm.ANY:
        return make_untyped(data)
    if data is None:
        return GoValue(kind, _ZERO_VALUES.get(kind.form))
    if kind.form is TypeForm.POINTER:
        return GoValue(kind, make_typed(kind.element, data).data)
    allowed = _PYTHON_TYPES[kind.form]
    if not isinstance(data, allowed) or (isinstance(data, bool) and bool not in allowed):
        raise TemplateError(f"the object has {type(data).__name__} {str(data)[:40]!r} where {kind.form} is expected")
    return GoValue(kind, data)


def dereference(value: GoValue) -> tuple[GoValue, bool]:
    """Follow pointers. Return the value pointed to, and whether it is nil."""
    while value.form is TypeForm.POINTER and value.data is not None:
        value = GoValue(find_type(value.type.element), value.data)
    return value, value.form in {TypeForm.POINTER, TypeForm.ANY} and value.data is None


def get_field(value: GoValue, name: str) -> OptionalValue:
    """Return field `.name` of a struct, or of a map whose keys are strings; None if the map has no such key.

    Raises:
        TemplateError: *value* is nil, a struct without this field, or neither a struct nor such a map.
    """
    value, is_nil = dereference(value)
    if is_nil:
        raise TemplateError(f"cannot read .{name} of nil")
    match value.form:
        case TypeForm.STRUCT:
            return _get_struct_field(value, name)
        case TypeForm.INT_OR_STRING:
            return _get_int_or_string_field(value.data, name)
        case TypeForm.MAP if value.type.key == STRING.name:
            data: dict[str, object] = value.data or {}
            return make_typed(value.type.element, data[name]) if name in data else None
        case _:
            raise TemplateError(f"no field .{name} in {value.form}")


def _get_struct_field(value: GoValue, name: str) -> GoValue:
    member = find_struct_fields(value.type.name).get(name)
    if member is None:
        raise TemplateError(f"no field .{name} in {value.type.name}")
    data = value.data
    for key in member.path:
        data = data.get(key) if isinstance(data, dict) else None
    return make_typed(member.type, data)


def _get_int_or_string_field(data: int | str, name: str) -> GoValue:
    parts = {
        "Type": make_integer(int(isinstance(data, str))),
        "IntVal": make_integer(data if isinstance(data, int) else 0),
        "StrVal": make_string(data if isinstance(data, str) else ""),
    }
    if name not in parts:
        raise TemplateError(f"no field .{name} in intstr.IntOrString")
    return parts[name]


def is_true(value: OptionalValue) -> bool:
    """Return whether `{{if}}` treats *value* as true."""
    if value is None:
        return False
    match value.form:
        case TypeForm.STRUCT | TypeForm.TIME | TypeForm.INT_OR_STRING | TypeForm.QUANTITY:
            return True
        case TypeForm.POINTER | TypeForm.ANY:
            return value.data is not None
        case _:
            return bool(value.data)


def encode_string(text: str) -> bytes:
    """Encode *text* as the bytes of a Go string; bytes that are not UTF-8 survive as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode_string(data: bytes) -> str:
    """Decode the bytes of a Go string; the inverse of `encode_string`."""
    return data.decode("utf-8", "surrogateescape")


def list_elements(value: GoValue) -> Sequence[GoValue]:
    """Return the elements of a list."""
    return [make_typed(value.type.element, one) for one in value.data or ()]


def list_entries(value: GoValue) -> Iterator[tuple[GoValue, GoValue]]:
    """Yield the keys and values of a map, sorted by key."""
    data: dict[str, object] = value.data or {}
    for key in sorted(data, key=encode_string):
        yield make_string(key), make_typed(value.type.element, data[key])
