"""Requests that show desired records to a DNS service, which returns them as it would store them.

Most services need no such requests, because extdns itself computes the form that they store (docs/design/webhook.md).

`ZoneReader.adjust` is pure: it has no result for a record that the service was not shown yet. Planning a name with such
a record raises `AdjustmentUnknownError`. The name waits, and the records of all such names are shown to the service
together. A record that the service could not adjust counts as refused, so the others of its name do not wait for it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from extdns.engine.retries import Failure, Retry
from extdns.model.change import AdjustedRecords, Blocked, Refusal
from extdns.model.reason import Reason
from extdns.model.value import group_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extdns.engine.inputs import AdjustmentsLoaded
    from extdns.engine.retries import GiveUpRule
    from extdns.model.dns_name import DnsName
    from extdns.model.record import DesiredRecord
    from extdns.model.zone import Zone
    from extdns.planner.settings import Adjust


class Adjustments:
    """The desired records to show to the DNS service, one request at a time.

    Records that the service could not adjust are shown again together, after a pause that others which fail meanwhile
    do not extend. Other records do not wait for that pause.

    Attributes:
        is_active: whether any record was ever shown or is to be shown; with most services none ever is.
        retry: the requests in a row that failed as a whole, and the pause before the next one.
        failed: the records that the service could not adjust, each with the message of the service.
    """

    def __init__(self, adjust: Adjust) -> None:
        """Start without requests; *adjust* returns what the service made of the records that it was shown."""
        self._adjust = adjust
        self.is_active = False
        self.retry = Retry(Failure.ZONE_READ)
        self.failed: dict[DesiredRecord, str] = {}
        self._failed_retry = Retry(Failure.ZONE_READ)
        self._required: dict[DesiredRecord, None] = {}
        self._requested: tuple[DesiredRecord, ...] = ()

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return what the service would hold for *desired*, and show it later those for which that is not known."""
        found = self._adjust(desired, zone)
        if not found.unknown:
            return found
        self.is_active = True
        self._required.update(dict.fromkeys(found.unknown))
        refused = [
            Refusal(desired=one, reason=Reason.REFUSED, detail=self.failed[one])
            for one in found.unknown
            if one in self.failed
        ]
        unknown = tuple(one for one in found.unknown if one not in self.failed)
        return AdjustedRecords(accepted=found.accepted, refused=(*found.refused, *refused), unknown=unknown)

    def take_due(self, now_s: float) -> tuple[DesiredRecord, ...]:
        """Return the records to show to the service now; () while an answer is awaited or a pause lasts.

        The records count as shown from then on.
        """
        if self._requested or now_s < self.retry.until_at:
            return ()
        if self._failed_retry.has_ended(now_s):
            self._requested, self._required = tuple(self._required), {}
            return self._requested
        self._requested = tuple(record for record in self._required if record not in self.failed)
        self._required = {record: None for record in self._required if record in self.failed}
        return self._requested

    def answer(self, answer: AdjustmentsLoaded, now_s: float) -> dict[str | None, set[DnsName]]:
        """Store *answer*, and end the request. Return the names to plan again, by the namespace that requests them.

        Failed records are requested again after the pause, if names require them.
        """
        requested, self._requested = self._requested, ()
        if answer.failure:
            self.retry.record_failure(now_s, answer.retry_after_s, message=answer.failure)
            return _group_names((*requested, *self._required))
        self.retry.record_success()
        has_ended = self._failed_retry.has_ended(now_s)
        if has_ended:  # the request had all records that are still needed; else it had none that failed
            self.failed = {}
        self.failed.update(answer.failed)
        if answer.failed and has_ended:
            self._failed_retry.record_failure(now_s)
        elif not self.failed:
            self._failed_retry.record_success()
        return _group_names(requested)

    def find_block(self) -> Blocked | None:
        """Return why no records are adjusted, None if the last request has not failed as a whole."""
        return Blocked(reason=Reason.TRY_LATER, detail=self.retry.message) if self.retry.message else None

    def is_awaited(self, rule: GiveUpRule, now_s: float) -> bool:
        """Return whether the answer for a record is awaited, and *rule* has not given up the requests."""
        if rule.is_reached(self.retry, now_s):
            return False
        return any(record not in self.failed for record in chain(self._required, self._requested))

    def find_deadlines(self) -> tuple[float, ...]:
        """Return the times at which the next requests are due."""
        if self._requested or not self._required:
            return ()
        return self.retry.until_at, max(self.retry.until_at, self._failed_retry.until_at)


def _group_names(records: Iterable[DesiredRecord]) -> dict[str | None, set[DnsName]]:
    grouped = group_by(records, lambda one: one.namespace or None)
    return {namespace: {one.name for one in found} for namespace, found in grouped.items()}
