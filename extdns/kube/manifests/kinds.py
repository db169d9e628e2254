"""Which documents concern us, told from `apiVersion` and `kind` alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.errors import shortened
from extdns.kube.manifests.tree import Unusable
from extdns.model.cluster import Kind
from extdns.model.objects import STRUCTS


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; its items need no type of their own if *kind* gives it."""

    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Unread:
    """Meant for us but not readable; *kind* is what it would be, if that can be told."""

    kind: Kind | None
    message: str


_KINDS: Final = {kind.name: kind for kind in STRUCTS}
_LIST: Final = "List"
_FORMER_GROUP: Final = "extensions"


def recognised(api_version: object, kind: object) -> Kind | ListOf | Unread | None:
    """What a document with these fields is; None if it does not concern us.

    Kinds of other groups may share a name with ours (Knative has a Service) and do not concern us.
    """
    if isinstance(kind, Unusable):
        return Unread(None, f"kind {kind.why}; allowed: {kind.allowed}")
    if not isinstance(kind, str):
        return None
    if kind == _LIST:
        return ListOf(None) if api_version == "v1" else None
    if (ours := _KINDS.get(kind)) is not None:
        return ours if api_version in ours.api_versions else _unread(api_version, ours, single=True)
    if (ours := _KINDS.get(kind.removesuffix(_LIST))) is not None:
        return ListOf(ours) if api_version in ours.api_versions else _unread(api_version, ours, single=False)
    return None


def _unread(api_version: object, kind: Kind, *, single: bool) -> Unread | None:
    meant = kind if single else None
    if isinstance(api_version, Unusable):
        return Unread(meant, f"apiVersion {api_version.why}; allowed: {api_version.allowed}")
    allowed = ", ".join(kind.api_versions)
    if not isinstance(api_version, str) or not api_version:
        return Unread(meant, f"apiVersion is missing; allowed for {kind.name}: {allowed}")
    if api_version.rpartition("/")[0] not in {kind.group, _FORMER_GROUP}:
        return None
    return Unread(meant, f"apiVersion {shortened(api_version)} of {kind.name} is not read; allowed: {allowed}")
