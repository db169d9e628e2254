"""The WSGI server of the standard library, with limits on the time and number of connections, and without its log."""

from __future__ import annotations

import errno
import selectors
import socket
import sys
import threading
import time
from contextlib import suppress
from socketserver import ThreadingMixIn
from typing import IO, TYPE_CHECKING, Final, cast
from wsgiref.handlers import SimpleHandler
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from extdns import log
from extdns.errors import describe_error
from extdns.log import Event

if TYPE_CHECKING:
    from socketserver import _RequestType
    from types import TracebackType
    from wsgiref.types import WSGIApplication, WSGIEnvironment

_log = log.get(__name__)
_CHECK_S: Final = 0.5
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_EXHAUSTED_PAUSE_S: Final = 0.02
_MAX_REQUEST_LINE: Final = 65536


class Connections(ThreadingMixIn, WSGIServer):
    """Handle each connection, which carries one request, on a thread of its own.

    Neither slow nor many clients can delay a probe: a connection that takes too long is closed, and the oldest one
    is closed when there are too many.
    """

    daemon_threads = True
    timeout = 0  # `handle_request` is called only when a connection is waiting

    def __init__(
        self,
        listening: socket.socket,
        application: WSGIApplication,
        *,
        timeout_s: float = 10.0,
        max_connections: int = 64,
    ) -> None:
        """Take over the socket *listening*.

        Args:
            listening: the socket; `server_close` closes it.
            application: called from any thread.
            timeout_s: how long a connection may last.
            max_connections: how many connections may be open at a time.
        """
        self.address_family = listening.family
        address = listening.getsockname()
        super().__init__(address[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_name, self.server_port = address[:2]
        self.setup_environ()
        self.pages = application
        self._timeout_s = timeout_s
        self._max_connections = max_connections
        self._lock = threading.Lock()
        self._deadlines: dict[_RequestType, float] = {}
        self._stop, self._stopped = socket.socketpair()

    def serve(self) -> None:
        """Accept connections until `stop` is called."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(_CHECK_S if self._deadlines else None)]
                if self._stopped in ready:
                    return
                if self.socket in ready:
                    self.handle_request()
                self._close_overdue(time.monotonic())

    def stop(self) -> None:
        """Make `serve` return. Safe from any thread."""
        self._stop.close()

    def server_close(self) -> None:
        """Close the listening socket, and the sockets with which `stop` ends `serve`.

        Call it after `serve` has returned.
        """
        super().server_close()
        self._stop.close()
        self._stopped.close()

    def get_request(self) -> tuple[socket.socket, object]:
        """Accept a connection. If the process cannot open more files, close the oldest connection."""
        try:
            return super().get_request()
        except OSError as exc:
            if exc.errno in _EXHAUSTED:
                with self._lock:
                    if self._deadlines:
                        self._end(next(iter(self._deadlines)))
                # the waiting connection keeps the socket readable, so that this is repeated
                time.sleep(_EXHAUSTED_PAUSE_S)
            raise

    def process_request(self, request: _RequestType, client_address: object) -> None:
        """Start a thread for a new connection."""
        with self._lock:
            while len(self._deadlines) >= self._max_connections:
                self._end(next(iter(self._deadlines)))
            self._deadlines[request] = time.monotonic() + self._timeout_s
        super().process_request(request, client_address)

    def shutdown_request(self, request: _RequestType) -> None:
        """Close a finished connection."""
        with self._lock:
            self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: _RequestType, client_address: object) -> None:  # noqa: ARG002 - the signature of the base class
        """Log an unexpected error. Network errors are ignored: clients may go away at any time."""
        error = sys.exception()
        if not isinstance(error, OSError):
            _log.error(Event.REQUEST_FAILED, error=describe_error(error))

    def _close_overdue(self, now_s: float) -> None:
        with self._lock:
            for request in [request for request, until_s in self._deadlines.items() if until_s <= now_s]:
                self._end(request)

    def _end(self, request: _RequestType) -> None:
        """Shut the connection down, so that its thread closes it."""
        del self._deadlines[request]
        with suppress(OSError):
            cast("socket.socket", request).shutdown(socket.SHUT_RDWR)


class _Handler(WSGIRequestHandler):
    default_request_version = "HTTP/1.0"  # inherited: 0.9, to which errors are answered without a status
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(code)d %(message)s\n"

    def handle(self) -> None:
        """Answer the one request of a connection; as inherited, but with our `_Gateway`."""
        self.raw_requestline = self.rfile.readline(_MAX_REQUEST_LINE + 1)
        if len(self.raw_requestline) > _MAX_REQUEST_LINE:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
        elif self.parse_request():
            answer = cast("IO[bytes]", self.wfile)
            gateway = _Gateway(self.rfile, answer, self.get_stderr(), self.get_environ())
            gateway.run(cast("Connections", self.server).pages)

    def send_response(self, code: int, message: str | None = None) -> None:
        """Send the status without a `Server` header."""
        self.send_response_only(code, message)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the base class
        """Do not log the request: there is a probe every few seconds."""


class _Gateway(SimpleHandler):
    environ: WSGIEnvironment | None
    os_environ = {}  # noqa: RUF012 - inherited: the environment variables, which the application does not need
    error_body = b"internal error; see the log\n"

    def log_exception(
        self, exc_info: tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
    ) -> None:
        """Log an unexpected error that the application raised."""
        error = exc_info[1]
        _log.error(Event.REQUEST_FAILED, path=(self.environ or {}).get("PATH_INFO"), error=describe_error(error))
