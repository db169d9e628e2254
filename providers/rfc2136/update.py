"""Build one UPDATE message for a batch, with prerequisites (docs/design/rfc2136.md, "Writing")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TXT
import dns.update

from extdns.model import rrtype
from extdns.model.change import ChangeSet, Write
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone
from providers.common import rdata
from providers.common.plain_batches import build_record, get_written, is_apex_ns

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
"""The types of which a name must have no record, besides those that the batch deletes, if a CNAME replaces these."""

_RECORD_BYTES: Final = 12  # a pointer, type, class, TTL and the length of the data
_ADDRESS_BYTES: Final = {rrtype.A: 4, rrtype.AAAA: 16}
_STRING_BYTES: Final = 255


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
    changing = [
        write for write in writes if write.new is None or get_written(write, write.new, min_ttl_s) is not write.old
    ]
    for write in changing:
        if write.old is not None and not is_apex_ns(write.key, zone):
            message.delete(rdata.build_name(write.key.name), write.key.type)
    for write in changing:
        if write.new is not None:
            new = build_record(write.new, min_ttl_s)
            message.add(rdata.build_name(new.name), new.ttl_s, *_build_data(new))
    for write in changing:
        if write.old is not None and is_apex_ns(write.key, zone):
            _delete_apex_ns(message, write.old, write.new)
    return message


def measure_change_set(change_set: ChangeSet, *, min_ttl_s: int) -> int:
    """Return how many bytes *change_set* takes at most in a message.

    Each name counts as its labels below the zone, and a pointer to the name of the zone, with which the message begins.
    Names in record data count in full.
    """
    zone, size = change_set.zone, 0
    used = {write.key.name for write in change_set.writes if write.old is not None}
    for write in change_set.writes:
        key, old, new = write.key, write.old, write.new
        valued: list[Record | DesiredRecord] = [old] if old else []  # those of which the message has every value
        others = 0
        if old is None:
            others = 1 if key.type == rrtype.CNAME else 2
            others += len(_EXCLUDED_BY_CNAME) if key.type == rrtype.CNAME and key.name in used else 0
        if new is None or get_written(write, new, min_ttl_s) is not old:
            valued += [new] if new else []
            valued += [old] if old and is_apex_ns(key, zone) else []
            others += old is not None
        count = others + sum(len(one.targets) for one in valued)
        size += count * (len(key.name) - len(zone.name) + _RECORD_BYTES) + sum(map(_measure_data, valued))
    return size


def _measure_data(record: Record | DesiredRecord) -> int:
    """Return how many bytes the data of *record* takes at most."""
    if record.type in _ADDRESS_BYTES:
        return _ADDRESS_BYTES[record.type] * len(record.targets)
    more = 0 if record.type == rrtype.TXT else 2  # a TXT value has quotes, which are not sent
    return sum(len(target) + len(target) // _STRING_BYTES + more for target in record.targets)


def _delete_apex_ns(message: dns.update.UpdateMessage, old: Record, new: DesiredRecord | None) -> None:
    """Delete the values of *old* that *new* lacks.

    The values of *new* must be added before: servers never delete the last NS record.
    """
    targets = () if new is None else new.targets
    stay = [rdata.build_rdata(old.type, target) for target in targets]
    removed = [data for data in _build_data(old) if data not in stay]
    if removed:
        message.delete(rdata.build_name(old.name), *removed)


def _require(message: dns.update.UpdateMessage, write: Write, keys: set[RecordKey], *, is_used: bool) -> None:
    """Add the prerequisites of *write* to *message*.

    *keys* are all keys that the batch writes. *is_used* states whether the batch has an old record at the same name.
    """
    key = write.key
    name = rdata.build_name(key.name)
    if write.old is not None:
        message.present(name, *_build_data(write.old))
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


def _build_data(record: Record) -> list[dns.rdata.Rdata]:
    if isinstance(record.exact, tuple):
        rdtype = dns.rdatatype.from_text(record.type)
        return [dns.rdata.from_wire(dns.rdataclass.IN, rdtype, wire, 0, len(wire)) for wire in record.exact]
    return [rdata.build_rdata(record.type, target) for target in record.targets]
