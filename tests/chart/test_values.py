"""Every value of the chart has an effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from extdns.flags.chart_schema import VALUES
from tests.chart.tools import Helm, values_of

Path = tuple[str, ...]

DEFAULTS: Final = yaml.safe_load(VALUES.read_text(encoding="utf-8"))
OPEN: Final = frozenset({("dashboard", "labels"), ("provider",)})
EVERYTHING: Final = values_of("everything")


def leaves(values: Any, path: Path = ()) -> Iterator[tuple[Path, object]]:  # noqa: ANN401 - YAML
    """Yield path and value of everything in *values* that is not a map of other values."""
    if isinstance(values, dict) and values and path not in OPEN:
        for name, value in values.items():
            yield from leaves(value, (*path, name))
    else:
        yield path, values


def at(values: Any, path: Path) -> Any:  # noqa: ANN401 - YAML
    """Return the value at *path*."""
    for name in path:
        values = values[name]
    return values


def replace_value(values: dict[str, Any], path: Path, value: object) -> dict[str, Any]:
    """Return *values* with *value* at *path*."""
    first, *rest = path
    return values | {first: replace_value(values[first], tuple(rest), value) if rest else value}


def scalars(value: object) -> Iterator[str]:
    """Yield the texts and numbers in *value* as they are rendered."""
    if isinstance(value, dict):
        for one in value.values():
            yield from scalars(one)
    elif isinstance(value, list):
        for one in value:
            yield from scalars(one)
    elif not isinstance(value, bool) and value not in (None, ""):
        yield str(value).replace("{{ .Release.Name }}", "extdns")


PATHS: Final = [path for path, _ in leaves(DEFAULTS)]
SWITCHES: Final = [path for path, value in leaves(DEFAULTS) if isinstance(value, bool)]
ONE_OF_TWO: Final = {("image", "digest"): "sha256:d-1", ("txtSuffix",): "suffix-1"}
"""Values that everything.yaml leaves out, because each replaces another value."""
REPLACED: Final = {("image", "digest"): ("image", "tag"), ("txtSuffix",): ("txtPrefix",)}

NULLABLE: Final = [path for path, value in leaves(DEFAULTS) if value in ("", [], {})]


def test_everything_yaml_changes_every_value() -> None:
    for path in set(PATHS) - ONE_OF_TWO.keys() - set(SWITCHES):
        assert at(EVERYTHING, path) != at(DEFAULTS, path), path


def test_every_text_and_number_of_everything_yaml_is_rendered(helm: Helm) -> None:
    done = helm.render(EVERYTHING)
    assert done.code == 0, done.error
    missing = {path: text for path in PATHS for text in scalars(at(EVERYTHING, path)) if text not in done.out}
    assert not missing


@pytest.mark.parametrize("path", SWITCHES, ids=".".join)
def test_every_boolean_value_changes_the_rendered_manifests(helm: Helm, path: Path) -> None:
    flipped = replace_value(EVERYTHING, path, not at(EVERYTHING, path))
    assert helm.render(flipped).out not in {"", helm.render(EVERYTHING).out}


@pytest.mark.parametrize("path", ONE_OF_TWO, ids=".".join)
def test_a_value_that_replaces_another_is_rendered(helm: Helm, path: Path) -> None:
    values = replace_value(replace_value(EVERYTHING, REPLACED[path], ""), path, ONE_OF_TWO[path])
    assert ONE_OF_TWO[path] in helm.render(values).out


@pytest.mark.parametrize("path", NULLABLE, ids=".".join)
def test_a_value_that_is_empty_by_default_may_be_null(helm: Helm, path: Path) -> None:
    nothing = helm.render(replace_value(EVERYTHING, path, None))
    assert (nothing.error, nothing.out) == ("", helm.render(replace_value(EVERYTHING, path, at(DEFAULTS, path))).out)
