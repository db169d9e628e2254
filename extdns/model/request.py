"""A request to a server, as it is measured (spec plan 1.8)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from extdns.model.value import Value

UNANSWERED = 0
"""The status of a request to which no answer came."""


class Request(Value, frozen=True, kw_only=True):
    """One request, from when it was sent until the head of its answer came.

    Attributes:
        host: with the port, if the URL has one.
        path: its last part.
        status: of HTTP; `UNANSWERED` if there was none.
    """

    scheme: str
    host: str
    path: str
    method: str
    status: int
    seconds: float


Heard = Callable[[Request], None]
"""Takes in each request, from any thread."""


def unheard(_: Request) -> None:
    """Nobody asks how long requests take."""


def sent(method: str, url: str, *, status: int, seconds: float) -> Request:
    """The request to *url*, of which nothing but the last part of its path is kept."""
    parts = urlsplit(url)
    return Request(
        scheme=parts.scheme,
        host=parts.netloc.rpartition("@")[2],
        path=parts.path.rpartition("/")[2],
        method=method,
        status=status,
        seconds=seconds,
    )
