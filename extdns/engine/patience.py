"""For how long what fails is waited for: one zone's trouble must not hold up the first pass (law 3, design 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.engine.backoff import Backoff
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState

# Failures in a row after which a single pass leaves a zone or a name alone; with pauses that double between them.
_ATTEMPTS = 5


class Patience:
    """Tells what is settled, because it is done or because it has failed for long enough.

    A refusal for lack of rights is enough at once. Other failures are waited for as long as sources
    are; a single pass counts them, since it ends for good.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Be as patient as *settings* say."""
        self._once = settings.once
        self._patience_s = settings.source_patience_s

    def lost(self, backoff: Backoff, now_s: float) -> bool:
        """Tell whether what *backoff* stands for is not waited for any more."""
        if not backoff.failures:
            return False
        enough = backoff.failures >= _ATTEMPTS if self._once else now_s - backoff.since_s >= self._patience_s
        return backoff.refused or enough

    def read(self, state: ZoneState, now_s: float) -> bool:
        """Tell whether the zone was read whole, or cannot be."""
        return state.mirror.whole or self.lost(state.audit.backoff, now_s)

    def written(self, state: ZoneState, now_s: float) -> bool:
        """Tell whether nothing is on its way to the zone any more, or what is cannot be written."""
        writes = state.writes
        if writes.forbidden or self.lost(writes.backoff, now_s):
            return True
        if writes.doubts:
            return self.lost(state.audit.backoff, now_s)
        return not (writes.in_flight or writes.waits(lambda backoff: self.lost(backoff, now_s)))

    def times(self, zones: Zones) -> Iterator[float]:
        """When that which fails now will have failed for long enough, past times included."""
        backoffs = [zones.backoff, *(one for state in zones for one in (state.audit.backoff, state.writes.backoff))]
        for backoff in backoffs:
            if backoff.failures:
                yield backoff.since_s + self._patience_s
