"""Change sets into batches, within the service's limits (design 4; spec plan 4.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey
from extdns.model.value import Value
from extdns.model.zone import Traits
from extdns.planner.forms import beside
from extdns.ports import Registry


class _Weight(Value, frozen=True):
    """Elements, values and bytes of record data."""

    writes: int = 0
    values: int = 0
    size: int = 0

    def plus(self, other: _Weight) -> _Weight:
        return _Weight(self.writes + other.writes, self.values + other.values, self.size + other.size)

    def within(self, traits: Traits) -> bool:
        """Tell whether a batch may be as large."""
        return (
            self.writes <= traits.max_batch_writes
            and (traits.max_batch_values is None or self.values <= traits.max_batch_values)
            and self.size <= traits.max_batch_bytes
        )


def pack(waiting: Iterable[ChangeSet], traits: Traits) -> tuple[ChangeSet, ...]:
    """As many of *waiting* as one batch takes, in their order; each is taken whole.

    A service that guards nothing takes one, its writes in an order in which each can be made by itself.

    Change sets of two names that write at one name, which only ownership names can bring about, are
    never in one batch: the later waits and is planned anew.
    """
    if not traits.guards:
        return tuple(_stepwise(change_set) for change_set in islice(waiting, 1))
    taken: list[ChangeSet] = []
    written: dict[DnsName, DnsName] = {}
    keys: set[RecordKey] = set()
    total = _Weight()
    for change_set in waiting:
        name, set_keys = change_set.name, [write.key for write in change_set.writes]
        if any(written.get(key.name, name) != name or key in keys for key in set_keys):
            continue
        more = total.plus(_weight(change_set, overwrites=traits.overwrites))
        if taken and not more.within(traits):
            break
        taken.append(change_set)
        for key in set_keys:
            keys.add(key)
            written[key.name] = name
        total = more
    return tuple(taken)


def pieces(
    change_set: ChangeSet, held: Sequence[Record], registry: Registry, traits: Traits
) -> list[tuple[ChangeSet, ChangeSet | Blocked]]:
    """*change_set* with its marks, or why it cannot be made; one that is too large is split by type (law 6).

    What cannot stand side by side is never split.
    """
    completed = registry.complete(change_set, held)
    # One that is too large as an overwriting is sent by itself, and then as an exchange.
    if isinstance(completed, Blocked) or (weight := _weight(completed, overwrites=False)).within(traits):
        return [(change_set, completed)]
    if len(change_set.changes) > 1 and beside(change.key for change in change_set.changes):
        alone = (replace(change_set, changes=(change,)) for change in change_set.changes)
        return [piece for one in alone for piece in pieces(one, held, registry, traits)]
    detail = f"{weight.writes} elements of {weight.values} values and {weight.size} bytes in one change"
    return [(change_set, Blocked(reason=Reason.TOO_LARGE, detail=detail))]


def _stepwise(change_set: ChangeSet) -> ChangeSet:
    """*change_set* with its writes in such an order that no record ever stands without its mark.

    What gets in between leaves a mark without a record at most, which proves nothing.
    """
    records = {change.key for change in change_set.changes}
    names = {key.name for key in records}

    def step(write: Write) -> tuple[int, RecordKey]:
        makes = write.new is not None
        if write.key in records:
            return (2 if makes else 1), write.key
        return (0 if makes else 1 if write.key.name in names else 3), write.key

    return replace(change_set, writes=tuple(sorted(change_set.writes, key=step)))


def _weight(change_set: ChangeSet, *, overwrites: bool) -> _Weight:
    """What *change_set* takes of a batch: a replacement counts before and after.

    One that may go out as an overwriting counts at least twice what it makes.
    """
    writes = values = size = 0
    for write in change_set.writes:
        old, new = (content.targets if content else () for content in (write.old, write.new))
        twice = overwrites and write.old is not None and write.new is not None
        writes += (write.old is not None) + (write.new is not None)
        values += len(new) + max(len(old), len(new) * twice)
        size += (new_size := sum(map(len, new))) + max(sum(map(len, old)), new_size * twice)
    return _Weight(writes, values, size)
