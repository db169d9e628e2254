"""Route 53 as a `ZoneWriter`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from extdns.model.change import Batch, Write
from extdns.model.outcome import Applied, Forbidden, Outcome, TryLater
from extdns.model.zone import Zone
from providers.aws import codec
from providers.aws.answers import outcome
from providers.aws.quotas import fits
from providers.aws.wire import Action, RecordSet, WireChange
from providers.remote.failure import CallFailedError

if TYPE_CHECKING:
    from providers.aws.client import Client


class Route53Writer:
    """Sends batches, each once; overwriting what it may not delete."""

    def __init__(self, clients: Mapping[str, Client], *, conditional: bool = True) -> None:
        """Write with *clients*, by account; unless *conditional*, an update does not ask what stood before."""
        self._clients = clients
        self._conditional = conditional

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one request, deletes before creates, aliases after what they point at.

        Where that is forbidden, and would need no delete if its updates overwrote, they do: the right to delete may
        be the only one that is missing (design 5). What was written so is marked `unconditional`. Each batch begins
        anew, since rights may differ from name to name and come back.
        """
        client = self._clients.get(zone.account)
        if client is None:
            return TryLater(message=f"no account {zone.account!r} is configured, which zone {zone} belongs to")
        if not batch.writes:
            return Applied(records=())
        exact = _changes(batch.writes, zone, conditional=True)
        answer = _sent(client, zone, batch, exact) if self._conditional else None
        if answer is not None and not isinstance(answer, Forbidden):
            return answer
        overwriting = _changes(batch.writes, zone, conditional=False)
        if answer is None:
            return _sent(client, zone, batch, overwriting if fits(overwriting) else exact)
        if _deletes(overwriting) or not _deletes(exact) or not fits(overwriting):
            return answer
        return _sent(client, zone, batch, overwriting)


def _sent(client: Client, zone: Zone, batch: Batch, changes: Sequence[WireChange]) -> Outcome:
    """What becomes of *changes*, which make *batch*."""
    try:
        reference = client.change(zone.id, f"zone {zone}", _ordered(changes, zone))
    except CallFailedError as exc:
        return outcome(exc, [change.record_set for change in changes])
    made = (codec.record(codec.record_set(write.new, zone), zone) for write in batch.writes if write.new is not None)
    return Applied(
        records=tuple(record for record in made if record is not None),
        reference=reference,
        unconditional=any(change.action is Action.UPSERT for change in changes),
    )


def _deletes(changes: Iterable[WireChange]) -> bool:
    return any(change.action is Action.DELETE for change in changes)


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


def _changes(writes: Iterable[Write], zone: Zone, *, conditional: bool) -> tuple[WireChange, ...]:
    return tuple(change for write in writes for change in _elements(write, zone, conditional=conditional))


def _elements(write: Write, zone: Zone, *, conditional: bool) -> Iterator[WireChange]:
    old = codec.record_set(write.old, zone) if write.old else None
    new = codec.record_set(write.new, zone) if write.new else None
    if old and new and not conditional and _alike(old, new):
        yield WireChange(action=Action.UPSERT, record_set=new)
        return
    if old:
        yield WireChange(action=Action.DELETE, record_set=old)
    if new:
        yield WireChange(action=Action.CREATE, record_set=new)


def _alike(old: RecordSet, new: RecordSet) -> bool:
    """Tell whether the service lets *new* take the place of *old* in one step: same kind, same routing policy."""
    fields = ({field.partition(".")[0] for field, _ in one.routing} for one in (old, new))
    return (old.alias is None) == (new.alias is None) and next(fields) == next(fields)
