"""A program that is not installed counts as missing; a variable that names no program is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apimachinery import programs
from tests.apimachinery.programs import ProgramMissingError


def program(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_etcd_and_the_api_server_are_found_in_path(tmp_path: Path) -> None:
    etcd, server = program(tmp_path / "etcd"), program(tmp_path / "apiextensions-apiserver")
    found = programs.find_programs({"PATH": str(tmp_path)})
    assert (found.etcd, found.apiserver) == (etcd, server)


def test_the_environment_variable_for_the_api_server_takes_precedence_over_path(tmp_path: Path) -> None:
    for name in ("etcd", "apiextensions-apiserver"):
        program(tmp_path / name)
    mine = program(tmp_path / "mine")
    assert programs.find_programs({"PATH": str(tmp_path), "EXTDNS_APISERVER": str(mine)}).apiserver == mine


@pytest.mark.parametrize("absent", ["etcd", "apiextensions-apiserver"])
def test_the_error_names_the_program_that_is_missing(tmp_path: Path, absent: str) -> None:
    for name in {"etcd", "apiextensions-apiserver"} - {absent}:
        program(tmp_path / name)
    with pytest.raises(ProgramMissingError, match=f"{absent} is not in PATH"):
        programs.find_programs({"PATH": str(tmp_path)})


def test_a_variable_that_names_no_program_is_an_error_and_does_not_count_as_a_missing_program(tmp_path: Path) -> None:
    program(tmp_path / "etcd")
    with pytest.raises(ValueError, match="EXTDNS_APISERVER=/none is not an executable program"):
        programs.find_programs({"PATH": str(tmp_path), "EXTDNS_APISERVER": "/none"})
