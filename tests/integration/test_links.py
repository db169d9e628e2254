"""Every link of the documentation leads somewhere: to a file, a folder, or a heading of a page."""

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


def prose(page: str) -> str:
    """*page* without what is code, where brackets mean nothing."""
    return CODE.sub("code", FENCED.sub("", page))


def anchors(page: str) -> set[str]:
    """The fragments that lead to the headings of *page*, as a Git host makes them."""
    found: Counter[str] = Counter()
    anchors: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", page)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return anchors


def broken(page: str, at: Path) -> list[str]:
    """The links of *page*, which is the file *at*, that lead nowhere on this machine."""
    return [link for link in LINK.findall(prose(page)) if not _leads_somewhere(link, page, at)]


def _leads_somewhere(link: str, page: str, at: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return parts.scheme in {"https", "mailto"}  # nobody asks the network here
    target = at.parent / parts.path if parts.path else at
    if not target.exists() or not target.resolve().is_relative_to(ROOT):
        return False
    text = page if target == at else target.read_text(encoding="utf-8") if parts.fragment else ""
    return not parts.fragment or parts.fragment in anchors(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(path: Path) -> None:
    assert broken(path.read_text(encoding="utf-8"), path) == []


def test_every_page_of_the_documentation_can_be_reached() -> None:
    reached: set[Path] = set()
    ahead = {ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "docs" / "README.md"}
    while ahead:
        page = ahead.pop()
        reached.add(page)
        links = LINK.findall(prose(page.read_text(encoding="utf-8")))
        found = {(page.parent / urlsplit(link).path).resolve() for link in links}
        ahead |= {path for path in found if path.suffix == ".md" and path not in reached}
    assert {str(path.relative_to(ROOT)) for path in set(PAGES) - reached if path.is_relative_to(ROOT / "docs")} == set()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("[a](README.md)", [], id="file"),
        pytest.param("[a](docs)", [], id="folder"),
        pytest.param("[a](#what-it-is-1)\n# What it is\n## `What` it is!\n", [], id="second-heading-of-a-name"),
        pytest.param("`[a](gone.md)` and\n```\n[a](gone.md)\n```\n", [], id="code-is-no-link"),
        pytest.param("[a](gone.md)", ["gone.md"], id="no-file"),
        pytest.param("[a](#gone)", ["#gone"], id="no-heading"),
        pytest.param("[a](README.md#gone)", ["README.md#gone"], id="no-heading-there"),
        pytest.param("[a](../outside.md)", ["../outside.md"], id="outside"),
        pytest.param("[a](http://example.org)", ["http://example.org"], id="not-encrypted"),
    ],
)
def test_a_link_that_leads_nowhere_is_seen(page: str, expected: list[str]) -> None:
    assert broken(page, ROOT / "README.md") == expected
