"""Build registries, records and changes for tests of registries, and format writes as short texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model.change import Blocked, Change, ChangeSet, Create, Delete, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.record import DesiredRecord, OwnedRecord, Record, RecordKey
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.ports import Registry
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry

ZONE = Zone(name=DnsName("x.test"), id="1")
TARGETS = {"A": "192.0.2.1", "AAAA": "2001:db8::1", "CNAME": "lb.test", "MX": "10 mail.test", "NS": "ns.test"}
MANAGED = frozenset({"A", "AAAA", "CNAME"})


def build_registry(
    *,
    prefix: str = "",
    suffix: str = "",
    wildcard: str = "",
    types: Iterable[str] = MANAGED,
    migrate_from: str = "",
    unmarked_creates: bool = False,
) -> TxtRegistry:
    """Build a txt registry whose owner id is `me`."""
    return TxtRegistry(
        owner="me",
        naming=Naming(prefix=prefix, suffix=suffix, wildcard_replacement=wildcard),
        managed_types=frozenset(types),
        migrate_from=migrate_from,
        creates_without_ownership=unmarked_creates,
    )


def record(rtype: str, name: str, *, sid: str = "", target: str = "", **properties: str) -> Record:
    """Build a record; *name* is relative to `x.test` unless it ends with a dot."""
    return Record(
        name=build_name(name),
        type=rtype,
        targets=(target or TARGETS.get(rtype, '"text"'),),
        ttl_s=300,
        set_identifier=sid,
        properties=StringMap.from_items(properties),
    )


def ownership_record(name: str, owner: str = "me", resource: str = "", *, sid: str = "", **labels: str) -> Record:
    """Build a TXT record at *name* whose text is that of an ownership record."""
    message = {**labels, "owner": owner} | ({"resource": resource} if resource else {})
    text = ",".join(f"external-dns/{key}={value}" for key, value in sorted(message.items()))
    return record("TXT", name, sid=sid, target=f'"heritage=external-dns,{text}"')


def build_name(name: str) -> DnsName:
    """Return *name* as an absolute name: relative names are below `x.test`, and `@` is `x.test` itself."""
    if name == "@":
        return ZONE.name
    return DnsName(name.removesuffix(".") if name.endswith(".") else f"{name}.{ZONE.name}")


def format_name(name: str) -> str:
    """Return *name* relative to `x.test`; the reverse of `full`."""
    return "@" if name == ZONE.name else name.removesuffix(f".{ZONE.name}")


def build_desired(
    rtype: str, name: str, resource: str = "", *, sid: str = "", target: str = "", **properties: str
) -> DesiredRecord:
    """Build a desired record, with a `resource` label unless *resource* is ""; *name* is as in `record`."""
    like = record(rtype, name, sid=sid, target=target, **properties)
    return DesiredRecord(
        name=like.name,
        type=rtype,
        targets=like.targets,
        ttl_s=300,
        set_identifier=sid,
        labels=StringMap.from_items({"resource": resource} if resource else {}),
        properties=like.properties,
    )


def list_ours(registry: Registry, records: Iterable[Record]) -> set[str]:
    """Return those of *records* that are ours according to *registry*, as `A web` or `A web/set`."""
    return {format_key(owned.key) for owned in registry.read(records) if owned.is_ours}


def format_key(key: RecordKey) -> str:
    """Return a short text for a record: `A web`, or `A web/set` if it is routed."""
    return f"{key.type} {format_name(key.name)}" + (f"/{key.set_identifier}" if key.set_identifier else "")


def find(registry: Registry, records: Iterable[Record], name: str) -> OwnedRecord:
    """Return the one record with the short text *name*."""
    (found,) = [owned for owned in registry.read(records) if format_key(owned.key) == name]
    return found


def create(*endpoints: DesiredRecord) -> tuple[Change, ...]:
    """Return one create for each desired record in *endpoints*."""
    return tuple(Create(desired=endpoint) for endpoint in endpoints)


def update(held: OwnedRecord, endpoint: DesiredRecord, *differences: str) -> Change:
    """Return an update of the current record *held* to *endpoint*."""
    return Update(current=held, desired=endpoint, differences=differences or ("targets",))


def delete(held: OwnedRecord) -> Change:
    """Return a delete of the current record *held*."""
    return Delete(current=held, evidence=Evidence.OBJECT_DELETED)


def complete(
    registry: Registry, records: Sequence[Record], *changes: Change, zone: Zone = ZONE
) -> tuple[Write, ...] | Blocked:
    """Return the writes of *changes*, or why they are blocked. Only records at related names are passed on."""
    name = changes[0].key.name
    related = {name, *registry.related_names(name)}
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


def format_writes(found: Iterable[Write]) -> list[str]:
    """Format writes: `+ A web` creates, `~ A web` updates, `= A web` writes the same again, `- A web` deletes."""
    return [f"{_symbol(write)} {format_key(write.key)}" for write in found]


def _symbol(write: Write) -> str:
    if write.old is None:
        return "+"
    if write.new is None:
        return "-"
    return "=" if is_restated(write) else "~"


def is_restated(write: Write) -> bool:
    """Return whether *write* writes the existing record again without a change."""
    return (
        write.old is not None
        and write.new is not None
        and (write.old.targets, write.old.ttl_s, write.old.properties)
        == (write.new.targets, build_stored(write.new).ttl_s, write.new.properties)
    )


def apply(records: Iterable[Record], found: Iterable[Write]) -> list[Record]:
    """Return the records after the writes; each write must find its old record."""
    existing = {record.key: record for record in records}
    found = tuple(found)
    for write in found:
        assert existing.pop(write.key, None) == write.old, write
    for write in found:
        if write.new is not None:
            existing[write.key] = build_stored(write.new)
    return sorted(existing.values(), key=lambda record: record.key)


def build_stored(endpoint: DesiredRecord) -> Record:
    """Return *endpoint* as a zone holds it, with a TTL of 300 seconds if it has none."""
    return Record(
        name=endpoint.name,
        type=endpoint.type,
        targets=endpoint.targets,
        ttl_s=endpoint.ttl_s or 300,
        set_identifier=endpoint.set_identifier,
        properties=endpoint.properties,
    )
