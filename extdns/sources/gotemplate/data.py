"""What a template is carried out on: an object as Go has it, and as JSON has it (spec sources 8.7)."""

from __future__ import annotations

import re
from collections.abc import Callable
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
    "cis.f5.com": "vendors",
    "gloo.solo.io": "vendors",
    "projectcontour.io": "vendors",
    "route.openshift.io": "vendors",
    "traefik.containo.us": "vendors",
    "traefik.io": "vendors",
    "zalando.org": "vendors",
}
_WORD: Final = re.compile("[a-z]+")
_INITIALISM: Final = re.compile(
    "acl|api|arn|ca|cidr|cpu|crd|db|dns|https?|id|ip|json|jwk|jwt|os|pem|rbac|sql|ssl|tcp|tls|ttl|udp|u?uid|uri|url|vm"
    "|xml|yaml"
)


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
        self._object = {"kind": kind.name} | self._object | {"apiVersion": kind.api_version}
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
    def raw(self) -> Value:
        """As `view`, with Go-like names beside those of spec and status (spec sources 6.4)."""
        return self._shown(_aliased)

    @property
    def view(self) -> Value:
        """The object with the spelling of JSON, below a few names."""
        return self._shown(_mapping)

    def _shown(self, part: Callable[[object], object]) -> Value:
        metadata = self._object["metadata"]
        parts = {
            "Name": metadata.get("name"),
            "Namespace": metadata.get("namespace"),
            "Kind": self._object["kind"],
            "APIVersion": self._object["apiVersion"],
            "Labels": metadata.get("labels"),
            "Annotations": metadata.get("annotations"),
            "Metadata": metadata,
            "Spec": part(self._object.get("spec")),
            "Status": part(self._object.get("status")),
            "Object": self._object,
        }
        return typed(VIEW, parts)


def _mapping(part: object) -> object:
    return part if isinstance(part, dict) else None


def _aliased(part: object) -> object:
    return {_go_name(key): value for key, value in part.items()} | part if isinstance(part, dict) else None


def _go_name(key: str) -> str:
    word = _WORD.match(key)
    first = word[0] if word else ""
    return (first.upper() if _INITIALISM.fullmatch(first) else first.capitalize()) + key[len(first) :]
