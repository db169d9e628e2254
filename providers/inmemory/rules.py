"""Why a batch cannot be applied: it expects something else, or leaves behind what DNS forbids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from extdns.model import rrtype
from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Refused
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from providers.inmemory.held import Held


def objection(held: Held, writes: Sequence[Write], zone: Zone) -> Conflict | Refused | None:
    """Tell why *writes* cannot be applied to what *zone* holds, None if they can."""
    surprises: list[tuple[RecordKey, str]] = []
    groups: dict[DnsName, dict[RecordKey, list[Write]]] = {}
    for write in writes:
        key = write.key
        groups.setdefault(key.name, {}).setdefault(key, []).append(write)
        if detail := _surprise(held.get(key), write):
            surprises.append((key, detail))
    if surprises:
        message = "; ".join(f"{key.name} {key.type} {detail}" for key, detail in surprises)
        return Conflict(message=message, culprits=tuple(sorted({key.name for key, _ in surprises})))
    breaches = {name: detail for name in sorted(groups) if (detail := _breach(held, name, groups[name], zone))}
    if breaches:
        message = "; ".join(f"{name}: {detail}" for name, detail in breaches.items())
        return Refused(message=message, culprits=tuple(breaches))
    return None


def _surprise(standing: Record | None, write: Write) -> str:
    if standing == write.old:
        return ""
    if standing is None:
        return "is gone"
    return "exists already" if write.old is None else "is not what it was"


def _breach(held: Held, name: DnsName, writes: Mapping[RecordKey, Sequence[Write]], zone: Zone) -> str:
    if not name.within(zone.name):
        return f"it lies outside zone {zone}"
    if twice := sorted(key.type for key, found in writes.items() if len(found) > 1):
        return f"{twice[0]} is written twice in one batch"
    kept = {record.key for record in held.at(name)} - writes.keys()
    return _discord(kept | {key for key, found in writes.items() if found[0].new is not None})


def _discord(keys: Collection[RecordKey]) -> str:
    """Say which of *keys*, all of one name, cannot stand side by side; "" if they can.

    A CNAME has no other type beside it (RFC 1034 section 3.6.2), and a type is either one simple
    record set or members of a routing policy, as in Route 53.
    """
    if len(keys) < 2:  # noqa: PLR2004 - one stands alone
        return ""
    sizes = Counter(key.type for key in keys)
    if rrtype.CNAME in sizes and len(sizes) > 1:
        return f"a CNAME cannot stand beside {', '.join(sorted(set(sizes) - {rrtype.CNAME}))}"
    mixed = sorted(key.type for key in keys if not key.set_identifier and sizes[key.type] > 1)
    return f"{mixed[0]} without set identifier cannot stand beside {mixed[0]} with one" if mixed else ""
