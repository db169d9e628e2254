"""Requests to servers, as metrics measure them (docs/spec/plan.md 1.8)."""

from __future__ import annotations

from collections.abc import Callable

from extdns.model.value import Value

UNANSWERED = 0
"""The status of a request to which no answer came."""


class ApiRequest(Value, frozen=True, kw_only=True):
    """One request, measured from sending it until the head of the response arrived.

    Attributes:
        status: the HTTP status, `UNANSWERED` if there was no response.
    """

    method: str
    url: str
    status: int
    seconds: float


RequestObserver = Callable[[ApiRequest], None]
"""Takes in each request, from any thread."""


def ignore_request(_: ApiRequest) -> None:
    """Ignore the request: nothing measures it."""
