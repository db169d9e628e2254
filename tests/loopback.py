"""Keep tests on this machine: refuse sockets to other machines before a packet is sent."""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any, Final

import pytest

_ADDRESS_ARGUMENT: Final = {"connect": 0, "connect_ex": 0, "sendto": -1, "sendmsg": 3}
"""Where each method of a socket takes the peer's address; `sendmsg` may do without."""


class NetworkRefusedError(AssertionError):
    """A test tried to connect to another machine.

    This is no `OSError`, so that code that handles an unreachable service does not catch it.
    """


def is_loopback(host: str | bytes | None) -> bool:
    """Return whether *host*, a name or an address in any form that a socket accepts, is this machine."""
    if host is None:
        return True
    text = host.decode() if isinstance(host, bytes) else host
    if text in {"", "localhost"}:
        return True
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def confine(patch: pytest.MonkeyPatch) -> None:
    """Refuse connections, datagrams and name lookups to other machines, until *patch* is undone."""
    for method, position in _ADDRESS_ARGUMENT.items():
        patch.setattr(socket.socket, method, _confined(getattr(socket.socket, method), position))
    for lookup in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        patch.setattr(socket, lookup, _confined_lookup(getattr(socket, lookup)))


def _confined(method: Callable[..., Any], position: int) -> Callable[..., Any]:
    def checked(self: socket.socket, *args: Any) -> Any:  # noqa: ANN401 - stands for four signatures
        address = args[position] if position < len(args) else None
        if isinstance(address, tuple) and not is_loopback(address[0]):
            raise _refused(address[0])
        return method(self, *args)

    return checked


def _confined_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    def checked(host: str | bytes | None, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - stands for three signatures
        if not is_loopback(host):
            raise _refused(host)
        return lookup(host, *args, **kwargs)

    return checked


def _refused(host: object) -> NetworkRefusedError:
    return NetworkRefusedError(f"tests may reach loopback only, not {host!r}")
