"""Find the programs etcd and apiextensions-apiserver."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

VARIABLE: Final = "EXTDNS_APISERVER"
_APISERVER: Final = "apiextensions-apiserver"


class ProgramMissingError(Exception):
    """A program is not installed. The message names it and says how to install it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """The paths of etcd and of the API server."""

    etcd: Path
    apiserver: Path


def find_programs(environ: Mapping[str, str] = os.environ) -> Programs:
    """Find the programs in PATH, or the API server at the path in the variable EXTDNS_APISERVER.

    Raises:
        ProgramMissingError: a program is not installed.
        ValueError: EXTDNS_APISERVER is set to a path without a program, which is an error and no reason to skip tests.
    """
    path = environ.get("PATH", "")
    chosen = environ.get(VARIABLE)
    if chosen and shutil.which(chosen, path=path) is None:
        raise ValueError(f"{VARIABLE}={chosen} is not an executable program")
    return Programs(
        etcd=_find_program("etcd", path, "apt-get install etcd-server"),
        apiserver=_find_program(chosen or _APISERVER, path, "see CONTRIBUTING.md for how to install it"),
    )


def _find_program(name: str, path: str, remedy: str) -> Path:
    found = shutil.which(name, path=path)
    if found is None:
        raise ProgramMissingError(f"{name} is not in PATH ({remedy})")
    return Path(found)
