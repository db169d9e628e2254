"""The kinds behind `resource.version.group`, as `--unstructured-resource` has it (spec sources 6.4)."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError, NotFoundError, UsageError, shown
from extdns.model.cluster import Kind
from extdns.model.objects import STRUCTS

if TYPE_CHECKING:
    from extdns.kube.api import Api

_FLAG: Final = "--unstructured-resource"
_FORM: Final = re.compile(r"([a-z0-9-]+)\.([a-z0-9]+)((?:\.[a-z0-9-]+)*)")
_ALLOWED: Final = (
    "a plural in small letters, a version and a group, as certificates.v1.cert-manager.io; configmaps.v1 for "
    "the core group"
)
_HISSES: Final = ("ss", "x", "ch", "sh", "zz")


class Resource(NamedTuple):
    """What a value of the flag asks for."""

    plural: str
    version: str
    group: str

    @property
    def path(self) -> str:
        """Where the API server tells what there is in the group's version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def __str__(self) -> str:
        """As the flag has it."""
        return ".".join(filter(None, self))


class _Served(msgspec.Struct, frozen=True, kw_only=True):
    """`resources[]` of an APIResourceList; subresources have a slash in their name."""

    name: str
    kind: str
    namespaced: bool


class _ServedList(msgspec.Struct, frozen=True, kw_only=True):
    resources: tuple[_Served, ...]


def parse(text: str) -> Resource:
    """Read one value of the flag; raises `UsageError`."""
    parts = _FORM.fullmatch(text)
    if parts is None:
        raise UsageError(f"{_FLAG}={shown(text)} is not a resource\n  allowed: {_ALLOWED}")
    return Resource(parts[1], parts[2], parts[3].removeprefix("."))


def served(resource: Resource, api: Api) -> Kind:
    """The kind that *api* serves as *resource*.

    Raises:
        UsageError: it serves no such one.
        ApiError: it does not answer.
    """
    if (known := _known(resource)) is not None:
        return known
    try:
        found = msgspec.json.decode(api.get(resource.path), type=_ServedList).resources
    except NotFoundError:
        found = ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise ApiError(f"GET {resource.path}: the answer is no list of resources") from exc
    for one in found:
        if one.name == resource.plural:
            return _kind(resource, one.kind, namespaced=one.namespaced)
    meant = get_close_matches(resource.plural, [one.name for one in found if "/" not in one.name], n=1)
    hint = f"did you mean: {resource._replace(plural=meant[0])}" if meant else "install its CRD, or leave it out"
    raise UsageError(f"{_FLAG}={resource} is not served by the API server\n  {hint}")


def presumed(resource: Resource) -> Kind:
    """The kind of *resource* where nobody can be asked: namespaced, and named like its plural."""
    return _known(resource) or _kind(resource, _singular(resource.plural), namespaced=True)


def is_plural(plural: str, name: str) -> bool:
    """Whether *plural* can be that of the kind *name*, in the usual ways."""
    one = name.lower()
    return plural in {one, f"{one}s", f"{one}es"} or (one.endswith("y") and plural == f"{one[:-1]}ies")


def _known(resource: Resource) -> Kind | None:
    """The kind that other sources read, too, so that it is listed once."""
    return next(
        (
            kind
            for kind in STRUCTS
            if (kind.group, kind.plural) == (resource.group, resource.plural)
            and resource.version in (kind.version, *kind.older)
        ),
        None,
    )


def _kind(resource: Resource, name: str, *, namespaced: bool) -> Kind:
    mark = "" if namespaced else f"{name.lower()}/"
    return Kind(resource.group, resource.version, name, resource.plural, namespaced=namespaced, mark=mark)


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    if plural.endswith("es") and plural[:-2].endswith(_HISSES):
        return plural[:-2]
    return plural.removesuffix("s") if plural != "endpoints" else plural
