"""Find the kind for each `resource.version.group` of `--unstructured-resource` (docs/spec/sources.md 6.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError, NotFoundError, UsageError, find_similar, sanitize
from extdns.model.kind import Kind
from extdns.resources.kinds import STRUCTS

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


_FLAG: Final = "--unstructured-resource"
_FORMAT: Final = re.compile(r"([a-z0-9-]+)\.([a-z0-9]+)((?:\.[a-z0-9-]+)*)")
_ALLOWED: Final = (
    "a plural in small letters, a version and a group, as certificates.v1.cert-manager.io; configmaps.v1 for "
    "the core group"
)
_CLUSTER_SCOPED: Final = frozenset(
    {
        ("", "namespaces"),
        ("", "nodes"),
        ("", "persistentvolumes"),
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
        ("cert-manager.io", "clusterissuers"),
        ("gateway.networking.k8s.io", "gatewayclasses"),
        ("networking.k8s.io", "ingressclasses"),
        ("networking.k8s.io", "ipaddresses"),
        ("networking.k8s.io", "servicecidrs"),
        ("node.k8s.io", "runtimeclasses"),
        ("rbac.authorization.k8s.io", "clusterrolebindings"),
        ("rbac.authorization.k8s.io", "clusterroles"),
        ("scheduling.k8s.io", "priorityclasses"),
        ("storage.k8s.io", "csidrivers"),
        ("storage.k8s.io", "csinodes"),
        ("storage.k8s.io", "storageclasses"),
        ("storage.k8s.io", "volumeattachments"),
    }
)
"""Well-known cluster-scoped resources. For others, a CustomResourceDefinition gives the scope."""
_SIBILANT_ENDINGS: Final = ("ss", "x", "ch", "sh", "zz")


class UnstructuredResource(NamedTuple):
    """A resource in a value of `--unstructured-resource`."""

    plural: str
    version: str
    group: str

    @property
    def path(self) -> str:
        """The API path that lists the resources of the group version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def make_kind(self, name: str, *, namespaced: bool) -> Kind:
        """Return the kind of this resource, given its *name*."""
        prefix = "" if namespaced else f"{name.lower()}/"
        return Kind(self.group, self.version, name, self.plural, namespaced=namespaced, resource_prefix=prefix)

    def __str__(self) -> str:
        return ".".join(filter(None, self))


class _ServedResource(msgspec.Struct, frozen=True, kw_only=True):
    """An item of `resources` in an APIResourceList. The names of subresources contain a slash."""

    name: str
    kind: str
    namespaced: bool


class _ServedResourceList(msgspec.Struct, frozen=True, kw_only=True):
    resources: tuple[_ServedResource, ...]


_SERVED_LISTS: Final = msgspec.json.Decoder(_ServedResourceList)


def parse_resource(text: str) -> UnstructuredResource:
    """Parse one value of `--unstructured-resource`; raises `UsageError`."""
    parts = _FORMAT.fullmatch(text)
    if parts is None:
        raise UsageError(f"{_FLAG}={sanitize(text)} is not a resource\n  allowed: {_ALLOWED}")
    return UnstructuredResource(parts[1], parts[2], parts[3].removeprefix("."))


def discover_kind(resource: UnstructuredResource, api: ApiClient) -> Kind:
    """Return the kind of *resource*: the known one if another source reads it, else what the API server states.

    Raises:
        ApiError: the request failed.
    """
    if (known := _find_known_kind(resource)) is not None:
        return known
    try:
        found = _SERVED_LISTS.decode(api.get(resource.path)).resources
    except NotFoundError:
        found = ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise ApiError(f"GET {resource.path}: the response is not a list of resources") from exc
    for one in found:
        if one.name == resource.plural:
            return resource.make_kind(one.kind, namespaced=one.namespaced)
    similar = find_similar(resource.plural, [one.name for one in found if "/" not in one.name])
    hint = f"did you mean: {resource._replace(plural=similar)}" if similar else "install its CRD, or leave it out"
    raise UsageError(f"{_FLAG}={resource} is not served by the API server\n  {hint}")


def guess_kind(resource: UnstructuredResource) -> Kind:
    """Guess the kind of *resource* without an API server.

    If no other source reads it, the name is the singular of the plural in the flag, and the kind counts as namespaced
    unless it is a well-known cluster-scoped one.
    """
    namespaced = (resource.group, resource.plural) not in _CLUSTER_SCOPED
    return _find_known_kind(resource) or resource.make_kind(_make_singular(resource.plural), namespaced=namespaced)


def is_plural(plural: str, name: str) -> bool:
    """Return whether *plural* is *name* in small letters, or a regular plural of it."""
    one = name.lower()
    return plural in {one, f"{one}s", f"{one}es"} or (one.endswith("y") and plural == f"{one[:-1]}ies")


def _find_known_kind(resource: UnstructuredResource) -> Kind | None:
    """Return the kind of another source for this resource, if any, so that both list it only once."""
    return next(
        (
            kind
            for kind in STRUCTS
            if (kind.group, kind.plural) == (resource.group, resource.plural)
            and resource.version in (kind.version, *kind.older_versions)
        ),
        None,
    )


def _make_singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    if plural.endswith("es") and plural[:-2].endswith(_SIBILANT_ENDINGS):
        return plural[:-2]
    return plural.removesuffix("s") if plural != "endpoints" else plural
