"""Find the fields of an input to which expressions refer (docs/design/rules.md, "What an evaluation costs").

Only these fields are read, and the evaluator gets nothing else. So expressions give the same answer whenever the same
values were read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import IntEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple

from extdns.cel.functions import FUNCTIONS
from extdns.cel.library import Context
from extdns.cel.syntax import ExpressionSyntax, FieldPath
from extdns.rules.rule_input import RuleDocument, RuleInput

FieldSchema = Mapping[str, "FieldSchema | None"]
ReadValues = tuple[Hashable, ...]
"""What was read of one input. Equal values give equal documents."""

_Path = tuple[str, ...]
_Getter = Callable[[RuleInput], tuple[Any, ...] | None]

RESERVED: Final = "namespace"
INTERNAL: Final = "Namespace"  # as long, so that positions in messages stay right
"""CEL reserves the word `namespace`, so the evaluator gets another name for this variable."""


class _Field(NamedTuple):
    """A field of the document.

    Attributes:
        attribute: the attribute of `RuleInput` that has its value, with dots.
        convert: returns the value as it is in the document; None if it is the same.
        is_distinct: whether nearly every record has another value.
    """

    attribute: str
    convert: Callable[[Any], object] | None = None
    is_distinct: bool = False


def _split_name(name: str) -> list[str]:
    return name.split(".")


def _list_record_fields(parent: str) -> dict[_Path, _Field]:
    """Return the fields of a record. *parent* is `record` or `current.record`."""
    fields = {
        "name": _Field(f"{parent}.name", is_distinct=True),
        "labels": _Field(f"{parent}.name", _split_name, is_distinct=True),
        "zone": _Field("zone.name"),
        "private": _Field("zone.private"),
        "type": _Field(f"{parent}.type"),
        "ttl": _Field(f"{parent}.ttl_s"),
        "targets": _Field(f"{parent}.targets", list, is_distinct=True),
        "setIdentifier": _Field(f"{parent}.set_identifier"),
        "properties": _Field(f"{parent}.properties", dict, is_distinct=True),
    }
    return {(*parent.split("."), name): field for name, field in fields.items()}


_FIELDS: Final[Mapping[_Path, _Field]] = {
    ("operation",): _Field("operation.value"),
    ("source",): _Field("source"),
    **_list_record_fields("record"),
    ("object", "apiVersion"): _Field("object.api_version"),
    ("object", "kind"): _Field("object.kind"),
    ("object", "namespace"): _Field("object.namespace"),
    ("object", "name"): _Field("object.name", is_distinct=True),
    ("object", "labels"): _Field("object.labels", dict, is_distinct=True),
    ("object", "annotations"): _Field("object.annotations", dict, is_distinct=True),
    ("namespace", "name"): _Field("namespace.name"),
    ("namespace", "labels"): _Field("namespace.labels", dict),
    ("namespace", "annotations"): _Field("namespace.annotations", dict),
    **_list_record_fields("current.record"),
    ("current", "owner"): _Field("current.owner"),
    ("current", "ours"): _Field("current.is_ours"),
    ("current", "resource"): _Field("current.resource", is_distinct=True),
}
_OPTIONAL: Final = ("object", "namespace", "current")
"""The variables that can be null. Their names are those of the attributes of `RuleInput`."""

_PUBLISHED: Final = frozenset({"operation", "current"})
"""The variables that differ once a record was written."""


def _build_schema(parent: _Path) -> FieldSchema | None:
    at = len(parent)
    names = dict.fromkeys(path[at] for path in _FIELDS if path[:at] == parent and len(path) > at)
    return {name: _build_schema((*parent, name)) for name in names} if names else None


FIELDS: Final[FieldSchema] = _build_schema(()) or {}
"""The variables of an expression and their fields (docs/design/rules.md, "The document"); None if any may follow."""


class Sharing(IntEnum):
    """How many inputs have an answer in common."""

    MANY = 1  # many records have the values that are read
    RECORD = 2  # as long as the record is requested with the same values, whether or not it was written
    CURRENT = 3  # until the record is written


class References:
    """What several expressions refer to.

    Attributes:
        variables: the variables that these expressions refer to.
        sharing: how many inputs have an answer of these expressions in common.
    """

    def __init__(self, expressions: Iterable[ExpressionSyntax]) -> None:
        """Collect the variables, fields and functions of *expressions*."""
        syntaxes = tuple(expressions)
        called = {call.name for one in syntaxes for call in one.calls}
        paths = {path for one in syntaxes for path in one.paths if path.names[0] in FIELDS}
        keys = _find_fields(paths)
        self.variables = frozenset(path.names[0] for path in paths)
        self._functions = {name: FUNCTIONS[name] for name in sorted(called & FUNCTIONS.keys())}
        self._parts = [
            _build_part(variable, keys, paths)
            for variable in ("", *_OPTIONAL)
            if not variable or variable in self.variables
        ]
        if not any(_FIELDS[path].is_distinct and found is None for path, found in keys.items()):
            self.sharing = Sharing.MANY
        else:
            self.sharing = Sharing.RECORD if self.variables.isdisjoint(_PUBLISHED) else Sharing.CURRENT

    def read(self, item: RuleInput) -> ReadValues:
        """Return the values of the fields in *item*."""
        return tuple([part.get(item) for part in self._parts])

    def build_document(self, values: ReadValues) -> RuleDocument:
        """Return the document with the fields whose *values* `read` returned, and no others."""
        document: RuleDocument = {}
        for part, found in zip(self._parts, values, strict=True):
            if found is None:
                document[part.variable] = None
                continue
            maps: list[dict[str, Any]] = [document]
            for at, name in part.parents:
                maps.append({})
                maps[at][name] = maps[-1]
            for (at, name, convert), value in zip(part.places, found, strict=True):  # type: ignore[call-overload] # a tuple
                maps[at][name] = convert(value) if convert else value
        return document

    def build_context(self, document: RuleDocument) -> Context:
        """Return the variables of *document* and the functions for the evaluator. Nothing else is visible to it."""
        variables = dict(document)
        if RESERVED in variables:
            variables[INTERNAL] = variables.pop(RESERVED)
        return Context(variables, self._functions)


class _Part(NamedTuple):
    """The fields of one variable that can be null, or of all variables that cannot.

    Attributes:
        variable: the variable that can be null; "" for all those that cannot.
        get: returns the values of the fields in an input, None if the variable is null.
        parents: the maps that contain the fields, the outer ones first: for each the position of the map that contains
            it, and its name there. Position 0 is the document, 1 the first of these maps.
        places: for each value the position of the map that contains it, its name there, and its conversion.
    """

    variable: str
    get: _Getter
    parents: tuple[tuple[int, str], ...]
    places: tuple[tuple[int, str, Callable[[Any], object] | None], ...]


def _find_fields(paths: Iterable[FieldPath]) -> dict[_Path, frozenset[str] | None]:
    """Return the fields to which *paths* lead, each with the keys that are read of it, None if it is all of them."""
    found: dict[_Path, frozenset[str] | None] = {}
    for path in paths:
        names = path.names
        for field, (_, convert, _) in _FIELDS.items():
            depth = len(field)
            if names[:depth] == field:
                keys = frozenset(names[depth : depth + 1]) if convert is dict else frozenset()
                before = found.get(field, keys)
                found[field] = keys | before if keys and before else None
            elif field[: len(names)] == names and not path.is_null_test:
                found[field] = None
    return found


def _build_part(variable: str, keys: Mapping[_Path, frozenset[str] | None], paths: Iterable[FieldPath]) -> _Part:
    def is_here(path: _Path) -> bool:
        return path[0] == variable if variable else path[0] not in _OPTIONAL

    fields = [path for path in sorted(keys, key=lambda path: (keys[path] is not None, path)) if is_here(path)]
    tested = {path.names for path in paths if path.is_null_test and path.names not in _FIELDS and is_here(path.names)}
    parents = {path[:depth] for path in fields for depth in range(1, len(path))}
    parents |= {path[:depth] for path in tested for depth in range(1, len(path) + 1)}
    maps = [(), *sorted(parents, key=len)]
    return _Part(
        variable=variable,
        get=_build_getter(variable, [(_FIELDS[path].attribute, keys[path]) for path in fields]),
        parents=tuple((maps.index(path[:-1]), path[-1]) for path in maps[1:]),
        places=tuple((maps.index(path[:-1]), path[-1], _FIELDS[path].convert) for path in fields),
    )


def _build_getter(variable: str, reads: Iterable[tuple[str, frozenset[str] | None]]) -> _Getter:
    """Return a function that returns the values of the attributes in *reads*, which has None or keys for each.

    The value of an attribute with keys has only these keys. Attributes with None come first.
    """
    complete = _build_attribute_getter([attribute for attribute, keys in reads if keys is None])
    limited = [(attrgetter(attribute), keys) for attribute, keys in reads if keys is not None]

    def get(item: RuleInput) -> tuple[Any, ...]:
        return complete(item) + tuple(
            [tuple([entry for entry in find(item) if entry[0] in keys]) for find, keys in limited]
        )

    get_all = get if limited else complete
    return (lambda item: None if getattr(item, variable) is None else get_all(item)) if variable else get_all


def _build_attribute_getter(attributes: list[str]) -> Callable[[RuleInput], tuple[Any, ...]]:
    if not attributes:
        return lambda _: ()
    get = attrgetter(*attributes)
    return get if len(attributes) > 1 else lambda item: (get(item),)
