"""Route 53 as a `ZoneWriter`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from extdns.model.change import Batch, Write
from extdns.model.outcome import Applied, Outcome, TryLater
from extdns.model.zone import Zone
from providers.aws import codec
from providers.aws.answers import outcome
from providers.aws.failure import CallFailedError
from providers.aws.wire import Action, RecordSet, WireChange

if TYPE_CHECKING:
    from providers.aws.client import Client


class Route53Writer:
    """Sends batches, each once."""

    def __init__(self, clients: Mapping[str, Client], *, conditional: bool = True) -> None:
        """Write with *clients*, by account; unless *conditional*, an update does not ask what stood before."""
        self._clients = clients
        self._conditional = conditional

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one request, deletes before creates."""
        client = self._clients.get(zone.account)
        if client is None:
            return TryLater(message=f"no account {zone.account!r} is configured, which zone {zone} belongs to")
        writes = batch.writes
        if not writes:
            return Applied(records=())
        changes = sorted(self._changes(writes, zone), key=lambda change: change.action is not Action.DELETE)
        try:
            reference = client.change(zone.id, f"zone {zone}", changes)
        except CallFailedError as exc:
            return outcome(exc, [change.record_set for change in changes])
        made = (codec.record(codec.record_set(write.new, zone), zone) for write in writes if write.new is not None)
        return Applied(records=tuple(record for record in made if record is not None), reference=reference)

    def _changes(self, writes: Sequence[Write], zone: Zone) -> Iterator[WireChange]:
        for write in writes:
            old = codec.record_set(write.old, zone) if write.old else None
            new = codec.record_set(write.new, zone) if write.new else None
            if old and new and not self._conditional and _alike(old, new):
                yield WireChange(action=Action.UPSERT, record_set=new)
                continue
            if old:
                yield WireChange(action=Action.DELETE, record_set=old)
            if new:
                yield WireChange(action=Action.CREATE, record_set=new)


def _alike(old: RecordSet, new: RecordSet) -> bool:
    """Tell whether the service lets *new* take the place of *old* in one step: same kind, same routing policy."""
    fields = ({field.partition(".")[0] for field, _ in one.routing} for one in (old, new))
    return (old.alias is None) == (new.alias is None) and next(fields) == next(fields)
