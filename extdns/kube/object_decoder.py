"""Decode Kubernetes objects of a known kind from JSON or from a parsed document."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, cast

import msgspec

from extdns.decoders import build_decoder
from extdns.errors import describe_type, shorten
from extdns.model.kind import InvalidValue, Kind, KubernetesObject, ObjectKey, ObjectMeta, build_key
from extdns.model.value import Value
from extdns.resources.core import Service, ServiceSpec
from extdns.resources.kinds import find_struct

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NAMESPACE: Final = re.compile(_LABEL)
_MAX_NAME: Final = 253
_MAX_NAMESPACE: Final = 63
_TREE: Final = msgspec.json.Decoder(dict[str, object])


class ParsedDocument(NamedTuple):
    """A parsed document or list item: the line at which it begins, from 1, and its content."""

    line: int
    content: object


def decode_json(kind: Kind, text: bytes) -> DecodedObject | DocumentProblem:
    """Decode the object in *text*. Never raises.

    A valid object is decoded directly. An invalid one is decoded again without a type, to describe what is wrong.
    """
    try:
        obj = _decoder(kind).decode(text)
        if not _find_name_problem(kind, obj):
            return _build_decoded(kind, obj, 1)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return decode_tree(kind, _TREE.decode(text), 1)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return DocumentProblem(line=1, message=f"not readable: {error}")


def decode_tree(kind: Kind, tree: dict[str, object], line: int) -> DecodedObject | DocumentProblem:
    """Convert *tree*, which begins at *line*, into an object of *kind*, or return why it is not valid.

    As in the API server, fields without a value count as absent. Never raises.
    """
    try:
        obj = _convert(kind, tree)
    except msgspec.ValidationError:
        try:
            tree = remove_nulls(tree)
            obj = _convert(kind, tree)
        except RecursionError:
            return DocumentProblem(line=line, message="not readable: nested too deeply")
        except msgspec.ValidationError as error:
            return DocumentProblem(line=line, key=find_key(kind, tree), message=_describe_error(tree, error))
    message = _find_name_problem(kind, obj)
    return DocumentProblem(line=line, message=message) if message else _build_decoded(kind, obj, line)


def find_key(kind: Kind, tree: Mapping[str, object]) -> ObjectKey | None:
    """Return the key of the object in *tree*, or None if its metadata do not give one."""
    metadata = tree.get("metadata")
    if not isinstance(metadata, dict):
        return None
    names = {field: metadata[field] for field in ("name", "namespace") if metadata.get(field) is not None}
    try:
        obj = _convert(kind, {"metadata": names})
    except msgspec.ValidationError:
        return None
    return None if _find_name_problem(kind, obj) else build_key(kind, obj.metadata)


_TEXT_MAPPINGS: Final = frozenset({"annotations", "labels", "selector"})


def remove_nulls(tree: dict[str, object]) -> dict[str, object]:
    """Return *tree* without fields that have no value, except in mappings of strings, where this is a mistake."""
    return {key: _remove_nulls(value, keep=key in _TEXT_MAPPINGS) for key, value in tree.items() if value is not None}


def _remove_nulls(value: object, *, keep: bool = False) -> object:
    match value:
        case dict():
            return value if keep else remove_nulls(value)
        case list():
            return [_remove_nulls(one) for one in value]
        case _:
            return value


def _convert(kind: Kind, tree: Mapping[str, object]) -> KubernetesObject:
    _decoder(kind)  # since only one thread may inspect a type for the first time
    return msgspec.convert(tree, find_struct(kind))


_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_EXPECTED: Final = re.compile(r"Expected `(\w+)")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_ALLOWED: Final = {
    "str": "a string",
    "int": "a whole number",
    "bool": "true or false",
    "object": "a mapping",
    "array": "a list",
}


def _describe_error(tree: dict[str, object], error: msgspec.ValidationError) -> str:
    """Describe the *error* that the conversion of *tree* raised.

    The decoder's message has the path, but neither the keys of maps nor the value; they are looked up.
    """
    what, _, steps = str(error).partition(" - at `$")
    path, value = "", cast("Any", tree)
    for field, index in _STEP.findall(steps):
        if field or index:
            path += f"[{index}]" if index else f".{field}"
            value = value[int(index)] if index else value[field]
        else:  # a key of a map
            key, value = next(item for item in value.items() if not isinstance(item[1], str))
            path += f'["{shorten(key)}"]'
    path = path.removeprefix(".")
    if missing := _MISSING.match(what):
        if missing[1] == "name" and "generateName" in value:
            return "metadata.generateName names no object; allowed: metadata.name"
        return f"{path}.{missing[1]} is missing; allowed: the object's {missing[1]}".removeprefix(".")
    if isinstance(value, InvalidValue):
        return f"{path} {value.problem}; allowed: {value.allowed}"
    expected = _EXPECTED.match(what)
    allowed = _ALLOWED.get(expected[1], expected[1]) if expected else _ALLOWED["int"]
    if allowed == _ALLOWED["str"] and isinstance(value, bool | int | float):
        allowed += ", so quote it"
    return f"{path} is {describe_type(value)}; allowed: {allowed}"


@cache
def _decoder(kind: Kind) -> msgspec.json.Decoder[KubernetesObject]:
    return build_decoder(find_struct(kind))


def _build_decoded(kind: Kind, obj: KubernetesObject, line: int) -> DecodedObject:
    """Return *obj* with its line. An empty namespace becomes `default`, since "" means all namespaces elsewhere."""
    key = build_key(kind, obj.metadata)
    if obj.metadata.namespace != key.namespace:
        obj = msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, namespace=key.namespace))
    intern_strings(obj)
    return DecodedObject(key=key, obj=obj, line=line)


def _find_name_problem(kind: Kind, obj: KubernetesObject) -> str:
    metadata = obj.metadata
    field, value, allowed = "name", metadata.name, f'"-" and ".", up to {_MAX_NAME} characters'
    valid = len(value) <= _MAX_NAME and _NAME.fullmatch(value)
    if valid and kind.namespaced and metadata.namespace:
        field, value, allowed = "namespace", metadata.namespace, f'"-", up to {_MAX_NAMESPACE} characters'
        valid = len(value) <= _MAX_NAMESPACE and _NAMESPACE.fullmatch(value)
    return (
        "" if valid else f'metadata.{field} is the string "{shorten(value)}"; allowed: small letters, digits, {allowed}'
    )


class DecodedObject(Value, frozen=True, kw_only=True):
    """An object and the line, from 1, at which its document or list item begins."""

    key: ObjectKey
    obj: KubernetesObject
    line: int


class DocumentProblem(Value, frozen=True, kw_only=True):
    """A part of a file that cannot be read.

    Attributes:
        line: line number from 1; 0 is the whole file.
        key: the object that cannot be read; None if that could be any object of the file.
        is_ignored: whether it is a document that cannot be a Kubernetes object, so that no object is missing.
        tool: the tool that must first make objects of the document, as `Helm`; "" if none is known (`rendering.py`).
    """

    line: int
    key: ObjectKey | None = None
    message: str
    is_ignored: bool = False
    tool: str = ""


class FileContents(Value, frozen=True, kw_only=True):
    """The objects and the problems of one file, both in the order of the file. No two objects have the same key."""

    found: tuple[DecodedObject, ...] = ()
    problems: tuple[DocumentProblem, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the keys of all objects in the file are known."""
        return all(problem.key is not None or problem.is_ignored for problem in self.problems)


