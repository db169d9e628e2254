"""Responses of the fake API server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from tests.fakes.apiserver.statuses import ApiError

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response, as `tests.fakes.service.listener` sends it."""

    parts: Iterable[bytes]
    length: int | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": JSON})


def build_answer(body: bytes, *, code: int = 200, content_type: str = JSON) -> Answer:
    return Answer(parts=(body,), length=len(body), status=code, headers={"Content-Type": content_type})


def build_json_answer(value: Mapping[str, Any], *, code: int = 200) -> Answer:
    return build_answer(msgspec.json.encode(value), code=code)


def build_failure(error: ApiError) -> Answer:
    """Build a response with the `Status` of *error*, and a `Retry-After` header if the error has a delay."""
    body = error.body()
    wait = {} if error.retry_after_s is None else {"Retry-After": str(error.retry_after_s)}
    return Answer(parts=(body,), length=len(body), status=error.code, headers={"Content-Type": JSON, **wait})


def build_no_route() -> Answer:
    """Build the 404 response to an unknown path. The path of an unknown kind gets the same response."""
    return build_answer(b"404 page not found\n", code=404, content_type="text/plain; charset=utf-8")


def build_stream(parts: Iterable[bytes]) -> Answer:
    """Build a streamed response of JSON lines, which ends with *parts*."""
    return Answer(parts=parts, length=None)
