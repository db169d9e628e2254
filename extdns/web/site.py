"""The live page and the JSON API, as one WSGI application (PEP 3333)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from extdns.errors import sanitize
from extdns.web.api import PREFIX, build_document_response, build_error_response
from extdns.web.query import RequestError
from extdns.web.response import METHODS, Response, build_method_not_allowed, build_text_response, send_response

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.flags.address import ListenAddress
    from extdns.web.api import Api
    from extdns.web.pages import HtmlPages

_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "img-src 'self'; script-src 'self'; style-src 'self'"
)
_HEADERS: Final = (
    ("Content-Security-Policy", _POLICY),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)
_HOST: Final = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
"""Hosts that need no quotes in a shell command."""
_LOCAL: Final = "localhost"
_BUSY: Final = "the process is busy and has no data yet; try again in a moment"


class Site:
    """Respond to GET and HEAD. No request changes anything."""

    def __init__(
        self,
        *,
        read_snapshot: Callable[[], ProcessSnapshot | None],
        api: Api,
        load_pages: Callable[[], HtmlPages],
        address: ListenAddress,
    ) -> None:
        """Serve the copies of the engine's state that *read_snapshot* returns, for each request, from any thread.

        *load_pages* is called when a browser requests a page, so that templates are not loaded before. On a loopback
        *address*, only requests to a loopback host are accepted.
        """
        self._read_snapshot = read_snapshot
        self._api = api
        self._load_pages = load_pages
        self._address = str(address)
        self._host = address.host

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to one request."""
        method = str(environ["REQUEST_METHOD"])
        return send_response(self._respond(environ, method), method, start_response, _HEADERS)

    def _respond(self, environ: WSGIEnvironment, method: str) -> Response:
        if not is_own_host(environ, self._host):
            host = sanitize(str(environ["HTTP_HOST"]))
            return build_text_response(
                HTTPStatus.MISDIRECTED_REQUEST, f"{host} is not served here; use localhost or 127.0.0.1"
            )
        if method not in METHODS:
            return build_method_not_allowed()
        path = str(environ["PATH_INFO"]).encode("latin-1").decode("utf-8", "replace")
        query, address = str(environ.get("QUERY_STRING", "")), self._find_address(environ)
        is_api = path.startswith(PREFIX)
        if not is_api and (asset := self._load_pages().assets.get(path)):
            return asset
        snapshot = self._read_snapshot()
        if snapshot is None:
            build = build_error_response if is_api else build_text_response
            return build(HTTPStatus.SERVICE_UNAVAILABLE, _BUSY)
        try:
            if is_api:
                return build_document_response(
                    self._api.build_document(snapshot, path.removeprefix(PREFIX), query, address)
                )
            return self._load_pages().build_page(snapshot, path, query, address)
        except RequestError as exc:
            if is_api:
                return build_error_response(exc.status, str(exc))
            return self._load_pages().build_error_page(snapshot, path, address, exc.status, str(exc))

    def _find_address(self, environ: WSGIEnvironment) -> str:
        """Return the address at which the client reached this server, for the commands on the page."""
        host = str(environ.get("HTTP_HOST", ""))
        scheme = "https" if environ.get("HTTP_X_FORWARDED_PROTO") == "https" else "http"  # a proxy may terminate TLS
        return f"{scheme}://{host if _HOST.fullmatch(host) else self._address}"


def is_own_host(environ: WSGIEnvironment, host: str) -> bool:
    """Return whether the `Host` header of a request may be sent to a server that was configured to listen at *host*.

    A web site may let its own name resolve to the loopback address of its visitor (DNS rebinding). So if the
    socket of the server is bound to a loopback address, the header must name *host*, `localhost` or a loopback address,
    with any port: it may be that of a tunnel. On other addresses, every header is allowed.
    """
    if not _is_local(str(environ["SERVER_NAME"])):
        return True
    try:
        name = urlsplit(f"//{environ.get('HTTP_HOST', _LOCAL)}").hostname or ""
    except ValueError:
        return False
    return name == host.lower() or _is_local(name)


def _is_local(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == _LOCAL
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
