"""Record the requests that the fake API server received, in order."""

from __future__ import annotations

from threading import Condition
from typing import Final

from tests.fakes.apiserver.requests import Request

_TIMEOUT_S: Final = 30.0
"""How long `Log.wait_for` waits until it fails, in seconds."""


class Log:
    """All requests received so far. It can be read while the server runs."""

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._grown = Condition()

    def add(self, request: Request) -> None:
        """Record *request*."""
        with self._grown:
            self._requests.append(request)
            self._grown.notify_all()

    def clear(self) -> None:
        """Delete all recorded requests."""
        with self._grown:
            self._requests.clear()

    def requests(self, verb: str | None = None, resource: str | None = None) -> tuple[Request, ...]:
        """Return all requests, or only those with *verb* and *resource*."""
        with self._grown:
            return tuple(self._select(verb, resource))

    def wait_for(self, verb: str, resource: str, *, count: int = 1) -> Request:
        """Wait until *count* requests with *verb* and *resource* were received, and return the last of them.

        Raises:
            AssertionError: fewer requests were received in time.
        """

        def came() -> bool:
            return len(self._select(verb, resource)) >= count

        with self._grown:
            if not self._grown.wait_for(came, _TIMEOUT_S):
                seen = [(request.verb, request.resource or request.path) for request in self._requests]
                raise AssertionError(
                    f"fewer than {count} requests {verb} {resource} within {_TIMEOUT_S} s; requests: {seen}"
                )
            return self._select(verb, resource)[count - 1]

    def find_rules(self, *, optional: str = "") -> frozenset[tuple[str, str, str]]:
        """Return the RBAC rules that the requests need: verb, group, and resource with its subresource.

        Requests to the path *optional* are left out, since the program works without an answer to them.
        """
        with self._grown:
            return frozenset(_build_rule(one) for one in self._requests if one.resource and one.path != optional)

    def _select(self, verb: str | None, resource: str | None) -> list[Request]:
        return [
            request
            for request in self._requests
            if verb in {None, request.verb} and resource in {None, request.resource}
        ]


def _build_rule(request: Request) -> tuple[str, str, str]:
    subresource = f"/{request.subresource}" if request.subresource else ""
    return request.verb, request.group, request.resource + subresource
