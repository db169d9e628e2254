"""The tutorials' commands that can run here print what the pages show (UPDATE_GOLDEN=1 rewrites the pages).

A block of "```yaml" is written to the file NAME if "`NAME`:" is the paragraph before it. Blocks of "```sh" need a cloud
or a cluster and are not run.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.integration.test_how_to import COMMAND, ROOT, run_command

TUTORIALS: Final = ROOT / "docs" / "tutorials"
RUN_WITH_HELM: Final = {"from-the-external-dns-chart"}
"""Pages whose commands `tests/chart/test_tutorials.py` runs instead, because they need Helm."""
BLOCK: Final = re.compile(r"(`(?P<file>\S+)`:\n\n```yaml|```console)\n(?P<text>.*?)```\n", re.DOTALL)


def replace_outputs(page: str, folder: Path) -> str:
    """Run the commands of *page* in *folder*, with its files, and return the page with what they print."""

    def run_block(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"], encoding="utf-8")
            return block.group()
        commands = [command.group() for command in COMMAND.finditer(block["text"])]
        return f"```console\n{''.join(command + run_command(command[2:], folder) for command in commands)}```\n"

    return BLOCK.sub(run_block, page)


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_every_runnable_command_of_a_tutorial_prints_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    made = replace_outputs(page, tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page
    assert ("```console" in page) == (path.stem not in RUN_WITH_HELM)
