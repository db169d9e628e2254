"""Record the calls that the fake Cloud DNS received, in order, with their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
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


class Log:
    """All calls received so far. It can be read while the server runs."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = Lock()

    def add(self, call: Call) -> None:
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()

    def calls(self, action: str | None = None) -> tuple[Call, ...]:
        with self._lock:
            return tuple(call for call in self._calls if action in {None, call.action})

    def count_calls(self) -> Counter[str]:
        return Counter(call.action for call in self.calls())
