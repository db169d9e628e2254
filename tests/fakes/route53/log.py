"""Record the calls that the fake Route 53 received, in order, with their results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Condition
from typing import Final

from tests.fakes.route53.batch import Change

CHANGE: Final = "ChangeResourceRecordSets"
LIST: Final = "ListResourceRecordSets"
_TIMEOUT_S: Final = 120.0
"""How long `Log.wait_for` waits until it fails, in seconds."""


@dataclass(kw_only=True, eq=False)
class Call:
    """One call.

    Attributes:
        action: the action as the API names it; "" for an unknown one.
        zone_id: the id of the zone, or "".
        query: the first value of each parameter.
        changes: the changes of the batch.
        status: the HTTP status of the response; 0 without a response.
        code: the error code; "" after a success.
        message: the error message.
        came_s: when the call was received, in monotonic seconds; `answered_s`: when it was answered, 0 until then.
    """

    action: str
    account: str
    zone_id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    status: int = 0
    code: str = ""
    message: str = ""
    came_s: float = field(default_factory=time.monotonic)
    answered_s: float = 0.0

    @property
    def worked(self) -> bool:
        """Whether the call succeeded and its response was sent."""
        return 200 <= self.status < 300


class Log:
    """All calls received so far. It can be read while the server runs."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._grown = Condition()

    def add(self, call: Call) -> None:
        with self._grown:
            self._calls.append(call)
            self._grown.notify_all()

    def record_answer(self, call: Call, status: int, code: str = "", message: str = "") -> None:
        with self._grown:
            call.status, call.code, call.message = status, code, message
            call.answered_s = time.monotonic()
            self._grown.notify_all()

    def clear(self) -> None:
        with self._grown:
            self._calls.clear()

    def calls(self, action: str | None = None, zone_id: str | None = None) -> tuple[Call, ...]:
        with self._grown:
            return tuple(self._select(action, zone_id))

    def count_calls(self) -> Counter[str]:
        with self._grown:
            return Counter(call.action for call in self._calls)

    def wait_for(self, action: str, *, count: int = 1, worked: bool = False) -> Call:
        """Wait until *action* was called *count* times; return the last call. With *worked*, only successes count."""

        def came() -> list[Call]:
            return [call for call in self._select(action, None) if call.worked or not worked]

        with self._grown:
            if not self._grown.wait_for(lambda: len(came()) >= count, _TIMEOUT_S):
                seen = [(call.action, call.status, call.code) for call in self._calls]
                raise AssertionError(f"{action} was not called {count} times within {_TIMEOUT_S} s; calls: {seen}")
            return came()[count - 1]

    def _select(self, action: str | None, zone_id: str | None) -> list[Call]:
        return [call for call in self._calls if action in {None, call.action} and zone_id in {None, call.zone_id}]
