"""Request a process from the fork server, and wait for its end.

The command `extdns` of the how-to pages imports this module each time, so it imports little.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "extdns.cli"
"""The module with the `main` of extdns."""


def request(
    path: str,
    argv: Sequence[str],
    environ: Mapping[str, str],
    cwd: Path | str,
    streams: Sequence[int],
    *,
    module: str = PROGRAM,
) -> Started:
    """Request that the server at *path* calls `main` of *module* with *argv* and *environ* in a new process.

    The standard input, output and error of the process are *streams*.
    """
    text = json.dumps({"module": module, "argv": list(argv), "environ": dict(environ), "cwd": str(cwd)}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        socket.send_fds(connection, [f"{len(text):8}".encode()], list(streams))
        connection.sendall(text)
        return Started(connection)


class Started:
    """A process that the server started."""

    def __init__(self, connection: socket.socket) -> None:
        self._answer = connection.makefile("rb", buffering=0)
        self.pid = int(self._answer.readline())
        self._code: int | None = None
        self._lock = threading.Lock()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until the process has ended. Return its exit code, or the negative number of a signal that ended it.

        Raises:
            TimeoutError: it still runs after *timeout_s*.
        """
        if (code := self.poll(timeout_s)) is None:
            raise TimeoutError
        return code

    def poll(self, timeout_s: float | None = 0.0) -> int | None:
        """Return the exit code as `wait` does, or None if the process still runs after *timeout_s*; None: no limit."""
        with self._lock:
            if self._code is None and select.select([self._answer], [], [], timeout_s)[0]:
                with self._answer:
                    self._code = int(self._answer.readline())
            return self._code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
