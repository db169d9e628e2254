"""The commands on the pages of docs/how-to print what the pages show (UPDATE_GOLDEN=1 rewrites the pages)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.program.process import install_command

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


def run_command(command: str, folder: Path) -> str:
    """Return what *command* prints when run in *folder*."""
    path = os.pathsep.join((str(install_command()), str(Path(sys.executable).parent), os.environ["PATH"]))
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


def replace_outputs(page: str, folder: Path) -> str:
    """Run the commands of *page* in order, and return the page with what they print."""

    def run(block: re.Match[str]) -> str:
        commands = [command.group() for command in COMMAND.finditer(block.group(1))]
        return f"```console\n{''.join(command + run_command(command[2:], folder) for command in commands)}```\n"

    return BLOCK.sub(run, page)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_a_how_to_page_prints_what_the_page_shows(name: str, checkout: Path) -> None:
    path = HOW_TO / f"{name}.md"
    page = path.read_text(encoding="utf-8")
    made = replace_outputs(page, checkout)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page


def test_every_plan_and_explain_block_of_the_readme_is_on_a_how_to_page() -> None:
    page = "".join((HOW_TO / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    copied = [block for block in blocks if block.startswith(("$ extdns plan", "$ extdns explain"))]
    assert copied
    for block in copied:
        assert block in page
