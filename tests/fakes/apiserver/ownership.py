"""Who owns which field: `managedFields`, and server-side apply by them.

Maps are owned by the field; lists are owned as a whole, as those of a CRD without `x-kubernetes-list-type` are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from tests.fakes.apiserver.statuses import ownership_conflict

Path = tuple[str, ...]
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
_GONE: Final = object()


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


def leaves(obj: Mapping[str, Any]) -> dict[Path, Any]:
    """Give the fields of *obj* that can be owned, with their values."""
    body = {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in _UNOWNED}
    return dict(_leaves(body | ({"metadata": metadata} if metadata else {}), ()))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif path:
        yield path, value


def created(manager: Manager, obj: Mapping[str, Any]) -> list[Json]:
    """Give `managedFields` of a new object: all of it is *manager*'s."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _UNOWNED}
    body = {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}
    return [_entry(manager, _fields(body | ({"metadata": metadata} if metadata else {})), now())]


def _fields(value: Mapping[str, Any]) -> Json:
    return {f"f:{key}": _fields(inner) if isinstance(inner, dict) else {} for key, inner in value.items()}


def updated(managed: Sequence[Json], manager: Manager, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Json]:
    """Give `managedFields` after an update: who changes a field owns it, and nobody else does."""
    before, after = leaves(old), leaves(new)
    changed = {path for path, value in after.items() if before.get(path, _GONE) != value}
    gone = before.keys() - after.keys()
    owned = _owners(managed)
    for owner, paths in owned.items():
        if owner != manager:
            paths.difference_update(changed, gone)
    owned.setdefault(manager, set()).update(changed)
    owned[manager] -= gone
    return _written(owned, managed, manager)


def applied(
    managed: Sequence[Json], manager: Manager, live: Mapping[str, Any], config: Mapping[str, Any], *, force: bool
) -> Json:
    """Give *live* after *manager* has applied *config*, with its `managedFields`.

    Raises:
        ApiError: 409, a field of another manager would change, and it is not to be forced.
    """
    owned, wanted = _owners(managed), leaves(config)
    contested = {
        path: owner
        for path, value in wanted.items()
        for owner, paths in owned.items()
        if owner != manager and not _says(live, path, value) and any(_overlap(path, other) for other in paths)
    }
    if contested and not force:
        raise ownership_conflict([(str(contested[path]), "." + ".".join(path)) for path in sorted(contested)])
    for owner, paths in owned.items():
        if owner != manager:
            paths.difference_update([other for other in paths if any(_overlap(path, other) for path in contested)])
    dropped = owned.get(manager, set()) - wanted.keys()
    owned[manager] = set(wanted)
    result: Json = _overlaid(live, config)
    for path in sorted(dropped, key=len, reverse=True):
        if not any(path in paths for paths in owned.values()):
            _remove(result, path)
    result["metadata"]["managedFields"] = _written(owned, managed, manager)
    return result


def _says(obj: Any, path: Path, value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Tell whether *obj* has *value* at *path*; an empty map asks for a map, whatever is in it."""
    for step in path:
        obj = obj.get(step, _GONE) if isinstance(obj, dict) else _GONE
    return bool(obj == value) or (value == {} and isinstance(obj, dict))


def _overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _overlaid(live: Any, config: Any) -> Any:  # noqa: ANN401 - any JSON
    if not (isinstance(live, Mapping) and isinstance(config, Mapping)):
        return deepcopy(config)
    merged = {key: _overlaid(live[key], value) if key in live else deepcopy(value) for key, value in config.items()}
    return {key: deepcopy(value) for key, value in live.items() if key not in config} | merged


def _remove(obj: Json, path: Path) -> None:
    """Remove a field, and the maps that are empty without it."""
    *parents, last = path
    inner: Any = obj
    for step in parents:
        inner = inner.get(step) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or (isinstance(inner.get(last), dict) and inner[last]):
        return
    inner.pop(last, None)
    if parents and not inner and parents != ["metadata"]:
        _remove(obj, tuple(parents))


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
        if key == ".":
            continue
        step = (*path, key.removeprefix("f:"))
        if any(name != "." for name in inner):
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
        fields: Json = {}
        for path in sorted(paths):
            inner = fields
            for step in path:
                inner = inner.setdefault(f"f:{step}", {})
        same = owner in times and (before[owner] == paths or owner != writer)
        written.append(_entry(owner, fields, times[owner] if same else now()))
    return written


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
