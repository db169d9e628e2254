"""Builders of the records of the zone x.test, with ownership records at any name."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model.change import Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from tests.builders import store

ZONE = Zone(name=DnsName("x.test"), id="1")
TARGETS = {"A": "192.0.2.1", "AAAA": "2001:db8::1", "CNAME": "lb.test", "MX": "10 mail.test", "NS": "ns.test"}


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


def parse_records(text: str) -> list[Record]:
    """Build the records in *text*, as in `A foo alias=true, CNAME bar/set-1, own a-foo owner=other resource=one`.

    `own` is an ownership record, of `me` if no *owner* is given; its *resource* is a Service in the namespace `d`. What
    follows a slash is a set identifier.
    """
    return [_build_record(*one.split()) for one in text.split(", ")]


def _build_record(rtype: str, name: str, *fields: str) -> Record:
    name, _, sid = name.partition("/")
    values = dict(field.split("=", 1) for field in fields)
    if rtype != "own":
        return record(rtype, name, sid=sid, **values)
    resource = values.pop("resource", "")
    return ownership_record(name, values.pop("owner", "me"), resource and f"service/d/{resource}", sid=sid, **values)


def parse_key(text: str) -> RecordKey:
    """Build the key of a record from *text*, as in `CNAME bar/set-1`."""
    rtype, name = text.split()
    return key(rtype, *name.split("/"))


def parse_keys(text: str) -> set[RecordKey]:
    """Build the keys of the records in *text*, separated by commas."""
    return {parse_key(one) for one in text.split(", ")} if text else set()


def build_name(name: str) -> DnsName:
    """Return *name* as an absolute name: relative names are below `x.test`, and `@` is `x.test` itself."""
    if name == "@":
        return ZONE.name
    return DnsName(name.removesuffix(".") if name.endswith(".") else f"{name}.{ZONE.name}")


def remove_zone(name: str) -> str:
    """Return *name* relative to `x.test`; the reverse of `build_name`."""
    return "@" if name == ZONE.name else name.removesuffix(f".{ZONE.name}")


def key(rtype: str, name: str, sid: str = "") -> RecordKey:
    """Build the key of a record; *name* is as in `record`."""
    return RecordKey(build_name(name), sid, rtype)


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


def apply(records: Iterable[Record], found: Iterable[Write]) -> list[Record]:
    """Return the records after the writes; each write must find its old record."""
    existing = {record.key: record for record in records}
    found = tuple(found)
    for write in found:
        assert existing.pop(write.key, None) == write.old, write
    for write in found:
        if write.new is not None:
            existing[write.key] = store(write.new)
    return sorted(existing.values(), key=lambda record: record.key)
