"""A DNS service without atomic batches and conditional writes: it makes one write after the other, unchecked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from extdns.errors import RetryableError
from extdns.model.change import Applied, Batch, Outcome, TryLater, Unknown, Write
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider


class CarelessProvider(InMemoryProvider):
    """The in-memory provider without atomic batches and conditions: a write replaces whatever record exists.

    Attributes:
        breaks_after: for each of the next batches, after how many writes the connection breaks without an answer.
    """

    capabilities = replace(InMemoryProvider.capabilities, atomic=False, conditional=False)

    def __init__(
        self,
        zones: Iterable[str] = (),
        *,
        seed: Mapping[Zone, Iterable[Record]] = MappingProxyType({}),
        page_size: int = 300,
    ) -> None:
        super().__init__(zones, seed=seed, page_size=page_size)
        self.breaks_after: deque[int] = deque()

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        left = self.breaks_after.popleft() if self.breaks_after else None
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
        """Make *write* whether or not the current record is the expected one."""
        try:
            held = {record.key: record for record in self.read_names(zone, [write.key.name])}
        except RetryableError as exc:
            return TryLater(message=str(exc))
        now = Write(old=held.get(write.key), new=write.new)
        return super().submit(zone, replace(batch, change_sets=(replace(batch.change_sets[0], writes=(now,)),)))
