"""What a running process shows to readers on other threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from extdns.facts.holding import records
from extdns.facts.names import Names

if TYPE_CHECKING:
    from extdns.facts.changes import Sent
    from extdns.facts.snapshot import Snapshot, ZoneEntry
    from extdns.model.cluster import KindState


@dataclass(slots=True)
class Counted:
    """What takes time to count, with the revision of what it was counted from; copies after each other share it.

    Attributes:
        names: of the decisions.
        records: how many record sets stand in a zone, by its id.
    """

    names: tuple[int, Names] | None = None
    records: dict[str, tuple[int, int]] = field(default_factory=dict)


class Live:
    """A process at one moment; it does not change.

    Attributes:
        seen: what the engine holds.
        at: when that was copied, and `at_s` the same in monotonic seconds.
        kinds: how far each kind of object is.
        changes: what was sent last, newest first.
        settled: whether the first full pass is over.
    """

    def __init__(
        self,
        seen: Snapshot,
        *,
        at: datetime,
        at_s: float,
        kinds: tuple[KindState, ...],
        changes: tuple[Sent, ...],
        settled: bool,
        counted: Counted | None = None,
    ) -> None:
        """Keep what is given; what is in *counted* is not counted again."""
        self.seen = seen
        self.at = at
        self.at_s = at_s
        self.kinds = kinds
        self.changes = changes
        self.settled = settled
        self._counted = counted or Counted()

    def time(self, monotonic_s: float) -> datetime:
        """The time of day of *monotonic_s*."""
        return self.at - timedelta(seconds=self.at_s - monotonic_s)

    @property
    def names(self) -> Names:
        """Every name that is asked for or ours."""
        decisions, known = self.seen.decisions, self._counted.names
        if known is None or known[0] != decisions.revision:
            known = self._counted.names = (decisions.revision, Names(decisions))
        return known[1]

    def records(self, entry: ZoneEntry) -> int:
        """How many record sets stand in a zone; ownership records are not counted."""
        known = self._counted.records.get(entry.zone.id)
        if known is None or known[0] != entry.mirror.revision:
            count = sum(1 for _ in records(entry.mirror))
            known = self._counted.records[entry.zone.id] = (entry.mirror.revision, count)
        return known[1]
