"""What goes back over the wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from tests.fakes.apiserver.statuses import ApiError

JSON: Final = "application/json"


class ConnectionCut(Exception):
    """The connection shall be closed here and now, whatever was promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response.

    Attributes:
        parts: the body; empty parts are moments at which a stream looks whether the client is still there.
        length: of the whole body in bytes, None for a stream.
    """

    parts: Iterable[bytes]
    length: int | None
    code: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def plain(body: bytes, *, code: int = 200, content_type: str = JSON) -> Answer:
    """Answer with *body*."""
    return Answer(parts=(body,), length=len(body), code=code, content_type=content_type)


def json(value: Mapping[str, Any], *, code: int = 200) -> Answer:
    """Answer with *value* as JSON."""
    return plain(msgspec.json.encode(value), code=code)


def failure(error: ApiError) -> Answer:
    """Answer with a `Status`, and say in a header when to come again."""
    body = error.body()
    wait = {} if error.retry_after_s is None else {"Retry-After": str(error.retry_after_s)}
    return Answer(parts=(body,), length=len(body), code=error.code, headers=wait)


def no_route() -> Answer:
    """Answer as for a path that nothing stands behind: an unknown kind looks like this, too."""
    return plain(b"404 page not found\n", code=404, content_type="text/plain; charset=utf-8")


def stream(parts: Iterable[bytes]) -> Answer:
    """Answer with JSON lines, until *parts* end."""
    return Answer(parts=parts, length=None)
