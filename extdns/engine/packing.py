"""Change sets into batches, within the service's limits (design 4; spec plan 4.9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Traits
from extdns.planner.forms import beside
from extdns.ports import Registry


class _Weight(NamedTuple):
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
        set_keys = {write.key for write in change_set.writes}
        if any(written.get(key.name, change_set.name) != change_set.name for key in set_keys) or set_keys & keys:
            continue
        more = total.plus(_weight(change_set))
        if taken and not more.within(traits):
            break
        taken.append(change_set)
        keys |= set_keys
        written |= {key.name: change_set.name for key in set_keys}
        total = more
    return tuple(taken)


def pieces(
    change_set: ChangeSet, held: Sequence[Record], registry: Registry, traits: Traits
) -> Iterator[tuple[ChangeSet, ChangeSet | Blocked]]:
    """*change_set* with its marks, or why it cannot be made; one that is too large is split by type (law 6).

    What cannot stand side by side is never split.
    """
    completed = registry.complete(change_set, held)
    if isinstance(completed, Blocked) or _weight(completed).within(traits):
        yield change_set, completed
    elif len(change_set.changes) > 1 and _separable(change_set):
        for change in change_set.changes:
            yield from pieces(replace(change_set, changes=(change,)), held, registry, traits)
    else:
        too_much = _weight(completed)
        detail = f"{too_much.writes} elements of {too_much.values} values and {too_much.size} bytes in one change"
        yield change_set, Blocked(reason=Reason.TOO_LARGE, detail=detail)


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


def _separable(change_set: ChangeSet) -> bool:
    keys = [change.key for change in change_set.changes]
    return all(beside(one, other) for one, other in combinations(keys, 2))


def _weight(change_set: ChangeSet) -> _Weight:
    """What *change_set* takes of a batch; a replacement counts before and after."""
    elements = values = size = 0
    for write in change_set.writes:
        for content in (write.old, write.new):
            if content is not None:
                elements += 1
                values += len(content.targets)
                size += sum(map(len, content.targets))
    return _Weight(elements, values, size)
