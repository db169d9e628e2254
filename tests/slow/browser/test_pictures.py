"""The pictures in README can be taken again, and are small."""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver import Chrome

from tests.program.process import ROOT
from tests.slow.browser.pictures import PICTURES, take_pictures

MAX_BYTES = 150_000


def test_the_readme_pictures_can_be_taken_again_in_chromium_and_are_small(browser: Chrome, tmp_path: Path) -> None:
    take_pictures(browser, tmp_path)
    for name in PICTURES:
        picture = (tmp_path / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) < MAX_BYTES
    assert {path.name for path in (ROOT / "docs" / "images").glob("*.png")} == set(PICTURES)
    assert all((ROOT / "docs" / "images" / name).stat().st_size < MAX_BYTES for name in PICTURES)
