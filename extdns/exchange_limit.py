"""Limit the time of a whole HTTP exchange."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from threading import Event, Timer


@contextmanager
def limit_exchange(connected: socket.socket, seconds: float) -> Iterator[None]:
    """Cut the connection *connected* if the block takes longer than *seconds*.

    The timeout of a socket limits each read only, so an answer that arrives byte by byte would never end.

    Raises:
        TimeoutError: the time was up. This is raised even if the block ended without an error, because http.client
            takes a head that was cut off for a complete one.
    """
    is_late = Event()

    def cut() -> None:
        is_late.set()
        with suppress(OSError):  # it was closed at the same moment
            socket.socket.shutdown(connected, socket.SHUT_RDWR)  # that of SSLSocket is not safe from another thread

    timer = Timer(max(0.0, seconds), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as exc:
        if is_late.is_set():
            raise TimeoutError from exc
        raise
    finally:
        timer.cancel()
    if is_late.is_set():
        raise TimeoutError
