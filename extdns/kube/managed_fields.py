"""Find the managers of an object's fields (Kubernetes, "Server-Side Apply", "Field management")."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

from extdns.errors import shorten

_MAX_LENGTH: Final = 300


class _Part(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A part of an object. This class stands for the parts of `fieldsV1` of whose content only the names matter."""


class _MetadataFields(_Part, frozen=True):
    annotations: dict[str, _Part] | None = msgspec.field(default=None, name="f:annotations")


class _OwnedFields(_Part, frozen=True):
    metadata: _MetadataFields | None = msgspec.field(default=None, name="f:metadata")
    spec: _Part | None = msgspec.field(default=None, name="f:spec")


class _ManagedFields(_Part, frozen=True):
    manager: str = ""
    fields: _OwnedFields = msgspec.field(default=_OwnedFields(), name="fieldsV1")

    @property
    def owns_hostname(self) -> bool:
        metadata = self.fields.metadata
        if metadata is None or metadata.annotations is None:
            return False
        for key in metadata.annotations:  # noqa: SIM110 - twice as fast as any(…)
            if key.endswith("hostname"):
                return True
        return False


class _ManagedMetadata(_Part, frozen=True):
    managed_fields: tuple[_ManagedFields, ...] = ()


class _ManagedObject(_Part, frozen=True):
    metadata: _ManagedMetadata


_DECODER: Final = msgspec.json.Decoder(_ManagedObject)


def find_managers(content: bytes) -> str:
    """Return the managers that own the hostname annotation of the object in *content*, or else its spec.

    They are sorted and separated by commas; "" if none is known. The text is interned, as many objects share it. Never
    raises.
    """
    try:
        entries = _DECODER.decode(content).metadata.managed_fields
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    owners = [one.manager for one in entries if one.owns_hostname]
    owners = owners or [one.manager for one in entries if one.fields.spec is not None]
    found = owners[0] if len(owners) == 1 else ", ".join(sorted(set(owners)))
    return sys.intern(found if len(found) <= _MAX_LENGTH else shorten(found, _MAX_LENGTH))
