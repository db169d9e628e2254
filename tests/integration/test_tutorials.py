"""The tutorials' commands that can run here print what the pages show (UPDATE_GOLDEN=1 rewrites the pages).

Blocks of "```sh" need a cloud or a cluster and are not run (tests/slow/cluster/test_pages.py).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.integration.test_how_to import ROOT, replace_outputs

TUTORIALS: Final = ROOT / "docs" / "tutorials"
RUN_ELSEWHERE: Final = {
    "cloudflare": "tests/slow/cluster/test_pages.py",  # needs a cluster
    "emulator": "tests/integration/test_route53_moto.py",  # runs moto
    "from-the-external-dns-chart": "tests/slow/cluster/test_pages.py",  # needs a cluster
}
PAGES: Final = [path for path in sorted(TUTORIALS.glob("*.md")) if path.stem not in RUN_ELSEWHERE]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_runnable_command_of_a_tutorial_prints_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    made = replace_outputs(page, tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page
    assert "```console" in page
