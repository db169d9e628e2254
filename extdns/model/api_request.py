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


class ApiCall(Value, frozen=True, kw_only=True):
    """One call to a DNS service, which may consist of several requests.

    Attributes:
        action: the action as the service names it, such as `ChangeResourceRecordSets`.
        status: `ok`, or how the call failed: a `FailureKind` of providers/common.
        seconds: the duration of the call, without the wait for our own rate limit.
    """

    action: str
    status: str
    seconds: float


CallObserver = Callable[[ApiCall], None]
"""Takes in each call, from any thread."""


def ignore_call(_: ApiCall) -> None:
    """Ignore the call: nothing measures it."""


RequestObserver = Callable[[ApiRequest], None]
"""Takes in each request, from any thread."""


def ignore_request(_: ApiRequest) -> None:
    """Ignore the request: nothing measures it."""
