"""The web server over loopback sockets: listening addresses, invalid requests and logging."""

from __future__ import annotations

import errno
import os
import resource
import socket
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extdns import log
from extdns.errors import UsageError
from extdns.flags.address import ListenAddress, parse_address
from extdns.web.health import build_health_application
from extdns.web.server import SETTINGS, WebServer
from extdns.web.site import is_own_host
from tests.web_server import (
    ANYWHERE,
    COMPLETE_REQUEST,
    HANGS_S,
    application,
    connect,
    exchange,
    read_all,
    readiness,
    serving,
)

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


needs_ipv6 = pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6 on this machine")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Start a server that all tests of this file share. Return its port."""
    with WebServer(ANYWHERE, application()) as server:
        yield server.port


def test_http_responses_do_not_reveal_the_server_software(port: int) -> None:
    for request in (COMPLETE_REQUEST, b"GET / x\r\n\r\n"):
        head = exchange(port, request).lower()
        assert b"server:" not in head
        assert b"python" not in head


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        pytest.param(b"GET /healthz HTTP/1.0\r\n\r\n", b"HTTP/1.0 200 OK", id="1.0"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", b"HTTP/1.1 200 OK", id="1.1"),
        pytest.param(b"BREW /healthz HTTP/1.0\r\n\r\n", b"HTTP/1.0 405 Method Not Allowed", id="method-unknown"),
        pytest.param(b"GET /%2e%2e/etc HTTP/1.0\r\n\r\n", b"HTTP/1.0 404 Not Found", id="path-unknown"),
        pytest.param(b"one two three four\r\n\r\n", b"HTTP/1.0 400 ", id="no-request"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"HTTP/1.0 400 ", id="tls-to-a-plain-port"),
        pytest.param(b"GET /" + b"a" * 65531, b"HTTP/1.0 431 ", id="line-too-long"),
        pytest.param((b"GET / HTTP/1.0\r\n" + b"a: b\r\n" * 11_000)[:65536], b"HTTP/1.0 431 ", id="too-many-headers"),
        pytest.param(b"GET / HTTP/1.0\r\nContent-Length: 65536\r\n\r\n", b"HTTP/1.0 413 ", id="body-too-long"),
    ],
)
def test_a_malformed_request_gets_a_plain_error(port: int, request_bytes: bytes, status: bytes) -> None:
    answer = exchange(port, request_bytes)
    assert answer.startswith(status)
    assert b"<" not in answer


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        pytest.param("127.0.0.1:0", ("127.0.0.1",), id="ipv4"),
        pytest.param("localhost:0", ("localhost",), id="name"),
        pytest.param("[::1]:0", ("::1",), id="ipv6", marks=needs_ipv6),
        pytest.param("[::]:0", ("::1", "127.0.0.1"), id="ipv6-any", marks=needs_ipv6),
        pytest.param(":0", ("::1", "127.0.0.1"), id="any", marks=needs_ipv6),
        pytest.param("0.0.0.0:0", ("127.0.0.1",), id="ipv4-any"),
    ],
)
def test_the_server_listens_at_the_address_of_the_flag(text: str, hosts: tuple[str, ...]) -> None:
    with WebServer(parse_address(text), application()) as server:
        for host in hosts:
            assert exchange(server.port, COMPLETE_REQUEST, host).endswith(b"OK")


