"""Decode Kubernetes objects of a known kind from JSON or from a parsed document."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Any, Final

import msgspec

from extdns.errors import shorten
from extdns.kube.manifests.document_tree import DocumentTree, locate_problem
from extdns.model.kind import InvalidValue, Kind, KubernetesObject, ObjectKey, ObjectMeta, build_key
from extdns.model.value import Value
from extdns.resources.core import Service, ServiceSpec
from extdns.resources.kinds import find_struct

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NAMESPACE: Final = re.compile(_LABEL)
_MAX_NAME: Final = 253
_DECODER_LOCK: Final = Lock()
"""Held while a decoder is created: msgspec crashes if two threads inspect the same type for the first time."""

_MAX_NAMESPACE: Final = 63


def decode_json(kind: Kind, text: bytes, line: int) -> DecodedObject | DocumentProblem:
    """Decode the object in *text*, which begins at *line*. Never raises.

    A valid object is decoded directly. For an invalid one, the text is parsed again to find the line of the problem.
    """
    try:
        obj = _decoder(kind).decode(text)
        error_text = _find_name_problem(kind, obj)
        if not error_text:
            return _build_decoded(kind, obj, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        error_text = ("", str(error))
    tree = _parse_tree(text, line)
    return (
        decode_tree(kind, tree)
        if tree is not None
        else DocumentProblem(line=line, key=None, message=f"not readable: {error_text[1]}")
    )


def decode_tree(kind: Kind, tree: DocumentTree) -> DecodedObject | DocumentProblem:
    """Convert *tree* into an object of *kind*, or return the problem if it is not valid. Never raises."""
    metadata = tree.get("metadata")
    if isinstance(metadata, DocumentTree) and "generateName" in metadata and "name" not in metadata:
        message = "metadata.generateName names no object; allowed: metadata.name"
        return DocumentProblem(line=metadata.line_of("generateName"), key=None, message=message)
    try:
        _decoder(kind)
        obj = msgspec.convert(tree, find_struct(kind))
    except msgspec.ValidationError as error:
        problem = locate_problem(tree, error)
        return DocumentProblem(line=problem.line, key=find_key(kind, tree), message=problem.message)
    if name_problem := _find_name_problem(kind, obj):
        field, message = name_problem
        line = metadata.line_of(field) if isinstance(metadata, DocumentTree) else tree.line
        return DocumentProblem(line=line, key=None, message=message)
    return _build_decoded(kind, obj, tree.line)


def find_key(kind: Kind, tree: DocumentTree) -> ObjectKey | None:
    """Return the key of the object in *tree*, or None if its metadata do not give one."""
    metadata = tree.get("metadata")
    names = (
        {field: metadata[field] for field in ("name", "namespace") if field in metadata}
        if isinstance(metadata, DocumentTree)
        else {}
    )
    try:
        _decoder(kind)
        obj = msgspec.convert({"metadata": names}, find_struct(kind))
    except msgspec.ValidationError:
        return None
    return None if _find_name_problem(kind, obj) else build_key(kind, obj.metadata)


@cache
def _decoder(kind: Kind) -> msgspec.json.Decoder[KubernetesObject]:
    with _DECODER_LOCK:
        return msgspec.json.Decoder(find_struct(kind))


def _build_decoded(kind: Kind, obj: KubernetesObject, line: int) -> DecodedObject:
    """Return *obj* with its line. An empty namespace becomes `default`, since "" means all namespaces elsewhere."""
    key = build_key(kind, obj.metadata)
    if obj.metadata.namespace != key.namespace:
        obj = msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, namespace=key.namespace))
    intern_strings(obj)
    return DecodedObject(key=key, obj=obj, line=line)


def _find_name_problem(kind: Kind, obj: KubernetesObject) -> tuple[str, str] | None:
    """Return the field of *obj* with an invalid name or namespace, and the message; None if both are valid."""
    metadata = obj.metadata
    if len(metadata.name) > _MAX_NAME or not _NAME.fullmatch(metadata.name):
        return "name", _describe_name_problem("name", metadata.name, f'"-" and ".", up to {_MAX_NAME} characters')
    if not kind.namespaced or not metadata.namespace:
        return None
    if len(metadata.namespace) > _MAX_NAMESPACE or not _NAMESPACE.fullmatch(metadata.namespace):
        return "namespace", _describe_name_problem(
            "namespace", metadata.namespace, f'"-", up to {_MAX_NAMESPACE} characters'
        )
    return None


def _describe_name_problem(field: str, value: str, besides: str) -> str:
    return f'metadata.{field} is the string "{shorten(value)}"; allowed: small letters, digits, {besides}'


def _parse_tree(text: bytes, line: int) -> DocumentTree | None:
    """Parse *text* into a tree. If YAML cannot parse this JSON, all values are located in *line*."""
    from extdns.kube.manifests.yaml_parser import ParsedDocument, parse_documents  # noqa: PLC0415 - valid JSON needs no YAML parser

    document = next(parse_documents(text, line))
    if not isinstance(document, ParsedDocument):
        try:  # without escapes, since YAML rejects the surrogate pairs with which JSON escapes emoji
            document = next(parse_documents(msgspec.json.encode(msgspec.json.decode(text)), line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    return document.value if isinstance(document, ParsedDocument) and isinstance(document.value, DocumentTree) else None


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
    """

    line: int
    key: ObjectKey | None
    message: str
    is_ignored: bool = False


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
    """Intern strings such as `LoadBalancer` and `TCP`, which many Services share."""
    _set_field(spec, "type", sys.intern(spec.type))
    _set_field(spec, "external_traffic_policy", sys.intern(spec.external_traffic_policy))
    for port in spec.ports or ():
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
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def keep_all_fields(found: DecodedObject, content: bytes | Mapping[str, Any]) -> DecodedObject | DocumentProblem:
    """Add *content* (JSON or parsed YAML) to *found* for templates, or return the problem. Never raises.

    Left out are the resource version, the generation, managed fields, conditions and the copy that kubectl writes.
    """
    try:
        tree = msgspec.json.decode(content) if isinstance(content, bytes) else content
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
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != _LAST_APPLIED}
    cleaned = {**tree, "metadata": metadata}
    if isinstance(status := tree.get("status"), Mapping):
        cleaned["status"] = {key: value for key, value in status.items() if key != "conditions"}
    return cleaned
