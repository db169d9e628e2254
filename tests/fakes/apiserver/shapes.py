"""Validate and complete the objects that clients send: kind, namespace, name and metadata."""

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
"""The fields of metadata that are stored. Other fields and empty ones are dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The object that a write changes, and the field manager. *subresource* is "" or `status`."""

    kind: Kind
    namespace: str
    name: str
    subresource: str = ""
    manager: str = "unknown"

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.kind.namespaced else self.name

    @property
    def validation_name(self) -> str:
        """The name of the kind in validation errors."""
        return f"{self.kind.kind}.{self.kind.group}" if self.kind.group else self.kind.kind

    def build_manager(self, operation: str) -> Manager:
        return Manager(
            name=self.manager, operation=operation, api_version=self.kind.api_version, subresource=self.subresource
        )


def validate_body(target: Target, body: Json) -> Json:
    """Validate the *body* of a create or update, and return it with its own copy of the metadata."""
    kind, stated, version = target.kind, body.get("kind"), body.get("apiVersion")
    if kind.custom and not stated:
        raise ApiError(
            400, f"the object provided is unrecognized (must be of type {kind.kind}): Object 'Kind' is missing"
        )
    if version != kind.api_version and (version or kind.custom):
        expected = f"does not match the expected API version ({kind.api_version})"
        raise ApiError(400, f"the API version in the data ({version or ''}) {expected}")
    metadata = body.get("metadata") or {}
    if problem := _find_invalid_field(metadata):
        raise ApiError(400, f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {problem}')
    if stated and stated != kind.kind:
        raise _build_kind_error(kind, stated, metadata)
    return _complete_metadata(target, body, metadata)


def validate_patched(target: Target, obj: Any) -> Json:  # noqa: ANN401 - any JSON
    """Validate the result *obj* of a patch, and return it with its own copy of the metadata."""
    kind = target.kind
    problem = _find_invalid_field(obj.get("metadata") or {}) if isinstance(obj, dict) else "it is no object"
    if problem or not obj.get("kind"):
        raise statuses.invalid("", "", ("patch", "FieldValueInvalid", f"Invalid value: {problem or 'it has no kind'}"))
    metadata = obj.get("metadata") or {}
    if obj["kind"] != kind.kind:
        raise _build_kind_error(kind, obj["kind"], metadata)
    return check_name(target, _complete_metadata(target, obj, metadata))


def validate_config(target: Target, config: Json) -> Json:
    """Validate an applied *config*, and return it with its own copy of the metadata and the name of the URL."""
    group, _, version = config.get("apiVersion", "").rpartition("/")
    if (config.get("apiVersion"), config.get("kind")) != (target.kind.api_version, target.kind.kind):
        raise ApiError(400, f"invalid object type: {group}/{version}, Kind={config.get('kind', '')}")
    metadata = config.get("metadata") or {}
    if problem := _find_invalid_field(metadata):
        raise ApiError(500, f"failed to create typed patch object: {problem}", reason="")
    if metadata.get("managedFields"):
        raise ApiError(400, "metadata.managedFields must be nil")
    return check_name(target, _complete_metadata(target, config, {"name": target.name} | metadata))


def check_name(target: Target, obj: Json) -> Json:
    """Return *obj* after checking that its name equals the name in the URL."""
    name = obj["metadata"].get("name")
    if not name:
        reason = "was undeterminable: name must be provided"
        raise ApiError(400, f"the name of the object ({target.name} based on URL) {reason}")
    if name != target.name:
        raise ApiError(400, f"the name of the object ({name}) does not match the name on the URL ({target.name})")
    return obj


def validate_new_name(target: Target, name: str | None) -> str:
    """Return the valid *name* of a new object."""
    field, what = "metadata.name", target.validation_name
    if not name:
        reason = "Required value: name or generateName is required"
        raise statuses.invalid(what, "", (field, "FieldValueRequired", reason))
    if not _NAME.fullmatch(name):
        raise statuses.invalid(what, name, (field, "FieldValueInvalid", f'Invalid value: "{name}": {_NAME_RULE}'))
    return name


def _complete_metadata(target: Target, obj: Json, metadata: Mapping[str, Any]) -> Json:
    """Return *obj* with its kind, the namespace of the request, and the *metadata* that a server stores."""
    kind = target.kind
    if kind.namespaced and metadata.get("namespace") not in {None, "", target.namespace}:
        raise ApiError(400, "the namespace of the provided object does not match the namespace sent on the request")
    return obj | {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": clean_metadata(metadata)}


def clean_metadata(metadata: Mapping[str, Any]) -> Json:
    """Return the part of *metadata* that a server stores: known fields that are not empty."""
    return {key: value for key, value in metadata.items() if key in _METADATA and value not in ({}, [], "", None)}


def _build_kind_error(kind: Kind, stated: str, metadata: Mapping[str, Any]) -> ApiError:
    problem = ("kind", "FieldValueInvalid", f'Invalid value: "{stated}": must be {kind.kind}')
    return statuses.invalid(f"{stated}.{kind.group}" if kind.group else stated, metadata.get("name", ""), problem)


def _find_invalid_field(metadata: object) -> str | None:
    """Return the name of the first field of *metadata* that has a wrong type, or None."""
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
