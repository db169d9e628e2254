"""The methods of Go values that templates may call; those of metadata, of times and of what prints as text."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.formats import plain
from extdns.sources.gotemplate.types import Form, members
from extdns.sources.gotemplate.values import Value, boolean, field, integer, pointed, string

_GET: Final = "Get"
_METADATA: Final = "meta.ObjectMeta"
_PRINTED: Final = frozenset({Form.TIME, Form.INT_OR_STRING, Form.QUANTITY})
_NO_TIME: Final = -62135596800
"""The first second of the year 1 as Unix counts."""


def method(value: Value, name: str) -> Value | None:
    """What the method *name* gives, None if there is none; raises `TemplateError`."""
    value, is_nil = pointed(value)
    if is_nil:
        return None
    if value.form in _PRINTED and name == "String":
        return string(plain(value))
    if value.form is Form.TIME and name in {"IsZero", "Unix"}:
        return boolean(value.data is None) if name == "IsZero" else integer(_unix(value.data))
    if value.form is Form.INT_OR_STRING and name == "IntValue":
        return integer(_number(value.data))
    got = name.removeprefix(_GET)
    if value.form is Form.STRUCT and got != name and got in members(_METADATA) and _has_metadata(value):
        return field(value, got)
    return None


def _has_metadata(value: Value) -> bool:
    return value.type.name == _METADATA or "ObjectMeta" in members(value.type.name)


def _unix(text: str | None) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp()) if text is not None else _NO_TIME
    except ValueError as exc:
        raise TemplateError(f"{str(text)[:40]!r} is no time") from exc


def _number(data: int | str) -> int:
    try:
        return int(data)
    except ValueError:
        return 0
