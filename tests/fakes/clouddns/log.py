"""What was called, in the order in which it came, and what became of it."""

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
        action: the method, as the discovery document names it; empty for what it does not know.
        zone_id: name or number, empty if it is of no zone.
        query: the first value of each parameter.
        body: what was sent, read as JSON; None if nothing was.
        status: the HTTP status of the answer, 0 if there was none.
        reason: of the first complaint, empty if it went well.
        answer: what was given back, None as long as it was not.
    """

    action: str
    zone_id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int = 0
    reason: str = ""
    answer: Any = None


class Log:
    """All calls so far; safe to read while the server runs."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = Lock()

    def add(self, call: Call) -> None:
        """Note a call that has come."""
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._calls.clear()

    def calls(self, action: str | None = None) -> tuple[Call, ...]:
        """List calls, all or those of a method."""
        with self._lock:
            return tuple(call for call in self._calls if action in {None, call.action})

    def counts(self) -> Counter[str]:
        """Count the calls of each method."""
        return Counter(call.action for call in self.calls())
