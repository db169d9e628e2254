"""The pages of the leader, which its standbys show instead of their own (docs/design/replicas.md).

The leader also serves its pages and its JSON API at `--metrics-address`, below a secret path, which it writes into the
Lease. `LeaderPageApplication` serves them; a standby reads them with `fetch_leader_page`.
"""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from hmac import compare_digest
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from extdns.exchange_limit import limit_exchange
from extdns.web.response import Response

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from extdns.flags.address import ListenAddress

FORWARDED: Final = "extdns.is_forwarded"
"""The key of a WSGI environment that marks a request of a standby; it is not forwarded again."""

_PREFIX: Final = "/leader/"
_REPLICA: Final = "X-Extdns-Replica"
_TIMEOUT_S: Final = 3.0
_MAX_BYTES: Final = 64 * 1024 * 1024
_ANYWHERE: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
_PORT: Final = 9


def build_leader_url(address: ListenAddress, port: int, secret: str) -> str:
    """Return the URL at which other replicas can read the pages of this process; "" if no such URL is known.

    Args:
        address: the value of `--metrics-address`.
        port: the port on which this process listens there, 0 if it does not.
        secret: the part of the path that nobody can guess.
    """
    host = address.host or _find_own_address()
    if not (host and port):
        return ""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{_PREFIX}{secret}"


def _find_own_address() -> str:
    """Return the address of this machine from which it reaches others, "" without a network. Nothing is sent."""
    for family, anywhere in _ANYWHERE:
        with closing(socket.socket(family, socket.SOCK_DGRAM)) as unsent:
            try:
                unsent.connect((anywhere, _PORT))
            except OSError:
                continue
            return str(unsent.getsockname()[0])
    return ""


class LeaderPageApplication:
    """Serves one application below a secret path, and another one at all other paths."""

    def __init__(self, site: WSGIApplication, others: WSGIApplication, *, secret: str, replica: str) -> None:
        """Serve *site* below the path *secret*, *others* elsewhere. Responses name this process as *replica*."""
        self._site = site
        self._others = others
        self._path = f"{_PREFIX}{secret}"
        self._replica = replica

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to one request."""
        path = str(environ["PATH_INFO"])
        prefix, rest = path[: len(self._path)], path[len(self._path) :]
        if not (rest.startswith("/") and compare_digest(prefix.encode(), self._path.encode())):
            return self._others(environ, start_response)

        def start_with_replica(status: str, headers: list[tuple[str, str]], *more: object) -> object:
            return start_response(status, [*headers, (_REPLICA, self._replica)], *more)  # type: ignore[arg-type]

        return self._site({**environ, "PATH_INFO": rest, FORWARDED: True}, start_with_replica)  # type: ignore[arg-type]


def fetch_leader_page(url: str, path: str, query: str, host: str) -> Response | None:
    """Return the response of the leader at *url* to a GET; None if nobody answers there, or not the leader.

    Args:
        url: the URL that `build_leader_url` returned.
        path: the path of the request, encoded as in the request line.
        query: the query of the request, without the question mark.
        host: the `Host` header of the request: the commands on the page use it.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname or not parts.path.startswith(_PREFIX):
            return None
        with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=_TIMEOUT_S)) as connection:
            target = f"{parts.path}{path}" + (f"?{query}" if query else "")
            connection.connect()
            with limit_exchange(connection.sock, _TIMEOUT_S):
                connection.request("GET", target, headers={"Host": host} if host else {})
                answer = connection.getresponse()
                body = answer.read(_MAX_BYTES)
            if not answer.headers.get(_REPLICA):
                return None  # another program, or a process that does not lead any more
            return Response(
                status=HTTPStatus(answer.status),
                body=body,
                content_type=answer.headers.get("Content-Type", ""),
            )
    except (OSError, ValueError, http.client.HTTPException):
        return None
