"""Asks the program of `oracle/`, which is built of Go's own text/template when Go is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

_SOURCE: Final = Path(__file__).parent / "oracle"
_BUILD_S: Final = 600


class OracleMissingError(Exception):
    """The program cannot be built; the message says why."""


class Answer(NamedTuple):
    """What Go says; the output counts only without an error."""

    parses: bool
    output: str
    error: str


class Oracle:
    """A running program."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, template: str, kind: str, obj: dict[str, Any]) -> Answer:
        """Carry out *template* on *obj* of *kind*; kind "" is data in JSON spelling, no key of which may be missing."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"template": template, "kind": kind, "object": obj}) + "\n")
        self._process.stdin.flush()
        return Answer(**json.loads(self._process.stdout.readline()))


def build(folder: Path) -> Path:
    """Build the program in *folder*; raises `OracleMissingError`."""
    if shutil.which("go") is None:
        raise OracleMissingError("go is not in PATH")
    program = folder / "oracle"
    command = ["go", "build", "-mod=readonly", "-o", str(program), "."]
    built = subprocess.run(command, cwd=_SOURCE, capture_output=True, text=True, timeout=_BUILD_S, check=False)
    if built.returncode:
        raise OracleMissingError(f"go build failed: {built.stderr.strip()[-300:]}")
    return program


def types(program: Path) -> str:
    """The table of types that the program makes."""
    return subprocess.run([program, "types"], capture_output=True, text=True, timeout=60, check=True).stdout


@contextmanager
def running(program: Path) -> Iterator[Oracle]:
    """The program, ready to be asked."""
    environ = {**os.environ, "TZ": "UTC"}
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environ
    ) as process:
        try:
            yield Oracle(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
