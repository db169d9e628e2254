"""The live page and the JSON API, as one WSGI application."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from extdns.errors import shown
from extdns.web.answer import METHODS, Answer, give, not_allowed, text
from extdns.web.api import PREFIX, NotThereError, answer, failure
from extdns.web.query import BadRequestError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

    from extdns.facts.live import Live
    from extdns.flags.address import ListenAddress
    from extdns.web.api import Api

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
_LOCAL: Final = "localhost"
_BUSY: Final = "the process is busy and has shown nothing yet; try again in a moment"


class Pages(Protocol):
    """What a browser is shown."""

    def page(self, live: Live, path: str, query: str) -> Answer:
        """The page at *path*. Raises `BadRequestError` and `NotThereError` as the API does."""
        ...

    def asset(self, path: str) -> Answer | None:
        """What pages need besides, None if *path* is nothing of that."""
        ...


class Site:
    """Answers GET and HEAD; nothing that is asked here changes anything."""

    def __init__(
        self,
        *,
        show: Callable[[], Live | None],
        api: Api,
        pages: Callable[[], Pages],
        address: ListenAddress,
    ) -> None:
        """Serve what *show* shows.

        Args:
            show: asked at every request, from any thread.
            api: makes the documents.
            pages: asked when a browser comes; a process that nobody looks at does without.
            address: where this is served; one of this machine alone answers only to its own names.
        """
        self._show = show
        self._api = api
        self._pages = pages
        self._host = address.host if is_local(address.host) else None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        method = str(environ["REQUEST_METHOD"])
        return give(self._answer(environ, method), method, start_response, _HEADERS)

    def _answer(self, environ: WSGIEnvironment, method: str) -> Answer:
        if self._host is not None and not _is_own(str(environ.get("HTTP_HOST", _LOCAL)), self._host):
            # another site may have made its own name point here, to read along in a visitor's browser
            asked = shown(str(environ["HTTP_HOST"]))
            return text(HTTPStatus.MISDIRECTED_REQUEST, f"{asked} is not here; ask for localhost or 127.0.0.1")
        if method not in METHODS:
            return not_allowed()
        path = str(environ["PATH_INFO"]).encode("latin-1").decode("utf-8", "replace")
        speaks_json = path.startswith(PREFIX)
        try:
            return self._found(path, str(environ.get("QUERY_STRING", "")), speaks_json=speaks_json)
        except BadRequestError as exc:
            status, message = HTTPStatus.BAD_REQUEST, str(exc)
        except NotThereError as exc:
            status, message = HTTPStatus.NOT_FOUND, str(exc)
        return failure(status, message) if speaks_json else text(status, message)

    def _found(self, path: str, query: str, *, speaks_json: bool) -> Answer:
        if not speaks_json and (asset := self._pages().asset(path)):
            return asset
        live = self._show()
        if live is None:
            busy = failure if speaks_json else text
            return busy(HTTPStatus.SERVICE_UNAVAILABLE, _BUSY)
        if speaks_json:
            return answer(self._api.document(live, path.removeprefix(PREFIX), query))
        return self._pages().page(live, path, query)


def is_local(host: str) -> bool:
    """Tell whether *host* is this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == _LOCAL


def _is_own(asked: str, host: str) -> bool:
    """Tell whether the `Host` header *asked* names this machine; the port may be that of a tunnel."""
    try:
        name = urlsplit(f"//{asked}").hostname or ""
    except ValueError:
        return False
    return name == host or is_local(name)
