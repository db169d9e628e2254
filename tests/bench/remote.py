"""The stand-in for an API server, as the benchmark sees it: a process that takes orders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.process import ROOT

READY: Final = "ready"
"""What it says once it serves."""


class Remote:
    """The process, from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def edit(self, number: int, address: str) -> float:
        """Give a Service another address; returns when, in monotonic seconds, which all processes share."""
        return float(self._order(f"edit {number} {address}"))

    def churn(self, pods: int) -> None:
        """Let so many Pods come, run and go."""
        self._order(f"churn {pods}")

    def wait(self) -> None:
        """Return once it serves."""
        if self._answer() != READY:
            raise SystemExit("the stand-in for an API server did not start")

    def _order(self, line: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def serving(count: int, kubeconfig: Path) -> Iterator[Remote]:
    """Start it, and end it afterwards; *kubeconfig* is where it writes how to reach it."""
    command = [sys.executable, "-m", "tests.bench.apiserver", str(count), str(kubeconfig)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            remote = Remote(process)
            remote.wait()
            yield remote
        finally:
            process.terminate()
