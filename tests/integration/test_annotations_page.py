"""docs/reference/annotations.md lists exactly the annotations that the code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.sources.common.annotation_names import KNOWN, OLD_PREFIX, PREFIX

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "reference" / "annotations.md").read_text(encoding="utf-8")
ROW: Final = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
KEY: Final = re.compile(f"(?:{re.escape(PREFIX)}|{re.escape(OLD_PREFIX)})([A-Za-z0-9_.-]+)")
OPEN: Final = ("scw-", "webhook-", "coredns-")  # any text may follow
UNREAD: Final = {"unknown"}  # a case of the corpus uses it to show that unknown annotations are ignored


def texts(*packages: str) -> Iterator[str]:
    """Yield every string constant in the Python files of *packages*."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name == "annotation_names.py":
                continue  # it lists them, and reads none
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


CODE: Final = frozenset(texts("extdns/sources", "extdns/model", "providers/aws"))


def documented() -> list[str]:
    return ROW.findall(PAGE)


def test_the_annotations_page_documents_more_than_25_annotations() -> None:
    assert len(documented()) > 25


@pytest.mark.parametrize("name", documented())
def test_the_code_contains_the_name_of_every_annotation_on_the_annotations_page(name: str) -> None:
    assert name in CODE or f"aws/{name.removeprefix('aws-')}" in CODE


def test_the_keys_that_misspelt_annotations_are_compared_with_are_exactly_those_on_the_annotations_page() -> None:
    assert set(documented()) <= KNOWN
    assert {name for name in KNOWN if f"`{name}`" not in PAGE} == set()


def test_every_route_53_property_in_the_code_is_on_the_annotations_page() -> None:
    properties = {f"aws-{text.removeprefix('aws/')}" for text in CODE if re.fullmatch(r"aws/[a-z-]+", text)}
    assert properties == {name for name in documented() if name.startswith("aws-")}


def test_every_annotation_used_in_corpus_cases_is_on_the_annotations_page() -> None:
    cases = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "corpus" / "cases").rglob("*") if path.is_file()
    )
    used = {name for name in KEY.findall(cases) if not name.startswith(OPEN)} - UNREAD
    assert used
    assert {name for name in used if f"`{name}`" not in PAGE} == set()
