"""What a provider answers to records and batches that cannot be written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from extdns.model import rrtype
from extdns.model.change import Refusal, Refused, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, RecordKey


def refuse(desired: DesiredRecord, detail: str) -> Refusal:
    """Return the refusal of *desired*, which the provider does not support for the reason *detail*."""
    return Refusal(desired=desired, reason=Reason.UNSUPPORTED, detail=detail)


def describe_unsupported(service: str, record_type: str, supported: Collection[str]) -> str:
    """Return the message for a *record_type* that is not among the *supported* ones of *service*."""
    allowed = ", ".join(one for one in rrtype.OWNABLE if one in supported)
    return f"{service} does not support {record_type}; allowed: {allowed}"


def find_change(current: Record | None, old: Record | None) -> str:
    """Return how *current* differs from *old*, which a write expects; "" if it does not."""
    if current == old:
        return ""
    if current is None:
        return "is gone"
    return "already exists" if old is None else "has changed since it was read"


def find_cname_problem(types: Collection[str]) -> str:
    """Return why records of *types* cannot be at one name (RFC 1034 section 3.6.2); "" if they can."""
    others = sorted({*types} - {rrtype.CNAME})
    return f"a CNAME cannot coexist with {', '.join(others)}" if others and rrtype.CNAME in types else ""


def join_names(stated: Iterable[Collection[DnsName]]) -> tuple[DnsName, ...]:
    """Return the names that problems state, sorted; () if one of them states none, since it can be about any."""
    found = list(stated)
    return tuple(sorted({name for names in found for name in names})) if all(found) else ()


def build_conflict(conflicts: Sequence[tuple[RecordKey, str]]) -> WriteConflict:
    """Return the outcome of a batch with *conflicts*: the records, and how each differs."""
    message = "; ".join(f"{key.name} {key.type} {detail}" for key, detail in conflicts)
    return WriteConflict(message=message, offending_names=tuple(sorted({key.name for key, _ in conflicts})))


def build_refused(problems: Iterable[tuple[DnsName, str]]) -> Refused | None:
    """Return the outcome of a batch with *problems*, the names and what is wrong there; None if there are none."""
    found = sorted(problems)
    if not found:
        return None
    message = "; ".join(f"{name}: {detail}" for name, detail in found)
    return Refused(message=message, offending_names=tuple(dict.fromkeys(name for name, _ in found)))
