"""A DNS service in memory whose calls can fail, and whose records other people can edit between two calls."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from extdns.errors import ProviderError
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Batch, Outcome, Unknown
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.inmemory.provider import InMemoryProvider

Contents = dict[RecordKey, Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """The answer to a batch is lost on the way; *applied* states whether the service applied the batch."""

    applied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One submitted batch, the records of the zone before and after it, and its outcome."""

    batch: Batch
    before: Contents
    after: Contents
    outcome: Outcome


@dataclass(kw_only=True)
class FaultyProvider:
    """Passes calls on to *inner*, with faults; implements `ZoneReader` and `ZoneWriter`.

    Attributes:
        answers: the outcomes of the next batches, which are not applied; None applies the batch.
        rule: returns the outcome of a batch when `answers` is empty; None applies the batch.
        failures: the errors that the next reads raise, in order; None lets a read succeed.
        zone_list: the answer to `list_zones`, if it is not that of *inner*.
        edits: functions that edit records as other people would; one is called before each call.
        submissions: every batch submitted so far.
    """

    inner: InMemoryProvider
    answers: deque[Outcome | NoAnswer | None] = field(default_factory=deque)
    rule: Callable[[Batch], Outcome | NoAnswer | None] = lambda _: None
    failures: deque[ProviderError | None] = field(default_factory=deque)
    zone_list: ZoneList | None = None
    edits: deque[Callable[[], None]] = field(default_factory=deque)
    submissions: list[Submission] = field(default_factory=list)
    _contents: dict[str, tuple[tuple[tuple[Record, ...], ...], Contents]] = field(default_factory=dict)

    @property
    def capabilities(self) -> Capabilities:
        return self.inner.capabilities

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        return self.inner.adjust(desired, zone)

    def list_zones(self) -> ZoneList:
        self._prepare_read()
        return self.inner.list_zones() if self.zone_list is None else self.zone_list

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        self._prepare_read()
        return self.inner.read_page(zone, after)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        self._prepare_read()
        return self.inner.read_names(zone, names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._make_edit()
        before = self.contents(zone)
        answer = self.answers.popleft() if self.answers else self.rule(batch)
        outcome: Outcome
        match answer:
            case None:
                outcome = self.inner.submit(zone, batch)
            case NoAnswer(applied=applied):
                if applied:
                    self.inner.submit(zone, batch)
                outcome = Unknown(message="no answer")
            case _:
                outcome = answer
        self.submissions.append(Submission(batch=batch, before=before, after=self.contents(zone), outcome=outcome))
        return outcome

    def contents(self, zone: Zone) -> Contents:
        """Return the current records of *zone* by key."""
        stored = self.inner._records[zone.id]
        by_name = tuple(stored._by_name.values())
        if zone.id not in self._contents or self._contents[zone.id][0] != by_name:  # most calls find no change
            records = stored.read_page(None, sys.maxsize).records
            self._contents[zone.id] = by_name, {record.key: record for record in records}
        return dict(self._contents[zone.id][1])

    def put_records(self, zone: Zone, *records: Record) -> None:
        """Create or replace *records* as another writer."""
        for record in records:
            self.inner._records[zone.id].put(record)

    def remove_records(self, zone: Zone, *keys: RecordKey) -> None:
        """Remove the records with *keys* as another writer."""
        for key in keys:
            self.inner._records[zone.id].remove(key)

    def _prepare_read(self) -> None:
        self._make_edit()
        failure = self.failures.popleft() if self.failures else None
        if failure is not None:
            raise failure

    def _make_edit(self) -> None:
        if self.edits:
            self.edits.popleft()()
