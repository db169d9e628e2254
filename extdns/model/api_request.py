"""Requests to servers, as metrics measure them (docs/spec/plan.md 1.8)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from extdns.model.value import Value

UNANSWERED = 0
"""The status of a request to which no answer came."""


class ApiRequest(Value, frozen=True, kw_only=True):
    """One request, measured from sending it until the head of the response arrived.

    Attributes:
        host: the host, with the port if the URL has one.
        path: the last part of the path.
        status: the HTTP status, `UNANSWERED` if there was no response.
    """

    scheme: str
    host: str
    path: str
    method: str
    status: int
    seconds: float


RequestObserver = Callable[[ApiRequest], None]
"""Takes in each request, from any thread."""


def ignore_request(_: ApiRequest) -> None:
    """Ignore the request: nothing measures it."""


def build_request(method: str, url: str, *, status: int, seconds: float) -> ApiRequest:
    """Build the measurement of a request to *url*. Only the last part of the path is kept."""
    parts = urlsplit(url)
    return ApiRequest(
        scheme=parts.scheme,
        host=parts.netloc.rpartition("@")[2],
        path=parts.path.rpartition("/")[2],
        method=method,
        status=status,
        seconds=seconds,
    )
