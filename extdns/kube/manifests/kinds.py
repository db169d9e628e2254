"""Identify the kind of a document from `apiVersion` and `kind`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Final

from extdns.errors import find_similar, shorten
from extdns.kube.unstructured_resources import is_plural
from extdns.model.kind import InvalidValue, Kind
from extdns.model.value import Value, group_by
from extdns.resources.kinds import STRUCTS


class ListKind(Value, frozen=True):
    """A list of objects. If *kind* is not None, an item without a kind of its own is of this kind."""

    kind: Kind | None


class UnsupportedKind(Value, frozen=True):
    """A document with an invalid kind or version. *kind* is the probable kind, None if unknown."""

    kind: Kind | None
    message: str


_KINDS_BY_NAME: Final = group_by(STRUCTS, attrgetter("name"))
"""Kinds by name. Several groups may use one name: Istio and the Gateway API both have Gateways."""

_KINDS_BY_TYPE: Final = {(version, kind.name): kind for kind in STRUCTS for version in kind.api_versions}

_MIN_SIMILARITY: Final = 0.8
_SIMILAR_KINDS: Final = frozenset({"UDPIngress"})
"""Kinds with a similar name that extdns does not read."""

_LIST: Final = "List"
_OLD_GROUP: Final = "extensions"
_CORE_GROUP: Final = ""  # nobody can add kinds to it


def identify_kind(
    api_version: object, kind: object, full_kinds: Collection[Kind] = ()
) -> Kind | ListKind | UnsupportedKind | None:
    """Return the kind or list that a document with these fields is, or what is wrong with the fields.

    Return None if extdns does not read such documents.

    Kinds of other groups with the same name are ignored, such as the Service of Knative. *full_kinds* are
    kinds to read in addition.
    """
    if isinstance(kind, InvalidValue):
        return UnsupportedKind(None, f"kind {kind.problem}; allowed: {kind.allowed}")
    if not isinstance(kind, str):
        return None
    if kind == _LIST:
        return ListKind(None) if api_version == "v1" else None
    for other in full_kinds:  # compared by plural, since their name may be a guess
        if api_version == other.api_version:
            if is_plural(other.plural, kind):
                return other
            if kind.endswith(_LIST) and is_plural(other.plural, kind.removesuffix(_LIST)):
                return ListKind(other)
    single = kind in _KINDS_BY_NAME
    name = kind if single else kind.removesuffix(_LIST)
    if isinstance(api_version, str) and (ours := _KINDS_BY_TYPE.get((api_version, name))):
        return ours if single else ListKind(ours)
    if kinds := _KINDS_BY_NAME.get(name):
        return _find_unsupported_version(api_version, kinds, single=single)
    return _find_misspelled_kind(api_version, kind)


def _find_misspelled_kind(api_version: object, kind: str) -> UnsupportedKind | None:
    """Find the kind that *kind* probably means, such as Service for `Servce`, in *api_version* if it is given."""
    is_any = api_version is None or api_version == ""
    ours = {
        one.name.lower(): one
        for one in STRUCTS
        if is_any or (isinstance(api_version, str) and api_version in one.api_versions)
    }
    near = find_similar(kind.lower(), ours, _MIN_SIMILARITY)
    if not near or kind in _SIMILAR_KINDS:
        return None
    meant = ours[near]
    if is_any:
        allowed = f"{meant.name} of {', '.join(meant.api_versions)}"
        message = f"kind {shorten(kind)} has no apiVersion and does not exist; did you mean: {allowed}"
        return UnsupportedKind(None, message)
    return UnsupportedKind(meant, f"kind {shorten(kind)} of {api_version} does not exist; did you mean: {meant.name}")


def _find_unsupported_version(api_version: object, kinds: Sequence[Kind], *, single: bool) -> UnsupportedKind | None:
    """Explain why *api_version* is not valid for *kinds*, which share a name; None if its group is another one.

    *single*: whether the document is one object, not a list.
    """
    meant = kinds[0] if single and len(kinds) == 1 else None
    if isinstance(api_version, InvalidValue):
        return UnsupportedKind(meant, f"apiVersion {api_version.problem}; allowed: {api_version.allowed}")
    if not isinstance(api_version, str) or not api_version:
        allowed = ", ".join(version for kind in kinds for version in kind.api_versions)
        return UnsupportedKind(meant, f"apiVersion is missing; allowed for {kinds[0].name}: {allowed}")
    group = api_version.rpartition("/")[0]
    for kind in kinds:
        if group == kind.group or (group in {_OLD_GROUP, _CORE_GROUP} and len(kinds) == 1):
            allowed = ", ".join(kind.api_versions)
            message = f"apiVersion {shorten(api_version)} of {kind.name} is not read; allowed: {allowed}"
            return UnsupportedKind(kind if single else None, message)
    return None
