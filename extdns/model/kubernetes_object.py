"""What all Kubernetes objects have in common, as far as it is read. `extdns.resources` has each kind.

Structs rather than dataclasses: msgspec decodes them directly from JSON and skips all other fields
without using memory. Fields have the names of the API, in snake case. If a field has the wrong type,
only its object cannot be decoded, not the list that contains it.
"""

from __future__ import annotations

import msgspec


class PartialObject(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Base class of decoded objects and of their parts: frozen, with camel case in JSON and snake case in Python.

    Decoded objects cannot contain reference cycles, so the garbage collector does not track them.
    """


class ObjectMeta(PartialObject, frozen=True, kw_only=True):
    """`metadata` of an object. Other fields, such as `managedFields`, are dropped.

    Attributes:
        full_object: the object as JSON if templates need all of its fields, else b""; not a field of the API.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    full_object: bytes = msgspec.field(default=b"", name=" ")  # a name that no field of the API has


class KubernetesObject(PartialObject, frozen=True, kw_only=True):
    """An object of any kind."""

    metadata: ObjectMeta
