"""A second pass over the example shop has nothing left to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integration.program import ROOT, once

FLAGS = (
    "--manifests=examples/demo",
    "--source=service",
    "--source=ingress",
    "--provider=zonefile",
    "--txt-owner-id=me",
    "--policy=sync",
    "--metrics-address=127.0.0.1:0",
    "--once",
)


@pytest.mark.parametrize(
    "naming",
    [
        pytest.param((), id="marks beside their records"),
        pytest.param(("--txt-prefix=%{record_type}-owner.",), id="marks below a prefix"),
        pytest.param(("--compat",), id="compat"),
    ],
)
def test_the_second_run_changes_no_byte_of_any_file(tmp_path: Path, naming: tuple[str, ...]) -> None:
    zones = tmp_path / "zones"
    shutil.copytree(ROOT / "examples" / "zones", zones)
    untouched = contents(zones)
    codes, held = [], []
    for _ in range(2):
        done = once(*FLAGS, *naming, f"--zonefile-dir={zones}")
        assert "Traceback" not in done.stderr
        codes.append(done.returncode)
        held.append(contents(zones))
    assert codes[0] == codes[1]  # the examples hold mistakes on purpose, which are mistakes each time
    assert held[0] != untouched
    assert held[1] == held[0]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below *folder*."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
