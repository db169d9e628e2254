"""Build batches: add ownership records to change sets, and select the change sets of one API call.

See docs/spec/plan.md 4.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey, project_record
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.model.capabilities import Capabilities
    from extdns.model.change import Batch
    from extdns.model.dns_name import DnsName
    from extdns.ports import Registry


class BatchSize(Value, frozen=True):
    """The size of changes as the limits of a service count it: writes (an update is two), values, bytes or calls."""

    writes: int = 0
    values: int = 0
    size: int = 0

    def add(self, other: BatchSize) -> BatchSize:
        """Return the sum of this size and *other*."""
        return BatchSize(self.writes + other.writes, self.values + other.values, self.size + other.size)

    def is_within(self, capabilities: Capabilities) -> bool:
        """Return whether the service accepts a batch of this size."""
        return (
            self.writes <= capabilities.max_batch_writes
            and (capabilities.max_batch_values is None or self.values <= capabilities.max_batch_values)
            and self.size <= capabilities.max_batch_size
        )


def project_records(
    current: Sequence[Record], queued: Sequence[ChangeSet], name: DnsName, related: Iterable[str]
) -> Sequence[Record]:
    """Return the records that *name* and its *related* names will have after the *queued* change sets were written.

    Ownership records of two names can be at one name. Each name is therefore planned as if the queued changes of the
    others were written already: a plan then shows what will be done, and the second name is blocked at once if an
    ownership record of the first takes its ownership name.
    """
    if not queued:
        return current
    names = {name, *related}
    projected = {record.key: record for record in current}
    for write in (write for change_set in queued for write in change_set.writes if write.key.name in names):
        projected.pop(write.key, None)
        if write.new is not None:
            projected[write.key] = project_record(write.new)
    return tuple(projected.values())


def complete(
    change_set: ChangeSet, current: Sequence[Record], registry: Registry, capabilities: Capabilities
) -> ChangeSet | Blocked:
    """Return *change_set* with ownership records added, or the reason why it cannot be written.

    *current* are the records of its name and of related names.
    """
    completed = registry.complete(change_set, current)
    # A change set that is too large with upserts is sent alone, as deletes and creates.
    if isinstance(completed, Blocked) or (size := measure(completed, capabilities)).is_within(capabilities):
        return completed
    limits = (
        (size.writes, capabilities.max_batch_writes, "writes"),
        (size.values, capabilities.max_batch_values, "values"),
        (size.size, capabilities.max_batch_size, capabilities.size_unit),
    )
    exceeded = [f"{taken} {unit}, allowed: {limit}" for taken, limit, unit in limits if limit and taken > limit]
    detail = f"what changes together takes {'; '.join(exceeded)}"
    return Blocked(reason=Reason.TOO_LARGE, detail=detail)


def select_for_batch(queued: Iterable[ChangeSet], capabilities: Capabilities) -> tuple[ChangeSet, ...]:
    """Return the first of the *queued* change sets, as many as fit into one batch, sorted by name.

    If batches of the service are not both atomic and conditional, the writes of a change set are ordered such that no
    record is without its ownership record if the process ends after any of them. Then only the first change set is
    returned, unless the service reads full zones.

    Change sets of two names that write the same name, which only ownership records can share, are never in one batch:
    the later one waits and is planned again.
    """
    if not capabilities.is_safe_to_write_blind:
        queued = map(_order_writes, queued if capabilities.reads_full_zones else islice(queued, 1))
    selected: list[ChangeSet] = []
    written: dict[DnsName, DnsName] = {}
    keys: set[RecordKey] = set()
    total = BatchSize()
    for change_set in queued:
        name, set_keys = change_set.name, [write.key for write in change_set.writes]
        if keys and any(written.get(key.name, name) != name or key in keys for key in set_keys):
            continue
        size = total.add(measure(change_set, capabilities, upserts=capabilities.sends_upserts))
        if selected and not size.is_within(capabilities):
            break
        selected.append(change_set)
        for key in set_keys:
            keys.add(key)
            written[key.name] = name
        total = size
    return tuple(sorted(selected, key=lambda change_set: (change_set.name, change_set.writes[0].key)))


def halve(sets: Sequence[ChangeSet]) -> tuple[Sequence[ChangeSet], Sequence[ChangeSet]]:
    """Return two parts of *sets*, of which there are several: halves if all are of one namespace.

    Otherwise no namespace is in both parts, and they are as equal as that allows.
    """
    ordered = sorted(sets, key=lambda one: one.namespace)
    size = len(ordered)
    cuts = [at for at in range(1, size) if ordered[at - 1].namespace != ordered[at].namespace] or [size // 2]
    cut = min(cuts, key=lambda at: abs(2 * at - size))
    return ordered[:cut], ordered[cut:]


def measure(change_set: ChangeSet, capabilities: Capabilities, *, upserts: bool = False) -> BatchSize:
    """Return the size of *change_set*, as the limits of a batch count it.

    An update counts as the record before and the record after. With *upserts* it counts as
    twice the record after, if that is more.
    """
    writes = values = size_bytes = 0
    for write in change_set.writes:
        new = write.new.targets if write.new else ()
        new_bytes = sum(map(len, new))
        writes += write.new is not None
        values += len(new)
        size_bytes += new_bytes
        if write.old:
            old, twice = write.old.targets, upserts and write.new is not None
            writes += 1
            values += max(len(old), len(new) * twice)
            size_bytes += max(sum(map(len, old)), new_bytes * twice)
    return BatchSize(writes, values, capabilities.measure(change_set) if capabilities.measure else size_bytes)


def find_names(batch: Batch) -> tuple[DnsName, ...]:
    """Return the names that *batch* changes, each once, in the order in which *batch* changes them."""
    return tuple(dict.fromkeys([change_set.name for change_set in batch.change_sets]))


def find_offending(batch: Batch, offending: Iterable[DnsName]) -> tuple[ChangeSet, ...]:
    """Return the change sets of *batch* that contain a write at one of the *offending* names."""
    found = frozenset(offending)
    return tuple([one for one in batch.change_sets if any(write.key.name in found for write in one.writes)])


def _order_writes(change_set: ChangeSet) -> ChangeSet:
    """Return *change_set* with its writes in such an order that no record is ever without its ownership record.

    If the process ends between two writes, at most an ownership record without a record is left, which has no effect.
    """
    records = {change.key for change in change_set.changes}
    names = {key.name for key in records}

    def order(write: Write) -> tuple[int, RecordKey]:
        creates = write.new is not None
        if write.key in records:
            return (2 if creates else 1), write.key
        return (0 if creates else 1 if write.key.name in names else 3), write.key

    return replace(change_set, writes=tuple(sorted(change_set.writes, key=order)))
