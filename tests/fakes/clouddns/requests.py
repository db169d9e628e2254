"""Parse an HTTP request into the called API method and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.service.listener import Request

_ROUTES: Final = (
    ("GET", re.compile(r"/dns/v1/projects/(?P<project>[^/]+)"), "projects.get"),
    ("GET", re.compile(r"/dns/v1/projects/(?P<project>[^/]+)/managedZones"), "managedZones.list"),
    ("GET", re.compile(r"/dns/v1/projects/(?P<project>[^/]+)/managedZones/(?P<zone>[^/]+)"), "managedZones.get"),
    (
        "GET",
        re.compile(r"/dns/v1/projects/(?P<project>[^/]+)/managedZones/(?P<zone>[^/]+)/rrsets"),
        "resourceRecordSets.list",
    ),
    (
        "POST",
        re.compile(r"/dns/v1/projects/(?P<project>[^/]+)/managedZones/(?P<zone>[^/:]+):testIamPermissions"),
        "managedZones.testIamPermissions",
    ),
    ("POST", re.compile(r"/dns/v1/projects/(?P<project>[^/]+)/managedZones/(?P<zone>[^/]+)/changes"), "changes.create"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A parsed call.

    Attributes:
        method: the API method; "" if the fake does not implement it.
        zone: the name or number of the zone.
        query: the first value of each parameter.
        token: the bearer token, or "".
    """

    method: str
    project: str = ""
    zone: str = ""
    query: Mapping[str, str]
    token: str
    body: bytes


def parse(request: Request) -> Called:
    split = urlsplit(request.target)
    query: dict[str, str] = {}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        query.setdefault(name, value)
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    for verb, path, method in _ROUTES:
        if verb == request.method and (found := path.fullmatch(split.path)):
            parts = {name: unquote(value) for name, value in found.groupdict().items()}
            return Called(method=method, **parts, query=query, token=token, body=request.body)
    return Called(method="", query=query, token=token, body=request.body)
