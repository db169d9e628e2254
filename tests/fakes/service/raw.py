"""A server that answers with arbitrary bytes."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tests.fakes.service.listener import HOST


@contextmanager
def serve_bytes(send: Callable[[socket.socket], None]) -> Iterator[str]:
    """Accept connections, read the beginning of one request of each, and let *send* answer it. Yield the URL."""
    listener = socket.create_server((HOST, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    send(connection)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


def drip(head: bytes) -> Callable[[socket.socket], None]:
    """Return a function that sends *head*, and then one byte after the other until the client disconnects."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        pause = Event()
        while True:
            connection.sendall(b"x")
            pause.wait(0.01)

    return send
