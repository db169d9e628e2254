"""Two builds of the wheel and of the source distribution give the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from release.check import ROOT

EPOCH: Final = "1700000000"


def copy_sources(target: Path, *, modified_at: int, mode: int) -> Path:
    """Copy the tracked files, with another modification time and another mode for each copy."""
    listed = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        into = target / name
        if (ROOT / name).is_file():
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into)
            into.chmod(into.stat().st_mode & 0o111 | mode)
            os.utime(into, (modified_at, modified_at))
    return target


def build_distributions(sources: Path, *, umask: int) -> Mapping[str, bytes]:
    """Build wheel and source distribution as `.ci/release build` does. Return the content of each file."""
    subprocess.run(
        (sys.executable, "-m", "hatchling", "build", "--directory", "dist"),
        cwd=sources,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
        umask=umask,
        check=True,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in (sources / "dist").iterdir()}


def test_two_builds_of_wheel_and_source_distribution_have_the_same_bytes(tmp_path: Path) -> None:
    first = build_distributions(copy_sources(tmp_path / "a", modified_at=1_600_000_000, mode=0o644), umask=0o022)
    second = build_distributions(copy_sources(tmp_path / "b", modified_at=1_500_000_000, mode=0o600), umask=0o077)
    assert {name.rpartition(".")[2] for name in first} == {"whl", "gz"}
    assert first == second
