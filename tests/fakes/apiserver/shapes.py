"""Whether what a client sends can be an object of the kind, in the namespace and of the name that it was sent to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.apiserver import statuses
from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.ownership import Manager
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_NAME_RULE: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character"
)
_TEXTS: Final = (
    *("name", "namespace", "generateName", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"),
    "selfLink",
)
_MAPS: Final = ("labels", "annotations")
_METADATA: Final = (
    *(*_TEXTS, *_MAPS, "finalizers", "ownerReferences", "managedFields"),
    *("generation", "deletionGracePeriodSeconds"),
)
"""The fields of metadata; others are dropped, and so are these where they are empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a write is about, and on whose behalf. *subresource* is empty or `status`."""

    kind: Kind
    namespace: str
    name: str
    subresource: str = ""
    manager: str = "unknown"
    dry_run: bool = False

    @property
    def key(self) -> str:
        """Its key in the store."""
        return f"{self.namespace}/{self.name}" if self.kind.namespaced else self.name

    @property
    def validated_as(self) -> str:
        """What validation calls its kind."""
        return f"{self.kind.kind}.{self.kind.group}" if self.kind.group else self.kind.kind

    def by(self, operation: str) -> Manager:
        """Give the manager as `managedFields` name it."""
        return Manager(
            name=self.manager, operation=operation, api_version=self.kind.api_version, subresource=self.subresource
        )


def sent(target: Target, body: Json) -> Json:
    """Give the *body* of a create or update, with metadata of its own.

    Raises:
        ApiError: 400 or 422.
    """
    kind, said, version = target.kind, body.get("kind"), body.get("apiVersion")
    if kind.custom and not said:
        raise ApiError(
            400, f"the object provided is unrecognized (must be of type {kind.kind}): Object 'Kind' is missing"
        )
    if version != kind.api_version and (version or kind.custom):
        expected = f"does not match the expected API version ({kind.api_version})"
        raise ApiError(400, f"the API version in the data ({version or ''}) {expected}")
    metadata = body.get("metadata") or {}
    if wrong := _wrong(metadata):
        raise ApiError(400, f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {wrong}')
    if said and said != kind.kind:
        raise _of_kind(kind, said, metadata)
    return _in_namespace(target, body, metadata)


def patched(target: Target, obj: Any) -> Json:  # noqa: ANN401 - any JSON
    """Give what a patch has made, with metadata of its own.

    Raises:
        ApiError: 400 or 422.
    """
    kind = target.kind
    wrong = _wrong(obj.get("metadata") or {}) if isinstance(obj, dict) else "it is no object"
    if wrong or not obj.get("kind"):
        raise statuses.invalid("", "", ("patch", "FieldValueInvalid", f"Invalid value: {wrong or 'it has no kind'}"))
    metadata = obj.get("metadata") or {}
    if obj["kind"] != kind.kind:
        raise _of_kind(kind, obj["kind"], metadata)
    return named(target, _in_namespace(target, obj, metadata))


def applied(target: Target, config: Json) -> Json:
    """Give an applied *config*, with metadata of its own, under the name that it was sent to.

    Raises:
        ApiError: 400 or 500.
    """
    group, _, version = config.get("apiVersion", "").rpartition("/")
    if (config.get("apiVersion"), config.get("kind")) != (target.kind.api_version, target.kind.kind):
        raise ApiError(400, f"invalid object type: {group}/{version}, Kind={config.get('kind', '')}")
    metadata = config.get("metadata") or {}
    if wrong := _wrong(metadata):
        raise ApiError(500, f"failed to create typed patch object: {wrong}", reason="")
    if metadata.get("managedFields"):
        raise ApiError(400, "metadata.managedFields must be nil")
    return named(target, _in_namespace(target, config, {"name": target.name} | metadata))


def named(target: Target, obj: Json) -> Json:
    """Give *obj*, whose name must be the one that it was sent to.

    Raises:
        ApiError: 400.
    """
    name = obj["metadata"].get("name")
    if not name:
        why = "was undeterminable: name must be provided"
        raise ApiError(400, f"the name of the object ({target.name} based on URL) {why}")
    if name != target.name:
        raise ApiError(400, f"the name of the object ({name}) does not match the name on the URL ({target.name})")
    return obj


def new_name(target: Target, name: str | None) -> str:
    """Give the *name* of a new object.

    Raises:
        ApiError: 422.
    """
    field, what = "metadata.name", target.validated_as
    if not name:
        why = "Required value: name or generateName is required"
        raise statuses.invalid(what, "", (field, "FieldValueRequired", why))
    if not _NAME.fullmatch(name):
        raise statuses.invalid(what, name, (field, "FieldValueInvalid", f'Invalid value: "{name}": {_NAME_RULE}'))
    return name


def _in_namespace(target: Target, obj: Json, metadata: Mapping[str, Any]) -> Json:
    """Give *obj* with its kind and what can be kept of its metadata."""
    kind = target.kind
    if kind.namespaced and metadata.get("namespace") not in {None, "", target.namespace}:
        raise ApiError(400, "the namespace of the provided object does not match the namespace sent on the request")
    return obj | {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": tidied(metadata)}


def tidied(metadata: Mapping[str, Any]) -> Json:
    """Give what a server keeps of *metadata*: known fields that have something in them."""
    return {key: value for key, value in metadata.items() if key in _METADATA and value not in ({}, [], "", None)}


def _of_kind(kind: Kind, said: str, metadata: Mapping[str, Any]) -> ApiError:
    wrong = ("kind", "FieldValueInvalid", f'Invalid value: "{said}": must be {kind.kind}')
    return statuses.invalid(f"{said}.{kind.group}" if kind.group else said, metadata.get("name", ""), wrong)


def _wrong(metadata: object) -> str | None:
    """Name the first field of *metadata* that is of a type which cannot be decoded."""
    if not isinstance(metadata, dict):
        return "metadata is no object"
    for field in _TEXTS:
        if not isinstance(metadata.get(field), str | None):
            return f"metadata.{field} is no string"
    for field in _MAPS:
        value = metadata.get(field)
        if value is not None and not (isinstance(value, dict) and all(isinstance(v, str) for v in value.values())):
            return f"metadata.{field} is no map of strings"
    finalizers = metadata.get("finalizers")
    if finalizers is not None and not (isinstance(finalizers, list) and all(isinstance(v, str) for v in finalizers)):
        return "metadata.finalizers is no list of strings"
    return None
