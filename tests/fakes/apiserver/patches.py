"""Apply the patches of the Kubernetes API: JSON merge patch, JSON patch, and a part of strategic merge patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from tests.fakes.apiserver.statuses import ApiError

_MERGE_KEYS: Final = {
    "ports": ("port", "containerPort"),
    "conditions": ("type",),
    "addresses": ("type",),
    "containers": ("name",),
    "env": ("name",),
    "ownerReferences": ("uid",),
}
"""Lists that a strategic merge patch merges by item, and the fields that identify an item. Others are replaced."""


def apply_merge_patch(target: Any, patch: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *target* with the JSON merge patch *patch* (RFC 7386). *target* is not changed.

    Nulls are removed from objects in lists, too, as by the library that Kubernetes uses.
    """
    if isinstance(patch, list):
        return [apply_merge_patch(None, item) for item in patch]
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply_merge_patch(merged.get(key), value)
    return merged


def apply_strategic_patch(target: Any, patch: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *target* with a strategic merge patch. *target* is not changed.

    Directives for the order of lists are not supported.
    """
    if not isinstance(patch, Mapping):
        return deepcopy(patch)
    if patch.get("$patch") == "replace":
        return {key: deepcopy(value) for key, value in patch.items() if key != "$patch"}
    merged = dict(target) if isinstance(target, Mapping) else {}
    retained = patch.get("$retainKeys")
    if retained is not None:
        merged = {key: value for key, value in merged.items() if key in retained}
    for key, value in patch.items():
        removed_from = key.removeprefix("$deleteFromPrimitiveList/")
        if removed_from != key:
            merged[removed_from] = [item for item in merged.get(removed_from, []) if item not in value]
        elif key.startswith("$"):
            continue
        elif value is None:
            merged.pop(key, None)
        elif isinstance(value, Sequence) and key in _MERGE_KEYS:
            merged[key] = _merge_items(merged.get(key) or [], value, _MERGE_KEYS[key])
        elif key == "finalizers":
            merged[key] = [*merged.get(key, []), *(item for item in value if item not in merged.get(key, []))]
        else:
            merged[key] = apply_strategic_patch(merged.get(key), value)
    return merged


def _merge_items(target: Sequence[Any], patch: Sequence[Any], names: tuple[str, ...]) -> list[Any]:
    def get_key(item: Mapping[str, Any]) -> object:
        return next((item[name] for name in names if name in item), None)

    if {"$patch": "replace"} in patch:
        return [deepcopy(item) for item in patch if item != {"$patch": "replace"}]
    items = {get_key(item): item for item in target}
    for item in patch:
        if item.get("$patch") == "delete":
            items.pop(get_key(item), None)
        else:
            items[get_key(item)] = apply_strategic_patch(items.get(get_key(item)), item)
    return list(items.values())


def apply_json_patch(target: Any, operations: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *target* with the JSON patch *operations* (RFC 6902). *target* is not changed.

    Raises:
        ApiError: 422 if an operation fails, 400 if *operations* is not a JSON patch.
    """
    document = {"": deepcopy(target)}
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise ApiError(400, "error decoding patch: a JSON patch is a list of operations")
    for operation in operations:
        try:
            _apply_operation(document, operation)
        except (AttributeError, KeyError, IndexError, ValueError, TypeError) as exc:
            raise ApiError(422, "the server rejected our request due to an error in our request") from exc
    return document[""]


def _apply_operation(document: Any, operation: Mapping[str, Any]) -> None:  # noqa: ANN401 - any JSON
    path = operation["path"]
    match operation["op"]:
        case "add":
            _add(document, path, deepcopy(operation["value"]))
        case "replace":
            _replace(document, path, deepcopy(operation["value"]))
        case "remove":
            _take(document, path)
        case "move":
            _add(document, path, _take(document, operation["from"]))
        case "copy":
            parent, last = _find_parent(document, operation["from"])
            _add(document, path, deepcopy(parent[last]))
        case "test":
            parent, last = _find_parent(document, path)
            there = parent[last] if isinstance(parent, list) else parent.get(last)
            if there != operation["value"]:
                raise ValueError("test failed")
        case other:
            raise ValueError(f"unknown operation {other}")


def _find_parent(document: Any, path: str) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON
    """Return the map or list that contains the value at *path*, and the key or index of that value."""
    *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    if isinstance(document, list):
        return document, len(document) if last == "-" else int(last)
    return document, last


def _add(document: Any, path: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    parent, last = _find_parent(document, path)
    if not isinstance(parent, list):
        parent[last] = value
    elif 0 <= last <= len(parent):
        parent.insert(last, value)
    else:
        raise IndexError(path)


def _replace(document: Any, path: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    """Set the value at *path*. A field may be missing, as in the library that Kubernetes uses; an item must exist."""
    parent, last = _find_parent(document, path)
    if not isinstance(parent, list | dict):
        raise TypeError(path)
    parent[last] = value


def _take(document: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    parent, last = _find_parent(document, path)
    return parent.pop(last)
