"""Who may ask, and for what."""

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
        asked = verb, resource, namespace
        rule = self.verb, self.resource, self.namespace
        return all(said in {ANY, wanted} for said, wanted in zip(rule, asked, strict=True))


class Access:
    """Lets everybody do everything, less what was forbidden since.

    Attributes:
        token: the bearer token that requests must carry, None for none.
    """

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self._forbidden: frozenset[_Rule] = frozenset()

    def forbid(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Answer 403 from now on; an empty namespace is a request over all of them."""
        self._forbidden |= {_Rule(verb, resource, namespace)}

    def permit(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Undo `forbid` of the same arguments."""
        self._forbidden -= {_Rule(verb, resource, namespace)}

    def check(self, request: Request) -> None:
        """Let *request* pass.

        Raises:
            ApiError: 401 or 403.
        """
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if self.token is not None and (scheme.lower(), token) != ("bearer", self.token):
            raise ApiError(401, "Unauthorized")
        resource = f"{request.resource}/{request.subresource}" if request.subresource else request.resource
        if request.resource and not self.allows(request.verb, request.resource, request.namespace):
            raise forbidden(USER, request.verb, resource, request.group, request.namespace)

    def allows(self, verb: str, resource: str, namespace: str) -> bool:
        """Tell what a SelfSubjectAccessReview would; an empty namespace is all of them."""
        return not any(rule.covers(verb, resource, namespace) for rule in self._forbidden)
