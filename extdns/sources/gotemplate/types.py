"""Go types: those of the language, and those of Kubernetes objects by the table `types.txt`.

A type is known by its Go spelling, as `[]core.ServicePort`. A line of the table is the name of a
type and what it is: another type, a word for what is opaque, or a struct with its fields, each
`Name=key=type` with the key in JSON; `+` marks an embedded one, an empty key an inlined one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final


class Form(StrEnum):
    """What values of a type are like; the value is the word of messages."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """A type.

    Attributes:
        name: its Go spelling.
        of: the spelling of the type of elements, or of what a pointer points at; "" for other forms.
        key: the spelling of the type of a map's keys.
    """

    name: str
    form: Form
    of: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A field of a struct: the keys that lead to it in JSON, none for an inlined struct, and its type."""

    path: tuple[str, ...]
    type: str


ANY: Final = Type(name="any", form=Form.ANY)
STRING: Final = Type(name="string", form=Form.STRING)
BOOLEAN: Final = Type(name="bool", form=Form.BOOLEAN)
INTEGER: Final = Type(name="int", form=Form.INTEGER)
BYTE: Final = Type(name="uint8", form=Form.UNSIGNED)
FLOAT: Final = Type(name="float64", form=Form.FLOAT)
LIST: Final = Type(name="[]any", form=Form.SLICE, of=ANY.name)
MAP: Final = Type(name="map[string]any", form=Form.MAP, of=ANY.name, key=STRING.name)
VIEW: Final = "view"
"""The struct that shows any object in the spelling of JSON."""

_VIEW: Final = (
    "struct Name=Name=string Namespace=Namespace=string Kind=Kind=string APIVersion=APIVersion=string"
    " Labels=Labels=map[string]string Annotations=Annotations=map[string]string"
    " Metadata=Metadata=map[string]any Spec=Spec=map[string]any Status=Status=map[string]any"
    " Object=Object=map[string]any"
)
STRINGS: Final = Type(name="map[string]string", form=Form.MAP, of=STRING.name, key=STRING.name)

_BASIC: Final = {one.name: one for one in (ANY, STRING, BOOLEAN, INTEGER, BYTE, FLOAT)} | {
    name: Type(name=name, form=Form.UNSIGNED if name.startswith("u") else Form.INTEGER)
    for name in ("int32", "int64", "uint32", "uint64")
}
_OPAQUE: Final = {"time": Form.TIME, "intorstring": Form.INT_OR_STRING, "quantity": Form.QUANTITY}
_STRUCT: Final = "struct"


@lru_cache(maxsize=1024)
def type_of(name: str) -> Type:
    """The type that is spelled *name*; raises `KeyError` for one that is not known."""
    if name in _BASIC:
        return _BASIC[name]
    if name.startswith("*"):
        return Type(name=name, form=Form.POINTER, of=name[1:])
    if name.startswith("[]"):
        return Type(name=name, form=Form.SLICE, of=name[2:])
    if name.startswith("map["):
        key, _, of = name.removeprefix("map[").partition("]")
        return Type(name=name, form=Form.MAP, of=of, key=key)
    kind, _, _ = _table()[name].partition(" ")
    if kind == _STRUCT:
        return Type(name=name, form=Form.STRUCT)
    if kind in _OPAQUE:
        return Type(name=name, form=_OPAQUE[kind])
    base = type_of(kind)
    return Type(name=name, form=base.form, of=base.of, key=base.key)


@lru_cache(maxsize=256)
def members(name: str) -> Mapping[str, Member]:
    """The fields of the struct *name*, and those of embedded structs that its own do not hide."""
    own: dict[str, Member] = {}
    promoted: dict[str, Member] = {}
    for word in _table()[name].split(" ")[1:]:
        field, key, kind = word.split("=")
        path = (key,) if key else ()
        own[field.removeprefix("+")] = Member(path=path, type=kind)
        if field.startswith("+") and type_of(kind).form is Form.STRUCT:
            for inner, member in members(kind).items():
                promoted[inner] = Member(path=path + member.path, type=member.type)
    return promoted | own


def is_known(name: str) -> bool:
    """Whether the table has a type of that *name*."""
    return name in _table()


@cache
def _table() -> Mapping[str, str]:
    text = (files("extdns.sources.gotemplate") / "types.txt").read_text(encoding="utf-8")
    return {VIEW: _VIEW} | dict(line.split(" ", 1) for line in text.splitlines())
