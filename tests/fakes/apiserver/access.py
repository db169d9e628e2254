"""Authorization of the fake API server: which requests are forbidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.statuses import ApiError, forbidden

USER: Final = "tester"
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class _Rule:
    verb: str
    resource: str
    namespace: str

    def covers(self, verb: str, resource: str, namespace: str) -> bool:
        requested = verb, resource, namespace
        rule = self.verb, self.resource, self.namespace
        return all(pattern in {ANY, value} for pattern, value in zip(rule, requested, strict=True))


class Access:
    """The authorization of the fake API server. Everything is allowed unless it was forbidden.

    Attributes:
        token: the bearer token that requests must have; None requires none.
    """

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self._forbidden: frozenset[_Rule] = frozenset()

    def forbid(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Refuse such requests with status 403 from now on. Namespace "" is a request over all namespaces."""
        self._forbidden |= {_Rule(verb, resource, namespace)}

    def permit(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Undo `forbid` with the same arguments."""
        self._forbidden -= {_Rule(verb, resource, namespace)}

    def check(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if self.token is not None and (scheme.lower(), token) != ("bearer", self.token):
            raise ApiError(401, "Unauthorized")
        resource = f"{request.resource}/{request.subresource}" if request.subresource else request.resource
        if request.resource and not self.allows(request.verb, request.resource, request.namespace):
            raise forbidden(USER, request.verb, resource, request.group, request.namespace)

    def allows(self, verb: str, resource: str, namespace: str) -> bool:
        """Return whether such a request is allowed, for SelfSubjectAccessReview. Namespace "" is all namespaces."""
        return not any(rule.covers(verb, resource, namespace) for rule in self._forbidden)
