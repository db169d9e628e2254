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
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final

from tests.unused_modules import list_unused_modules

_PACKAGES: Final = ("extdns", "providers", "registry")
_EXTRAS: Final = ("providers.octodns.", "providers.rfc2136.kerberos")
"""Modules that need what may not be installed; a process that uses them imports them itself."""
_MOST: Final = 1 << 20


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
            if module.name != "extdns.__main__" and not module.name.startswith(_EXTRAS):
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
