"""What a running process shows to readers on other threads."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from extdns.facts.holding import Holding, holdings
from extdns.facts.names import Row, rows

if TYPE_CHECKING:
    from extdns.facts.changes import Sent
    from extdns.facts.snapshot import Snapshot
    from extdns.model.cluster import KindState
    from extdns.model.zone import Zone


class Live:
    """A process at one moment; it never changes, and what it costs to count is counted once.

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
    ) -> None:
        """Keep what is given."""
        self.seen = seen
        self.at = at
        self.at_s = at_s
        self.kinds = kinds
        self.changes = changes
        self.settled = settled

    def time(self, monotonic_s: float) -> datetime:
        """The time of day of *monotonic_s*."""
        return self.at - timedelta(seconds=self.at_s - monotonic_s)

    @cached_property
    def names(self) -> tuple[Row, ...]:
        """Every name that is asked for or ours, sorted."""
        return tuple(rows(self.seen.decisions))

    @cached_property
    def holdings(self) -> dict[Zone, Holding]:
        """What each zone holds."""
        return holdings(self.seen)
