"""The program as a process of its own, as a shell or a kubelet would run it."""

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
HANGS_S: Final = 60.0
"""A process that takes so long has failed; nothing takes so long otherwise."""


def environment(**variables: str) -> dict[str, str]:
    """Ours, without what would set flags or colours, and with *variables*."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EXTERNAL_DNS_") and name not in {"FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING"}
    }
    return {**ours, "PYTHONPATH": str(ROOT), **variables}


def once(
    *flags: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
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


class Program:
    """A process that goes on until it is told to end; `lines` are those of its log that were read so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.process = process
        self.lines: list[str] = []
        self._log: IO[str] = process.stderr

    def until(self, part: str) -> str:
        """Read the log up to a line that contains *part*."""
        for line in self._log:
            self.lines.append(line.rstrip("\n"))
            if part in line:
                return self.lines[-1]
        raise AssertionError(f"{part!r} never came:\n" + "\n".join(self.lines))

    def get(self, path: str) -> tuple[int, str]:
        """Ask the port that the log speaks of; status and body."""
        (line,) = (line for line in self.lines if "Health and metrics are served" in line)
        connection = http.client.HTTPConnection("127.0.0.1", int(line.rpartition("port=")[2]), timeout=HANGS_S)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and read the rest of the log; the exit code."""
        self.process.send_signal(number)
        self.lines += [line.rstrip("\n") for line in self._log]
        return self.process.wait()


@contextmanager
def running(
    *flags: str, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.DEVNULL, cwd: Path = ROOT
) -> Iterator[Program]:
    """A process that is killed at the end, or when it takes too long."""
    command: Sequence[str] = (*COMMAND, *flags)
    with subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment(), cwd=cwd
    ) as process:
        watchdog = threading.Timer(HANGS_S, process.kill)
        watchdog.start()
        try:
            yield Program(process)
        finally:
            watchdog.cancel()
            process.kill()
