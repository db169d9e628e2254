"""Ports that only work while we lead: the last word before a write, whatever waited on its way there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from extdns.controller.candidacy import may_write
from extdns.model.outcome import TryLater

if TYPE_CHECKING:
    from extdns.model.change import Batch
    from extdns.model.claim import Claim
    from extdns.model.cluster import ObjectKey
    from extdns.model.decision import Decision
    from extdns.model.held import Held
    from extdns.model.outcome import Outcome
    from extdns.model.zone import Zone
    from extdns.ports import Announcer, Lease, ZoneWriter

_NOT_OURS: Final = TryLater(message="this process does not lead, or not for long enough")


class LeasedWriter:
    """A `ZoneWriter` that begins no write while somebody else may."""

    def __init__(self, writer: ZoneWriter, lease: Lease) -> None:
        """Write with *writer*."""
        self._writer = writer
        self._lease = lease

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """As the writer does."""
        return self._writer.submit(zone, batch) if may_write(self._lease) else _NOT_OURS


class LeasedAnnouncer:
    """An `Announcer` that leaves it to the leader to tell; that nothing is held any more, it always tells."""

    def __init__(self, announcer: Announcer, lease: Lease) -> None:
        """Tell with *announcer*."""
        self._announcer = announcer
        self._lease = lease

    def decided(self, decisions: Sequence[Decision]) -> None:
        """As the announcer does."""
        if may_write(self._lease):
            self._announcer.decided(decisions)

    def mistaken(self, claims: Sequence[Claim]) -> None:
        """As the announcer does."""
        if may_write(self._lease):
            self._announcer.mistaken(claims)

    def failed(self, key: ObjectKey, message: str) -> None:
        """As the announcer does."""
        if may_write(self._lease):
            self._announcer.failed(key, message)

    def applied(self, batch: Batch) -> None:
        """As the announcer does, whoever leads by now: we have written it."""
        self._announcer.applied(batch)

    def held(self, zone: Zone, code: str, held: Sequence[Held]) -> None:
        """As the announcer does."""
        if may_write(self._lease) or not held:
            self._announcer.held(zone, code, held)

    def close(self, patience_s: float) -> None:
        """As the announcer does."""
        self._announcer.close(patience_s)
