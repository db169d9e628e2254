"""What a provider makes of the endpoints wanted at one name in one of its zones (design 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.value import Value


class Refusal(Value, frozen=True, kw_only=True):
    """An endpoint that the service would not take, known before asking it."""

    endpoint: Endpoint
    reason: Reason
    detail: str


class Adjusted(Value, frozen=True, kw_only=True):
    """Endpoints as the service would hold them, so that comparing them with records is exact."""

    wanted: tuple[Endpoint, ...]
    refused: tuple[Refusal, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Endpoint | Refusal]) -> Self:
        """What was *found* of each endpoint that is wanted, in its order."""
        entries = tuple(found)
        return cls(
            wanted=tuple(entry for entry in entries if isinstance(entry, Endpoint)),
            refused=tuple(entry for entry in entries if isinstance(entry, Refusal)),
        )
