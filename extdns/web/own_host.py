"""Recognize DNS rebinding: a web site may let its own name resolve to the loopback address of its visitor."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

LOCAL: Final = "localhost"


def is_local(host: str) -> bool:
    """Return whether *host* is a loopback address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == LOCAL


def is_own_host(header: str, host: str) -> bool:
    """Return whether the `Host` *header* may be sent to a server that listens at *host*.

    On a loopback address, it has to name *host* or this machine, with any port: it may be that of a tunnel.
    """
    if not is_local(host):
        return True
    try:
        name = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return False
    return name == host or is_local(name)
