"""Who owns which field: `managedFields`, and server-side apply by them.

Maps are owned by the field; lists are owned as a whole, as those of a CRD without `x-kubernetes-list-type` are, but
for finalizers, which are owned one by one (and yet replaced as a whole by apply).
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
"""Steps as `fieldsV1` writes them: `f:` and a field, or `v:` and an item in JSON."""
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
    """Who writes, how (`Apply` or `Update`), through which version and subresource."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""

    def __str__(self) -> str:
        through = f' with subresource "{self.subresource}"' if self.subresource else ""
        return f'"{self.name}"{through}' + (f" using {self.api_version}" if self.operation == "Update" else "")


def now() -> str:
    """Give the time as objects state it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def fields(obj: Mapping[str, Any]) -> dict[Path, Any]:
    """Give the fields of *obj* that can be owned, with their values; the value of a map is that it is one."""
    body = {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in _UNOWNED}
    found = dict(_fields(body, ())) | dict(_fields(metadata, _METADATA))
    if _FINALIZERS in found:
        items = found[_FINALIZERS]
        found |= {_FINALIZERS: _MAP} | {(*_FINALIZERS, f"v:{json.dumps(item)}"): True for item in items}
    return found


def _fields(value: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, inner in value.items():
        step = (*path, f"f:{key}")
        if isinstance(inner, dict):
            yield step, _MAP
            yield from _fields(inner, step)
        else:
            yield step, inner


def marked(obj: Json, managed: Sequence[Json]) -> Json:
    """Give *obj* with these `managedFields`, which an object does without if nobody owns anything."""
    rest = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return obj | {"metadata": rest | ({"managedFields": list(managed)} if managed else {})}


def created(manager: Manager, obj: Mapping[str, Any]) -> list[Json]:
    """Give `managedFields` of a new object: all of it is *manager*'s."""
    return _written({manager: set(fields(obj))}, [], manager)


def updated(managed: Sequence[Json], manager: Manager, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Json]:
    """Give `managedFields` after an update: who changes a field owns it, and nobody else does.

    Where nobody owned anything nobody comes to, until something is applied.
    """
    if not managed:
        return []
    changed, gone = _compared(old, new)
    owned = _owners(managed)
    for paths in owned.values():
        paths.difference_update(changed, gone)
    owned.setdefault(manager, set()).update(changed)
    return _written(owned, managed, manager)


def applied(
    managed: Sequence[Json], manager: Manager, live: Mapping[str, Any], config: Mapping[str, Any], *, force: bool
) -> Json:
    """Give *live* after *manager* has applied *config*, with its `managedFields`.

    Raises:
        ApiError: 409, a field of another manager would change, and it is not to be forced.
    """
    managed = managed or created(replace(manager, name="before-first-apply", operation="Update"), live)
    owned, wanted = _owners(managed), {path for path, value in fields(config).items() if not _declared(path, value)}
    dropped = owned.pop(manager, set()) - wanted
    kept = wanted.union(*owned.values())
    result: Json = _overlaid(live, config)
    for path in sorted(dropped - kept, key=len, reverse=True):
        _remove(result, path)
    changed, gone = _compared(live, result)
    contested = [(str(owner), path) for owner, paths in owned.items() for path in paths & changed]
    if contested and not force:
        raise ownership_conflict(
            [(owner, "".join(f".{_key(step)}" for step in path)) for owner, path in sorted(contested)]
        )
    for paths in owned.values():
        paths.difference_update(changed, gone)
    owned[manager] = wanted
    return marked(result, _written(owned, managed, manager))


def _declared(path: Path, value: object) -> bool:
    """Tell whether it is one of the maps in metadata, which are there whoever applies what is in them."""
    return value is _MAP and path[:-1] == _METADATA


def _compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[set[Path], set[Path]]:
    """Give the fields that are new or other than before, and those that are gone."""
    before, after = fields(old), fields(new)
    changed = {path for path, value in after.items() if before.get(path, _GONE) != value}
    return changed, before.keys() - after.keys()


def _overlaid(live: Any, config: Any) -> Any:  # noqa: ANN401 - any JSON
    if not (isinstance(live, Mapping) and isinstance(config, Mapping)):
        return deepcopy(config)
    merged = {key: _overlaid(live[key], value) if key in live else deepcopy(value) for key, value in config.items()}
    return {key: deepcopy(value) for key, value in live.items() if key not in config} | merged


def _remove(obj: Json, path: Path) -> None:
    """Remove a field, unless it is a map that has something in it; a map of which nothing is left becomes null."""
    *parents, last = map(_key, path)
    outer: Any = None
    inner: Any = obj
    for step in parents:
        outer, inner = inner, inner.get(step) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last not in inner or (isinstance(inner[last], dict) and inner[last]):
        return
    del inner[last]
    if not inner and isinstance(outer, dict) and parents[0] != "metadata":
        outer[parents[-1]] = None


def _key(step: str) -> str:
    return step.removeprefix("f:")


def _owners(managed: Sequence[Json]) -> dict[Manager, set[Path]]:
    return {_manager(entry): set(_read(entry["fieldsV1"], ())) for entry in managed}


def _manager(entry: Json) -> Manager:
    return Manager(
        name=entry["manager"],
        operation=entry["operation"],
        api_version=entry["apiVersion"],
        subresource=entry.get("subresource", ""),
    )


def _read(fields: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for key, inner in fields.items():
        step = (*path, key)
        if key == ".":
            yield path
        elif inner:
            yield from _read(inner, step)
        else:
            yield step


def _written(owned: Mapping[Manager, set[Path]], managed: Sequence[Json], writer: Manager) -> list[Json]:
    """Write `managedFields`; an entry whose fields are the same keeps its time."""
    before, times = _owners(managed), {_manager(entry): entry["time"] for entry in managed}
    written = []
    for owner, paths in owned.items():
        if not paths:
            continue
        same = owner in times and (before[owner] == paths or owner != writer)
        written.append(_entry(owner, _tree(paths), times[owner] if same else now()))
    return sorted(written, key=_rank)


def _rank(entry: Json) -> tuple[str, ...]:
    """Where an entry stands among the others."""
    fields = ("operation", "time", "manager", "apiVersion", "subresource")
    return tuple(entry.get(field, "") for field in fields)


def _tree(paths: set[Path]) -> Json:
    """Write paths as `fieldsV1`: a dot says that the map around it is meant, beside what is in it."""
    tree: Json = {}
    for path in sorted(paths):
        inner = tree
        for depth, step in enumerate(path, start=1):
            inner = inner.setdefault(step, {})
            if depth < len(path) and path[:depth] in paths:
                inner["."] = {}
    return tree


def _entry(manager: Manager, fields: Json, time: str) -> Json:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return entry | ({"subresource": manager.subresource} if manager.subresource else {})
