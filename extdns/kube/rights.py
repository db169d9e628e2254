"""Asks the API server what we may do (Kubernetes API reference, SelfSubjectAccessReview v1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError

if TYPE_CHECKING:
    from extdns.kube.api import Api

_PATH: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class Right(NamedTuple):
    """One verb on one resource, as RBAC has it; *namespace* "" is all of them, *name* "" any."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        """Name it, as `get configmaps/extdns-state in dns`."""
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        what = f"{resource}.{self.group}" if self.group else resource
        named = f" {self.name}" if self.name else ""
        return f"{self.verb} {what}{named} {f'in {self.namespace}' if self.namespace else 'in all namespaces'}"


class _Status(msgspec.Struct, frozen=True):
    allowed: bool = False


class _Review(msgspec.Struct, frozen=True):
    status: _Status


def allowed(api: Api, right: Right) -> bool:
    """Whether the API server lets us; nothing is written by asking.

    Raises:
        ApiError: it does not say.
    """
    attributes = {
        "group": right.group,
        "name": right.name,
        "namespace": right.namespace,
        "resource": right.resource,
        "subresource": right.subresource,
        "verb": right.verb,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = api.send("POST", _PATH, body=msgspec.json.encode(body))
    try:
        return msgspec.json.decode(answer, type=_Review).status.allowed
    except msgspec.DecodeError as exc:
        raise ApiError(f"POST {_PATH}: the answer is no review: {exc}") from exc
