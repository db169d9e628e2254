"""Every value of the chart has an effect."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.slow.chart import schemas
from tests.slow.chart.tools import Helm, run, values_of
from tools.chart import FREE_FORM, build_schema, read_defaults

Keys = tuple[str, ...]

DEFAULTS: Final = read_defaults()
OPEN: Final = frozenset({("dashboard", "labels"), ("opa",), ("provider",)})
INACTIVE: Final = ("names", "secretConfiguration")
"""What is not rendered: a value that is only compared with another, and one of external-dns's chart without effect."""
DIGEST: Final = f"sha256:{'0123456789abcdef' * 4}"
EVERYTHING: Final = values_of("everything")


def leaves(values: Any, path: Keys = ()) -> Iterator[tuple[Keys, object]]:  # noqa: ANN401 - YAML
    """Yield path and value of everything in *values* that is not a map of other values."""
    if isinstance(values, dict) and values and path not in OPEN:
        for name, value in values.items():
            yield from leaves(value, (*path, name))
    else:
        yield path, values


def at(values: Any, path: Keys) -> Any:  # noqa: ANN401 - YAML
    for name in path:
        values = values[name]
    return values


def replace_value(values: dict[str, Any], path: Keys, value: object) -> dict[str, Any]:
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
        yield str(value).replace("{{ .Release.Name }}", "external-dns")


PATHS: Final = [path for path, _ in leaves(DEFAULTS) if path[0] not in INACTIVE]
SINGLE: Final = [path for path in PATHS if path[0] not in FREE_FORM]
SWITCHES: Final = [path for path in PATHS if isinstance(at(DEFAULTS, path), bool)]
ONE_OF_TWO: Final = {("image", "digest"): DIGEST, ("txtSuffix",): "suffix-1"}
"""Values that everything.yaml leaves out, because each replaces another value."""
REPLACED: Final = {("image", "digest"): ("image", "tag"), ("txtSuffix",): ("txtPrefix",)}


def test_in_the_file_everything_yaml_every_chart_value_but_switches_and_alternatives_differs_from_its_default() -> None:
    for path in set(PATHS) - ONE_OF_TWO.keys() - set(SWITCHES):
        assert at(EVERYTHING, path) != at(DEFAULTS, path), path


def test_every_text_and_number_of_the_test_file_everything_yaml_is_rendered(helm: Helm) -> None:
    done = helm.render(EVERYTHING)
    assert done.code == 0, done.error
    missing = {path: text for path in PATHS for text in scalars(at(EVERYTHING, path)) if text not in done.out}
    assert not missing


@pytest.mark.parametrize("path", SWITCHES, ids=".".join)
def test_changing_any_boolean_chart_value_changes_the_rendered_manifests(helm: Helm, path: Keys) -> None:
    flipped = replace_value(EVERYTHING, path, not at(EVERYTHING, path))
    assert helm.render(flipped).out not in {"", helm.render(EVERYTHING).out}


@pytest.mark.parametrize("path", ONE_OF_TWO, ids=".".join)
def test_each_of_two_alternative_chart_values_is_rendered_if_the_other_is_empty(helm: Helm, path: Keys) -> None:
    values = replace_value(replace_value(EVERYTHING, REPLACED[path], ""), path, ONE_OF_TWO[path])
    assert ONE_OF_TWO[path] in helm.render(values).out


def test_chart_values_that_are_null_render_the_same_manifests_as_empty_ones(helm: Helm) -> None:
    empty = [path for path in PATHS if at(DEFAULTS, path) in ("", [], {}) and path != ("policy",)]
    nulls = blank = EVERYTHING
    for path in empty:
        nulls, blank = replace_value(nulls, path, None), replace_value(blank, path, at(DEFAULTS, path))
    assert helm.manifests(nulls) == helm.manifests(blank)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({name: None for name in DEFAULTS if name != "policy"}, id="sections"),
        pytest.param(
            functools.reduce(lambda values, path: replace_value(values, path, None), SINGLE, DEFAULTS)
            | {"policy": "sync", "serviceAccount": {"create": True}, "rbac": {"create": True}},
            id="values",
        ),
    ],
)
def test_chart_values_that_are_null_leave_no_null_and_no_empty_field_in_valid_manifests(
    helm: Helm, kubeconform: str, tmp_path: Path, values: dict[str, Any]
) -> None:
    rendered = helm.render(values)
    assert rendered.code == 0, rendered.error
    assert not re.search(r"null|<no value>|<nil>|: *(\{\}|\[\])?\n *(?![ -])$", rendered.out)
    done = run(kubeconform, "-strict", "-schema-location", schemas.write(tmp_path), stdin=rendered.out)
    assert done.code == 0, done.out


def test_every_chart_value_has_a_description_and_all_but_sections_and_switches_named_enabled_have_a_default() -> None:
    assert not list(find_undescribed(build_schema(), ""))


def find_undescribed(schema: dict[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of values without description, or without default."""
    for name, field in schema["properties"].items():
        is_section = "default" not in field and "properties" in field
        if not field.get("description") or not (is_section or "default" in field or name == "enabled"):
            yield f"{path}{name}"
        if is_section:
            yield from find_undescribed(field, f"{path}{name}.")
