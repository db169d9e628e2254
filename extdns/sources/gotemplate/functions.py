"""The functions that the reference adds to the language (spec sources 8.7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from extdns.model import rrtype
from extdns.model.target import suitable_type
from extdns.sources.gotemplate.budget import MAX_TEXT
from extdns.sources.gotemplate.builtins import BUILTINS, Function
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.types import STRING, STRINGS
from extdns.sources.gotemplate.values import NIL, Maybe, Value, boolean, dynamic, string

_TEXT: Final = STRING.name
# What Go takes for white space where it trims text.
_BLANKS: Final = (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_SPACES: Final = "".join(map(chr, _BLANKS))


def _replace(before: Value, after: Value, text: Value) -> Value:
    if len(after.data) * (text.data.count(before.data)) > MAX_TEXT:
        raise TemplateError("replace makes the text too long")
    return string(text.data.replace(before.data, after.data))


def _from_json(text: Value) -> Maybe:
    try:
        return dynamic(json.loads(text.data, parse_int=float, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return NIL


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _is(rtype: str) -> Function:
    return Function(lambda text: boolean(suitable_type(text.data) == rtype), (_TEXT,))


_ADDED: Final[Mapping[str, Function]] = {
    "contains": Function(lambda text, part: boolean(part.data in text.data), (_TEXT, _TEXT)),
    "trimPrefix": Function(lambda text, part: string(text.data.removeprefix(part.data)), (_TEXT, _TEXT)),
    "trimSuffix": Function(lambda text, part: string(text.data.removesuffix(part.data)), (_TEXT, _TEXT)),
    "trim": Function(lambda text: string(text.data.strip(_SPACES)), (_TEXT,)),
    "toLower": Function(lambda text: string(text.data.lower()), (_TEXT,)),
    "replace": Function(_replace, (_TEXT, _TEXT, _TEXT)),
    "isIPv4": _is(rrtype.A),
    "isIPv6": _is(rrtype.AAAA),
    "hasKey": Function(lambda held, key: boolean(key.data in (held.data or {})), (STRINGS.name, _TEXT)),
    "fromJson": Function(_from_json, (_TEXT,)),
}
NAMES: Final = frozenset({*BUILTINS, *_ADDED, "and", "or", "isSource"})


@cache
def functions(source: str, sources: tuple[str, ...]) -> Mapping[str, Function]:
    """All functions by name, for the running *source*, which is one of *sources*."""

    def is_source(name: Value) -> Value:
        if name.data.lower() not in sources:
            raise TemplateError(f"isSource: no source is called {name.data[:60]!r}; allowed: {', '.join(sources)}")
        return boolean(name.data.lower() == source)

    return {**BUILTINS, **_ADDED, "isSource": Function(is_source, (_TEXT,))}
