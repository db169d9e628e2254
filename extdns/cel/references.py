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
ReadValues = tuple[tuple[str, ...], tuple[Any, ...]]
"""What was read of one input: which variables are null, and the values of the fields. Equal ones: equal documents."""

_Path = tuple[str, ...]

RESERVED: Final = "namespace"
INTERNAL: Final = "Namespace"  # as long, so that positions in messages stay right
"""CEL reserves the word `namespace`, so the evaluator gets another name for this variable."""


class Field(NamedTuple):
    """A field of the document that expressions get.

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


def _list_record_fields(parent: str) -> dict[_Path, Field]:
    """Return the fields of a record. *parent* is `record` or `current.record`."""
    fields = {
        "name": Field(f"{parent}.name", is_distinct=True),
        "labels": Field(f"{parent}.name", _split_name, is_distinct=True),
        "zone": Field("zone.name"),
        "private": Field("zone.private"),
        "type": Field(f"{parent}.type"),
        "ttl": Field(f"{parent}.ttl_s"),
        "targets": Field(f"{parent}.targets", list, is_distinct=True),
        "setIdentifier": Field(f"{parent}.set_identifier"),
        "properties": Field(f"{parent}.properties", dict, is_distinct=True),
    }
    return {(*parent.split("."), name): field for name, field in fields.items()}


_FIELDS: Final[Mapping[_Path, Field]] = {
    ("operation",): Field("operation", str),
    ("source",): Field("source"),
    ("stated",): Field("stated"),
    **_list_record_fields("record"),
    ("object", "apiVersion"): Field("object.api_version"),
    ("object", "kind"): Field("object.kind"),
    ("object", "namespace"): Field("object.namespace"),
    ("object", "name"): Field("object.name", is_distinct=True),
    ("object", "labels"): Field("object.labels", dict, is_distinct=True),
    ("object", "annotations"): Field("object.annotations", dict, is_distinct=True),
    ("namespace", "name"): Field("namespace.name"),
    ("namespace", "labels"): Field("namespace.labels", dict),
    ("namespace", "annotations"): Field("namespace.annotations", dict),
    **_list_record_fields("current.record"),
    ("current", "owner"): Field("current.owner"),
    ("current", "ours"): Field("current.is_ours"),
    ("current", "resource"): Field("current.resource", is_distinct=True),
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

    def __init__(self, expressions: Iterable[ExpressionSyntax], paths: Iterable[FieldPath] = ()) -> None:
        """Collect the variables, fields and functions of *expressions*; read the fields at *paths*, too."""
        syntaxes = tuple(expressions)
        called = {call.name for one in syntaxes for call in one.calls}
        self._functions = {name: FUNCTIONS[name] for name in sorted(called & FUNCTIONS.keys())}
        self._paths = {*paths, *(path for one in syntaxes for path in one.paths if path.names[0] in FIELDS)}
        self._keys = _find_fields(self._paths)
        self.variables = frozenset(path.names[0] for path in self._paths)
        # the class of each variable that can be null says whether it is, and attrgetter needs no function of Python
        self._find_classes = attrgetter(
            "__class__", *(f"{one}.__class__" for one in _OPTIONAL if one in self.variables)
        )
        self._layouts: dict[Hashable, _Layout] = {}  # by these classes, and by the variables that are null
        if not any(_FIELDS[path].is_distinct and found is None for path, found in self._keys.items()):
            self.sharing = Sharing.MANY
        else:
            self.sharing = Sharing.RECORD if self.variables.isdisjoint(_PUBLISHED) else Sharing.CURRENT

    def read(self, item: RuleInput) -> ReadValues:
        """Return the values of the fields in *item*."""
        classes = self._find_classes(item)
        layout = self._layouts.get(classes)
        if layout is None:
            nulls = tuple([one for one in _OPTIONAL if one in self.variables and getattr(item, one) is None])
            layout = _build_layout(nulls, self._keys, self._paths)
            self._layouts[nulls] = self._layouts[classes] = layout
        return layout.nulls, layout.read(item)

    def build_document(self, values: ReadValues) -> RuleDocument:
        """Return the document with the fields whose *values* `read` returned, and no others."""
        nulls, found = values
        layout = self._layouts[nulls]
        document: RuleDocument = {}
        document.update(dict.fromkeys(layout.nulls))
        maps: dict[_Path, dict[str, Any]] = {(): document}
        for path in layout.maps:
            maps[path] = maps[path[:-1]][path[-1]] = {}
        for path, value in zip(layout.fields, found, strict=True):
            convert = _FIELDS[path].convert
            maps[path[:-1]][path[-1]] = convert(value) if convert else value
        return document

    def build_context(self, document: RuleDocument) -> Context:
        """Return the variables of *document* and the functions for the evaluator. Nothing else is visible to it."""
        variables = dict(document)
        if RESERVED in variables:
            variables[INTERNAL] = variables.pop(RESERVED)
        return Context(variables, self._functions)


class _Layout(NamedTuple):
    """How inputs in which the same variables are null are read.

    Attributes:
        nulls: these variables.
        maps: the paths of the maps in the document, the outer ones first.
        fields: the paths of the fields.
        read: returns the values of the fields in an input, in the same order.
    """

    nulls: tuple[str, ...]
    maps: tuple[_Path, ...]
    fields: tuple[_Path, ...]
    read: Callable[[RuleInput], tuple[Any, ...]]


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


def _build_layout(
    nulls: tuple[str, ...], keys: Mapping[_Path, frozenset[str] | None], paths: Iterable[FieldPath]
) -> _Layout:
    """Return how the fields in *keys* are read if the variables *nulls* are null; *paths* has null tests, too."""
    fields = [path for path in sorted(keys, key=lambda path: (keys[path] is not None, path)) if path[0] not in nulls]
    tested = {one.names for one in paths if one.is_null_test and one.names not in _FIELDS and one.names[0] not in nulls}
    maps = {path[:depth] for path in fields for depth in range(1, len(path))}
    maps |= {path[:depth] for path in tested for depth in range(1, len(path) + 1)}
    return _Layout(
        nulls=nulls,
        maps=tuple(sorted(maps, key=len)),
        fields=tuple(fields),
        read=_build_getter([(_FIELDS[path].attribute, keys[path]) for path in fields]),
    )


def _build_getter(reads: Iterable[tuple[str, frozenset[str] | None]]) -> Callable[[RuleInput], tuple[Any, ...]]:
    """Return a function that returns the values of the attributes in *reads*, which has None or keys for each.

    The value of an attribute with keys has only these keys. Attributes with None come first.
    """
    complete = _build_attribute_getter([attribute for attribute, keys in reads if keys is None])
    limited = [(attrgetter(attribute), keys) for attribute, keys in reads if keys is not None]
    if not limited:
        return complete
    return lambda item: (
        *complete(item),
        *[tuple([entry for entry in find(item) if entry[0] in keys]) for find, keys in limited],
    )


def _build_attribute_getter(attributes: list[str]) -> Callable[[RuleInput], tuple[Any, ...]]:
    if not attributes:
        return lambda _: ()
    get = attrgetter(*attributes)
    return get if len(attributes) > 1 else lambda item: (get(item),)
