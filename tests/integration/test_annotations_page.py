"""docs/reference/annotations.md names the annotations that are read, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.sources.annotations import OLD_PREFIX, PREFIX

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "reference" / "annotations.md").read_text(encoding="utf-8")
ROW: Final = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
KEY: Final = re.compile(f"(?:{re.escape(PREFIX)}|{re.escape(OLD_PREFIX)})([A-Za-z0-9_.-]+)")
OPEN: Final = ("scw-", "webhook-", "coredns-")  # whatever follows is a property
NOBODYS: Final = {"unknown"}  # a case's own proof that it is left alone


def texts(*rooms: str) -> Iterator[str]:
    """Every text that stands in the code of *rooms*."""
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


CODE: Final = frozenset(texts("extdns/sources", "extdns/model", "providers/aws"))


def documented() -> list[str]:
    return ROW.findall(PAGE)


def test_the_tables_have_rows() -> None:
    assert len(documented()) > 25


@pytest.mark.parametrize("name", documented())
def test_an_annotation_of_the_page_is_known_to_the_code(name: str) -> None:
    assert name in CODE or f"aws/{name.removeprefix('aws-')}" in CODE


def test_every_property_of_route_53_has_its_annotation_on_the_page() -> None:
    properties = {f"aws-{text.removeprefix('aws/')}" for text in CODE if re.fullmatch(r"aws/[a-z-]+", text)}
    assert properties == {name for name in documented() if name.startswith("aws-")}


def test_every_annotation_that_cases_of_the_corpus_use_is_on_the_page() -> None:
    cases = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "corpus" / "cases").rglob("*") if path.is_file()
    )
    used = {name for name in KEY.findall(cases) if not name.startswith(OPEN)} - NOBODYS
    assert used
    assert {name for name in used if f"`{name}`" not in PAGE} == set()
