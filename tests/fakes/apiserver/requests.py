"""Parse an HTTP request into verb and resource, as RBAC names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.apiserver.options import is_true

_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_NAMESPACE_PARTS: Final = {"status", "finalize"}
"""Path segments after the name of a namespace that are subresources of it. Others are resources in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the Kubernetes API.

    Attributes:
        path: the path without query. *query* holds the first value of each parameter.
        headers: by lower-case name.
        verb: the verb of RBAC rules; for a path without resource, the HTTP method in lower case.
        resource: the plural; "" for a path without resource.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    verb: str = ""
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""

    @property
    def user_agent(self) -> str:
        return self.headers.get("user-agent", "")


def parse(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Request:
    split = urlsplit(target)
    query: dict[str, str] = {}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        query.setdefault(name, value)
    parts_by_name = {"method": method, "path": split.path}
    match [unquote(part) for part in split.path.strip("/").split("/")]:
        case ["api", version, *rest] if rest:
            parts_by_name |= {"version": version} | _parse_resource(rest)
        case ["apis", group, version, *rest] if rest:
            parts_by_name |= {"group": group, "version": version} | _parse_resource(rest)
        case _:
            pass
    return Request(
        query=query, headers=headers, body=body, verb=_find_verb(method, parts_by_name, query), **parts_by_name
    )


def _parse_resource(parts: list[str]) -> dict[str, str]:
    parts_by_name: dict[str, str] = {}
    if parts[0] == "namespaces" and len(parts) > 2 and parts[2] not in _NAMESPACE_PARTS:
        parts_by_name["namespace"], parts = parts[1], parts[2:]
    return parts_by_name | dict(zip(("resource", "name", "subresource"), parts, strict=False))


def _find_verb(method: str, parts_by_name: Mapping[str, str], query: Mapping[str, str]) -> str:
    if "resource" not in parts_by_name:
        return method.lower()
    if method in {"GET", "HEAD"}:
        if is_true(query.get("watch", "")):
            return "watch"
        return "get" if "name" in parts_by_name else "list"
    if method == "DELETE" and "name" not in parts_by_name:
        return "deletecollection"
    return _VERBS.get(method, method.lower())
