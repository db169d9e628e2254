"""What goes back over the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class ConnectionCut(Exception):
    """The connection shall be closed here and now, without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ApiError(Exception):
    """An error that goes back over the wire."""

    status: int
    code: str
    message: str
