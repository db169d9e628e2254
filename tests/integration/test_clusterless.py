"""The sources `empty` and `fake`, which need no cluster, run without one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.program.process import once

ZONES: Final = ("--provider=zonefile", "--zonefile-dir=.", "--once", "--metrics-address=127.0.0.1:0")
ZONE: Final = """$ORIGIN example.com.
$TTL 300
@ SOA ns1 hostmaster 1 3600 600 86400 300
@ NS ns1
ns1 A 192.0.2.53
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "example.com.zone").write_text(ZONE)
    return tmp_path


# docs/spec/sources.md 6.7
def test_the_empty_source_runs_without_a_cluster_and_changes_no_zone(folder: Path) -> None:
    ended = once("--source=empty", *ZONES, cwd=folder, env={"HOME": str(folder), "KUBECONFIG": ""})
    assert ended.returncode == 0, ended.stderr
    assert (folder / "example.com.zone").read_text() == ZONE
