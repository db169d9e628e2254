"""Which documents concern us, told from `apiVersion` and `kind` alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from extdns.errors import shortened
from extdns.kube.manifests.plain import Unusable
from extdns.kube.resources import is_plural
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


_KINDS: Final = {name: tuple(kind for kind in STRUCTS if kind.name == name) for name in {kind.name for kind in STRUCTS}}
"""By name, which several groups may use: Istio and the Gateway API have Gateways."""

_READ: Final = {(version, kind.name): kind for kind in STRUCTS for version in kind.api_versions}

_LIST: Final = "List"
_FORMER_GROUP: Final = "extensions"


def recognised(api_version: object, kind: object, others: Collection[Kind] = ()) -> Kind | ListOf | Unread | None:
    """What a document with these fields is, perhaps of one of *others*; None if it does not concern us.

    Kinds of other groups may share a name with ours (Knative has a Service) and do not concern us.
    """
    if isinstance(kind, Unusable):
        return Unread(None, f"kind {kind.why}; allowed: {kind.allowed}")
    if not isinstance(kind, str):
        return None
    if kind == _LIST:
        return ListOf(None) if api_version == "v1" else None
    for other in others:  # which may be named otherwise: only plurals were given
        if api_version == other.api_version:
            if is_plural(other.plural, kind):
                return other
            if kind.endswith(_LIST) and is_plural(other.plural, kind.removesuffix(_LIST)):
                return ListOf(other)
    single = kind in _KINDS
    name = kind if single else kind.removesuffix(_LIST)
    if isinstance(api_version, str) and (ours := _READ.get((api_version, name))):
        return ours if single else ListOf(ours)
    kinds = _KINDS.get(name, ())
    return _unread(api_version, kinds, single=single) if kinds else None


def _unread(api_version: object, kinds: tuple[Kind, ...], *, single: bool) -> Unread | None:
    """*api_version* is none under which any of *kinds*, which share a name, is read."""
    meant = kinds[0] if single and len(kinds) == 1 else None
    if isinstance(api_version, Unusable):
        return Unread(meant, f"apiVersion {api_version.why}; allowed: {api_version.allowed}")
    if not isinstance(api_version, str) or not api_version:
        allowed = ", ".join(version for kind in kinds for version in kind.api_versions)
        return Unread(meant, f"apiVersion is missing; allowed for {kinds[0].name}: {allowed}")
    group = api_version.rpartition("/")[0]
    for kind in kinds:
        if group == kind.group or (group == _FORMER_GROUP and len(kinds) == 1):
            allowed = ", ".join(kind.api_versions)
            message = f"apiVersion {shortened(api_version)} of {kind.name} is not read; allowed: {allowed}"
            return Unread(kind if single else None, message)
    return None
