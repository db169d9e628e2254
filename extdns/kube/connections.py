"""Connections to the API server: cut them from another thread, and explain why one failed."""

from __future__ import annotations

import socket
from contextlib import suppress
from http.client import HTTPException
from threading import Lock
from typing import Any
from weakref import WeakSet

from urllib3 import HTTPConnectionPool, PoolManager
from urllib3 import exceptions as http
from urllib3.connection import HTTPConnection

from extdns.errors import shorten


class AbortableConnections:
    """Tracks open connections, so that they can be cut; safe from any thread."""

    def __init__(self) -> None:
        """Start without connections."""
        self._lock = Lock()
        self._connections: WeakSet[HTTPConnection] = WeakSet()
        self._is_aborted = False

    def register_pools(self, pools: PoolManager) -> None:
        """Track all connections that *pools* open from now on."""
        classes = pools.pool_classes_by_scheme
        pools.pool_classes_by_scheme = {scheme: self._track_connections(kind) for scheme, kind in classes.items()}

    def abort_all(self) -> None:
        """Cut all open connections, and all that are opened later. Threads that wait on one get an error."""
        with self._lock:
            self._is_aborted = True
            made = tuple(self._connections)
        for connection in made:
            abort_connection(connection)

    def _track_connections(self, kind: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        connections = self
        base: Any = kind.ConnectionCls

        class Connection(base):  # type: ignore[misc] # the base class depends on scheme and proxy
            def connect(self) -> None:
                super().connect()
                connections._register(self)

        return type(kind.__name__, (kind,), {"ConnectionCls": Connection})

    def _register(self, connection: Any) -> None:  # noqa: ANN401 - as above
        with self._lock:
            self._connections.add(connection)
            is_cut = self._is_aborted
        if is_cut:
            abort_connection(connection)


def abort_connection(connection: HTTPConnection) -> None:
    """Cut *connection*. A thread that waits on it gets an error."""
    opened = connection.sock
    with suppress(OSError):  # it is closed already
        if opened is not None:
            # not the method of TLS sockets, which breaks the thread that is reading
            socket.socket.shutdown(opened, socket.SHUT_RDWR)


def explain_failure(exc: BaseException | None) -> str:
    """Explain why there is no response, in words that do not change between attempts."""
    match exc:
        case http.NameResolutionError():
            return "its name cannot be resolved"
        case http.NewConnectionError():
            return f"no connection: {explain_failure(exc.__cause__)}"
        case http.ConnectTimeoutError():
            return "the connection timed out"
        case http.ReadTimeoutError():
            return "the response timed out"
        case http.ProxyError():
            return f"the proxy: {explain_failure(exc.original_error)}"
        case http.SSLError():
            return f"TLS: {shorten(str(exc))}"
        case http.ProtocolError() | HTTPException():
            return "the connection was cut"
        case OSError(strerror=str(text)):
            return text
        case _:
            return type(exc).__name__
