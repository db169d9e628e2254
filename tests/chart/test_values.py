"""Every value is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from extdns.flags.chart import VALUES
from tests.chart.tools import Helm, values_of

Path = tuple[str, ...]

DEFAULTS: Final = yaml.safe_load(VALUES.read_text(encoding="utf-8"))
OPEN: Final = frozenset({("dashboard", "labels"), ("provider",)})
EVERYTHING: Final = values_of("everything")


def leaves(values: Any, path: Path = ()) -> Iterator[tuple[Path, object]]:  # noqa: ANN401 - YAML
    """Every value that is no map of others."""
    if isinstance(values, dict) and values and path not in OPEN:
        for name, value in values.items():
            yield from leaves(value, (*path, name))
    else:
        yield path, values


def at(values: Any, path: Path) -> Any:  # noqa: ANN401 - YAML
    """What *values* have at *path*."""
    for name in path:
        values = values[name]
    return values


def changed(values: dict[str, Any], path: Path, value: object) -> dict[str, Any]:
    """*values* with another one at *path*."""
    first, *rest = path
    return values | {first: changed(values[first], tuple(rest), value) if rest else value}


def scalars(value: object) -> Iterator[str]:
    """Texts and numbers in *value*, as they are rendered."""
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
"""What everything.yaml leaves out, since it takes the place of another value."""
INSTEAD: Final = {("image", "digest"): ("image", "tag"), ("txtSuffix",): ("txtPrefix",)}

NULLABLE: Final = [path for path, value in leaves(DEFAULTS) if value in ("", [], {})]


def test_a_file_of_values_has_every_value_otherwise() -> None:
    for path in set(PATHS) - ONE_OF_TWO.keys() - set(SWITCHES):
        assert at(EVERYTHING, path) != at(DEFAULTS, path), path


def test_every_text_and_number_is_in_what_is_rendered(helm: Helm) -> None:
    done = helm.render(EVERYTHING)
    assert done.code == 0, done.error
    missing = {path: text for path in PATHS for text in scalars(at(EVERYTHING, path)) if text not in done.out}
    assert not missing


@pytest.mark.parametrize("path", SWITCHES, ids=".".join)
def test_every_switch_makes_a_difference(helm: Helm, path: Path) -> None:
    flipped = changed(EVERYTHING, path, not at(EVERYTHING, path))
    assert helm.render(flipped).out not in {"", helm.render(EVERYTHING).out}


@pytest.mark.parametrize("path", ONE_OF_TWO, ids=".".join)
def test_what_takes_the_place_of_another_is_used(helm: Helm, path: Path) -> None:
    values = changed(changed(EVERYTHING, INSTEAD[path], ""), path, ONE_OF_TWO[path])
    assert ONE_OF_TWO[path] in helm.render(values).out


@pytest.mark.parametrize("path", NULLABLE, ids=".".join)
def test_what_has_nothing_by_default_may_be_null(helm: Helm, path: Path) -> None:
    nothing = helm.render(changed(EVERYTHING, path, None))
    assert (nothing.error, nothing.out) == ("", helm.render(changed(EVERYTHING, path, at(DEFAULTS, path))).out)
