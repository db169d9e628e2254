"""A server with a few pages, and clients of it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from extdns.flags.address import ListenAddress
from extdns.web.application import Application, Readiness
from extdns.web.connections import Connections

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

HANGS_S = 20.0  # a client gives up then, and the test fails; nothing waits so long otherwise
ANYWHERE = ListenAddress(host="127.0.0.1", port=0)
WHOLE_REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def readiness() -> Readiness:
    return False, {"zones": 0}


def application() -> Application:
    return Application(healthy=lambda: True, readiness=readiness, metrics=lambda: b"m 1\n")


def connect(port: int, host: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection((host, port), timeout=HANGS_S)


def read_all(client: socket.socket) -> bytes:
    """Everything until the server closes; a reset counts as that."""
    with client, client.makefile("rb") as stream:
        return stream.read()


def exchange(port: int, request: bytes, host: str = "127.0.0.1") -> bytes:
    client = connect(port, host)
    client.sendall(request)
    return read_all(client)


@contextmanager
def serving(pages: WSGIApplication, *, patience_s: float = HANGS_S, most: int = 64) -> Iterator[int]:
    """Serve *pages* with limits of the test's own; gives the port."""
    connections = Connections(socket.create_server(("127.0.0.1", 0)), pages, patience_s=patience_s, most=most)
    thread = threading.Thread(target=connections.serve)
    thread.start()
    yield connections.server_port
    connections.stop()
    thread.join()
    connections.server_close()
