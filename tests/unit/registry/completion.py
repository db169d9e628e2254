"""Complete changes with a registry: the records that are ours, and the writes, for comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model.change import Blocked, Change, ChangeSet, Write
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.zone import Zone
from extdns.ports import Registry
from tests.builders import store
from tests.unit.registry.zone_records import ZONE, remove_zone

MANAGED = frozenset({"A", "AAAA", "CNAME"})


def list_ours(registry: Registry, records: Iterable[Record]) -> set[RecordKey]:
    """Return the keys of those of *records* that are ours according to *registry*."""
    return {owned.key for owned in registry.read(records, ZONE) if owned.is_ours}


def find(registry: Registry, records: Iterable[Record], key: RecordKey) -> OwnedRecord:
    """Return the only record with *key*."""
    (found,) = [owned for owned in registry.read(records, ZONE) if owned.key == key]
    return found


def complete(
    registry: Registry, records: Sequence[Record], *changes: Change, zone: Zone = ZONE
) -> tuple[Write, ...] | Blocked:
    """Return the writes of *changes*, or why they are blocked. Only records at related names are passed on."""
    name = changes[0].key.name
    related = {name, *registry.related_names(name, ZONE)}
    held = [record for record in records if record.name in related]
    change_set = ChangeSet(zone=zone, name=name, changes=tuple(sorted(changes, key=lambda change: change.key)))
    done = registry.complete(change_set, held)
    return done if isinstance(done, Blocked) else done.writes


def build_writes(registry: Registry, records: Sequence[Record], *changes: Change) -> tuple[Write, ...]:
    """Return the writes of *changes*; fail if they are blocked."""
    done = complete(registry, records, *changes)
    assert not isinstance(done, Blocked), done
    return done


def get_block(registry: Registry, records: Sequence[Record], *changes: Change) -> Blocked:
    """Return why *changes* are blocked; fail if they are not."""
    done = complete(registry, records, *changes)
    assert isinstance(done, Blocked), done
    return done


def describe_writes(found: Iterable[Write]) -> str:
    """Return each write in order, as in `create TXT a-foo, restate A foo/set-1`.

    To restate is to write the existing record again, without a change.
    """
    return ", ".join(f"{_find_kind(write)} {_format_key(write.key)}" for write in found)


def _find_kind(write: Write) -> str:
    if write.old is None:
        return "create"
    if write.new is None:
        return "delete"
    return "restate" if is_restated(write) else "update"


def _format_key(key: RecordKey) -> str:
    sid = f"/{key.set_identifier}" if key.set_identifier else ""
    return f"{key.type} {remove_zone(key.name)}{sid}"


def is_restated(write: Write) -> bool:
    """Return whether *write* writes the existing record again without a change."""
    return (
        write.old is not None
        and write.new is not None
        and (write.old.targets, write.old.ttl_s, write.old.properties)
        == (write.new.targets, store(write.new).ttl_s, write.new.properties)
    )
