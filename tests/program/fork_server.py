"""Start extdns as a process of its own without importing it again: a fork of a process that has it imported.

Importing takes ten times as long as what most tests let a process do. Apart from that, the process has arguments,
environment, working directory, streams and signals of its own, as one that a shell starts. Packages that the image
leaves out cannot be imported, as if they were not installed.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.unused_modules import list_unused_modules

_PACKAGES: Final = ("extdns", "providers", "registry")
_MOST: Final = 1 << 20
PROGRAM: Final = "extdns.cli"
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


def serve(path: str) -> int:
    """Fork for each request at *path*, until standard input ends. A child returns with the exit code of extdns."""
    connections: dict[int, socket.socket] = {}
    wakeup, woken = socket.socketpair()
    for end in (wakeup, woken):
        end.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(path)
        listener.listen()
        for stream in (listener, wakeup, sys.stdin):
            selector.register(stream, selectors.EVENT_READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if wakeup in ready:
                wakeup.recv(_MOST)
                _report_ended(connections)
            if sys.stdin in ready:
                return 0
            if listener not in ready:
                continue
            connection, _ = listener.accept()
            length, streams, *_ = socket.recv_fds(connection, 8, 3)
            requested = json.loads(connection.recv(int(length), socket.MSG_WAITALL))
            if pid := os.fork():
                connections[pid] = connection
                connection.sendall(f"{pid}\n".encode())
                for stream in streams:
                    os.close(stream)
                continue
            for other in (wakeup, woken, connection, *connections.values()):
                other.close()
            break
    return _run(requested["module"], requested["argv"], requested["environ"], requested["cwd"], streams)


def _report_ended(connections: dict[int, socket.socket]) -> None:
    """Tell the requesters of all processes that have ended how each ended."""
    while connections:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with connections.pop(pid) as connection:
            connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _run(module: str, argv: list[str], environ: dict[str, str], cwd: str, streams: Sequence[int]) -> int:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    sys.argv[1:] = argv
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - standard input
    code: int = importlib.import_module(module).main(argv, os.environ)
    return code


if __name__ == "__main__":
    sys.modules.update(dict.fromkeys(list_unused_modules()))  # type: ignore[arg-type] # None marks a missing module
    for package in map(importlib.import_module, _PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != "extdns.__main__":
                importlib.import_module(module.name)
    from providers.aws.client import build_loader  # in the server alone, because it takes a tenth of a second

    build_loader(None).load_service_model("route53", "service-2")  # which each process with Route 53 would else read
    build_loader(None).load_data("endpoints")
    gc.collect()
    gc.freeze()
    code = serve(sys.argv[1])
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # freeing what was imported takes longer than what most tests let a process do
