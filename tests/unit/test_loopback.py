"""The fixture that allows tests to connect to loopback addresses only."""

import socket
from collections.abc import Callable

import pytest

from tests.loopback import NetworkRefusedError, is_loopback

ELSEWHERE = ("192.0.2.1", 53)


@pytest.mark.parametrize(
    "call_network",
    [
        pytest.param(lambda s: s.connect(ELSEWHERE), id="connect"),
        pytest.param(lambda s: s.connect_ex(ELSEWHERE), id="connect_ex"),
        pytest.param(lambda s: s.sendto(b"x", ELSEWHERE), id="sendto"),
        pytest.param(lambda s: s.sendto(b"x", 0, ELSEWHERE), id="sendto-with-flags"),
        pytest.param(lambda s: s.sendmsg([b"x"], [], 0, ELSEWHERE), id="sendmsg"),
        pytest.param(lambda _: socket.create_connection(ELSEWHERE), id="create_connection"),
        pytest.param(lambda _: socket.getaddrinfo("example.org", 443), id="getaddrinfo"),
        pytest.param(lambda _: socket.gethostbyname("example.org"), id="gethostbyname"),
    ],
)
def test_a_test_cannot_connect_to_an_address_other_than_loopback(
    call_network: Callable[[socket.socket], object],
) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(NetworkRefusedError, match="loopback only"):
        call_network(sock)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        pytest.param("127.0.0.1", True, id="ipv4"),
        pytest.param("127.9.9.9", True, id="other-address-in-127"),
        pytest.param("::1", True, id="ipv6"),
        pytest.param("localhost", True, id="localhost"),
        pytest.param(b"localhost", True, id="bytes"),
        pytest.param("", True, id="empty"),
        pytest.param("0.0.0.0", True, id="any-address"),
        pytest.param(None, True, id="no-host"),
        pytest.param("10.0.0.1", False, id="private"),
        pytest.param("2001:db8::1", False, id="ipv6-not-loopback"),
        pytest.param("fe80::1%eth0", False, id="link-local"),
        pytest.param("localhost.example.org", False, id="name-that-starts-with-localhost"),
    ],
)
def test_a_host_is_recognized_as_loopback_or_not_loopback(host: str | bytes | None, *, expected: bool) -> None:
    assert is_loopback(host) is expected
