"""A DNS service that can do neither of laws 5 and 6 (design 2): it makes writes one by one, and asks nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from extdns.errors import RetryableError
from extdns.model.change import Batch, Write
from extdns.model.outcome import Applied, Outcome, TryLater, Unknown
from extdns.model.record import Record
from extdns.model.zone import Traits, Zone
from providers.inmemory.provider import InMemoryProvider


class CarelessProvider(InMemoryProvider):
    """The in-memory provider, in which each write takes the place of whatever stands there.

    Attributes:
        cuts: for the next submits: after how many writes the connection breaks, without an answer.
    """

    def __init__(self, zones: Iterable[str], *, page_size: int = 300) -> None:
        super().__init__(zones, page_size=page_size)
        self.cuts: deque[int] = deque()

    @property
    def traits(self) -> Traits:
        return replace(super().traits, atomic=False, conditional=False)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        left = self.cuts.popleft() if self.cuts else None
        made: list[Record] = []
        for done, write in enumerate(batch.writes):
            if done == left:
                return Unknown(message="the connection broke")
            outcome = self._put(zone, batch, write)
            if not isinstance(outcome, Applied):
                return outcome
            made += outcome.records
        return Applied(records=tuple(made), unconditional=bool(batch.writes))

    def _put(self, zone: Zone, batch: Batch, write: Write) -> Outcome:
        """Make *write*, whatever stands there."""
        try:
            held = {record.key: record for record in self.names(zone, [write.key.name])}
        except RetryableError as exc:
            return TryLater(message=str(exc))
        now = Write(old=held.get(write.key), new=write.new)
        return super().submit(zone, replace(batch, sets=(replace(batch.sets[0], writes=(now,)),)))
