"""Execute templates with the Go program in `oracle/`, which uses Go's text/template."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.required_programs import require_programs

_SOURCE: Final = Path(__file__).parent / "oracle"
_BUILD_S: Final = 600


class Answer(NamedTuple):
    """The result of a template in Go. The output is valid only if there is no error."""

    parses: bool
    output: str
    error: str


class Oracle:
    """A running Go program that executes templates."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def execute(self, template: str, kind: str, obj: dict[str, Any]) -> Answer:
        """Execute *template* on *obj* of *kind*. With kind "", fields have JSON names and a missing key is an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"template": template, "kind": kind, "object": obj}) + "\n")
        self._process.stdin.flush()
        return Answer(**json.loads(self._process.stdout.readline()))


def build(folder: Path) -> Path:
    """Build the Go program in *folder*."""
    require_programs("templates compared with Go's", "go")
    program = folder / "oracle"
    command = ["go", "build", "-mod=readonly", "-ldflags=-s -w", "-o", str(program), "."]
    built = subprocess.run(command, cwd=_SOURCE, capture_output=True, text=True, timeout=_BUILD_S, check=False)
    assert built.returncode == 0, built.stderr
    return program


def print_types(program: Path) -> str:
    """Return the table of Kubernetes types that the Go program prints."""
    return subprocess.run([program, "types"], capture_output=True, text=True, timeout=300, check=True).stdout


@contextmanager
def run_oracle(program: Path) -> Iterator[Oracle]:
    """Run the Go program, and stop it at the end of the context."""
    environ = {**os.environ, "TZ": "UTC"}
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environ
    ) as process:
        try:
            yield Oracle(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
