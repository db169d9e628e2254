"""Find the managers of an object's fields (Kubernetes, "Server-Side Apply", "Field management")."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

from extdns.errors import shorten

_MAX_LENGTH: Final = 300


class _Fields(msgspec.Struct):
    """A part of `fieldsV1`, of whose content only the names matter."""


class _MetadataFields(msgspec.Struct):
    annotations: dict[str, _Fields] = msgspec.field(default_factory=dict[str, _Fields], name="f:annotations")


class _OwnedFields(msgspec.Struct):
    metadata: _MetadataFields = msgspec.field(default_factory=_MetadataFields, name="f:metadata")
    spec: _Fields | None = msgspec.field(default=None, name="f:spec")


class _Entry(msgspec.Struct, rename="camel"):
    manager: str = ""
    fields_v1: _OwnedFields = msgspec.field(default_factory=_OwnedFields, name="fieldsV1")


class _Metadata(msgspec.Struct, rename="camel"):
    managed_fields: tuple[_Entry, ...] = ()


class _Object(msgspec.Struct):
    metadata: _Metadata


_DECODER: Final = msgspec.json.Decoder(_Object)


def find_managers(content: bytes) -> str:
    """Return the managers that own the hostname annotation of the object in *content*, or else its spec.

    They are sorted and separated by commas; "" if none is known. The text is interned, as many objects share it. Never
    raises.
    """
    try:
        entries = _DECODER.decode(content).metadata.managed_fields
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    owners = [one for one in entries if any(key.endswith("hostname") for key in one.fields_v1.metadata.annotations)]
    owners = owners or [one for one in entries if one.fields_v1.spec is not None]
    return sys.intern(shorten(", ".join(sorted({one.manager for one in owners})), _MAX_LENGTH))
