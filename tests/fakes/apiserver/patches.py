"""Three ways to patch JSON: RFC 7386, RFC 6902, and what clients need of strategic merge."""

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
"""Lists that strategic merge patches by item, and what tells the items apart; other lists are replaced."""


def merge(target: Any, patch: Any) -> Any:  # noqa: ANN401 - any JSON
    """Apply a JSON merge patch (RFC 7386); *target* stays as it is.

    Objects in lists lose their nulls, too: so the library that Kubernetes uses reads the RFC.
    """
    if isinstance(patch, list):
        return [merge(None, item) for item in patch]
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def strategic(target: Any, patch: Any) -> Any:  # noqa: ANN401 - any JSON
    """Apply a strategic merge patch; *target* stays as it is. What orders lists is left out."""
    if not isinstance(patch, Mapping):
        return deepcopy(patch)
    if patch.get("$patch") == "replace":
        return {key: deepcopy(value) for key, value in patch.items() if key != "$patch"}
    merged = dict(target) if isinstance(target, Mapping) else {}
    kept = patch.get("$retainKeys")
    if kept is not None:
        merged = {key: value for key, value in merged.items() if key in kept}
    for key, value in patch.items():
        removed_from = key.removeprefix("$deleteFromPrimitiveList/")
        if removed_from != key:
            merged[removed_from] = [item for item in merged.get(removed_from, []) if item not in value]
        elif key.startswith("$"):
            continue
        elif value is None:
            merged.pop(key, None)
        elif isinstance(value, Sequence) and key in _MERGE_KEYS:
            merged[key] = _merged_items(merged.get(key) or [], value, _MERGE_KEYS[key])
        elif key == "finalizers":
            merged[key] = [*merged.get(key, []), *(item for item in value if item not in merged.get(key, []))]
        else:
            merged[key] = strategic(merged.get(key), value)
    return merged


def _merged_items(target: Sequence[Any], patch: Sequence[Any], names: tuple[str, ...]) -> list[Any]:
    def place(item: Mapping[str, Any]) -> object:
        return next((item[name] for name in names if name in item), None)

    if {"$patch": "replace"} in patch:
        return [deepcopy(item) for item in patch if item != {"$patch": "replace"}]
    items = {place(item): item for item in target}
    for item in patch:
        if item.get("$patch") == "delete":
            items.pop(place(item), None)
        else:
            items[place(item)] = strategic(items.get(place(item)), item)
    return list(items.values())


def json_patch(target: Any, operations: Any) -> Any:  # noqa: ANN401 - any JSON
    """Apply a JSON patch (RFC 6902); *target* stays as it is.

    Raises:
        ApiError: 422, an operation cannot be carried out; 400, it is none.
    """
    document = {"": deepcopy(target)}
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise ApiError(400, "error decoding patch: a JSON patch is a list of operations")
    for operation in operations:
        try:
            _carry_out(document, operation)
        except (AttributeError, KeyError, IndexError, ValueError, TypeError) as exc:
            raise ApiError(422, "the server rejected our request due to an error in our request") from exc
    return document[""]


def _carry_out(document: Any, operation: Mapping[str, Any]) -> None:  # noqa: ANN401 - any JSON
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
            parent, last = _parent(document, operation["from"])
            _add(document, path, deepcopy(parent[last]))
        case "test":
            parent, last = _parent(document, path)
            there = parent[last] if isinstance(parent, list) else parent.get(last)
            if there != operation["value"]:
                raise ValueError("test failed")
        case other:
            raise ValueError(f"unknown operation {other}")


def _parent(document: Any, path: str) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON
    """Give what holds the place at *path*, and under which key or index."""
    *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    if isinstance(document, list):
        return document, len(document) if last == "-" else int(last)
    return document, last


def _add(document: Any, path: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    parent, last = _parent(document, path)
    if not isinstance(parent, list):
        parent[last] = value
    elif 0 <= last <= len(parent):
        parent.insert(last, value)
    else:
        raise IndexError(path)


def _replace(document: Any, path: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    """Set a field, there or not: so the library that Kubernetes uses reads RFC 6902; items of lists must be there."""
    parent, last = _parent(document, path)
    if not isinstance(parent, list | dict):
        raise TypeError(path)
    parent[last] = value


def _take(document: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    parent, last = _parent(document, path)
    return parent.pop(last)
