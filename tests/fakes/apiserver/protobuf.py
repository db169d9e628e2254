"""Decode the protobuf bodies that Helm sends: Secrets with its releases, and options of deletes.

The fields are numbered as in `generated.proto` of k8s.io/api/core/v1 and k8s.io/apimachinery.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json

CONTENT_TYPE: Final = "application/vnd.kubernetes.protobuf"
_MAGIC: Final = b"k8s\0"
_VARINT: Final = 0
_BYTES: Final = 2

Field = tuple[int, bytes]
"""Number and content of a field that has a length."""


def decode(body: bytes) -> Json:
    """Return the object in *body*: a Secret, or DeleteOptions without preconditions.

    Raises:
        ApiError: with status 400, if it is of another kind.
    """
    unknown = dict(_split(body.removeprefix(_MAGIC)))
    kind = dict(_split(unknown[1]))[2].decode()
    if kind == "DeleteOptions":
        return {}
    if kind != "Secret":
        raise ApiError(400, f"the fake decodes no {kind} in protobuf")
    return {"apiVersion": "v1", "kind": "Secret", **_decode_secret(unknown[2])}


def _decode_secret(message: bytes) -> Json:
    fields = list(_split(message))
    data = dict(_decode_entry(content) for number, content in fields if number == 2)
    return {
        "metadata": _decode_metadata(dict(fields)[1]),
        "data": {key.decode(): base64.b64encode(value).decode() for key, value in data.items()},
        "type": dict(fields)[3].decode(),
    }


def _decode_metadata(message: bytes) -> Json:
    fields = list(_split(message))
    texts = {number: content.decode() for number, content in fields if number in {1, 3, 5, 6}}
    labels = dict(_decode_entry(content) for number, content in fields if number == 11)
    found: Json = {
        "name": texts.get(1, ""),
        "uid": texts.get(5, ""),
        "resourceVersion": texts.get(6, ""),
        "labels": {key.decode(): value.decode() for key, value in labels.items()},
    }
    return found | ({"namespace": texts[3]} if texts.get(3) else {})


def _decode_entry(message: bytes) -> tuple[bytes, bytes]:
    """Return key and value of an entry of a map."""
    fields = dict(_split(message))
    return fields.get(1, b""), fields.get(2, b"")


def _split(message: bytes) -> Iterator[Field]:
    """Yield the fields of *message* that have a length, and skip numbers."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        size, at = _read_varint(message, at)
        if tag & 7 == _BYTES:
            yield tag >> 3, message[at : at + size]
            at += size
        elif tag & 7 != _VARINT:
            raise ApiError(400, f"unexpected wire type {tag & 7}")


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at *at*, and the position after it."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
