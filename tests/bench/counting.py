"""The in-memory provider, as benchmarks watch it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from providers.inmemory.provider import InMemoryProvider
from tests.bench.services import ZONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.model.adjusted import Adjusted
    from extdns.model.change import Batch
    from extdns.model.name import DnsName
    from extdns.model.outcome import Outcome
    from extdns.model.record import Endpoint, Record
    from extdns.model.zone import Page, Zone

PATIENCE_S: Final = 60.0
"""How long a benchmark waits for what must come before it fails."""


@dataclass(slots=True)
class Counts:
    """What was done since `clear`."""

    planned: set[DnsName] = field(default_factory=set)
    reads: int = 0
    batches: list[int] = field(default_factory=list)

    def clear(self) -> None:
        """Begin to count anew."""
        self.planned, self.reads, self.batches = set(), 0, []


class CountingProvider(InMemoryProvider):
    """The in-memory provider, which says what it was asked."""

    def __init__(self) -> None:
        super().__init__([ZONE])
        self.counts = Counts()

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """Planning a name that somebody wants leads here."""
        self.counts.planned |= {endpoint.name for endpoint in wanted}
        return super().adjust(wanted, zone)

    def page(self, zone: Zone, after: str | None) -> Page:
        """Audits and the first reading lead here."""
        self.counts.reads += 1
        return super().page(zone, after)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Doubt about a name leads here."""
        self.counts.reads += 1
        return super().names(zone, names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Each write leads here."""
        self.counts.batches.append(len(batch.sets))
        return super().submit(zone, batch)
