"""What of docs/tutorials can run here, run in its order (UPDATE_GOLDEN=1 writes what it shows).

A block whose first line is "```yaml NAME" is the file NAME; one that needs a cloud or a cluster is "```sh", and is
left out.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.integration.test_how_to import COMMAND, ROOT, shown

TUTORIALS: Final = ROOT / "docs" / "tutorials"
BLOCK: Final = re.compile(r"```(yaml (?P<file>\S+)|console)\n(?P<text>.*?)```\n", re.DOTALL)


def carried_out(page: str, folder: Path) -> str:
    """*page* with what its commands show, in a folder with its files."""

    def carry_out(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"], encoding="utf-8")
            return block.group()
        commands = [command.group() for command in COMMAND.finditer(block["text"])]
        return f"```console\n{''.join(command + shown(command[2:], folder) for command in commands)}```\n"

    return BLOCK.sub(carry_out, page)


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_every_command_of_a_tutorial_that_can_run_here_shows_what_it_says(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    made = carried_out(page, tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page
    assert "```console" in page
