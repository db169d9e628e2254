"""Programs that are absent are an absence; a setting that leads nowhere is a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apimachinery import programs
from tests.apimachinery.programs import ProgramMissingError


def program(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_both_are_found_in_path(tmp_path: Path) -> None:
    etcd, server = program(tmp_path / "etcd"), program(tmp_path / "apiextensions-apiserver")
    found = programs.find_programs({"PATH": str(tmp_path)})
    assert (found.etcd, found.apiserver) == (etcd, server)


def test_the_variable_comes_before_path(tmp_path: Path) -> None:
    for name in ("etcd", "apiextensions-apiserver"):
        program(tmp_path / name)
    mine = program(tmp_path / "mine")
    assert programs.find_programs({"PATH": str(tmp_path), "EXTDNS_APISERVER": str(mine)}).apiserver == mine


@pytest.mark.parametrize("absent", ["etcd", "apiextensions-apiserver"])
def test_what_is_absent_is_named(tmp_path: Path, absent: str) -> None:
    for name in {"etcd", "apiextensions-apiserver"} - {absent}:
        program(tmp_path / name)
    with pytest.raises(ProgramMissingError, match=f"{absent} is not in PATH"):
        programs.find_programs({"PATH": str(tmp_path)})


def test_a_variable_that_leads_nowhere_is_no_absence(tmp_path: Path) -> None:
    program(tmp_path / "etcd")
    with pytest.raises(ValueError, match="EXTDNS_APISERVER=/none is not an executable program"):
        programs.find_programs({"PATH": str(tmp_path), "EXTDNS_APISERVER": "/none"})
