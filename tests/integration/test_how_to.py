"""The commands of pages of docs/how-to, run one by one (UPDATE_GOLDEN=1 writes what they show)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
HOW_TO: Final = ROOT / "docs" / "how-to"
PAGES: Final = (
    "apply-a-plan",
    "check-what-is-missing",
    "held-deletes",
    "live-page",
    "plan-and-explain",
    "plan-in-ci",
    "rights-on-aws",
    "switch-from-external-dns",
    "wait-until-served",
)
BLOCK: Final = re.compile(r"```console\n(.*?)```\n", re.DOTALL)
COMMAND: Final = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)


def shown(command: str, folder: Path) -> str:
    """What a person sees who types *command* in *folder*."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    ended = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    return ended.stdout


def with_outputs(page: str, folder: Path) -> str:
    """*page* with what its commands show when run in their order."""

    def run(block: re.Match[str]) -> str:
        commands = [command.group() for command in COMMAND.finditer(block.group(1))]
        return f"```console\n{''.join(command + shown(command[2:], folder) for command in commands)}```\n"

    return BLOCK.sub(run, page)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_a_page_shows_what_the_page_says(name: str, checkout: Path) -> None:
    path = HOW_TO / f"{name}.md"
    page = path.read_text(encoding="utf-8")
    made = with_outputs(page, checkout)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page


def test_the_readme_shows_nothing_that_the_pages_do_not() -> None:
    page = "".join((HOW_TO / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    shared = [block for block in blocks if block.startswith(("$ extdns plan", "$ extdns explain"))]
    assert shared
    for block in shared:
        assert block in page
