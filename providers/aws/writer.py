"""Route 53 as a `ZoneWriter`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from extdns.model.change import Batch, Write
from extdns.model.outcome import Applied, Outcome, TryLater
from extdns.model.zone import Zone
from providers.aws import codec
from providers.aws.answers import outcome
from providers.aws.wire import Action, RecordSet, WireChange
from providers.remote.failure import CallFailedError, Trouble

if TYPE_CHECKING:
    from providers.aws.client import Client


class Route53Writer:
    """Sends batches, each once."""

    def __init__(self, clients: Mapping[str, Client], *, conditional: bool = True) -> None:
        """Write with *clients*, by account; unless *conditional*, an update does not ask what stood before."""
        self._clients = clients
        self._conditional = conditional
        # Zones in which updates overwrite, because we may not delete there, as far as is known.
        self._overwritten: set[str] = set()

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one request, deletes before creates, aliases after what they point at.

        Where that is forbidden, updates of the next batch go without a delete: the right to delete may
        be the only one that is missing (design 5). What was written so is marked `unconditional`.
        """
        client = self._clients.get(zone.account)
        if client is None:
            return TryLater(message=f"no account {zone.account!r} is configured, which zone {zone} belongs to")
        writes = batch.writes
        if not writes:
            return Applied(records=())
        conditional = self._conditional and zone.id not in self._overwritten
        changes = _ordered(tuple(_changes(writes, zone, conditional=conditional)), zone)
        try:
            reference = client.change(zone.id, f"zone {zone}", changes)
        except CallFailedError as exc:
            if exc.trouble is Trouble.FORBIDDEN and self._conditional:
                self._forbidden(zone, changes)
            return outcome(exc, [change.record_set for change in changes])
        made = (codec.record(codec.record_set(write.new, zone), zone) for write in writes if write.new is not None)
        return Applied(
            records=tuple(record for record in made if record is not None),
            reference=reference,
            unconditional=any(change.action is Action.UPSERT for change in changes),
        )

    def _forbidden(self, zone: Zone, changes: Sequence[WireChange]) -> None:
        """Next time overwrite if this time something was deleted; and the other way round."""
        if any(change.action is Action.DELETE for change in changes):
            self._overwritten.add(zone.id)
        elif any(change.action is Action.UPSERT for change in changes):
            self._overwritten.discard(zone.id)


def _ordered(changes: Sequence[WireChange], zone: Zone) -> list[WireChange]:
    """Deletes come first, and aliases within *zone* after what they point at: the service wants that to be there."""
    created = (change.record_set for change in changes if change.action is not Action.DELETE)
    targets = {one.name: one.alias.name for one in created if one.alias and one.alias.zone_id == zone.id}

    def turn(change: WireChange) -> int:
        if change.action is Action.DELETE:
            return 0
        name, hops = change.record_set.name, 1
        while name in targets and hops <= len(targets):  # as far as a ring of aliases goes round
            name, hops = targets[name], hops + 1
        return hops

    return sorted(changes, key=turn)


def _changes(writes: Sequence[Write], zone: Zone, *, conditional: bool) -> Iterator[WireChange]:
    for write in writes:
        old = codec.record_set(write.old, zone) if write.old else None
        new = codec.record_set(write.new, zone) if write.new else None
        if old and new and not conditional and _alike(old, new):
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
