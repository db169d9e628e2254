"""Makes objects of documents of a known kind."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from extdns.errors import shortened
from extdns.kube.manifests.contents import Flaw, Found
from extdns.kube.manifests.mistakes import mistake_in
from extdns.kube.manifests.plain import Tree
from extdns.kube.words import share_words
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import KubernetesObject, key_of, struct_of

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NAMESPACE: Final = re.compile(_LABEL)
_MAX_NAME: Final = 253
_MAX_NAMESPACE: Final = 63


def from_json(kind: Kind, text: bytes, line: int) -> Found | Flaw:
    """The object of *text*, which begins at *line*. Never raises.

    A good object never becomes a tree; of another one the tree tells which line is wrong.
    """
    try:
        obj = _decoder(kind).decode(text)
        why = _misnamed(kind, obj)
        if not why:
            return _found(kind, obj, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = ("", str(error))
    tree = _tree_of(text, line)
    return from_tree(kind, tree) if tree is not None else Flaw(line=line, key=None, message=f"not readable: {why[1]}")


def from_tree(kind: Kind, tree: Tree) -> Found | Flaw:
    """The object of *tree*. Never raises."""
    metadata = tree.get("metadata")
    if isinstance(metadata, Tree) and "generateName" in metadata and "name" not in metadata:
        message = "metadata.generateName names no object; allowed: metadata.name"
        return Flaw(line=metadata.line_of("generateName"), key=None, message=message)
    try:
        obj = msgspec.convert(tree, struct_of(kind))
    except msgspec.ValidationError as error:
        mistake = mistake_in(tree, error)
        return Flaw(line=mistake.line, key=key_in(kind, tree), message=mistake.message)
    if misnamed := _misnamed(kind, obj):
        field, message = misnamed
        line = metadata.line_of(field) if isinstance(metadata, Tree) else tree.line
        return Flaw(line=line, key=None, message=message)
    return _found(kind, obj, tree.line)


def key_in(kind: Kind, tree: Tree) -> ObjectKey | None:
    """Which object *tree* is meant to be, as far as its metadata tell."""
    metadata = tree.get("metadata")
    names = (
        {field: metadata[field] for field in ("name", "namespace") if field in metadata}
        if isinstance(metadata, Tree)
        else {}
    )
    try:
        obj = msgspec.convert({"metadata": names}, struct_of(kind))
    except msgspec.ValidationError:
        return None
    return None if _misnamed(kind, obj) else key_of(kind, obj)


@cache
def _decoder(kind: Kind) -> msgspec.json.Decoder[KubernetesObject]:
    return msgspec.json.Decoder(struct_of(kind))


def _found(kind: Kind, obj: KubernetesObject, line: int) -> Found:
    """With its namespace written out, so that nobody takes "" for all namespaces."""
    key = key_of(kind, obj)
    if obj.metadata.namespace != key.namespace:
        obj = msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, namespace=key.namespace))
    share_words(obj)
    return Found(key=key, obj=obj, line=line)


def _misnamed(kind: Kind, obj: KubernetesObject) -> tuple[str, str] | None:
    """The field that names *obj* as no object can be named, and the message."""
    metadata = obj.metadata
    if len(metadata.name) > _MAX_NAME or not _NAME.fullmatch(metadata.name):
        return "name", _not_allowed("name", metadata.name, f'"-" and ".", up to {_MAX_NAME} characters')
    if not kind.namespaced or not metadata.namespace:
        return None
    if len(metadata.namespace) > _MAX_NAMESPACE or not _NAMESPACE.fullmatch(metadata.namespace):
        return "namespace", _not_allowed("namespace", metadata.namespace, f'"-", up to {_MAX_NAMESPACE} characters')
    return None


def _not_allowed(field: str, value: str, besides: str) -> str:
    return f'metadata.{field} is the string "{shortened(value)}"; allowed: small letters, digits, {besides}'


def _tree_of(text: bytes, line: int) -> Tree | None:
    """*text* as a tree, with its lines where YAML reads this JSON, too; else all of it in *line*."""
    from extdns.kube.manifests.tree import Document, documents  # noqa: PLC0415 - good JSON has no use for YAML

    document = next(documents(text, line))
    if not isinstance(document, Document):
        try:  # without escapes: JSON spells emoji in two halves, which YAML refuses
            document = next(documents(msgspec.json.encode(msgspec.json.decode(text)), line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    return document.value if isinstance(document, Document) and isinstance(document.value, Tree) else None
