"""Responses of the fake DNS services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class ConnectionCut(Exception):
    """Raised to close the connection at once, without a response or in the middle of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP response."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[bytes]:
        return (self.body,)

    @property
    def length(self) -> int:
        return len(self.body)


@dataclass(frozen=True)
class ApiError(Exception):
    """An error response of a fake service."""

    status: int
    code: str
    message: str
