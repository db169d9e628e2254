"""How long the SDK's requests take, those for credentials included: each attempt by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, Protocol

from extdns.model.request import UNANSWERED, Heard, sent


class Events(Protocol):
    """Where the SDK's events are asked for: a session of it, which hands that on to its clients."""

    def register(self, event_name: str, handler: Callable[..., None], /) -> None:
        """Have *handler* called, with what the event is about."""
        ...


class _Started(NamedTuple):
    at_s: float
    method: str
    url: str


_STARTED: Final[ContextVar[_Started | None]] = ContextVar("_STARTED", default=None)


def measure(session: Events, heard: Heard) -> None:
    """Let *heard* know of each request that a client of *session*, made from now on, has sent."""
    session.register("before-send", _start)
    session.register("response-received", lambda **given: _end(given["response_dict"], heard))


def _start(**given: Any) -> None:  # noqa: ANN401 - the SDK's own
    """It goes out now: whoever had something against it was asked before, as events of one operation come first."""
    request = given["request"]
    _STARTED.set(_Started(time.monotonic(), request.method, request.url))


def _end(response: dict[str, Any] | None, heard: Heard) -> None:
    """The answer is there, or it is certain that none will come; what was not sent is not measured."""
    if started := _STARTED.get():
        _STARTED.set(None)
        status = response["status_code"] if response else UNANSWERED
        heard(sent(started.method, started.url, status=status, seconds=time.monotonic() - started.at_s))
