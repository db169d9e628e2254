"""What a template is carried out on: an object as Go has it, and as JSON has it (spec sources 8.7)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from extdns.model.cluster import Kind
from extdns.model.lean import ObjectMeta
from extdns.sources.gotemplate.types import VIEW, is_known
from extdns.sources.gotemplate.values import Value, typed

_PACKAGES: Final = {
    "": "core",
    "networking.k8s.io": "networking",
    "gateway.networking.k8s.io": "gateway",
    "networking.istio.io": "istio",
}


class Data:
    """One object."""

    def __init__(self, kind: Kind, metadata: ObjectMeta) -> None:
        """Take the object of *kind* that has this *metadata*, and was kept whole.

        Raises:
            ValueError: it was not.
        """
        if not metadata.whole:
            raise ValueError(f"{kind.name} objects are not kept whole, as templates need them")
        self._kind = kind
        self._object: dict[str, Any] = msgspec.json.decode(metadata.whole)
        self._object |= {"apiVersion": kind.api_version, "kind": kind.name}
        self._object["metadata"] |= {
            "namespace": metadata.namespace,
            "resourceVersion": metadata.resource_version,
            "generation": metadata.generation,
        }

    @property
    def struct(self) -> Value | None:
        """A pointer to the object, with the names that its fields have in Go; None if these are not known."""
        name = f"{_PACKAGES.get(self._kind.group, '')}.{self._kind.name}"
        return typed(f"*{name}", self._object) if is_known(name) else None

    @property
    def view(self) -> Value:
        """The object with the spelling of JSON, below a few names."""
        metadata = self._object["metadata"]
        parts = {
            "Name": metadata.get("name"),
            "Namespace": metadata.get("namespace"),
            "Kind": self._object["kind"],
            "APIVersion": self._object["apiVersion"],
            "Labels": metadata.get("labels"),
            "Annotations": metadata.get("annotations"),
            "Metadata": metadata,
            "Spec": _mapping(self._object.get("spec")),
            "Status": _mapping(self._object.get("status")),
            "Object": self._object,
        }
        return typed(VIEW, parts)


def _mapping(part: object) -> object:
    return part if isinstance(part, dict) else None
