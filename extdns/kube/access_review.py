"""Check permissions with SelfSubjectAccessReview (Kubernetes API reference, authorization.k8s.io/v1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


_PATH: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class ResourcePermission(NamedTuple):
    """One RBAC verb on one resource. *namespace* "" is all namespaces, and *name* "" is any object."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        """Return a description such as `update services/status in all namespaces`."""
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        what = f"{resource}.{self.group}" if self.group else resource
        named = f" {self.name}" if self.name else ""
        return f"{self.verb} {what}{named} {f'in {self.namespace}' if self.namespace else 'in all namespaces'}"


class _Status(msgspec.Struct, frozen=True):
    allowed: bool = False


class _Review(msgspec.Struct, frozen=True):
    status: _Status


_REVIEWS: Final = msgspec.json.Decoder(_Review)


def is_allowed(api: ApiClient, permission: ResourcePermission) -> bool:
    """Ask the API server whether extdns has *permission*. The request changes nothing.

    Raises:
        ApiError: the API server does not answer, or not with a review.
    """
    attributes = {
        "group": permission.group,
        "name": permission.name,
        "namespace": permission.namespace,
        "resource": permission.resource,
        "subresource": permission.subresource,
        "verb": permission.verb,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = api.send("POST", _PATH, body=msgspec.json.encode(body))
    try:
        return _REVIEWS.decode(answer).status.allowed
    except msgspec.DecodeError as exc:
        raise ApiError(f"POST {_PATH}: the response is not a SelfSubjectAccessReview: {exc}") from exc
