"""A request, and what RBAC would see in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.apiserver.options import is_true

_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_NAMESPACE_PARTS: Final = {"status", "finalize"}
"""Behind the name of a namespace these are subresources, anything else is a resource in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request.

    Attributes:
        path: without query; *query* holds the first value of each parameter.
        headers: by lower-case name.
        verb: as RBAC rules name it; of a path that is no resource, the method in lower case.
        resource: the plural, empty for a path that is no resource.
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
        """What the client calls itself."""
        return self.headers.get("user-agent", "")


def parse(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Request:
    """Read a request line with what came after it."""
    split = urlsplit(target)
    query: dict[str, str] = {}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        query.setdefault(name, value)
    said = {"method": method, "path": split.path}
    match [unquote(part) for part in split.path.strip("/").split("/")]:
        case ["api", version, *rest] if rest:
            said |= {"version": version} | _resource(rest)
        case ["apis", group, version, *rest] if rest:
            said |= {"group": group, "version": version} | _resource(rest)
        case _:
            pass
    return Request(query=query, headers=headers, body=body, verb=_verb(method, said, query), **said)


def _resource(parts: list[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    if parts[0] == "namespaces" and len(parts) > 2 and parts[2] not in _NAMESPACE_PARTS:
        said["namespace"], parts = parts[1], parts[2:]
    return said | dict(zip(("resource", "name", "subresource"), parts, strict=False))


def _verb(method: str, said: Mapping[str, str], query: Mapping[str, str]) -> str:
    if "resource" not in said:
        return method.lower()
    if method in {"GET", "HEAD"}:
        if is_true(query.get("watch", "")):
            return "watch"
        return "get" if "name" in said else "list"
    if method == "DELETE" and "name" not in said:
        return "deletecollection"
    return _VERBS.get(method, method.lower())
