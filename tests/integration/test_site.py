"""`make docs` builds a site of all pages, which needs no network to be read; a link that leads nowhere fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

ROOT: Final = Path(__file__).parents[2]
LOADED: Final = re.compile(r"<(?:script|img|link rel=\"stylesheet\")[^>]*(?:src|href)=\"(?:https?:)?//[^\"]+\"")


def build_site(pages: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the site as the Makefile does, from the Markdown files in *pages*."""
    options = ("--quiet", "--fail-on-warning", "--conf-dir", ROOT / "docs" / "site", "--doctree-dir", site / "doctrees")
    command = (sys.executable, "-m", "sphinx", *options, pages, site / "html")
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site of the repository, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    built = build_site(ROOT, folder)
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "html"


def test_the_site_has_every_page_of_the_documentation(site: Path) -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    expected = {path.relative_to(ROOT).with_suffix(".html") for path in pages}
    assert expected <= {path.relative_to(site) for path in site.rglob("*.html")}
    assert 'url=docs/README.html"' in (site / "index.html").read_text()


def test_the_search_index_of_the_site_has_the_words_of_the_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text()
    assert '"docs/reference/flags"' in index
    assert "cloudflar" in index  # the stem, from the reference of flags


def test_pages_of_the_site_load_nothing_from_other_hosts(site: Path) -> None:
    loaded = {found for path in site.rglob("*.html") for found in LOADED.findall(path.read_text())}
    assert loaded == set()


def test_building_the_site_fails_if_links_lead_nowhere_and_names_each(tmp_path: Path) -> None:
    pages = tmp_path / "pages" / "docs"
    pages.mkdir(parents=True)
    (pages / "README.md").write_text("# First\n\n[a](gone.md) [a](other.md#no-section) [a](#no-heading)\n")
    (pages / "other.md").write_text("# Other\n")
    built = build_site(pages.parent, tmp_path)
    assert built.returncode != 0
    assert "cross-reference target not found: 'gone.md'" in built.stderr
    assert "local id not found in doc 'docs/other': 'no-section'" in built.stderr
    assert "cross-reference target not found: 'no-heading'" in built.stderr


DRAWINGS: Final = sorted((ROOT / "docs" / "images").glob("*.svg"))


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.stem)
def test_each_drawing_is_small_has_a_description_and_dark_colors_and_is_on_a_page_with_alternative_text(
    path: Path,
) -> None:
    text = path.read_text()
    root = ET.fromstring(text)
    parts = {child.tag.rpartition("}")[2]: child.text for child in root}
    assert parts["title"]
    assert parts["desc"]
    assert "prefers-color-scheme: dark" in text
    assert "<script" not in text
    assert len(text) < 10_000
    pages = [page.read_text() for page in (ROOT / "docs").rglob("*.md")]
    assert any(re.search(rf"!\[[^\]]{{40,}}\]\([^)]*{path.name}\)", page) for page in pages)
