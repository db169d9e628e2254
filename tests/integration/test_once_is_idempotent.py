"""A second run over the example shop changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.program.process import ROOT, once

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
        pytest.param((), id="ownership records without affix"),
        pytest.param(("--txt-prefix=%{record_type}-owner.",), id="ownership records with a prefix"),
        pytest.param(("--compat",), id="compat"),
    ],
)
def test_a_second_run_over_the_examples_changes_no_zone_file(tmp_path: Path, naming: tuple[str, ...]) -> None:
    zones = tmp_path / "zones"
    shutil.copytree(ROOT / "examples" / "zones", zones)
    untouched = contents(zones)
    codes, written = [], []
    for _ in range(2):
        done = once(*FLAGS, *naming, f"--zonefile-dir={zones}")
        assert "Traceback" not in done.stderr
        codes.append(done.returncode)
        written.append(contents(zones))
    assert codes[0] == codes[1]  # the examples contain invalid objects on purpose, so that both runs fail
    assert written[0] != untouched
    assert written[1] == written[0]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below *folder*, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
