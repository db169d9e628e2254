"""A DNS service with faults on demand, in which other people edit records between any two calls."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from extdns.errors import ProviderError
from extdns.model.adjusted import Adjusted
from extdns.model.change import Batch
from extdns.model.name import DnsName
from extdns.model.outcome import Outcome, Unknown
from extdns.model.record import Endpoint, Record, RecordKey
from extdns.model.zone import Page, Traits, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider

Contents = dict[RecordKey, Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The answer to a submit does not arrive; the batch was *applied*, or it was not."""

    applied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One submit: what stood before and after it, and the answer."""

    batch: Batch
    before: Contents
    after: Contents
    outcome: Outcome


@dataclass(kw_only=True)
class FaultyProvider:
    """Wraps *inner*; implements `ZoneReader` and `ZoneWriter`.

    Attributes:
        answers: given to the next submits in place of carrying them out; None carries one out.
        rule: asked for an answer when `answers` is empty; None carries the batch out.
        failures: raised by the next reads, in order; None lets one through.
        zone_list: answers `zones` in place of *inner*, if set.
        meddling: run one by one, each before the next call of any kind.
        submissions: every submit so far.
    """

    inner: InMemoryProvider
    answers: deque[Outcome | Lost | None] = field(default_factory=deque)
    rule: Callable[[Batch], Outcome | Lost | None] = lambda _: None
    failures: deque[ProviderError | None] = field(default_factory=deque)
    zone_list: ZoneList | None = None
    meddling: deque[Callable[[], None]] = field(default_factory=deque)
    submissions: list[Submission] = field(default_factory=list)

    @property
    def traits(self) -> Traits:
        return self.inner.traits

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        return self.inner.adjust(wanted, zone)

    def zones(self) -> ZoneList:
        self._before_reading()
        return self.inner.zones() if self.zone_list is None else self.zone_list

    def page(self, zone: Zone, after: str | None) -> Page:
        self._before_reading()
        return self.inner.page(zone, after)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        self._before_reading()
        return self.inner.names(zone, names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._meddle()
        before = self.contents(zone)
        answer = self.answers.popleft() if self.answers else self.rule(batch)
        outcome: Outcome
        match answer:
            case None:
                outcome = self.inner.submit(zone, batch)
            case Lost(applied=applied):
                if applied:
                    self.inner.submit(zone, batch)
                outcome = Unknown(message="no answer")
            case _:
                outcome = answer
        self.submissions.append(Submission(batch=batch, before=before, after=self.contents(zone), outcome=outcome))
        return outcome

    def contents(self, zone: Zone) -> Contents:
        """What stands in *zone* now."""
        return {record.key: record for record in self.inner._held[zone.id].page(None, sys.maxsize).records}

    def put(self, zone: Zone, *records: Record) -> None:
        """Somebody else lets *records* stand."""
        for record in records:
            self.inner._held[zone.id].put(record)

    def remove(self, zone: Zone, *keys: RecordKey) -> None:
        """Somebody else removes what stands at *keys*."""
        for key in keys:
            self.inner._held[zone.id].remove(key)

    def _before_reading(self) -> None:
        self._meddle()
        failure = self.failures.popleft() if self.failures else None
        if failure is not None:
            raise failure

    def _meddle(self) -> None:
        if self.meddling:
            self.meddling.popleft()()
