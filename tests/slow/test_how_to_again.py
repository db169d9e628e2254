"""A reader who follows a page a second time in the same checkout sees what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.test_how_to import PAGES, checkout, replace_outputs  # noqa: F401 - a fixture


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_that_is_followed_again_prints_the_same(path: Path, checkout: Path) -> None:  # noqa: F811 - a fixture
    page = path.read_text(encoding="utf-8")
    replace_outputs(page, checkout)
    assert replace_outputs(page, checkout) == page
