"""Read values.yaml of the Helm chart: the default and the description of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

CHART: Final = Path(__file__).parents[2] / "charts" / "extdns"
VALUES: Final = CHART / "values.yaml"


def read_defaults() -> dict[str, Any]:
    """Return the default values of the chart, from its values.yaml."""
    found: dict[str, Any] = yaml.safe_load(VALUES.read_text(encoding="utf-8"))
    return found


def read_descriptions() -> Mapping[str, str]:
    """Return the comments directly above keys in block style, by the path of the key, as `image.tag`."""
    text = VALUES.read_text(encoding="utf-8")
    return dict(_find_comments(yaml.compose(text), text.splitlines(), ""))


def _find_comments(node: yaml.Node | None, lines: list[str], path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return
    for key, value in node.value:
        name = f"{path}{key.value}"
        if comment := _read_comment(lines, key.start_mark.line, key.start_mark.column):
            yield name, comment
        yield from _find_comments(value, lines, f"{name}.")


def _read_comment(lines: list[str], line: int, column: int) -> str:
    found: list[str] = []
    start = f"{' ' * column}# "
    while line and lines[line - 1].startswith(start):
        line -= 1
        found.insert(0, lines[line].removeprefix(start))
    return " ".join(found)