_LAST_APPLIED_CONFIGURATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""A copy of the object that kubectl writes. No source reads it, and it is often larger than the rest."""

_MAX_REUSED: Final = 63
"""The length of the longest values that objects share: that of a label value. So what `_reuse` stores is small."""

_set_field: Final = msgspec.structs.force_setattr


def intern_strings(obj: KubernetesObject) -> None:
    """Intern repeated strings of *obj*, and drop the annotation in which kubectl stores a copy of it.

    Other threads must not use *obj* yet.

    Measured with 50,000 Services: see docs/performance.md.
    """
    metadata: ObjectMeta = obj.metadata
    _set_field(metadata, "namespace", sys.intern(metadata.namespace))
    for field in ("labels", "annotations"):
        _intern_keys(metadata, field, metadata.name)
    if isinstance(obj, Service):
        _intern_service(obj.spec, metadata.name)


def _intern_service(spec: ServiceSpec, name: str) -> None:
    """Intern strings such as `LoadBalancer`, `http` and `TCP`, which many Services share."""
    _set_field(spec, "type", sys.intern(spec.type))
    _set_field(spec, "external_traffic_policy", sys.intern(spec.external_traffic_policy))
    for port in spec.ports or ():
        _set_field(port, "name", sys.intern(port.name))
        _set_field(port, "protocol", sys.intern(port.protocol))
    _intern_keys(spec, "selector", name)


def _intern_keys(holder: ObjectMeta | ServiceSpec, field: str, name: str) -> None:
    """Intern the keys of the map *field* of *holder*. Use *name*, the name of the object, for the values that equal it.

    Short values share memory with equal ones of other objects. Interning all of them, of which many are unique, would
    cost more memory than it saves.
    """
    strings: dict[str, str] | None = getattr(holder, field)
    if strings:
        interned = {
            sys.intern(key): name if value == name else value if len(value) > _MAX_REUSED else _reuse(value)
            for key, value in strings.items()
            if key != _LAST_APPLIED_CONFIGURATION
        }
        _set_field(holder, field, interned)


@lru_cache(maxsize=1024)
def _reuse(value: str) -> str:
    """Return an earlier string that equals *value*, if it is among the last 1,024 different ones, else *value*."""
    return value


_BOOKKEEPING_FIELDS: Final = ("managedFields", "resourceVersion", "generation")


def keep_all_fields(found: DecodedObject, content: bytes | dict[str, Any]) -> DecodedObject | DocumentProblem:
    """Add *content* (JSON or parsed YAML) to *found* for templates, or return the problem. Never raises.

    Left out are the resource version, the generation, managed fields, conditions and the copy that kubectl writes.
    """
    try:
        tree = msgspec.json.decode(content) if isinstance(content, bytes) else remove_nulls(content)
        _ensure_usable(tree, "")
        full_object = msgspec.json.encode(_remove_bookkeeping(tree), order="deterministic")
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError) as error:
        return DocumentProblem(
            line=found.line, key=found.key, message=f"cannot be read with all fields, as templates need: {error}"
        )
    msgspec.structs.force_setattr(found.obj.metadata, "full_object", full_object)
    return found


def _ensure_usable(value: object, path: str) -> None:
    match value:
        case dict():
            for key, one in value.items():
                _ensure_usable(one, f"{path}.{key}" if path else key)
        case list():
            for at, one in enumerate(value):
                _ensure_usable(one, f"{path}[{at}]")
        case InvalidValue():
            raise ValueError(f"{path} {value.problem}; allowed: {value.allowed}")
        case _:
            pass


def _remove_bookkeeping(tree: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in tree["metadata"].items() if key not in _BOOKKEEPING_FIELDS}
    if annotations := metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in annotations.items() if key != _LAST_APPLIED_CONFIGURATION
        }
    cleaned = {**tree, "metadata": metadata}
    if isinstance(status := tree.get("status"), Mapping):
        cleaned["status"] = {key: value for key, value in status.items() if key != "conditions"}
    return cleaned
