"""Record the requests that the fake API server received, in order, and which of them it has answered."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Condition
from typing import Final

from tests.fakes.apiserver.requests import Request

_TIMEOUT_S: Final = 120.0
"""How long `Log.wait_for` waits until it fails, in seconds."""


class Log:
    """All requests received so far. It can be read while the server runs."""

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._answered: list[Request] = []
        self._open: set[int] = set()  # identities of the requests without an answer
        self._grown = Condition()

    def add(self, request: Request) -> None:
        with self._grown:
            self._requests.append(request)
            self._open.add(id(request))

    def record_answer(self, request: Request) -> None:
        """Record that *request* was carried out, or failed. It is ignored if the log was cleared meanwhile."""
        with self._grown:
            if id(request) in self._open:
                self._open.remove(id(request))
                self._answered.append(request)
                self._grown.notify_all()

    def clear(self) -> None:
        with self._grown:
            self._requests.clear()
            self._answered.clear()
            self._open.clear()

    def requests(self, verb: str | None = None, resource: str | None = None) -> tuple[Request, ...]:
        with self._grown:
            return tuple(_select(self._requests, verb, resource))

    def wait_for(self, verb: str, resource: str, *, count: int = 1) -> Request:
        """Wait until *count* requests with *verb* and *resource* were carried out, and return the last of them."""

        def came() -> bool:
            return len(_select(self._answered, verb, resource)) >= count

        with self._grown:
            if not self._grown.wait_for(came, _TIMEOUT_S):
                seen = [(request.verb, request.resource or request.path) for request in self._requests]
                raise AssertionError(
                    f"fewer than {count} requests {verb} {resource} within {_TIMEOUT_S} s; requests: {seen}"
                )
            return _select(self._answered, verb, resource)[count - 1]

    def find_rules(self, *, optional: str = "") -> frozenset[tuple[str, str, str]]:
        """Return the RBAC rules that the requests need: verb, group, and resource with its subresource.

        Requests to the path *optional* are left out, since the program works without an answer to them.
        """
        with self._grown:
            return frozenset(_build_rule(one) for one in self._requests if one.resource and one.path != optional)


def _select(requests: Iterable[Request], verb: str | None, resource: str | None) -> list[Request]:
    return [one for one in requests if verb in {None, one.verb} and resource in {None, one.resource}]


def _build_rule(request: Request) -> tuple[str, str, str]:
    subresource = f"/{request.subresource}" if request.subresource else ""
    return request.verb, request.group, request.resource + subresource
