"""The in-memory provider, with counters for benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from providers.inmemory.provider import InMemoryProvider
from tests.bench.services import ZONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.model.change import AdjustedRecords, Batch, Outcome
    from extdns.model.dns_name import DnsName
    from extdns.model.record import DesiredRecord, Record
    from extdns.model.zone import Zone, ZonePage

TIMEOUT_S: Final = 60.0
"""Longest time in seconds that a benchmark waits for an event."""


@dataclass(slots=True)
class Counts:
    """The calls since `clear`."""

    planned: set[DnsName] = field(default_factory=set)
    reads: int = 0
    batches: list[int] = field(default_factory=list)

    def clear(self) -> None:
        self.planned, self.reads, self.batches = set(), 0, []


class CountingProvider(InMemoryProvider):
    """An in-memory provider that counts its calls."""

    def __init__(self) -> None:
        super().__init__([ZONE])
        self.counts = Counts()

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        self.counts.planned |= {endpoint.name for endpoint in desired}
        return super().adjust(desired, zone)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Count reads of zone pages, for the first read and each refresh."""
        self.counts.reads += 1
        return super().read_page(zone, after)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        self.counts.reads += 1
        return super().read_names(zone, names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self.counts.batches.append(len(batch.change_sets))
        return super().submit(zone, batch)
