"""extdns as a process of its own, started as a shell or a kubelet would."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = (sys.executable, "-m", "extdns")
HANGS_S: Final = 300.0
"""Longest time in seconds that a process may take before its test fails."""


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, without variables that set flags or colours, plus *variables*."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EXTERNAL_DNS_") and name not in {"FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING"}
    }
    return {**ours, "PYTHONPATH": str(ROOT), **variables}


def once(
    *flags: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run extdns until it ends by itself, and return its output and exit code."""
    return subprocess.run(
        (*COMMAND, *flags),
        input=stdin,
        env=environment(**(env or {})),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


class ExtdnsProcess:
    """An extdns process that runs until a signal ends it; `lines` are the log lines read so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.process = process
        self.lines: list[str] = []
        self._log: IO[str] = process.stderr

    def until(self, part: str) -> str:
        """Read the log up to the first line that contains *part*, and return that line."""
        for line in self._log:
            self.lines.append(line.rstrip("\n"))
            if part in line:
                return self.lines[-1]
        raise AssertionError(f"{part!r} never came:\n" + "\n".join(self.lines))

    def get(self, path: str) -> tuple[int, str]:
        """Request *path* from the health and metrics port that the log names. Return status and body."""
        (line,) = (line for line in self.lines if "Serving health and metrics" in line)
        connection = http.client.HTTPConnection("127.0.0.1", int(line.rpartition("port=")[2]), timeout=HANGS_S)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, read the rest of the log, and return the exit code."""
        self.process.send_signal(number)
        self.lines += [line.rstrip("\n") for line in self._log]
        return self.process.wait()


@contextmanager
def running(
    *flags: str,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    timeout_s: float = HANGS_S,
) -> Iterator[ExtdnsProcess]:
    """Run an extdns process, and kill it when the block ends or after *timeout_s*."""
    command: Sequence[str] = (*COMMAND, *flags)
    with subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**(env or {})),
        cwd=cwd,
    ) as process:
        watchdog = threading.Timer(timeout_s, process.kill)
        watchdog.start()
        try:
            yield ExtdnsProcess(process)
        finally:
            watchdog.cancel()
            process.kill()
