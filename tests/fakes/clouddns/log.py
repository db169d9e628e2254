"""What the fake Cloud DNS records of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

CHANGE: Final = "changes.create"
LIST: Final = "resourceRecordSets.list"


@dataclass(kw_only=True, eq=False)
class Call:
    """One call.

    Attributes:
        action: the method as the discovery document names it; "" for an unknown method.
        zone_id: the name or number of the zone, or "".
        query: the first value of each parameter.
        body: the JSON body; None without a body.
        status: the HTTP status of the response; 0 without a response.
        reason: the reason of the first complaint; "" after a success.
        answer: the response; None until it is sent.
    """

    action: str
    zone_id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int = 0
    reason: str = ""
    answer: Any = None
