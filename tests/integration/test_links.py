"""Every link in the documentation points to an existing file, folder, heading or anchor."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
FENCED: Final = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
CODE: Final = re.compile(r"``.+?``|`[^`\n]+`")
LINK: Final = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)", re.DOTALL)
HEADING: Final = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
ANCHOR: Final = re.compile(r'<a id="([^"]+)"></a>')


def prose(page: str) -> str:
    """Return *page* without code, where brackets are not links."""
    return CODE.sub("code", FENCED.sub("", page))


def anchors(page: str) -> set[str]:
    """Return the fragments that lead to headings of *page*, as a Git host makes them, and to explicit anchors."""
    found: Counter[str] = Counter()
    anchors = set(ANCHOR.findall(FENCED.sub("", page)))
    for heading in HEADING.findall(FENCED.sub("", page)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return anchors


def find_broken_links(page: str, at: Path) -> list[str]:
    """Return the links of *page*, the text of the file *at*, that point to nothing."""
    return [link for link in LINK.findall(prose(page)) if not _has_target(link, page, at)]


def _has_target(link: str, page: str, at: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return parts.scheme in {"https", "mailto"}  # links to other sites are not followed
    target = at.parent / parts.path if parts.path else at
    if not target.exists() or not target.resolve().is_relative_to(ROOT):
        return False
    text = page if target == at else target.read_text(encoding="utf-8") if parts.fragment else ""
    return not parts.fragment or parts.fragment in anchors(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_has_an_existing_target(path: Path) -> None:
    assert find_broken_links(path.read_text(encoding="utf-8"), path) == []


def test_every_page_of_the_documentation_can_be_reached_by_links_from_the_readme() -> None:
    reached: set[Path] = set()
    unread = {ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "docs" / "README.md"}
    while unread:
        page = unread.pop()
        reached.add(page)
        links = LINK.findall(prose(page.read_text(encoding="utf-8")))
        found = {(page.parent / urlsplit(link).path).resolve() for link in links}
        unread |= {path for path in found if path.suffix == ".md" and path not in reached}
    assert {str(path.relative_to(ROOT)) for path in set(PAGES) - reached if path.is_relative_to(ROOT / "docs")} == set()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("[a](README.md)", [], id="file"),
        pytest.param("[a](docs)", [], id="folder"),
        pytest.param("[a](#what-it-is-1)\n# What it is\n## `What` it is!\n", [], id="second-heading-of-a-name"),
        pytest.param('[a](#lease)\n\n| <a id="lease"></a>Lease |\n', [], id="explicit-anchor"),
        pytest.param("`[a](gone.md)` and\n```\n[a](gone.md)\n```\n", [], id="code-is-no-link"),
        pytest.param("[a](gone.md)", ["gone.md"], id="no-file"),
        pytest.param("[a](#gone)", ["#gone"], id="no-heading"),
        pytest.param('[a](#gone)\n\n| <a id="lease"></a>Lease |\n', ["#gone"], id="no-such-anchor"),
        pytest.param("[a](README.md#gone)", ["README.md#gone"], id="no-heading-there"),
        pytest.param("[a](../outside.md)", ["../outside.md"], id="outside"),
        pytest.param("[a](http://example.org)", ["http://example.org"], id="not-encrypted"),
    ],
)
def test_the_check_of_links_finds_a_broken_link(page: str, expected: list[str]) -> None:
    assert find_broken_links(page, ROOT / "README.md") == expected


def test_links_in_the_design_and_the_specification_are_checked() -> None:
    """tests/unit/test_citations.py relies on it: citations in the code point to these pages."""
    folders = {path.parent.relative_to(ROOT).as_posix() for path in PAGES}
    assert {"docs/design", "docs/spec"} <= folders
