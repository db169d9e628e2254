"""What a batch changes in a file, or why it cannot: found and decided, nothing written yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from extdns.model import rrtype, ttl
from extdns.model.adjusted import Refusal
from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Refused
from extdns.model.record import Endpoint, Record, RecordKey
from extdns.model.zone import Zone
from providers.zonefile.adjust import adjusted
from providers.zonefile.check import discords
from providers.zonefile.master import Master, Records

DEFAULT_TTL_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a batch does to a file.

    Attributes:
        removed: keys whose lines go.
        added: records whose lines come; a record that changes is in both.
        written: what stands at the keys of the batch afterwards.
        records: of the whole zone afterwards.
    """

    removed: frozenset[RecordKey]
    added: tuple[Record, ...]
    written: tuple[Record, ...]
    records: Records


def effect(master: Master, zone: Zone, writes: Sequence[Write]) -> Effect | Conflict | Refused:
    """Compare *writes* with what stands in *master*, which holds *zone*."""
    standing = {write.key: _standing(master.records, write.key) for write in writes}
    surprises = [
        (write.key, word)
        for write in writes
        if (word := _surprise(standing[write.key], write.old) or _beside_wrong(master.records, write.key.name))
    ]
    if surprises:
        message = "; ".join(f"{key.name} {key.type} {word}" for key, word in surprises)
        return Conflict(message=message, culprits=tuple(sorted({key.name for key, _ in surprises})))
    wanted = {write.key: _wanted(write.new, write.old, zone) for write in writes if write.new is not None}
    records = {key: found for key, found in wanted.items() if isinstance(found, Record)}
    changed = [key for key, record in standing.items() if records.get(key) != record]
    removed = frozenset(key for key in changed if standing[key] is not None)
    added = tuple(records[key] for key in changed if key in records)
    after = _after(master.records, removed, added)
    details = [
        *((key.name, found.detail) for key, found in wanted.items() if isinstance(found, Refusal)),
        *((key.name, f"{key.type} is written twice in one batch") for key in _twice(writes)),
        *((key.name, _immovable(key, master)) for key in changed if key in master.fixed),
        *discords(after, added, zone.name).items(),
    ]
    return _refused(details) or Effect(removed=removed, added=added, written=tuple(records.values()), records=after)


def _standing(records: Records, key: RecordKey) -> Record | None:
    return next((record for record in records.get(key.name, ()) if record.key == key), None)


def _surprise(standing: Record | None, old: Record | None) -> str:
    if standing == old:
        return ""
    if standing is None:
        return "is gone"
    return "exists already" if old is None else "is not what it was"


def _beside_wrong(records: Records, name: DnsName) -> str:
    wrong = _standing(records, RecordKey(name, "", rrtype.UNREADABLE))
    return f"stands beside what cannot be read: {'; '.join(wrong.targets)}" if wrong else ""


def _wanted(new: Endpoint, old: Record | None, zone: Zone) -> Record | Refusal:
    """The record that *new* becomes; what stands already is taken as it is, even if we would not write it."""
    found = adjusted(new, zone)
    if isinstance(found, Refusal) and (old is None or old != _record(new)):
        return found
    return _record(new if isinstance(found, Refusal) else found)


def _record(endpoint: Endpoint) -> Record:
    return Record(
        name=endpoint.name,
        type=endpoint.type,
        targets=endpoint.targets,
        ttl_s=DEFAULT_TTL_S if endpoint.ttl_s == ttl.UNSET else endpoint.ttl_s,
    )


def _after(before: Records, removed: Collection[RecordKey], added: Iterable[Record]) -> Records:
    changed: dict[DnsName, list[Record]] = {
        key.name: [record for record in before.get(key.name, ()) if record.key not in removed] for key in removed
    }
    for record in added:
        changed.setdefault(record.name, list(before.get(record.name, ()))).append(record)
    after = dict(before)
    for name, records in changed.items():
        after[name] = tuple(sorted(records, key=lambda record: record.key))
        if not records:
            del after[name]
    return after


def _twice(writes: Iterable[Write]) -> list[RecordKey]:
    return [key for key, times in Counter(write.key for write in writes).items() if times > 1]


def _immovable(key: RecordKey, master: Master) -> str:
    return f"{key.type} stands at {master.fixed[key]}, which is not edited; move it into {master.label} itself"


def _refused(details: Iterable[tuple[DnsName, str]]) -> Refused | None:
    found = sorted(details)
    if not found:
        return None
    message = "; ".join(f"{name}: {detail}" for name, detail in found)
    return Refused(message=message, culprits=tuple(dict.fromkeys(name for name, _ in found)))
