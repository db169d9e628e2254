"""What a provider makes of the endpoints wanted at one name in one of its zones (design 4)."""

from __future__ import annotations

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
