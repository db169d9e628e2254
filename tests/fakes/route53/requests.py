"""Parse an HTTP request into the called API action and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.service.answers import ApiError
from tests.fakes.service.listener import Request

VERSION: Final = "2013-04-01"
_CREDENTIAL: Final = re.compile(r"Credential=([^/,\s]+)/")
_ROUTES: Final[Mapping[tuple[str, str], str]] = {
    ("GET", "hostedzone"): "ListHostedZones",
    ("GET", "hostedzone/{}"): "GetHostedZone",
    ("GET", "hostedzone/{}/rrset"): "ListResourceRecordSets",
    ("POST", "hostedzone/{}/rrset"): "ChangeResourceRecordSets",
    ("POST", "tags/hostedzone"): "ListTagsForResources",
}
_FIXED: Final = frozenset(part for _, path in _ROUTES for part in path.split("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A parsed call.

    Attributes:
        action: the action; "" if it is unknown.
        subject: the id in the path, or "".
        access_key: the access key; "" without a signature.
    """

    action: str
    context: str
    query: Mapping[str, str]
    access_key: str
    body: bytes


def parse(request: Request) -> Called:
    split = urlsplit(request.target)
    query: dict[str, str] = {}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        query.setdefault(name, value)
    version, *path = [unquote(part) for part in split.path.strip("/").split("/")]
    shape = "/".join(part if part in _FIXED else "{}" for part in path)
    context = next((part for part in path if part not in _FIXED), "")
    credential = _CREDENTIAL.search(request.headers.get("authorization", ""))
    return Called(
        action=_ROUTES.get((request.method, shape), "") if version == VERSION else "",
        context=context,
        query=query,
        access_key=credential[1] if credential else "",
        body=request.body,
    )


def build_unknown_action(request: Request) -> ApiError:
    return ApiError(404, "UnknownOperationException", f"{request.method} {urlsplit(request.target).path}")
