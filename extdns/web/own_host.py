"""Recognize DNS rebinding: a web site may let its own name resolve to the loopback address of its visitor."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_LOCAL: Final = "localhost"


def is_own_host(environ: WSGIEnvironment, host: str) -> bool:
    """Return whether the `Host` header of a request may be sent to a server that was configured to listen at *host*.

    If the socket of the server is bound to a loopback address, the header must name *host*, `localhost` or a loopback
    address, with any port: it may be that of a tunnel. On other addresses, every header is allowed.
    """
    if not _is_local(str(environ["SERVER_NAME"])):
        return True
    try:
        name = urlsplit(f"//{environ.get('HTTP_HOST', _LOCAL)}").hostname or ""
    except ValueError:
        return False
    return name == host.lower() or _is_local(name)


def _is_local(host: str) -> bool:
    """Return whether *host* is a loopback address or `localhost`."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == _LOCAL
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
