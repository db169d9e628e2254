"""A tiny zone and the words in which registry tests are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model.change import Blocked, Change, ChangeSet, Create, Delete, Update, Write
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint, Record, RecordKey
from extdns.model.zone import Zone
from extdns.ports import Registry
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry

ZONE = Zone(name=DnsName("x.test"), id="1")
TARGETS = {"A": "192.0.2.1", "AAAA": "2001:db8::1", "CNAME": "lb.test", "MX": "10 mail.test", "NS": "ns.test"}
MANAGED = frozenset({"A", "AAAA", "CNAME"})


def txt(
    *,
    prefix: str = "",
    suffix: str = "",
    wildcard: str = "",
    types: Iterable[str] = MANAGED,
    migrate_from: str = "",
    unmarked_creates: bool = False,
) -> TxtRegistry:
    """The registry of owner `me`."""
    return TxtRegistry(
        owner="me",
        naming=Naming(prefix=prefix, suffix=suffix, wildcard_replacement=wildcard),
        managed_types=frozenset(types),
        migrate_from=migrate_from,
        unmarked_creates=unmarked_creates,
    )


def record(rtype: str, name: str, *, sid: str = "", target: str = "", **properties: str) -> Record:
    """A record of `x.test`, unless *name* says otherwise by a dot at its end."""
    return Record(
        name=full(name),
        type=rtype,
        targets=(target or TARGETS.get(rtype, '"text"'),),
        ttl_s=300,
        set_identifier=sid,
        properties=Pairs.of(properties),
    )


def mark(name: str, owner: str = "me", resource: str = "", *, sid: str = "", **labels: str) -> Record:
    """A mark at *name*."""
    said = {**labels, "owner": owner} | ({"resource": resource} if resource else {})
    text = ",".join(f"external-dns/{key}={value}" for key, value in sorted(said.items()))
    return record("TXT", name, sid=sid, target=f'"heritage=external-dns,{text}"')


def full(name: str) -> DnsName:
    """*name* in `x.test`; `@` is the zone itself, a dot at the end makes it absolute."""
    if name == "@":
        return ZONE.name
    return DnsName(name.removesuffix(".") if name.endswith(".") else f"{name}.{ZONE.name}")


def short(name: str) -> str:
    """The reverse of `full`, for what lies in the zone."""
    return "@" if name == ZONE.name else name.removesuffix(f".{ZONE.name}")


def wanted(
    rtype: str, name: str, resource: str = "", *, sid: str = "", target: str = "", **properties: str
) -> Endpoint:
    """An endpoint as `record` makes records, with a `resource` label."""
    like = record(rtype, name, sid=sid, target=target, **properties)
    return Endpoint(
        name=like.name,
        type=rtype,
        targets=like.targets,
        ttl_s=300,
        set_identifier=sid,
        labels=Pairs.of({"resource": resource} if resource else {}),
        properties=like.properties,
    )


def ours(registry: Registry, records: Iterable[Record]) -> set[str]:
    """The records that are ours, as `A web` or `A web/set`."""
    return {named(owned.key) for owned in registry.read(records) if owned.ours}


def named(key: RecordKey) -> str:
    """`A web`, or `A web/set` for a routed record."""
    return f"{key.type} {short(key.name)}" + (f"/{key.set_identifier}" if key.set_identifier else "")


def find(registry: Registry, records: Iterable[Record], name: str) -> Owned:
    """The one record named as `named` does."""
    (found,) = [owned for owned in registry.read(records) if named(owned.key) == name]
    return found


def create(*endpoints: Endpoint) -> tuple[Change, ...]:
    """Creates of *endpoints*."""
    return tuple(Create(wanted=endpoint) for endpoint in endpoints)


def update(held: Owned, endpoint: Endpoint, *differences: str) -> Change:
    """An update of *held*."""
    return Update(held=held, wanted=endpoint, differences=differences or ("targets",))


def delete(held: Owned) -> Change:
    """A delete of *held*."""
    return Delete(held=held, evidence=Evidence.OBJECT_DELETED)


def complete(
    registry: Registry, records: Sequence[Record], *changes: Change, zone: Zone = ZONE
) -> tuple[Write, ...] | Blocked:
    """The writes of *changes*, or what blocks them; the registry is shown no more than it asks for."""
    name = changes[0].key.name
    kin = {name, *registry.related(name)}
    held = [record for record in records if record.name in kin]
    change_set = ChangeSet(zone=zone, name=name, changes=tuple(sorted(changes, key=lambda change: change.key)))
    done = registry.complete(change_set, held)
    return done if isinstance(done, Blocked) else done.writes


def writes(registry: Registry, records: Sequence[Record], *changes: Change) -> tuple[Write, ...]:
    """The writes of *changes*, which nothing blocks."""
    done = complete(registry, records, *changes)
    assert not isinstance(done, Blocked), done
    return done


def blocked(registry: Registry, records: Sequence[Record], *changes: Change) -> Blocked:
    """What blocks *changes*."""
    done = complete(registry, records, *changes)
    assert isinstance(done, Blocked), done
    return done


def words(found: Iterable[Write]) -> list[str]:
    """What writes do, as `+ A web`, `~ TXT a-web`, `= TXT web` (restated), `- TXT web`."""
    return [f"{_symbol(write)} {named(write.key)}" for write in found]


def _symbol(write: Write) -> str:
    if write.old is None:
        return "+"
    if write.new is None:
        return "-"
    return "=" if is_restated(write) else "~"


def is_restated(write: Write) -> bool:
    """Tell whether *write* leaves everything as it is."""
    return (
        write.old is not None
        and write.new is not None
        and (write.old.targets, write.old.ttl_s, write.old.properties)
        == (write.new.targets, stored(write.new).ttl_s, write.new.properties)
    )


def apply(records: Iterable[Record], found: Iterable[Write]) -> list[Record]:
    """The records after the writes, each of which must find what it says stands."""
    standing = {record.key: record for record in records}
    found = tuple(found)
    for write in found:
        assert standing.pop(write.key, None) == write.old, write
    for write in found:
        if write.new is not None:
            standing[write.key] = stored(write.new)
    return sorted(standing.values(), key=lambda record: record.key)


def stored(endpoint: Endpoint) -> Record:
    """*endpoint* as a zone holds it; what has no TTL gets 300 seconds."""
    return Record(
        name=endpoint.name,
        type=endpoint.type,
        targets=endpoint.targets,
        ttl_s=endpoint.ttl_s or 300,
        set_identifier=endpoint.set_identifier,
        properties=endpoint.properties,
    )
