"""extdns as a process of its own, started as a shell or a kubelet would."""

from __future__ import annotations

import atexit
import http.client
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Final

from tests.program.fork_client import PROGRAM, Started, request

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = (sys.executable, "-m", "extdns")
_COMMAND: Final = """#!{python} -SE
import os, signal, sys
sys.path.insert(0, {root!r})
from tests.program.fork_client import request
process = request({socket!r}, sys.argv[1:], os.environ, os.getcwd(), (0, 1, 2))
signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGTERM))
code = process.wait()
sys.exit(code if code >= 0 else 128 - code)
"""
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


@cache
def start_fork_server() -> str:
    """Start the fork server of this test run, and return the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="extdns-")
    path = f"{folder.name}/socket"
    server = subprocess.Popen(
        (sys.executable, "-m", "tests.program.fork_server", path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment(PYTHONUTF8="1"),
    )

    def end() -> None:
        with folder, server:
            assert server.stdin is not None
            server.stdin.close()

    atexit.register(end)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return path


@cache
def install_command() -> Path:
    """Write a command `extdns` that starts processes by the fork server, and return the path of its folder."""
    socket = Path(start_fork_server())
    command = socket.parent / "bin" / "extdns"
    command.parent.mkdir()
    command.write_text(_COMMAND.format(python=sys.executable, root=str(ROOT), socket=str(socket)), encoding="utf-8")
    command.chmod(0o755)
    return command.parent


def once(
    *flags: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path = ROOT, module: str = PROGRAM
) -> subprocess.CompletedProcess[str]:
    """Run extdns, or `main` of another *module*, until it ends by itself. Return its output and exit code."""
    with tempfile.TemporaryFile() as input_file, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        input_file.write(stdin.encode())
        input_file.seek(0)
        streams = [input_file.fileno(), out.fileno(), err.fileno()]
        process = request(start_fork_server(), flags, environment(**(env or {})), cwd, streams, module=module)
        watchdog = threading.Timer(HANGS_S, process.send_signal, (signal.SIGKILL,))
        watchdog.start()
        code = process.wait()
        watchdog.cancel()
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(flags, code, out.read().decode(), err.read().decode())


class ExtdnsProcess:
    """An extdns process that runs until a signal ends it; `lines` are the log lines read so far."""

    def __init__(self, process: Started, log: IO[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._log = log

    def until(self, part: str) -> str:
        """Read the log up to the first line that contains *part*, and return that line."""
        for line in self._log:
            self.lines.append(line.rstrip("\n"))
            if part in line:
                return self.lines[-1]
        raise AssertionError(f"{part!r} never came:\n" + "\n".join(self.lines))

    @property
    def port(self) -> int:
        """The port of health and metrics, which the log names."""
        (line,) = (line for line in self.lines if "Serving health and metrics" in line)
        return int(line.rpartition("port=")[2])

    def get(self, path: str) -> tuple[int, str]:
        """Request *path* from the port of health and metrics. Return status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS_S)
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
    stdin: int | None = None,
    stdout: int | None = None,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    timeout_s: float = HANGS_S,
) -> Iterator[ExtdnsProcess]:
    """Run an extdns process, and kill it when the block ends or after *timeout_s*."""
    read_end, write_end = os.pipe()
    with open(read_end, encoding="utf-8") as log:  # noqa: PTH123 - a pipe
        with open(os.devnull, "r+b") as null, open(write_end, "wb") as err:  # noqa: PTH123 - as above
            streams = [null.fileno() if one is None else one for one in (stdin, stdout)]
            process = request(start_fork_server(), flags, environment(**(env or {})), cwd, [*streams, err.fileno()])
        watchdog = threading.Timer(timeout_s, process.send_signal, (signal.SIGKILL,))
        watchdog.start()
        try:
            yield ExtdnsProcess(process, log)
        finally:
            watchdog.cancel()
            process.send_signal(signal.SIGKILL)
            process.wait()


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run the context as a user without root permissions."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)
