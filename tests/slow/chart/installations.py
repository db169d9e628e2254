"""Installations of external-dns's chart, and what it renders from their values, field by field.

`python -m tests.slow.chart.installations CHART` records these fields again, with helm and a copy of that
chart.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tests.slow.chart.tools import Helm, Json

FOLDER: Final = Path(__file__).parent / "installations"
BEFORE: Final = FOLDER / "before"
_CHART_LABELS: Final = ("helm.sh/chart", "app.kubernetes.io/version", "app.kubernetes.io/managed-by")


def list_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_installation(name: str) -> Json:
    """Return the installation: release, namespace, values, what is refused, the change it needs, and what differs."""
    found: Json = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def is_accepted(name: str) -> bool:
    """Return whether the values render, perhaps after a change."""
    found = read_installation(name)
    return "refused" not in found or "change" in found


def read_before(name: str) -> dict[str, Any]:
    """Return what external-dns's chart renders, as `flatten` returns it."""
    found: dict[str, Any] = yaml.safe_load((BEFORE / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def flatten(manifests: list[Json]) -> dict[str, Any]:
    """Return each field of *manifests* by its path, such as `Service dns/web/spec/type`.

    Items with a name are part of the path, other lists are values. Labels that name the chart, rules, and the default
    protocol of ports are left out.
    """
    found: dict[str, Any] = {}
    for obj in manifests:
        metadata = obj["metadata"]
        where = f"{obj['kind']} {metadata.get('namespace', '')}/{metadata['name']}"
        fields = {name: value for name, value in obj.items() if name not in ("kind", "rules")}
        found |= {path: value for path, value in _flatten(fields, where) if not path.endswith(_CHART_LABELS)}
    return {path: value for path, value in found.items() if not (path.endswith("/protocol") and value == "TCP")}


def _flatten(value: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - YAML
    if isinstance(value, dict) and value:
        for name, field in value.items():
            yield from _flatten(field, f"{path}/{name}")
    elif isinstance(value, list) and value and all(isinstance(one, dict) and "name" in one for one in value):
        for one in value:
            yield from _flatten({name: field for name, field in one.items() if name != "name"}, f"{path}/{one['name']}")
    elif value not in (None, {}, []):
        yield path, value


def merge_values(values: Json, change: Mapping[str, Any]) -> Json:
    """Return *values* with *change*, merged as Helm merges files of values."""
    merged = dict(values)
    for name, value in change.items():
        old = merged.get(name)
        merged[name] = merge_values(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _record(chart: Path) -> None:
    program = shutil.which("helm")
    assert program is not None, "helm is not in PATH"
    BEFORE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(is_accepted, list_names()):
            found = read_installation(name)
            helm = Helm(program, Path(folder), chart=chart, release=found["release"], namespace=found["namespace"])
            fields = flatten(helm.manifests({"policy": "upsert-only"} | found["values"]))
            text = yaml.safe_dump(fields, width=10_000, default_flow_style=None)
            (BEFORE / f"{name}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _record(Path(sys.argv[1]))
