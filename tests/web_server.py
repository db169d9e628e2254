"""Start a web server on loopback, and connect to it by plain sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from extdns.flags.address import ListenAddress
from extdns.web.health import Readiness, build_health_application
from extdns.web.server import WebServer

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

HANGS_S = 120.0  # the timeout of all clients; a test that reaches it fails
ANYWHERE = ListenAddress(host="127.0.0.1", port=0)
COMPLETE_REQUEST = b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"


def readiness() -> Readiness:
    """Return that the process is not ready."""
    return False, {"zones": 0}


def application() -> WSGIApplication:
    """Build the health application of a healthy process."""
    return build_health_application(is_healthy=lambda: True, read_readiness=readiness, render_metrics=lambda: b"m 1\n")


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
def serving(pages: WSGIApplication) -> Iterator[int]:
    """Serve *pages*, and yield the port."""
    with WebServer(ANYWHERE, pages) as server:
        yield server.port
