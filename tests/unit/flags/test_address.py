"""Addresses to listen on."""

from __future__ import annotations

import pytest

from extdns.flags.address import ADDRESS, ListenAddress, parse_address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        pytest.param(":7979", "", 7979, id="plan-8.2-default-is-every-interface"),
        pytest.param("127.0.0.1:0", "127.0.0.1", 0, id="any-free-port"),
        pytest.param("[::1]:7979", "::1", 7979, id="ipv6-in-brackets"),
        pytest.param("localhost:65535", "localhost", 65535, id="name-and-highest-port"),
    ],
)
def test_a_listen_address_is_parsed_and_formatted(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == ListenAddress(host=host, port=port)
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "7979", "localhost", ":", ":http", ":65536", "::1:7979", "[a]:1", "a]:1", ":1٣"])
def test_an_invalid_listen_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        parse_address(text)


@pytest.mark.parametrize(("text", "meant"), [("7979", ":7979"), ("9" * 5000, ""), ("web", "")])
def test_the_error_about_a_port_without_a_colon_suggests_the_address_with_one(text: str, meant: str) -> None:
    assert ADDRESS.suggest(text) == meant
