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
from extdns.model.change import Write
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
"""The types that a prerequisite lists if a CNAME replaces other records."""


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
        if not is_apex_ns(write.key, zone):
            _delete(message, write, min_ttl_s)
    for write in writes:
        _add(message, write, min_ttl_s)
    for write in writes:
        if is_apex_ns(write.key, zone):  # the last one cannot be deleted, so the new ones come first
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
    record = get_written(write, write.new, min_ttl_s)
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
