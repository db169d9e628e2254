"""Exchanges end in time, read no more than the limit, and show when a connection cannot be used again."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from extdns.model.dns_name import DnsName
from extdns.webhook_check.exchange import BrokenExchangeError, CheckedServer, NoAnswerInTimeError
from extdns.webhook_check.fault_checks import check_connection_reuse
from extdns.webhook_check.scratch import Scratch, ViolationError
from tests.fakes.service.raw import drip, serve_bytes
from tests.web_server import HANGS_S

SHORT_S = 0.2
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"


@contextmanager
def serving(
    answer: Callable[[socket.socket], None], *, timeout_s: float = HANGS_S, most: int = 64
) -> Iterator[CheckedServer]:
    """Serve what *answer* sends, and yield the address with these limits."""
    with serve_bytes(answer) as url:
        yield CheckedServer(url=f"{url}/prefix/", timeout_s=timeout_s, max_bytes=most)


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"", id="status-line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Long: ", id="header"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n", id="body"),
    ],
)
def test_an_answer_that_arrives_byte_by_byte_ends_at_the_time_limit(head: bytes) -> None:
    with (
        serving(drip(head), timeout_s=SHORT_S) as server,
        pytest.raises(NoAnswerInTimeError, match=r"within 0\.2 s"),
    ):
        server.send("GET", "/records")


@pytest.mark.parametrize(("size", "accepted"), [(64, True), (65, False)])
def test_a_body_is_read_up_to_the_size_limit_and_a_larger_one_is_an_error(size: int, accepted: bool) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()
    with serving(lambda connection: connection.sendall(head + b"x" * size)) as server:
        if accepted:
            assert len(server.send("GET", "/records").body) == size
        else:
            with pytest.raises(BrokenExchangeError, match="GET /records answered with more than 64 bytes"):
                server.send("GET", "/records")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="no-http"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", id="half-a-body"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_an_incomplete_answer_or_one_that_is_not_http_is_an_error(text: bytes) -> None:
    with serving(lambda connection: connection.sendall(text)) as server, pytest.raises(BrokenExchangeError):
        server.send("GET", "/records")


def test_a_redirect_is_returned_as_the_answer_and_not_followed() -> None:
    head = b"HTTP/1.1 301 Moved Permanently\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
    with serving(lambda connection: connection.sendall(head)) as server:
        assert server.send("GET", "").status == 301


def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    with serving(lambda _: None) as server:
        pass
    with pytest.raises(BrokenExchangeError, match="the connection: Connection refused"):
        server.send("GET", "")


def test_the_connection_check_fails_if_the_provider_closes_a_connection_without_saying_so() -> None:
    with serving(lambda connection: connection.sendall(NO_CONTENT)) as server:
        scratch = Scratch(server, DnsName.parse("example.org"), "check", large_count=1, properties=())
        with pytest.raises(ViolationError, match="a connection that was used before cannot be used again"):
            check_connection_reuse(scratch)


def test_the_connection_check_passes_if_the_provider_says_that_it_closes_the_connection() -> None:
    close = NO_CONTENT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with serving(lambda connection: connection.sendall(close)) as server:
        scratch = Scratch(server, DnsName.parse("example.org"), "check", large_count=1, properties=())
        check_connection_reuse(scratch)
