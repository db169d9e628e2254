"""Slow, numerous or unresponsive clients of the web server, over loopback sockets."""

from __future__ import annotations

import errno
import socket
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIServer

import pytest

from extdns.web.server import WebServer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

from tests.web_server import ANYWHERE, COMPLETE_REQUEST, HANGS_S, application, connect, exchange, read_all, serving


def test_the_connection_of_a_client_that_sends_too_slowly_is_closed() -> None:
    with serving(application(), timeout_s=0.01) as port, connect(port) as client:
        assert client.recv(1) == b""


def test_if_there_are_too_many_connections_the_oldest_is_closed() -> None:
    with serving(application(), most=2) as port, connect(port) as first, connect(port) as second:
        assert exchange(port, COMPLETE_REQUEST).endswith(b"OK")
        assert first.recv(1) == b""
        second.sendall(COMPLETE_REQUEST)
        assert read_all(second).endswith(b"OK")


def test_a_health_probe_is_answered_while_two_hundred_slow_clients_are_connected() -> None:
    with WebServer(ANYWHERE, application()) as server, ExitStack() as slow:
        for number in range(200):
            client = slow.enter_context(connect(server.port))
            client.sendall(b"GET /metrics HTTP/1.1\r\n"[: number % 24])
            if number % 20 == 0:
                assert exchange(server.port, COMPLETE_REQUEST).endswith(b"OK")


def test_if_no_more_files_can_be_opened_the_oldest_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    accept, refusals = WSGIServer.get_request, iter([errno.EMFILE, errno.ECONNABORTED])

    def refuse(server: WSGIServer) -> tuple[socket.socket, object]:
        if connections and (number := next(refusals, 0)):
            raise OSError(number, "refused")
        connections.append(found := accept(server))
        return found

    connections = list[tuple[socket.socket, object]]()
    monkeypatch.setattr(WSGIServer, "get_request", refuse)
    with serving(application()) as port, connect(port) as first, connect(port) as second, connect(port) as third:
        assert first.recv(1) == b""
        for client in (second, third):
            client.sendall(COMPLETE_REQUEST)
            assert read_all(client).endswith(b"OK")


def test_the_connection_of_a_client_that_does_not_read_the_response_is_closed() -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [])
        try:
            while environ["PATH_INFO"] == "/endless":
                yield b"x" * 65536
                began.set()
        finally:
            ended.set()

    with serving(endless, most=1) as port, connect(port) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\n\r\n")
        assert began.wait(HANGS_S)
        assert not ended.is_set()
        exchange(port, COMPLETE_REQUEST)
        assert ended.wait(HANGS_S)
