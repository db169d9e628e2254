"""Start a web server on loopback, and connect to it by plain sockets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from extdns.flags.address import ListenAddress
from extdns.web.connections import Connections
from extdns.web.health import HealthApplication, Readiness

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

HANGS_S = 120.0  # the timeout of all clients; a test that reaches it fails
ANYWHERE = ListenAddress(host="127.0.0.1", port=0)
COMPLETE_REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def readiness() -> Readiness:
    """Return that the process is not ready."""
    return False, {"zones": 0}


def application() -> HealthApplication:
    """Build the health application of a healthy process."""
    return HealthApplication(is_healthy=lambda: True, read_readiness=readiness, render_metrics=lambda: b"m 1\n")


def connect(port: int, host: str = "127.0.0.1") -> socket.socket:
    """Open a connection to the server."""
    return socket.create_connection((host, port), timeout=HANGS_S)


def read_all(client: socket.socket) -> bytes:
    """Read until the server closes or resets the connection."""
    with client, client.makefile("rb") as stream:
        return stream.read()


def exchange(port: int, request: bytes, host: str = "127.0.0.1") -> bytes:
    """Send *request*. Return the complete response."""
    client = connect(port, host)
    client.sendall(request)
    return read_all(client)


@contextmanager
def serving(pages: WSGIApplication, *, timeout_s: float = HANGS_S, most: int = 64) -> Iterator[int]:
    """Serve *pages* with the given limits, and yield the port."""
    connections = Connections(socket.create_server(("127.0.0.1", 0)), pages, timeout_s=timeout_s, max_connections=most)
    thread = threading.Thread(target=connections.serve)
    thread.start()
    yield connections.server_port
    connections.stop()
    thread.join()
    connections.server_close()
