"""The commands of README, quick start and how-to pages print what the pages show (UPDATE_GOLDEN=1 rewrites the pages).

A reader follows several pages in one checkout. So all pages are run in one folder. A
block of "```yaml" is written to the file NAME if "`NAME`:" is the paragraph before it. Blocks of "```sh" are not run,
because they need a cloud, a cluster or a terminal (tests/slow/cluster/test_pages.py).
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.program.process import install_command

ROOT: Final = Path(__file__).parents[2]
RUN_ELSEWHERE: Final = {
    "move-ownership": "tests/integration/test_row_registries.py",  # needs a table of DynamoDB
    "plan-in-ci": "tests/slow/gitops/test_pull_request_page.py",  # needs a cluster
}
PAGES: Final = (
    ROOT / "README.md",
    ROOT / "docs" / "quick-start.md",
    *sorted(
        path
        for path in (ROOT / "docs" / "how-to").glob("*.md")
        if "```console" in path.read_text("utf-8") and path.stem not in RUN_ELSEWHERE
    ),
)
BLOCK: Final = re.compile(r"(`(?P<file>\S+)`:\n\n```yaml|```console)\n(?P<text>.*?)```\n", re.DOTALL)
COMMAND: Final = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)
PAGE_PORT: Final = "127.0.0.1:17980"
"""The address of the live page in the commands of the pages; they are run with a free port in its place."""


def build_environ(**variables: str) -> dict[str, str]:
    """Return the environment of a reader, with *variables*."""
    path = os.pathsep.join((str(install_command()), str(Path(sys.executable).parent), os.environ["PATH"]))
    return {
        "PATH": path,
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "EXTERNAL_DNS_METRICS_ADDRESS": "127.0.0.1:0",
        "EXTERNAL_DNS_WEB_ADDRESS": "127.0.0.1:0",
        **variables,
    }


def run_command(command: str, folder: Path, free: str, variables: Mapping[str, str]) -> str:
    """Return what *command* prints when run in *folder*, with the address *free* in place of `PAGE_PORT`."""
    ended = subprocess.run(
        ["sh", "-c", command.replace(PAGE_PORT, free)],
        cwd=folder,
        env=build_environ(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    return ended.stdout.replace(free, PAGE_PORT)


def replace_outputs(page: str, folder: Path, **variables: str) -> str:
    """Run the commands of *page* in *folder* with its files and *variables*; return the page with what they print."""
    free = find_free_address()

    def run_block(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"], encoding="utf-8")
            return block.group()
        commands = [command.group() for command in COMMAND.finditer(block["text"])]
        outputs = [command + run_command(command[2:], folder, free, variables) for command in commands]
        return f"```console\n{''.join(outputs)}```\n"

    return BLOCK.sub(run_block, page)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the examples into a folder that all pages use."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def find_free_address() -> str:
    """Return an address that no program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_command_of_a_how_to_page_prints_what_the_page_shows(path: Path, checkout: Path) -> None:
    page = path.read_text(encoding="utf-8")
    made = replace_outputs(page, checkout)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == page
