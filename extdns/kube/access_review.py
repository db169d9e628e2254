"""Check the permissions of extdns with SelfSubjectAccessReview, and read its user name with SelfSubjectReview.

See the Kubernetes API reference, authorization.k8s.io/v1 and authentication.k8s.io/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


_PATH: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_USER_PATH: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


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


class _UserInfo(msgspec.Struct, frozen=True):
    username: str = ""


class _UserStatus(msgspec.Struct, frozen=True, rename="camel"):
    user_info: _UserInfo


class _UserReview(msgspec.Struct, frozen=True):
    status: _UserStatus


_USER_REVIEWS: Final = msgspec.json.Decoder(_UserReview)
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


def read_user_name(api: ApiClient) -> str:
    """Return the name of the user as whom the API server sees extdns. The request changes nothing.

    Raises:
        ApiError: the API server does not answer, or not with a review; before version 1.28 it has no such review.
    """
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = api.send("POST", _USER_PATH, body=msgspec.json.encode(body))
    try:
        return _USER_REVIEWS.decode(answer).status.user_info.username
    except msgspec.DecodeError as exc:
        raise ApiError(f"POST {_USER_PATH}: the response is not a SelfSubjectReview: {exc}") from exc
