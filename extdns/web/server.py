"""An HTTP server for a WSGI application, on its own threads."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Self

from extdns import log
from extdns.errors import UsageError, describe_error, sanitize, shorten
from extdns.log import Event
from extdns.web.response import build_text_response, send_response

if TYPE_CHECKING:
    from types import TracebackType
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from extdns.flags.address import ListenAddress

_log = log.get(__name__)
SETTINGS: Final[dict[str, Any]] = {
    "asyncore_use_poll": True,  # select() fails with file descriptors above 1,023
    "channel_timeout": 10,  # seconds
    "cleanup_interval": 1,
    "clear_untrusted_proxy_headers": False,  # the live page shows the scheme at which its proxy is reached
    "connection_limit": 400,  # further clients wait, probes too; two servers fit in 1,024 open files, the usual limit
    "ident": None,
    "log_socket_errors": False,  # clients may go away at any time
    "max_request_body_size": 65536,
    "max_request_header_size": 65536,
    "outbuf_overflow": sys.maxsize,  # larger responses would need a file, and containers cannot write any
    "threads": 4,
}
"""The settings of waitress."""
_ALL_IPV4: Final = "0.0.0.0"  # noqa: S104 - what the flag asks for when it names no host
_ALL_IPV6: Final = "::"


class WebServer:
    """Serve while it is open, as a context manager or from `start` to `close`."""

    def __init__(
        self,
        address: ListenAddress,
        application: WSGIApplication,
        *,
        flag: str = "--metrics-address",
        event: Event = Event.SERVING,
    ) -> None:
        """Prepare to serve *application* at *address*, the value of *flag*; *event* is logged by `start`."""
        self._flag = flag
        self._event = event
        self._address = address
        self._application = application
        self._server: Any = None  # of waitress
        self._sockets: dict[int, Any] = {}
        self._thread: threading.Thread | None = None

    def at(self, address: ListenAddress) -> Self:
        """Return a server of the same application at another address."""
        return type(self)(address, self._application, flag=self._flag, event=self._event)

    @property
    def port(self) -> int:
        """The port, which the system chooses if that of the address is 0; 0 while the server is closed."""
        return int(self._server.effective_port) if self._server else 0

    def start(self) -> None:
        """Listen, and serve on background threads."""
        from waitress.server import create_server  # noqa: PLC0415 - most commands serve nothing

        logging.getLogger("waitress").setLevel(logging.ERROR)  # clients cause its warnings
        listening = _listen(self._address, self._flag)
        name = listening.getsockname()[0]
        self._server = create_server(self._respond, self._sockets, sockets=[listening], server_name=name, **SETTINGS)
        self._thread = threading.Thread(target=self._server.run, name="web", daemon=True)
        self._thread.start()
        _log.info(self._event, address=str(self._address), port=self.port)

    def close(self) -> None:
        """Stop serving, once requests in progress are answered or after five seconds. Repeated calls have no effect."""
        if self._server and self._thread:
            sockets: list[Any] = []

            def end_loop() -> None:
                sockets.extend(self._sockets.values())
                self._sockets.clear()

            self._server.task_dispatcher.shutdown()
            self._server.trigger.pull_trigger(end_loop)
            self._thread.join()
            for one in sockets:  # not in end_loop: the call of it may not have written to the pipe yet
                one.close()
            self._server = self._thread = None

    def _respond(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return self._application(environ, start_response)
        except Exception as exc:  # noqa: BLE001 - a defect is logged as such, and not shown to the client
            _log.error(Event.REQUEST_FAILED, path=environ["PATH_INFO"], error=describe_error(exc))
            response = build_text_response(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; see the log")
            return send_response(response, environ["REQUEST_METHOD"], start_response)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _listen(address: ListenAddress, flag: str) -> socket.socket:
    """Open a listening socket; without a host, on IPv4 and, if available, IPv6."""
    try:
        if not address.host:
            with suppress(OSError):  # the kernel may support IPv6 without any IPv6 address
                return _bind(_ALL_IPV6, address.port)
        return _bind(address.host or _ALL_IPV4, address.port)
    except (OSError, UnicodeError) as exc:  # Python raises UnicodeError for host names that IDNA forbids
        raise UsageError(
            f"{flag}={sanitize(str(address))} cannot be used: {_describe_problem(exc, address)}\n"
            "  use another host or port; port 0 selects a free one"
        ) from exc


def _describe_problem(exc: OSError | UnicodeError, address: ListenAddress) -> str:
    """Describe a common error in plain words, any other with the message of the system."""
    match exc:
        case UnicodeError():
            return f"{shorten(address.host)!r} is not a host name"
        case socket.gaierror():
            return f"cannot resolve the host {shorten(address.host)!r}"
        case OSError(errno=errno.EADDRINUSE):
            return f"port {address.port} is in use by another process"
        case OSError(errno=errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT | errno.EINVAL):
            return f"this machine has no address {address.host}"
        case OSError(errno=errno.EACCES | errno.EPERM):
            return f"no permission to use port {address.port}"
        case _:
            return os.strerror(exc.errno or 0)


def _bind(host: str, port: int) -> socket.socket:
    family, _, _, _, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    both = host == _ALL_IPV6 and socket.has_dualstack_ipv6()
    return socket.create_server(found[:2], family=family, dualstack_ipv6=both)
