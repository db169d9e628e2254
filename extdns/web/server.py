"""An HTTP server for a WSGI application, on threads of its own."""

from __future__ import annotations

import errno
import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from extdns import log
from extdns.errors import UsageError, shortened, shown
from extdns.log import Event

if TYPE_CHECKING:
    from types import TracebackType
    from wsgiref.types import WSGIApplication

    from extdns.flags.address import ListenAddress
    from extdns.web.connections import Connections

_log = log.get(__name__)
_ALL_IPV4: Final = "0.0.0.0"  # noqa: S104 - what the flag asks for when it names no host
_ALL_IPV6: Final = "::"


class Server:
    """Serves while it is open, as a context manager or from `start` to `close`."""

    def __init__(
        self,
        address: ListenAddress,
        application: WSGIApplication,
        *,
        flag: str = "--metrics-address",
        event: Event = Event.SERVING,
    ) -> None:
        """Nothing is bound yet; *flag* gave the *address*, and *event* tells that it is served."""
        self._flag = flag
        self._event = event
        self._address = address
        self._application = application
        self._connections: Connections | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on, which is the system's choice if the address says 0; 0 while it is closed."""
        return self._connections.server_port if self._connections else 0

    def start(self) -> None:
        """Listen, and answer in the background.

        Raises:
            UsageError: the address cannot be listened on.
        """
        from extdns.web.connections import Connections  # noqa: PLC0415 - most commands serve nobody

        self._connections = Connections(_listen(self._address, self._flag), self._application)
        self._thread = threading.Thread(target=self._connections.serve, name="web", daemon=True)
        self._thread.start()
        _log.info(self._event, address=str(self._address), port=self.port)

    def close(self) -> None:
        """Stop listening; what is being answered goes on. Harmless if it is closed."""
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
    """A listening socket; without a host, on IPv4 and IPv6 where there is IPv6."""
    try:
        if not address.host:
            with suppress(OSError):  # a kernel may know IPv6 and yet have no such addresses
                return _bound(_ALL_IPV6, address.port)
        return _bound(address.host or _ALL_IPV4, address.port)
    except (OSError, UnicodeError) as exc:  # the latter is what Python says of names that IDNA rules out
        raise UsageError(
            f"{flag}={shown(str(address))} cannot be listened on: {_reason(exc, address)}\n"
            "  choose another host or port; port 0 takes a free one"
        ) from exc


def _reason(exc: OSError | UnicodeError, address: ListenAddress) -> str:
    """What is wrong, for people; the system's own word where it is none of the usual mistakes."""
    match exc:
        case UnicodeError():
            return f"{shortened(address.host)!r} is no host name"
        case socket.gaierror():
            return f"no address is known of the host {shortened(address.host)!r}"
        case OSError(errno=errno.EADDRINUSE):
            return f"port {address.port} is taken by another process"
        case OSError(errno=errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT | errno.EINVAL):
            return f"this machine has no address {address.host}"
        case OSError(errno=errno.EACCES | errno.EPERM):
            return f"the right to use port {address.port} is missing"
        case _:
            return os.strerror(exc.errno or 0)


def _bound(host: str, port: int) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    both = host == _ALL_IPV6 and socket.has_dualstack_ipv6()
    return socket.create_server(place[:2], family=family, dualstack_ipv6=both)
