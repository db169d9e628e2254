"""An HTTP/1.1 server on loopback, optionally with TLS, with one thread for each connection."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from tests.fakes.service.answers import Answer, ConnectionCut

HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A received request. Header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


Respond = Callable[[Request], Answer]
"""Returns the response to a request, or raises `ConnectionCut` to close the connection."""


class Listener(ThreadingHTTPServer):
    """An HTTP server that accepts connections as soon as it is created. Port 0 selects a free port."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, respond: Respond, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._open: set[socket.socket] = set()

        class Handler(_Handler):
            pass

        Handler.respond = staticmethod(respond)
        super().__init__((HOST, port), Handler)
        self.port: int = self.server_address[1]
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self._serving = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, name="service", daemon=True)
        self._serving.start()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as in the base class
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        """Suppress the traceback for a client that disconnected."""

    def close(self) -> None:
        """Refuse new connections and cut existing ones."""
        self.shutdown()
        self._serving.join()
        self.server_close()
        for connection in tuple(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # send headers and body in one packet
    respond: Respond

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Return the same handler for every HTTP method."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
        """Suppress the log of the base class, since the services keep their own logs."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            answer = self.respond(Request(method=self.command, target=self.path, headers=headers, body=body))
        except ConnectionCut:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
        self.wfile.flush()
