"""Servers that speak no HTTP, or answer with arbitrary bytes."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Self

from tests.fakes.service.listener import HOST


class RawServer:
    """A TCP server on loopback, which runs while it is entered and lets *handle* serve one client after the other."""

    def __init__(self, handle: Callable[[socket.socket], object]) -> None:
        self._handle = handle
        self._listening = socket.create_server((HOST, 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            with client, suppress(OSError):  # a client may close the connection at any time
                self._handle(client)


@contextmanager
def serve_bytes(send: Callable[[socket.socket], None]) -> Iterator[str]:
    """Accept connections, read the beginning of one request of each, and let *send* answer it. Yield the URL."""

    def serve(client: socket.socket) -> None:
        client.recv(65536)
        send(client)

    with RawServer(serve) as server:
        yield f"http://{HOST}:{server.port}"


def drip(head: bytes) -> Callable[[socket.socket], None]:
    """Return a function that sends *head*, and then one byte after the other until the client disconnects."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        pause = Event()
        while True:
            connection.sendall(b"x")
            pause.wait(0.01)

    return send
