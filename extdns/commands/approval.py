"""Lets through to a DNS service what a person approved of, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.outcome import Refused

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.model.change import Batch, Change, ChangeSet
    from extdns.model.name import DnsName
    from extdns.model.outcome import Outcome
    from extdns.model.zone import Zone
    from extdns.ports import ZoneWriter

_Essence = tuple["Zone", "DnsName", "tuple[Change, ...]"]


class Approval:
    """A `ZoneWriter` that knows what was approved of; what is planned afresh meanwhile is something else."""

    def __init__(self, writer: ZoneWriter) -> None:
        """Let nothing through to *writer* yet."""
        self._writer = writer
        self._approved: frozenset[_Essence] = frozenset()

    def approve(self, engine: Engine) -> None:
        """Let through what *engine* has planned so far."""
        self._approved = frozenset(
            _essence(change_set)
            for state in engine.zones
            for change_sets in state.writes.pending.values()
            for change_set in change_sets
        )

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Apply *batch*, unless there is more in it than was approved of."""
        others = {change_set.name for change_set in batch.sets if _essence(change_set) not in self._approved}
        if others:
            return Refused(message="not as in the plan that is applied", culprits=tuple(sorted(others)))
        return self._writer.submit(zone, batch)


def _essence(change_set: ChangeSet) -> _Essence:
    """What a person sees of it; the text of an encrypted mark is another one each time it is made."""
    return (change_set.zone, change_set.name, change_set.changes)
