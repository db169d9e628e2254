"""Compute `managedFields`, which state who owns which field, and apply configurations server-side.

Each field of a map has its own owners. A list is owned as a whole, as in a CRD without `x-kubernetes-list-type`.
Finalizers are the exception: each one has owners, although apply replaces the whole list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from tests.fakes.apiserver.statuses import ownership_conflict

Path = tuple[str, ...]
"""The path of a field, in the steps of `fieldsV1`: `f:` and a field name, or `v:` and an item in JSON."""
Json = dict[str, Any]
_UNOWNED: Final = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
_METADATA: Final = ("f:metadata",)
_FINALIZERS: Final = (*_METADATA, "f:finalizers")
_GONE: Final = object()
_MAP: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """A field manager with its operation (`Apply` or `Update`), API version and subresource."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""

    def __str__(self) -> str:
        through = f' with subresource "{self.subresource}"' if self.subresource else ""
        return f'"{self.name}"{through}' + (f" using {self.api_version}" if self.operation == "Update" else "")


def format_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def find_fields(obj: Mapping[str, Any]) -> dict[Path, Any]:
    """Return the paths of the fields of *obj* that can be owned, and their values. Maps have a placeholder value."""
    body = {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in _UNOWNED}
    found = dict(_iterate_fields(body, ())) | dict(_iterate_fields(metadata, _METADATA))
    if _FINALIZERS in found:
        items = found[_FINALIZERS]
        found |= {_FINALIZERS: _MAP} | {(*_FINALIZERS, f"v:{json.dumps(item)}"): True for item in items}
    return found


def _iterate_fields(value: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, inner in value.items():
        step = (*path, f"f:{key}")
        if isinstance(inner, dict):
            yield step, _MAP
            yield from _iterate_fields(inner, step)
        else:
            yield step, inner


def set_managed_fields(obj: Json, managed: Sequence[Json]) -> Json:
    """Return *obj* with *managed* as its `managedFields`, or without that field if *managed* is empty."""
    rest = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return obj | {"metadata": rest | ({"managedFields": list(managed)} if managed else {})}


def own_created(manager: Manager, obj: Mapping[str, Any]) -> list[Json]:
    """Return the `managedFields` of a new object: *manager* owns all fields."""
    return _encode_owners({manager: set(find_fields(obj))}, [], manager)


def own_updated(
    managed: Sequence[Json], manager: Manager, old: Mapping[str, Any], new: Mapping[str, Any]
) -> list[Json]:
    """Return the `managedFields` after an update. *manager* becomes the only owner of the fields that it changed.

    If no field had an owner before, none gets one. This lasts until the first apply.
    """
    if not managed:
        return []
    changed, gone = _compare(old, new)
    owned = _decode_owners(managed)
    for paths in owned.values():
        paths.difference_update(changed, gone)
    owned.setdefault(manager, set()).update(changed)
    return _encode_owners(owned, managed, manager)


def apply_config(
    managed: Sequence[Json], manager: Manager, live: Mapping[str, Any], config: Mapping[str, Any], *, force: bool
) -> Json:
    """Return *live* after *manager* applied *config*, with new `managedFields`."""
    managed = managed or own_created(replace(manager, name="before-first-apply", operation="Update"), live)
    owned, desired = (
        _decode_owners(managed),
        {path for path, value in find_fields(config).items() if not _is_unowned_map(path, value)},
    )
    dropped = owned.pop(manager, set()) - desired
    owned_paths = desired.union(*owned.values())
    result: Json = _overlay(live, config)
    for path in sorted(dropped - owned_paths, key=len, reverse=True):
        _remove(result, path)
    changed, gone = _compare(live, result)
    contested = [(str(owner), path) for owner, paths in owned.items() for path in paths & changed]
    if contested and not force:
        raise ownership_conflict(
            [(owner, "".join(f".{_parse_step(step)}" for step in path)) for owner, path in sorted(contested)]
        )
    for paths in owned.values():
        paths.difference_update(changed, gone)
    owned[manager] = desired
    return set_managed_fields(result, _encode_owners(owned, managed, manager))


def _is_unowned_map(path: Path, value: object) -> bool:
    """Return whether *path* is one of the maps in metadata that always exist and have no owner of their own."""
    return value is _MAP and path[:-1] == _METADATA


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[set[Path], set[Path]]:
    """Return the paths of the fields that were added or changed, and of those that were removed."""
    before, after = find_fields(old), find_fields(new)
    changed = {path for path, value in after.items() if before.get(path, _GONE) != value}
    return changed, before.keys() - after.keys()


def _overlay(live: Any, config: Any) -> Any:  # noqa: ANN401 - any JSON
    if not (isinstance(live, Mapping) and isinstance(config, Mapping)):
        return deepcopy(config)
    merged = {key: _overlay(live[key], value) if key in live else deepcopy(value) for key, value in config.items()}
    return {key: deepcopy(value) for key, value in live.items() if key not in config} | merged


def _remove(obj: Json, path: Path) -> None:
    """Remove the field at *path* unless it is a map that is not empty. A map that becomes empty is set to null."""
    *parents, last = map(_parse_step, path)
    outer: Any = None
    inner: Any = obj
    for step in parents:
        outer, inner = inner, inner.get(step) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last not in inner or (isinstance(inner[last], dict) and inner[last]):
        return
    del inner[last]
    if not inner and isinstance(outer, dict) and parents[0] != "metadata":
        outer[parents[-1]] = None


def _parse_step(step: str) -> str:
    return step.removeprefix("f:")


def _decode_owners(managed: Sequence[Json]) -> dict[Manager, set[Path]]:
    return {_decode_manager(entry): set(_decode_fields(entry["fieldsV1"], ())) for entry in managed}


def _decode_manager(entry: Json) -> Manager:
    return Manager(
        name=entry["manager"],
        operation=entry["operation"],
        api_version=entry["apiVersion"],
        subresource=entry.get("subresource", ""),
    )


def _decode_fields(fields: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for key, inner in fields.items():
        step = (*path, key)
        if key == ".":
            yield path
        elif inner:
            yield from _decode_fields(inner, step)
        else:
            yield step


def _encode_owners(owned: Mapping[Manager, set[Path]], managed: Sequence[Json], writer: Manager) -> list[Json]:
    """Build `managedFields`. An entry whose fields have not changed keeps its time."""
    before, times = _decode_owners(managed), {_decode_manager(entry): entry["time"] for entry in managed}
    written = []
    for owner, paths in owned.items():
        if not paths:
            continue
        same = owner in times and (before[owner] == paths or owner != writer)
        written.append(_build_entry(owner, _encode_fields(paths), times[owner] if same else format_now()))
    return sorted(written, key=_get_sort_key)


def _get_sort_key(entry: Json) -> tuple[str, ...]:
    fields = ("operation", "time", "manager", "apiVersion", "subresource")
    return tuple(entry.get(field, "") for field in fields)


def _encode_fields(paths: set[Path]) -> Json:
    """Encode *paths* as `fieldsV1`. The key "." states that the map itself is owned, in addition to its fields."""
    tree: Json = {}
    for path in sorted(paths):
        inner = tree
        for depth, step in enumerate(path, start=1):
            inner = inner.setdefault(step, {})
            if depth < len(path) and path[:depth] in paths:
                inner["."] = {}
    return tree


def _build_entry(manager: Manager, fields: Json, time: str) -> Json:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return entry | ({"subresource": manager.subresource} if manager.subresource else {})
