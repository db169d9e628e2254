"""The sources `empty` and `fake`, which need no cluster, run without one."""

from __future__ import annotations

from pathlib import Path

from tests.program.process import once
from tests.program.zone_files import ZoneFiles


# docs/spec/sources.md 6.7
def test_the_empty_source_runs_without_a_cluster_and_changes_no_zone(tmp_path: Path) -> None:
    zones = ZoneFiles(tmp_path / "zones", example_com="www A 192.0.2.53\n")
    before = zones.contents()
    flags = ("--source=empty", *zones.flags, "--once", "--metrics-address=127.0.0.1:0")
    ended = once(*flags, env={"HOME": str(tmp_path), "KUBECONFIG": ""})
    assert ended.returncode == 0, ended.stderr
    assert zones.contents() == before
