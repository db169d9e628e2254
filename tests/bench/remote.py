"""The fake API server of benchmarks, as a process that takes commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.process import ROOT

READY: Final = "ready"
"""The line that the process prints once it serves."""


class Remote:
    """The fake API server, controlled from another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def edit(self, number: int, address: str) -> float:
        """Change the address of a Service. Return the monotonic time of the edit, the same clock in all processes."""
        return float(self._send_command(f"edit {number} {address}"))

    def churn(self, pods: int) -> None:
        """Create, run and delete *pods* Pods."""
        self._send_command(f"churn {pods}")

    def wait(self) -> None:
        """Wait until it serves."""
        if self._answer() != READY:
            raise SystemExit("the fake API server did not start")

    def _send_command(self, line: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def serving(count: int, kubeconfig: Path) -> Iterator[Remote]:
    """Run the fake API server until the block ends; it writes its kubeconfig to *kubeconfig*."""
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
