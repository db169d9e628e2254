"""Requests for what a DNS service makes of desired records, where only the service knows (docs/design/webhook.md).

`adjust` is pure: for a record that the service was not shown yet, it says that the result is unknown. A name with such
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
    """What the service makes of *records* is not known yet. Raised and caught while a name is planned."""

    def __init__(self, records: tuple[DesiredRecord, ...]) -> None:
        """Store *records*."""
        super().__init__(f"{len(records)} records are not adjusted yet")
        self.records = records


class Adjustments:
    """The desired records to show to the DNS service, one request at a time.

    Attributes:
        is_active: whether a name had to wait for a request yet; with most services none ever has to.
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
        """Request the adjustment of *records* with the next request."""
        if not self.is_active:
            self.is_active = True
            self._deadlines.register(self._find_deadlines)
        self._required.update(dict.fromkeys(records))

    def take_due(self, now_s: float) -> tuple[DesiredRecord, ...]:
        """Return the records to request now, and count them as requested; () while a request or a pause lasts."""
        if self._requested or now_s < self.retry.until_at:
            return ()
        self._requested, self._required = tuple(self._required), {}
        return self._requested

    def answer(self, failure: str, retry_after_s: float | None, now_s: float) -> None:
        """End the request. If it failed, names that still need its records require them again, after a pause."""
        self._requested = ()
        if failure:
            self.retry.record_failure(now_s, retry_after_s, message=failure)
        else:
            self.retry.record_success()

    def is_awaited(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether a name waits for an answer that *rule* has not given up."""
        return bool(self._required or self._requested) and not rule.is_reached(self.retry, now_s)

    def _find_deadlines(self, _now_s: float) -> tuple[float, ...]:
        """Return the time at which the next request is due."""
        return (self.retry.until_at,) if self._required and not self._requested else ()