def test_without_ipv6_the_server_listens_on_all_ipv4_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    create = socket.create_server

    def refuse_ipv6(address: tuple[str, int], **settings: bool | int) -> socket.socket:
        if settings["family"] == socket.AF_INET6:
            raise OSError
        return create(address, family=socket.AF_INET)

    monkeypatch.setattr(socket, "create_server", refuse_ipv6)
    with WebServer(parse_address(":0"), application()) as server:
        assert exchange(server.port, COMPLETE_REQUEST).endswith(b"OK")


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        pytest.param("127.0.0.1", "port {port} is in use by another process", id="port-taken"),
        pytest.param("", "port {port} is in use by another process", id="port-taken-somewhere"),
        pytest.param("::1%nowhere", "cannot resolve the host '::1%nowhere'", id="no-such-host"),
        pytest.param(f"::1%{'é' * 64}", f"'::1%{'é' * 64}' is not a host name", id="no-host-at-all"),
    ],
)
def test_an_unusable_listen_address_is_a_usage_error(port: int, host: str, reason: str) -> None:
    address = ListenAddress(host=host, port=port)
    with pytest.raises(UsageError) as caught:
        WebServer(address, application()).start()
    first, second = str(caught.value).splitlines()
    assert first == f"--metrics-address={address} cannot be used: {reason.format(port=port)}"
    assert second == "  use another host or port; port 0 selects a free one"


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param(errno.EACCES, "no permission to use port 80", id="privileged-port"),
        pytest.param(errno.EADDRNOTAVAIL, "this machine has no address 127.0.0.1", id="address-of-another"),
        pytest.param(errno.EMFILE, "Too many open files", id="anything-else"),
    ],
)
def test_an_error_of_the_operating_system_about_the_listen_address_is_described_in_one_line(
    number: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise OSError(number, "in other words (while attempting to bind on address)")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(UsageError) as caught:
        WebServer(ListenAddress(host="127.0.0.1", port=80), application()).start()
    assert str(caught.value).splitlines()[0] == f"--metrics-address=127.0.0.1:80 cannot be used: {reason}"


def test_closing_the_server_frees_its_port_and_can_be_repeated() -> None:
    server = WebServer(ANYWHERE, application())
    server.close()
    assert server.port == 0
    server.start()
    taken = server.port
    server.close()
    server.close()
    assert server.port == 0
    with pytest.raises(ConnectionRefusedError):
        connect(taken)
    with WebServer(ListenAddress(host="127.0.0.1", port=taken), application()) as again:
        assert again.port == taken


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return a function that lists the log lines so far, without their times."""
    formatter = log.TextFormatter()
    return lambda: [formatter.format(record).partition(" ")[2] for record in caplog.records]


def test_an_error_of_the_application_is_logged_and_its_text_is_not_sent(
    logged: Callable[[], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    def broken() -> bytes:
        raise LookupError("it\nbroke")

    pages = build_health_application(is_healthy=lambda: True, read_readiness=readiness, render_metrics=broken)
    with serving(pages) as port:
        answer = exchange(port, b"GET /metrics HTTP/1.0\r\n\r\n")
        assert exchange(port, COMPLETE_REQUEST).endswith(b"OK")
    assert answer.startswith(b"HTTP/1.0 500 ")
    assert b"LookupError" not in answer
    assert logged() == [
        r'level=error msg="The web server cannot answer an HTTP request" error="LookupError: it\nbroke" path=/metrics'
    ]
    assert capfd.readouterr() == ("", "")


def test_a_client_that_goes_away_is_not_logged(
    logged: Callable[[], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    def respond(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [])
        return (b"x" * 10_000_000,)

    with serving(respond) as port:
        for request in (b"", b"GET", COMPLETE_REQUEST):
            with connect(port) as client:
                client.sendall(request)
                client.recv(1 if request == COMPLETE_REQUEST else 0)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # resets the connection
        assert len(exchange(port, COMPLETE_REQUEST)) > 10_000_000
    assert logged() == []
    assert capfd.readouterr() == ("", "")


def test_http_requests_are_not_logged(logged: Callable[[], list[str]], capfd: pytest.CaptureFixture[str]) -> None:
    with serving(application()) as port:
        exchange(port, COMPLETE_REQUEST)
        exchange(port, b"nonsense\r\n\r\n")
    assert logged() == []
    assert capfd.readouterr() == ("", "")


def test_the_port_that_the_system_chose_for_the_server_is_logged(
    logged: Callable[[], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="extdns")
    with WebServer(ANYWHERE, application()) as server:
        assert logged() == [f'level=info msg="Serving health and metrics" address="127.0.0.1:0" port={server.port}']


def test_the_application_gets_the_headers_of_a_proxy_and_no_variables_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    seen: WSGIEnvironment = {}

    def remember(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        seen.update(environ)
        start_response("204 No Content", [])
        return ()

    with serving(remember) as port:
        exchange(port, b"GET / HTTP/1.0\r\nX-Forwarded-Proto: https\r\n\r\n")
    assert seen["HTTP_X_FORWARDED_PROTO"] == "https"
    assert "AWS_SECRET_ACCESS_KEY" not in seen


# Slow or numerous clients of the web server, and its limits


def test_the_connection_of_an_idle_client_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETTINGS, "channel_timeout", 0)
    with serving(application()) as port, connect(port) as client:
        assert client.recv(1) == b""


def test_a_health_probe_is_answered_while_three_hundred_slow_clients_are_connected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SETTINGS, "channel_timeout", int(HANGS_S))
    with serving(application()) as port, ExitStack() as slow:
        clients = [slow.enter_context(connect(port)) for _ in range(300)]
        for client in clients:
            client.sendall(COMPLETE_REQUEST[:10])
        assert exchange(port, COMPLETE_REQUEST).endswith(b"OK")
        for client in clients:
            client.sendall(COMPLETE_REQUEST[10:])
        assert all(read_all(client).endswith(b"OK") for client in clients)


def test_the_server_responds_while_more_than_a_thousand_files_are_open() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, limits[1]), limits[1]))
    try:
        with ExitStack() as files:
            while files.enter_context(Path(os.devnull).open("rb")).fileno() < 1024:
                pass
            with serving(application()) as port:
                assert exchange(port, COMPLETE_REQUEST).endswith(b"OK")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_large_response_needs_no_temporary_file(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(tempfile, "TemporaryFile", opened.append)
    body = b"m" * 5_000_000
    pages = build_health_application(is_healthy=lambda: True, read_readiness=readiness, render_metrics=lambda: body)
    with serving(pages) as port:
        assert exchange(port, b"GET /metrics HTTP/1.0\r\n\r\n").endswith(body)
    assert opened == []


def test_a_client_above_the_limit_waits_until_another_one_is_gone(
    monkeypatch: pytest.MonkeyPatch, logged: Callable[[], list[str]]
) -> None:
    monkeypatch.setitem(SETTINGS, "connection_limit", 3)  # two are the server's own
    with serving(application()) as port, connect(port) as first, connect(port) as second:
        for client in (first, second):
            client.sendall(COMPLETE_REQUEST)
            assert read_all(client).endswith(b"OK")
    assert logged() == []


# A server on a loopback address refuses requests whose `Host` header names another host, against DNS rebinding


def accepts(listen: str, host: str) -> bool:
    """Serve at *listen*, as a flag has it, and return whether a request with the header `Host: host` is accepted."""
    address = parse_address(listen)

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK" if is_own_host(environ, address.host) else "421 Misdirected Request", [])
        return ()

    with WebServer(address, respond) as server:
        request = f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode()
        return exchange(server.port, request, address.host).startswith(b"HTTP/1.0 200 ")


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "localhost:0"])
def test_a_server_on_loopback_accepts_requests_for_loopback_host_names_only(listen: str) -> None:
    assert not accepts(listen, "evil.test:8888")
    assert accepts(listen, "localhost:8888")


@pytest.mark.parametrize("host", ["LOCALHOST", "localhost.", "127.1", "2130706433", "ip6-localhost"])
def test_a_server_on_loopback_accepts_its_own_host_name_only_however_the_flag_spells_loopback(host: str) -> None:
    assert not is_own_host({"SERVER_NAME": "127.0.0.1", "HTTP_HOST": "evil.test"}, host)
    assert is_own_host({"SERVER_NAME": "127.0.0.1", "HTTP_HOST": f"{host}:8888"}, host)


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "192.0.2.1"])
def test_a_server_that_is_not_bound_to_loopback_accepts_every_host(bound: str) -> None:
    assert is_own_host({"SERVER_NAME": bound, "HTTP_HOST": "extdns.dns.svc:8888"}, "localhost")


@pytest.mark.parametrize("bound", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_a_server_bound_to_any_form_of_a_loopback_address_rejects_other_host_names(bound: str) -> None:
    assert not is_own_host({"SERVER_NAME": bound, "HTTP_HOST": "evil.test"}, "localhost")
