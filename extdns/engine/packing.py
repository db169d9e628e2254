"""Change sets into batches, within the service's limits (design 4; spec plan 4.9)."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model.change import ChangeSet, Write
from extdns.model.record import RecordKey
from extdns.model.zone import Traits


def pack(waiting: Iterable[ChangeSet], traits: Traits) -> tuple[ChangeSet, ...]:
    """As many of *waiting* as one batch takes, in their order; each is taken whole.

    Two change sets that write one record set, which only a shared ownership name can bring about,
    are never in one batch: the later waits and is planned anew.
    """
    taken: list[ChangeSet] = []
    keys: set[RecordKey] = set()
    writes = size = 0
    for change_set in waiting:
        set_keys = {write.key for write in change_set.writes}
        if not keys.isdisjoint(set_keys):
            continue
        more_writes, more_bytes = weight(change_set)
        if taken and (writes + more_writes > traits.max_batch_writes or size + more_bytes > traits.max_batch_bytes):
            break
        taken.append(change_set)
        keys |= set_keys
        writes, size = writes + more_writes, size + more_bytes
    return tuple(taken)


def fits(change_set: ChangeSet, traits: Traits) -> bool:
    """Tell whether *change_set* alone is within the limits."""
    writes, size = weight(change_set)
    return writes <= traits.max_batch_writes and size <= traits.max_batch_bytes


def weight(change_set: ChangeSet) -> tuple[int, int]:
    """Elements and bytes of record data; a replacement counts before and after."""
    writes = change_set.writes
    return sum(_elements(write) for write in writes), sum(_bytes(write) for write in writes)


def _elements(write: Write) -> int:
    return (write.old is not None) + (write.new is not None)


def _bytes(write: Write) -> int:
    old = write.old.targets if write.old else ()
    new = write.new.targets if write.new else ()
    return sum(len(text) for text in (*old, *new))
