"""The standard library's WSGI server, made fit to be left alone: bounded in time and number, and silent."""

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
from extdns.errors import described
from extdns.log import Event

if TYPE_CHECKING:
    from socketserver import _RequestType
    from types import TracebackType
    from wsgiref.types import WSGIApplication, WSGIEnvironment

_log = log.get(__name__)
_CHECK_S: Final = 0.5
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_MAKING_ROOM_S: Final = 0.02
_MAX_REQUEST_LINE: Final = 65536


class Connections(ThreadingMixIn, WSGIServer):
    """Answers each connection on a thread of its own, one request each.

    Neither slow nor many clients can keep a probe from its answer: who takes too long is hung up on,
    and when there are too many the oldest is.
    """

    daemon_threads = True
    timeout = 0  # `handle_request` is only called when somebody is there

    def __init__(
        self, listening: socket.socket, application: WSGIApplication, *, patience_s: float = 10.0, most: int = 64
    ) -> None:
        """Take over the socket *listening*.

        Args:
            listening: closed by `server_close`.
            application: answers requests, from any thread.
            patience_s: how long a connection may last.
            most: how many there may be at a time.
        """
        self.address_family = listening.family
        address = listening.getsockname()
        super().__init__(address[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_name, self.server_port = address[:2]
        self.setup_environ()
        self.pages = application
        self._patience_s = patience_s
        self._most = most
        self._lock = threading.Lock()
        self._deadlines: dict[_RequestType, float] = {}
        self._stop, self._stopped = socket.socketpair()

    def serve(self) -> None:
        """Accept connections until `stop` is called; sleeps while there are none."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(_CHECK_S if self._deadlines else None)]
                if self._stopped in ready:
                    return
                if self.socket in ready:
                    self.handle_request()
                self._hang_up_overdue(time.monotonic())

    def stop(self) -> None:
        """Make `serve` return; from any thread."""
        self._stop.close()

    def server_close(self) -> None:
        """Close the sockets, `serve` having returned."""
        super().server_close()
        self._stop.close()
        self._stopped.close()

    def get_request(self) -> tuple[socket.socket, object]:
        """Accept a connection; where the process may open no more files, the oldest one makes room first."""
        try:
            return super().get_request()
        except OSError as exc:
            if exc.errno in _EXHAUSTED:
                with self._lock:
                    if self._deadlines:
                        self._hang_up(next(iter(self._deadlines)))
                time.sleep(_MAKING_ROOM_S)  # who waits keeps the socket readable
            raise

    def process_request(self, request: _RequestType, client_address: object) -> None:
        """Start a thread for a new connection."""
        with self._lock:
            while len(self._deadlines) >= self._most:
                self._hang_up(next(iter(self._deadlines)))
            self._deadlines[request] = time.monotonic() + self._patience_s
        super().process_request(request, client_address)

    def shutdown_request(self, request: _RequestType) -> None:
        """Close a connection that is done with."""
        with self._lock:
            self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: _RequestType, client_address: object) -> None:  # noqa: ARG002 - the signature is given
        """Log what is no failure of the network; clients that go away are none of our business."""
        error = sys.exception()
        if not isinstance(error, OSError):
            _log.error(Event.REQUEST_FAILED, error=described(error))

    def _hang_up_overdue(self, now_s: float) -> None:
        with self._lock:
            for request in [request for request, until_s in self._deadlines.items() if until_s <= now_s]:
                self._hang_up(request)

    def _hang_up(self, request: _RequestType) -> None:
        """Make reads and writes of the connection end; its thread closes it then."""
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
        """Send the status without saying what runs here."""
        self.send_response_only(code, message)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is given
        """Leave requests out of the log; a probe comes every few seconds."""


class _Gateway(SimpleHandler):
    environ: WSGIEnvironment | None
    os_environ = {}  # noqa: RUF012 - inherited: a copy of the process's, which the application has no use for
    error_body = b"the request could not be answered; the log says why\n"

    def log_exception(
        self, exc_info: tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
    ) -> None:
        """Log a failure of the application."""
        error = exc_info[1]
        _log.error(Event.REQUEST_FAILED, path=(self.environ or {}).get("PATH_INFO"), error=described(error))
