"""Addresses to listen on, as in `:7979`, `127.0.0.1:7979` and `[::1]:7979`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from extdns.flags.kind import ValueKind

_MAX_PORT: Final = 65535
_PORT = re.compile(r"\d{1,5}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenAddress:
    """A host and a TCP port.

    Attributes:
        host: name or address without brackets; "" is every interface.
        port: 0 lets the system choose one.
    """

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(text: str) -> ListenAddress:
    """Parse `HOST:PORT`. The host may be missing; an IPv6 address must be in brackets.

    Raises:
        ValueError: the port is missing or not a number up to 65535, an IPv6 address is not in brackets, or a host that
            is no IPv6 address is in brackets.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not _PORT.fullmatch(port) or int(port) > _MAX_PORT:
        raise ValueError
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    if (":" in host) is not bracketed or "[" in host or "]" in host:
        raise ValueError
    return ListenAddress(host=host, port=int(port))


ADDRESS: Final[ValueKind[ListenAddress]] = ValueKind(
    noun="an address to listen on",
    metavar="HOST:PORT",
    allowed=":PORT, HOST:PORT or [IPV6]:PORT, with a port from 0 to 65535",
    parse=parse_address,
    format=str,
    suggest=lambda text: f":{text}" if _PORT.fullmatch(text) else "",
)
