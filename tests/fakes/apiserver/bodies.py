"""Decode the bodies of requests to the fake API server."""

from __future__ import annotations

from typing import Final

import msgspec

from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json

_TYPES: Final = {"", "application/json", "application/merge-patch+json", "application/apply-patch+yaml"}


def decode_object(request: Request) -> Json:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type not in _TYPES:
        raise build_unknown_format("application/json")
    try:
        found = msgspec.json.decode(request.body)
    except msgspec.DecodeError as exc:
        raise ApiError(400, f"error decoding the body: {exc}") from exc
    if not isinstance(found, dict):
        raise ApiError(400, f"the body is not an object: {type(found).__name__}")
    return found


def check_accept(request: Request) -> None:
    """Check that the client accepts JSON."""
    accepted = {part.partition(";")[0].strip() for part in request.headers.get("accept", "*/*").split(",")}
    if not accepted & {"application/json", "application/*", "*/*"}:
        raise ApiError(406, "only the following media types are accepted: application/json")


def build_unknown_format(*accepted: str) -> ApiError:
    shown = ", ".join(accepted)
    return ApiError(415, f"the body of the request was in an unknown format - accepted media types include: {shown}")
