"""An HTTP/1.1 server on loopback, optionally with TLS, with one thread for each connection."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from select import select
from threading import Lock, Thread
from typing import Final, Protocol

from tests.fakes.service.answers import ConnectionCut

HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A received request. Header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


class Response(Protocol):
    """What is sent.

    Attributes:
        parts: the parts of the body. At each empty part, the listener checks whether the client is still connected.
        length: the length of the whole body in bytes, or None for a stream.
    """

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def parts(self) -> Iterable[bytes]: ...

    @property
    def length(self) -> int | None: ...


Respond = Callable[[Request], Response]
"""Returns the response to a request, or raises `ConnectionCut` to close the connection."""


class Listener:
    """An HTTP server that accepts connections as soon as it is created.

    Attributes:
        port: the port on which it listens. Port 0 as an argument selects a free one.
    """

    def __init__(self, respond: Respond, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._respond = respond
        self._tls = tls
        self._lock = Lock()
        self._closing = False
        self._open: set[socket.socket] = set()
        self._threads: set[Thread] = set()
        self._socket = socket.create_server((HOST, port), backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self._accepting = Thread(target=self._accept, name="fake", daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """Refuse new connections, cut existing ones, and wait for their threads."""
        self._closing = True
        with suppress(OSError), socket.create_connection((HOST, self.port)):
            pass  # wakes the thread that accepts
        self._accepting.join()
        self._socket.close()
        with self._lock:
            threads = list(self._threads)
            for connection in self._open:
                with suppress(OSError):
                    # not the method of the TLS socket, which another thread may be using
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
        for thread in threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            if self._closing:
                connection.close()
                return
            thread = Thread(target=self._serve, args=(connection,), name="connection of a fake", daemon=True)
            with self._lock:
                self._open.add(connection)
                self._threads = {known for known in self._threads if known.is_alive()} | {thread}
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        wire = connection
        try:
            if self._tls is not None:
                wire = self._wrap_tls(connection, self._tls)
                wire.do_handshake()
            _Handler(wire, self._respond)
        except OSError:
            pass  # the client disconnected, does not use TLS, or rejects the certificate
        finally:
            with self._lock:
                self._open.difference_update((wire, connection))
                wire.close()
                connection.close()

    def _wrap_tls(self, connection: socket.socket, tls: ssl.SSLContext) -> ssl.SSLSocket:
        """Return *connection* with TLS. Do not use *connection* itself afterwards."""
        with self._lock:
            wire = tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            self._open.discard(connection)
            self._open.add(wire)
        return wire


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # send headers and body in one packet

    def __init__(self, connection: socket.socket, respond: Respond) -> None:
        self._respond = respond
        super().__init__(connection, connection.getpeername(), None)  # type: ignore[arg-type]  # nothing here asks for the server

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Return the same handler for every HTTP method."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
        """Suppress the log of the base class, since the fakes keep their own logs."""

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:  # the client was killed
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            self._send(self._respond(Request(method=self.command, target=self.path, headers=headers, body=body)))
        except ConnectionCut:
            self.close_connection = True

    def _send(self, response: Response) -> None:
        chunked = response.length is None
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        framing = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(response.length))
        self.send_header(*framing)
        self.end_headers()
        for part in response.parts:
            if part:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            elif select([self.connection], [], [], 0)[0]:
                raise ConnectionCut  # a client sends nothing during a watch, so this is the end of the connection
            self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()
