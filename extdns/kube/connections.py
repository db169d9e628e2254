"""Connections that another thread can cut, whatever is being waited for on them."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from typing import Any
from weakref import WeakSet

from urllib3 import HTTPConnectionPool, PoolManager
from urllib3.connection import HTTPConnection


class Connections:
    """Safe from any thread."""

    def __init__(self) -> None:
        """Know of none."""
        self._lock = Lock()
        self._made: WeakSet[HTTPConnection] = WeakSet()
        self._is_cut = False

    def adopt(self, pools: PoolManager) -> None:
        """Know of all that *pools* make from now on."""
        classes = pools.pool_classes_by_scheme
        pools.pool_classes_by_scheme = {scheme: self._adopted(kind) for scheme, kind in classes.items()}

    def cut(self) -> None:
        """End those that are open, and all that are opened later; whoever waits for something gets an error."""
        with self._lock:
            self._is_cut = True
            made = tuple(self._made)
        for connection in made:
            _cut(connection)

    def _adopted(self, kind: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        connections = self
        base: Any = kind.ConnectionCls

        class Connection(base):  # type: ignore[misc] # which of urllib3's it is, the scheme and the proxy decide
            def connect(self) -> None:
                super().connect()
                connections._admit(self)

        return type(kind.__name__, (kind,), {"ConnectionCls": Connection})

    def _admit(self, connection: Any) -> None:  # noqa: ANN401 - as above
        with self._lock:
            self._made.add(connection)
            is_cut = self._is_cut
        if is_cut:
            _cut(connection)


def _cut(connection: HTTPConnection) -> None:
    opened = connection.sock
    with suppress(OSError):  # it has ended by itself
        if opened is not None:
            # not as TLS has it, which takes away what another thread is reading by
            socket.socket.shutdown(opened, socket.SHUT_RDWR)
