"""Where the API server keeps objects (Kubernetes API concepts, "Resource URIs")."""

from __future__ import annotations

import re
from typing import Final

from extdns.model.cluster import Kind, ObjectKey

_SEGMENT: Final = re.compile(r"(?!\.\.?$)[A-Za-z0-9._:-]{1,253}")
"""What stands for itself between two slashes; every namespace and every object that we read is named so."""


def collection_path(kind: Kind, namespace: str = "") -> str:
    """All objects of *kind* in *namespace*, "" for all namespaces.

    Raises:
        ValueError: no namespace can have that name.
    """
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    return f"{root}/namespaces/{_checked(namespace)}/{kind.plural}" if namespace else f"{root}/{kind.plural}"


def object_path(key: ObjectKey) -> str:
    """One object.

    Raises:
        ValueError: no object can have that name or namespace.
    """
    if key.kind.namespaced and not key.namespace:
        raise ValueError("a namespaced object without a namespace")
    return f"{collection_path(key.kind, key.namespace)}/{_checked(key.name)}"


def _checked(segment: str) -> str:
    if not _SEGMENT.fullmatch(segment):
        raise ValueError(f"not a name of the Kubernetes API: {segment[:120]!r}")
    return segment
