"""Where the two programs are."""

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
    """A program is not installed; the message says which, and how to get it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """The programs that make an API server; certificates are made by the openssl command."""

    etcd: Path
    apiserver: Path


def find(environ: Mapping[str, str] = os.environ) -> Programs:
    """Find them: in PATH, the API server first where EXTDNS_APISERVER says.

    Raises:
        ProgramMissingError: One is not there.
        ValueError: EXTDNS_APISERVER is set, and leads to no program: a mistake, which is not to look like an absence.
    """
    path = environ.get("PATH", "")
    said = environ.get(VARIABLE)
    if said and shutil.which(said, path=path) is None:
        raise ValueError(f"{VARIABLE}={said} is no program that can be run")
    return Programs(
        etcd=_found("etcd", path, "apt-get install etcd-server"),
        apiserver=_found(said or _APISERVER, path, "CONTRIBUTING.md says how to install it"),
    )


def _found(name: str, path: str, remedy: str) -> Path:
    found = shutil.which(name, path=path)
    if found is None:
        raise ProgramMissingError(f"{name} is not in PATH ({remedy})")
    return Path(found)
