"""Parse the Dockerfile, and run its first stage in a scratch folder instead of a container.

The packages of the hashed requirements are copied from the environment of the tests, into which `make` installed the
same files with the same hashes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
_HANGS_S: Final = 600.0
_PIP_INSTALL: Final = re.compile(
    r"(?P<bin>\S+/bin)/pip (?:--python (?P<python>\S+) )?install --require-hashes --requirement (?P<file>\S+)"
)
_COPY_INSTALLED: Final = (
    rf"{sys.executable} {Path(__file__).with_name('copy_installed.py')} \g<file> \g<bin>/python \g<python>"
)
"""The packages of the hashed requirements were installed by `make`, so they are copied instead of fetched again."""


class Step(NamedTuple):
    """One instruction of the Dockerfile."""

    name: str
    text: str


def steps() -> list[Step]:
    """Return every instruction, in order, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    joined = bare.replace("\\\n", " ")
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line]


def stages() -> list[list[Step]]:
    """Return the instructions of each stage, without those before the first FROM."""
    found: list[list[Step]] = []
    for step in steps():
        if step.name == "FROM":
            found.append([])
        if found:
            found[-1].append(step)
    return found


def sources() -> Iterator[str]:
    """Yield the paths that COPY takes from the repository."""
    for step in steps():
        if step.name == "COPY" and not step.text.startswith("--from="):
            *names, _ = step.text.split()
            yield from names


class Scratch:
    """Folders that stand for /src and /opt."""

    def __init__(self, root: Path) -> None:
        """Create empty folders, with Python as the only extra program."""
        self.root = root
        self.opt = root / "opt"
        self._src = root / "src"
        self._bin = root / "bin"
        for folder in (self.opt, self._src, self._bin):
            folder.mkdir()
        (self._bin / "python").symlink_to(Path(sys.executable).resolve())

    def build(self) -> str:
        """Run the first stage. Return the last output of a failed step, or ""."""
        for step in stages()[0]:
            if step.name == "COPY":
                self._copy(*step.text.split())
            elif step.name == "RUN":
                done = self._run(step.text)
                if done.returncode:
                    return done.stdout[-2000:]
        return ""

    def _copy(self, *paths: str) -> None:
        *names, target = paths
        for name in names:
            source, into = ROOT / name, self._src / target
            if source.is_dir():
                shutil.copytree(source, into, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, into)

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        here = _PIP_INSTALL.sub(_COPY_INSTALLED, re.sub(r"(?<=\s)/opt\b", str(self.opt), f" {command}"))
        ours = {name: text for name, text in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}
        return subprocess.run(
            ("sh", "-ec", here),
            cwd=self._src,
            env={**ours, "PATH": f"{self._bin}:/usr/bin:/bin", "PIP_NO_COMPILE": "1", "PIP_ONLY_BINARY": ":all:"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_HANGS_S,
            check=False,
        )
