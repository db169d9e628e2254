"""Check the permissions of extdns with SelfSubjectAccessReview, and read its user name with SelfSubjectReview.

See the Kubernetes API reference, authorization.k8s.io/v1 and authentication.k8s.io/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from extdns.errors import ApiError

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


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


class _UserInfo(msgspec.Struct, frozen=True):
    username: str = ""


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    allowed: bool = False
    user_info: _UserInfo = _UserInfo()


class _Review(msgspec.Struct, frozen=True):
    status: _Status


_REVIEWS: Final = msgspec.json.Decoder(_Review)


def is_allowed(api: ApiClient, permission: ResourcePermission) -> bool:
    """Ask the API server whether extdns has *permission*. The request changes nothing.

    Raises:
        ApiError: the API server does not answer, or not with a review.
    """
    spec = {"resourceAttributes": permission._asdict()}
    return _review(api, "authorization.k8s.io", "SelfSubjectAccessReview", {"spec": spec}).allowed


def read_user_name(api: ApiClient) -> str:
    """Return the name of the user as whom the API server sees extdns. The request changes nothing.

    Raises:
        ApiError: the API server does not answer, or not with a review; before version 1.28 it has no such review.
    """
    return _review(api, "authentication.k8s.io", "SelfSubjectReview", {}).user_info.username


def _review(api: ApiClient, group: str, kind: str, content: dict[str, Any]) -> _Status:
    path = f"/apis/{group}/v1/{kind.lower()}s"
    body = {"apiVersion": f"{group}/v1", "kind": kind} | content
    answer = api.send("POST", path, body=msgspec.json.encode(body))
    try:
        return _REVIEWS.decode(answer).status
    except msgspec.DecodeError as exc:
        raise ApiError(f"POST {path}: the response is not a {kind}: {exc}") from exc
