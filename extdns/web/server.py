"""An HTTP server for a WSGI application, on its own threads."""

from __future__ import annotations

import errno
import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from extdns import log
from extdns.errors import UsageError, sanitize, shorten
from extdns.log import Event

if TYPE_CHECKING:
    from types import TracebackType
    from wsgiref.types import WSGIApplication

    from extdns.flags.address import ListenAddress
    from extdns.web.connections import Connections

_log = log.get(__name__)
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
        self._connections: Connections | None = None
        self._thread: threading.Thread | None = None

    def at(self, address: ListenAddress) -> Self:
        """Return a server of the same application at another address."""
        return type(self)(address, self._application, flag=self._flag, event=self._event)

    @property
    def port(self) -> int:
        """The port, which the system chooses if that of the address is 0; 0 while the server is closed."""
        return self._connections.server_port if self._connections else 0

    def start(self) -> None:
        """Listen, and serve on a background thread.

        Raises:
            UsageError: the address cannot be used.
        """
        from extdns.web.connections import Connections  # noqa: PLC0415 - most commands serve nothing

        self._connections = Connections(_listen(self._address, self._flag), self._application)
        self._thread = threading.Thread(target=self._connections.serve, name="web", daemon=True)
        self._thread.start()
        _log.info(self._event, address=str(self._address), port=self.port)

    def close(self) -> None:
        """Stop listening. Requests in progress continue. Calling it again has no effect."""
        if self._connections and self._thread:
            self._connections.stop()
            self._thread.join()
            self._connections.server_close()
            self._connections = self._thread = None

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
