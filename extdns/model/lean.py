"""What all Kubernetes objects have in common, reduced to the fields that are read.

Structs rather than dataclasses: they are decoded straight from JSON, which skips every other field
at no cost in memory. Fields are named as the API names them, in snake case. A field of the wrong
type fails the object it is in, not its list.
"""

from __future__ import annotations

import msgspec


class Lean(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Base: frozen, API spelling outside, Python spelling inside.

    What is decoded cannot refer to itself, so the collector of cycles need not look through all of it.
    """


class ObjectMeta(Lean, frozen=True, kw_only=True):
    """`metadata`, of which `managedFields` and the like are never kept.

    Attributes:
        whole: the object as JSON, if templates are to see all of it, else b""; never read from the object itself.
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
    whole: bytes = msgspec.field(default=b"", name=" ")  # no field of an object is called so


class Custom(Lean, frozen=True, kw_only=True):
    """An object of a kind that flags name; all but its metadata is in `metadata.whole`."""

    metadata: ObjectMeta


class Condition(Lean, frozen=True, kw_only=True):
    """A condition of any object."""

    type: str = ""
    status: str = ""
