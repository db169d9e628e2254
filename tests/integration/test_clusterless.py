"""The sources that need no cluster, without one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.integration.program import once

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


def test_6_7_the_empty_source_starts_and_asks_for_nothing(folder: Path) -> None:
    ended = once("--source=empty", *ZONES, cwd=folder, env={"HOME": str(folder), "KUBECONFIG": ""})
    assert ended.returncode == 0, ended.stderr
    assert (folder / "example.com.zone").read_text() == ZONE


def test_6_6_the_fake_source_publishes_what_it_makes_up_and_the_same_again(folder: Path) -> None:
    command = ("--source=fake", "--registry=noop", "--provider=inmemory", "--inmemory-zone=example.com", "--once")
    said = [
        once(*command, "--metrics-address=127.0.0.1:0", cwd=folder, env={"HOME": str(folder), "KUBECONFIG": ""})
        for _ in range(2)
    ]
    assert [ended.returncode for ended in said] == [0, 0], said[0].stderr
    first, again = (
        [line.partition("Desired change")[2] for line in ended.stderr.splitlines() if "Desired change" in line]
        for ended in said
    )
    assert first == again
    assert {line.rpartition(" zoneID=")[0].split()[-1].rstrip('"') for line in first} == {"A", "AAAA", "CNAME"}
