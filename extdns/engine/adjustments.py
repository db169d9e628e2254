"""Requests to a DNS service to adjust desired records, where only the service can do that (docs/design/webhook.md).

`adjust` is pure: for a record that the service was not shown yet, it raises `AdjustmentUnknownError`. A name with such
a record is not planned. It waits, and the records of all such names are shown to the service together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.engine.decisions import Awaited, Wait
from extdns.engine.retries import Failure, Retry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.retries import Deadlines, GiveUpRule
    from extdns.model.record import DesiredRecord

ADJUSTMENT: Final = Wait(Awaited.ADJUSTMENT)


class AdjustmentUnknownError(Exception):
    """The service was not shown *records* yet, so their adjusted form is unknown. Raised while a name is planned."""

    def __init__(self, records: tuple[DesiredRecord, ...]) -> None:
        """Store *records*, which have to be shown to the service."""
        super().__init__(f"{len(records)} records are not adjusted yet")
        self.records = records


class Adjustments:
    """The desired records to show to the DNS service. At most one request is under way.

    Attributes:
        is_active: whether a record was ever required since the process started; with most services none is.
        retry: the failed requests in a row, and the pause before the next one.
    """

    def __init__(self, deadlines: Deadlines) -> None:
        """Start without requests."""
        self._deadlines = deadlines
        self.is_active = False
        self.retry = Retry(Failure.ZONE_READ)
        self._required: dict[DesiredRecord, None] = {}
        self._requested: tuple[DesiredRecord, ...] = ()

    def require(self, records: Iterable[DesiredRecord]) -> None:
        """Add *records* to those that the next request shows to the service."""
        if not self.is_active:
            self.is_active = True
            self._deadlines.register(self._find_deadlines)
        self._required.update(dict.fromkeys(records))

    def take_due(self, now_s: float) -> tuple[DesiredRecord, ...]:
        """Return the records to show to the service now, and count them as sent; () during a request or a pause."""
        if self._requested or now_s < self.retry.until_at:
            return ()
        self._requested, self._required = tuple(self._required), {}
        return self._requested

    def answer(self, failure: str, retry_after_s: float | None, now_s: float) -> None:
        """End the request under way. After a failure ("" if there is none), the next request waits for a pause.

        The records of a failed request are dropped: names that still need them call `require` again.
        """
        self._requested = ()
        if failure:
            self.retry.record_failure(now_s, retry_after_s, message=failure)
        else:
            self.retry.record_success()

    def is_awaited(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether records are required or requested, and *rule* has not given up the failing requests."""
        return bool(self._required or self._requested) and not rule.is_reached(self.retry, now_s)

    def _find_deadlines(self, _now_s: float) -> tuple[float, ...]:
        """Return the time at which the next request is due (monotonic seconds); () if none can be due."""
        return (self.retry.until_at,) if self._required and not self._requested else ()
