"""Build one UPDATE message for a batch, with prerequisites (docs/design/rfc2136.md, "Writing")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TXT
import dns.update

from extdns.errors import InvalidValueError
from extdns.model import rrtype, ttl
from extdns.model.change import Refused, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone
from providers.common import rdata

DEFAULT_TTL_S: Final = 300
_EXCLUDED_BY_CNAME: Final = (
    *(rtype for rtype in rrtype.OWNABLE if rtype != rrtype.CNAME),
    *(
        "CAA",
        "CERT",
        "DS",
        "HINFO",
        "HTTPS",
        "LOC",
        "OPENPGPKEY",
        "RP",
        "SMIMEA",
        "SOA",
        "SSHFP",
        "SVCB",
        "TLSA",
        "URI",
    ),
)
"""The types that a prerequisite lists if a CNAME replaces other records."""


def build_record(desired: DesiredRecord, min_ttl_s: int) -> Record:
    """Return *desired* as it will be read back."""
    ttl_s = DEFAULT_TTL_S if desired.ttl_s == ttl.UNSET else desired.ttl_s
    return Record(name=desired.name, type=desired.type, targets=desired.targets, ttl_s=max(ttl_s, min_ttl_s))


def build_written_records(writes: Iterable[Write], min_ttl_s: int) -> tuple[Record, ...]:
    """Return the records that exist after *writes*, as they will be read back."""
    return tuple(_get_written(write, write.new, min_ttl_s) for write in writes if write.new is not None)


def _get_written(write: Write, new: DesiredRecord, min_ttl_s: int) -> Record:
    """Return the new record; the old one, with its exact form, if nothing changes."""
    record = build_record(new, min_ttl_s)
    same = write.old is not None and (write.old.targets, write.old.ttl_s) == (record.targets, record.ttl_s)
    return write.old if same and write.old is not None else record


def find_local_refusal(writes: Sequence[Write], zone: Zone) -> Refused | None:
    """Return why *writes* cannot be made in one message, whatever the zone holds; None if they can."""
    counts = Counter(write.key for write in writes)
    cnames = {write.key.name for write in writes if write.new is not None and write.key.type == rrtype.CNAME}
    details = sorted(
        {
            (write.key.name, detail)
            for write in writes
            if (detail := _find_problem(write, counts, zone) or _find_company(write, cnames))
        }
    )
    if not details:
        return None
    message = "; ".join(f"{name}: {detail}" for name, detail in details)
    return Refused(message=message, offending_names=tuple(dict.fromkeys(name for name, _ in details)))


def _find_company(write: Write, cnames: set[DnsName]) -> str:
    """Return why *write* cannot be in one batch with the CNAMEs at *cnames*; a server would ignore one of them."""
    if write.new is None or write.key.type == rrtype.CNAME or write.key.name not in cnames:
        return ""
    return f"a CNAME cannot coexist with {write.key.type}"


def _find_problem(write: Write, counts: Mapping[RecordKey, int], zone: Zone) -> str:
    key = write.key
    if not key.name.within(zone.name):
        return f"it lies outside zone {zone}"
    if key.set_identifier:
        return f"DNS servers have no routing policies; {key.set_identifier!r} is a set identifier"
    if counts[key] > 1:
        return f"{key.type} is written twice in one batch"
    if write.new is None:
        return "the NS records at the name of a zone are never deleted" if _is_apex_ns(key, zone) else ""
    try:
        for target in write.new.targets:
            rdata.build_rdata(key.type, target)
    except InvalidValueError as exc:
        return str(exc)
    return ""


def find_conflict(writes: Sequence[Write], current: Mapping[RecordKey, Record]) -> WriteConflict | Refused | None:
    """Return why *writes* cannot be made in a zone with the records *current* at their names; None if they can."""
    conflicts = [(write.key, detail) for write in writes if (detail := _compare(current.get(write.key), write.old))]
    if conflicts:
        message = "; ".join(f"{key.name} {key.type} {detail}" for key, detail in conflicts)
        return WriteConflict(message=message, offending_names=tuple(sorted({key.name for key, _ in conflicts})))
    after = (current.keys() - {write.key for write in writes}) | {
        write.key for write in writes if write.new is not None
    }
    types: dict[DnsName, set[str]] = {}
    for key in after:
        types.setdefault(key.name, set()).add(key.type)
    names = sorted(name for name, found in types.items() if rrtype.CNAME in found and len(found) > 1)
    if not names:
        return None
    message = "; ".join(
        f"{name}: a CNAME cannot coexist with {', '.join(sorted(types[name] - {rrtype.CNAME}))}" for name in names
    )
    return Refused(message=message, offending_names=tuple(names))


def _compare(current: Record | None, old: Record | None) -> str:
    """Return how *current* differs from *old* in what a prerequisite can see."""
    if current is None:
        return "" if old is None else "is gone"
    if old is None:
        return "already exists"
    same = (current.targets, current.exact) == (old.targets, old.exact)
    return "" if same else "has changed since it was read"


def build_update(zone: Zone, writes: Sequence[Write], min_ttl_s: int) -> dns.update.UpdateMessage:
    """Return the message for *writes*, which `find_local_refusal` accepts.

    Raises:
        InvalidValueError: the old record of a write is not valid data, so the zone cannot hold it.
    """
    message = dns.update.UpdateMessage(rdata.build_name(zone.name))
    keys = {write.key for write in writes}
    used = {write.key.name for write in writes if write.old is not None}
    for write in writes:
        _require(message, write, keys, is_used=write.key.name in used)
    for write in writes:
        if not _is_apex_ns(write.key, zone):
            _delete(message, write, min_ttl_s)
    for write in writes:
        _add(message, write, min_ttl_s)
    for write in writes:
        if _is_apex_ns(write.key, zone):  # the last one cannot be deleted, so the new ones come first
            _delete(message, write, min_ttl_s, stay=write.new)
    return message


def _require(message: dns.update.UpdateMessage, write: Write, keys: set[RecordKey], *, is_used: bool) -> None:
    """Add the prerequisites of *write* to *message*; *is_used* says whether the batch needs another record there."""
    key = write.key
    name = rdata.build_name(key.name)
    if write.old is not None:
        message.present(name, *_build_old_data(write.old))
    elif key.type != rrtype.CNAME:
        message.absent(name, key.type)
        if RecordKey(key.name, "", rrtype.CNAME) not in keys:
            message.absent(name, rrtype.CNAME)
    elif not is_used:
        message.absent(name)
    else:
        for rtype in (rrtype.CNAME, *_EXCLUDED_BY_CNAME):
            if rtype == rrtype.CNAME or RecordKey(key.name, "", rtype) not in keys:
                message.absent(name, rtype)


def _delete(
    message: dns.update.UpdateMessage, write: Write, min_ttl_s: int, *, stay: DesiredRecord | None = None
) -> None:
    if write.old is None:
        return
    keep = () if stay is None else [rdata.build_rdata(stay.type, target) for target in stay.targets]
    gone = [data for data in _find_changed(write, min_ttl_s)[0] if data not in keep]
    if gone:
        message.delete(rdata.build_name(write.key.name), *gone)


def _add(message: dns.update.UpdateMessage, write: Write, min_ttl_s: int) -> None:
    if write.new is None:
        return
    added = _find_changed(write, min_ttl_s)[1]
    if added:
        message.add(rdata.build_name(write.key.name), build_record(write.new, min_ttl_s).ttl_s, *added)


def _find_changed(write: Write, min_ttl_s: int) -> tuple[list[dns.rdata.Rdata], list[dns.rdata.Rdata]]:
    """Return the data to delete and to add; all data if the TTL changes."""
    old = [] if write.old is None else _build_old_data(write.old)
    if write.new is None:
        return old, []
    record = _get_written(write, write.new, min_ttl_s)
    if record is write.old:
        return [], []
    new = [rdata.build_rdata(record.type, target) for target in record.targets]
    if write.old is None or write.old.ttl_s != record.ttl_s:
        return old, new
    return [data for data in old if data not in new], [data for data in new if data not in old]


def _build_old_data(old: Record) -> list[dns.rdata.Rdata]:
    if isinstance(old.exact, tuple):
        rdtype = dns.rdatatype.from_text(old.type)
        return [dns.rdata.from_wire(dns.rdataclass.IN, rdtype, wire, 0, len(wire)) for wire in old.exact]
    return [rdata.build_rdata(old.type, target) for target in old.targets]


def _is_apex_ns(key: RecordKey, zone: Zone) -> bool:
    return key.name == zone.name and key.type == rrtype.NS
