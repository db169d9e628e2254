"""A server on a loopback address refuses requests whose `Host` header names another host, against DNS rebinding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from extdns.flags.address import parse_address
from extdns.web.own_host import is_own_host
from extdns.web.server import WebServer
from tests.web_server import exchange

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def accepts(listen: str, host: str) -> bool:
    """Serve at *listen*, as a flag has it, and return whether a request with the header `Host: host` is accepted."""
    address = parse_address(listen)

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK" if is_own_host(environ, address.host) else "421 Misdirected Request", [])
        return ()

    with WebServer(address, respond) as server:
        return exchange(server.port, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()).startswith(b"HTTP/1.0 200 ")


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
