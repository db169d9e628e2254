"""What was called, in the order in which it came, and what became of it."""

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
_PATIENCE_S: Final = 30.0
"""How long a test waits for a call before it fails."""


@dataclass(kw_only=True, eq=False)
class Call:
    """One call.

    Attributes:
        action: as the API names it, empty for what it does not know.
        zone_id: empty if it is of no zone.
        query: the first value of each parameter.
        changes: the items of a change batch.
        status: the HTTP status of the answer, 0 as long as there is none or if there was none.
        code: of the error, empty if it went well.
        message: of the error.
        came_s: when it came, in monotonic seconds; `answered_s` when it was answered, 0 as long as it was not.
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
        """Whether it was carried out and answered so."""
        return 200 <= self.status < 300


class Log:
    """All calls so far; safe to read while the server runs."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._grown = Condition()

    def add(self, call: Call) -> None:
        """Note a call that has come."""
        with self._grown:
            self._calls.append(call)
            self._grown.notify_all()

    def end(self, call: Call, status: int, code: str = "", message: str = "") -> None:
        """Note how a call was answered."""
        with self._grown:
            call.status, call.code, call.message = status, code, message
            call.answered_s = time.monotonic()
            self._grown.notify_all()

    def clear(self) -> None:
        """Forget all of them."""
        with self._grown:
            self._calls.clear()

    def calls(self, action: str | None = None, zone_id: str | None = None) -> tuple[Call, ...]:
        """List calls, all or those of an *action* or zone."""
        with self._grown:
            return tuple(self._chosen(action, zone_id))

    def counts(self) -> Counter[str]:
        """Count the calls of each action."""
        with self._grown:
            return Counter(call.action for call in self._calls)

    def wait_for(self, action: str, *, count: int = 1, worked: bool = False) -> Call:
        """Wait until there are *count* such calls, and give the last of them; *worked* counts only what went well.

        Raises:
            AssertionError: They did not come.
        """

        def came() -> list[Call]:
            return [call for call in self._chosen(action, None) if call.worked or not worked]

        with self._grown:
            if not self._grown.wait_for(lambda: len(came()) >= count, _PATIENCE_S):
                seen = [(call.action, call.status, call.code) for call in self._calls]
                raise AssertionError(f"{action}, {count} times, did not come within {_PATIENCE_S} s; seen: {seen}")
            return came()[count - 1]

    def _chosen(self, action: str | None, zone_id: str | None) -> list[Call]:
        return [call for call in self._calls if action in {None, call.action} and zone_id in {None, call.zone_id}]
