"""Why a batch cannot be applied: it expects something else, or leaves behind what DNS forbids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from extdns.model import rrtype
from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Refused
from extdns.model.record import RecordKey
from extdns.model.zone import Zone
from providers.inmemory.held import Held


def objection(held: Held, writes: Sequence[Write], zone: Zone) -> Conflict | Refused | None:
    """Tell why *writes* cannot be applied to what *zone* holds, None if they can."""
    surprises = [(write.key, detail) for write in writes if (detail := _surprise(held, write))]
    if surprises:
        message = "; ".join(f"{key.name} {key.type} {detail}" for key, detail in surprises)
        return Conflict(message=message, culprits=tuple(sorted({key.name for key, _ in surprises})))
    groups: dict[DnsName, list[Write]] = {}
    for write in writes:
        groups.setdefault(write.key.name, []).append(write)
    breaches = {name: detail for name in sorted(groups) if (detail := _breach(held, name, groups[name], zone))}
    if breaches:
        message = "; ".join(f"{name}: {detail}" for name, detail in breaches.items())
        return Refused(message=message, culprits=tuple(breaches))
    return None


def _surprise(held: Held, write: Write) -> str:
    standing = held.get(write.key)
    if standing == write.old:
        return ""
    if standing is None:
        return "is gone"
    return "exists already" if write.old is None else "is not what it was"


def _breach(held: Held, name: DnsName, writes: Collection[Write], zone: Zone) -> str:
    if not name.within(zone.name):
        return f"it lies outside zone {zone}"
    written = Counter(write.key for write in writes)
    if twice := sorted(key.type for key, times in written.items() if times > 1):
        return f"{twice[0]} is written twice in one batch"
    return _discord((set(held.keys(name)) - set(written)) | {write.key for write in writes if write.new is not None})


def _discord(keys: Collection[RecordKey]) -> str:
    """Say which of *keys*, all of one name, cannot stand side by side; "" if they can.

    A CNAME has no other type beside it (RFC 1034 section 3.6.2), and a type is either one simple
    record set or members of a routing policy, as in Route 53.
    """
    sizes = Counter(key.type for key in keys)
    if rrtype.CNAME in sizes and len(sizes) > 1:
        return f"a CNAME cannot stand beside {', '.join(sorted(set(sizes) - {rrtype.CNAME}))}"
    mixed = sorted(key.type for key in keys if not key.set_identifier and sizes[key.type] > 1)
    return f"{mixed[0]} without set identifier cannot stand beside {mixed[0]} with one" if mixed else ""
