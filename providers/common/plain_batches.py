"""Batches of plain DNS records: what they write, and why they cannot be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from extdns.errors import InvalidValueError
from extdns.model import rrtype, ttl
from extdns.model.change import Outcome, Refused, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.zone import Zone
from providers.common import rdata
from providers.common.api_calls import Failure
from providers.common.refusals import build_conflict, build_refused, find_change, find_cname_problem

DEFAULT_TTL_S: Final = 300


def build_record(desired: DesiredRecord, min_ttl_s: int = 0) -> Record:
    """Return the record that a reader gets after *desired* was written; TTLs are at least *min_ttl_s*."""
    ttl_s = DEFAULT_TTL_S if desired.ttl_s == ttl.UNSET else desired.ttl_s
    return Record(name=desired.name, type=desired.type, targets=desired.targets, ttl_s=max(ttl_s, min_ttl_s))


def build_written_records(writes: Iterable[Write], min_ttl_s: int) -> tuple[Record, ...]:
    """Return the records that a reader gets after *writes* were made; TTLs are at least *min_ttl_s*."""
    return tuple(get_written(write, write.new, min_ttl_s) for write in writes if write.new is not None)


def get_written(write: Write, new: DesiredRecord, min_ttl_s: int) -> Record:
    """Return the record that exists after *write* wrote *new*: the old one, in its exact form, if they are equal."""
    record, old = build_record(new, min_ttl_s), write.old
    return old if old and (old.targets, old.ttl_s) == (record.targets, record.ttl_s) else record


def find_local_refusal(writes: Sequence[Write], zone: Zone, *, holders: str) -> Refused | None:
    """Return why *writes* cannot be made in one batch, whatever the zone holds; None if they can.

    *holders* names what holds the records, for messages, such as `zone files`.
    """
    counts = Counter(write.key for write in writes)
    cnames = {write.key.name for write in writes if write.new is not None and write.key.type == rrtype.CNAME}
    return build_refused(
        {
            (write.key.name, detail)
            for write in writes
            if (detail := _find_problem(write, counts, zone, holders) or _find_company(write, cnames))
        }
    )


def _find_company(write: Write, cnames: set[DnsName]) -> str:
    """Return why *write* cannot be in a batch that writes CNAMEs at the names *cnames*; "" if it can.

    A server would ignore one of two records that cannot coexist.
    """
    if write.new is None or write.key.type == rrtype.CNAME or write.key.name not in cnames:
        return ""
    return f"a CNAME cannot coexist with {write.key.type}"


def _find_problem(write: Write, counts: Mapping[RecordKey, int], zone: Zone, holders: str) -> str:
    key = write.key
    if not key.name.within(zone.name):
        return f"it lies outside zone {zone}"
    if key.set_identifier:
        return f"{holders} have no routing policies; {key.set_identifier!r} is a set identifier"
    if counts[key] > 1:
        return f"{key.type} is written twice in one batch"
    if write.new is None:
        return "the NS records at the name of a zone are never deleted" if is_apex_ns(key, zone) else ""
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
        return build_conflict(conflicts)
    after = (current.keys() - {write.key for write in writes}) | {
        write.key for write in writes if write.new is not None
    }
    types: dict[DnsName, set[str]] = {}
    for key in after:
        types.setdefault(key.name, set()).add(key.type)
    return build_refused((name, detail) for name, found in types.items() if (detail := find_cname_problem(found)))


def _compare(current: Record | None, old: Record | None) -> str:
    """Return how *current* differs from *old*, other than in the TTL; "" if it does not."""
    if current and old and (current.targets, current.exact) == (old.targets, old.exact):
        return ""
    return find_change(current, old)


def is_apex_ns(key: RecordKey, zone: Zone) -> bool:
    """Return whether *key* is that of the NS records at the name of *zone*."""
    return key.name == zone.name and key.type == rrtype.NS


def join_failures(failures: Iterable[Failure]) -> Outcome:
    """Return the outcome of a batch of which nothing was written: the first of *failures*, with all names like it."""
    first, *others = failures
    if not isinstance(first, WriteConflict | Refused):
        return first
    alike = [first, *(one for one in others if isinstance(one, type(first)))]
    names = tuple(dict.fromkeys(name for one in alike for name in one.offending_names))
    return type(first)(message="; ".join(one.message for one in alike[:5]), offending_names=names)
