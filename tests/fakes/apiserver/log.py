"""What was asked, in the order in which it came."""

from __future__ import annotations

from threading import Condition
from typing import Final

from tests.fakes.apiserver.requests import Request

_PATIENCE_S: Final = 30.0
"""How long a test waits for a request before it fails."""


class Log:
    """All requests so far; safe to read while the server runs."""

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._grown = Condition()

    def add(self, request: Request) -> None:
        """Note a request."""
        with self._grown:
            self._requests.append(request)
            self._grown.notify_all()

    def clear(self) -> None:
        """Forget all of them."""
        with self._grown:
            self._requests.clear()

    def requests(self, verb: str | None = None, resource: str | None = None) -> tuple[Request, ...]:
        """List requests, all or those of a *verb* and *resource*."""
        with self._grown:
            return tuple(self._chosen(verb, resource))

    def wait_for(self, verb: str, resource: str, *, count: int = 1) -> Request:
        """Wait until there are *count* such requests, and give the last of them.

        Raises:
            AssertionError: They did not come.
        """

        def came() -> bool:
            return len(self._chosen(verb, resource)) >= count

        with self._grown:
            if not self._grown.wait_for(came, _PATIENCE_S):
                seen = [(request.verb, request.resource or request.path) for request in self._requests]
                raise AssertionError(
                    f"{verb} {resource}, {count} times, did not come within {_PATIENCE_S} s; seen: {seen}"
                )
            return self._chosen(verb, resource)[count - 1]

    def rules(self) -> frozenset[tuple[str, str, str]]:
        """Give the RBAC rules that all this needs: verb, group, and resource with its subresource."""
        with self._grown:
            return frozenset(_rule(request) for request in self._requests if request.resource)

    def _chosen(self, verb: str | None, resource: str | None) -> list[Request]:
        return [
            request
            for request in self._requests
            if verb in {None, request.verb} and resource in {None, request.resource}
        ]


def _rule(request: Request) -> tuple[str, str, str]:
    subresource = f"/{request.subresource}" if request.subresource else ""
    return request.verb, request.group, request.resource + subresource
