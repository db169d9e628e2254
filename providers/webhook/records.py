"""Convert endpoints of the webhook protocol to records and back, and desired records to the form that is compared.

Desired and current records have their data in one form: that in which zone files hold it. So TXT values always have
quotes, as the ownership records of external-dns have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype, ttl
from extdns.model.change import ChangeSet, Refusal, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import (
    ALIAS,
    OWNED_RECORD,
    DesiredRecord,
    Record,
    RecordKey,
    canonicalize_targets,
    restate_record,
)
from extdns.model.value import EMPTY_MAP, StringMap, group_by
from extdns.model.zone import Zone
from providers.common import rdata
from providers.common.api_calls import parse_service_name
from providers.webhook import wire
from providers.webhook.wire import Changes, Endpoint, Property

_TYPE: Final = re.compile(r"[A-Z0-9]{1,16}", re.ASCII)
_NOT_AT_WILDCARDS: Final = frozenset({rrtype.NS, rrtype.DNAME})
_decode: Final = msgspec.msgpack.Decoder(Endpoint).decode
_encode: Final = msgspec.msgpack.Encoder(enc_hook=str, order="deterministic").encode


def parse_records(endpoints: Iterable[Endpoint]) -> dict[DnsName, tuple[Record, ...]]:
    """Return the records of *endpoints* by name, those of one name sorted by key.

    Endpoints with the same name, type and set identifier are one record with the targets of all. Endpoints without a
    type or of type SOA, and those at names that no object can request, are left out.
    """
    found: dict[RecordKey, Endpoint] = {}
    for endpoint in endpoints:
        name = parse_service_name(endpoint.dns_name)
        if name is None or not endpoint.record_type or endpoint.record_type == rrtype.SOA:
            continue
        key = RecordKey(name, endpoint.set_identifier or "", endpoint.record_type)
        if (other := found.get(key)) is not None:
            endpoint = replace(other, targets=(*(other.targets or ()), *(endpoint.targets or ())))  # noqa: PLW2901
        found[key] = endpoint
    parsed = (parse_record(key, endpoint) for key, endpoint in found.items())
    by_name = group_by(parsed, lambda record: record.name)
    return {name: tuple(sorted(records, key=lambda record: record.key)) for name, records in by_name.items()}


def parse_record(key: RecordKey, endpoint: Endpoint) -> Record:
    """Return the record of *endpoint*; one of the type `UNREADABLE` if its type or a text is invalid.

    Other invalid targets stay as they are, printable: a record with them can still be changed and deleted.
    """
    rtype, ttl_s = key.type, _bound_ttl(endpoint)
    try:
        targets = normalize_targets(rtype, endpoint.targets or (), endpoint.properties)
    except InvalidValueError as exc:
        targets = tuple(sorted({sanitize(target) for target in endpoint.targets or ()}))
        if rtype == rrtype.TXT or not _TYPE.fullmatch(rtype):
            message = f"{sanitize(rtype)}: {sanitize(str(exc))}"
            rtype, targets = f"{rrtype.UNREADABLE}{rtype if rtype == rrtype.TXT else ''}", (message,)
    record = Record(
        name=key.name,
        type=rtype,
        targets=targets,
        ttl_s=ttl_s,
        has_ttl=ttl_s != ttl.UNSET,
        set_identifier=key.set_identifier,
        properties=endpoint.properties,
    )
    return (
        record
        if _normalize(endpoint) == build_endpoint(restate_record(record))
        else replace(record, exact=_encode(endpoint))
    )


def _bound_ttl(endpoint: Endpoint) -> int:
    return min(max(ttl.UNSET, endpoint.record_ttl or ttl.UNSET), ttl.MAX_TTL_S)


def _normalize(endpoint: Endpoint) -> Endpoint:
    """Return *endpoint* with its lists in the order of `build_endpoint`, and one spelling for each empty field."""
    return replace(
        endpoint,
        targets=tuple(sorted(endpoint.targets or ())) or None,
        set_identifier=endpoint.set_identifier or "",
        record_ttl=endpoint.record_ttl or 0,
        labels=endpoint.labels or None,
        provider_specific=tuple(sorted(endpoint.provider_specific or (), key=lambda one: one.name)) or None,
    )


def normalize_targets(rtype: str, targets: Iterable[str], properties: StringMap) -> tuple[str, ...]:
    """Return *targets* in the form in which records are compared.

    Targets of types that are not in `OWNABLE`, and of aliases, are not checked.

    Raises:
        InvalidValueError: *rtype* is not capitals and digits, or a target is not valid data of a type in `OWNABLE`.
    """
    if not _TYPE.fullmatch(rtype):
        raise InvalidValueError(rtype, "a record type in capitals", Reason.UNSUPPORTED)
    if rtype not in rrtype.OWNABLE or (rtype in rrtype.ADDRESSES and properties.has(ALIAS)):
        return canonicalize_targets(rtype, targets)
    return canonicalize_targets(rtype, (rdata.normalize_target(rtype, target) for target in targets))


def build_endpoint(desired: DesiredRecord) -> Endpoint:
    """Return the endpoint for *desired*, with its labels and properties."""
    return Endpoint(
        dns_name=desired.name,
        targets=desired.targets or None,
        record_type=desired.type,
        set_identifier=desired.set_identifier,
        record_ttl=desired.ttl_s,
        labels=dict(desired.labels) or None,
        provider_specific=tuple(Property(name=name, value=value) for name, value in desired.properties) or None,
    )


def restore_endpoint(record: Record) -> Endpoint:
    """Return the endpoint from which *record* was made."""
    return _decode(record.exact) if isinstance(record.exact, bytes) else build_endpoint(restate_record(record))


def build_changes(sets: Iterable[ChangeSet]) -> Changes:
    """Return the changes that make the writes of *sets*, without writes that change nothing.

    Ownership records get the label that names their record, as external-dns gives it to them, so that a webhook can
    keep both together.
    """
    create: list[Endpoint] = []
    pairs: list[tuple[Endpoint, Endpoint]] = []
    delete: list[Endpoint] = []
    for name, write in ((change_set.name, write) for change_set in sets for write in change_set.writes):
        owned = name if write.key.type == rrtype.TXT and write.key.name != name else ""
        old = _add_owned_record(restore_endpoint(write.old), owned) if write.old is not None else None
        new = _add_owned_record(build_endpoint(write.new), owned) if write.new is not None else None
        if write.old is not None and write.new is not None and is_as_requested(write.old, write.new):
            continue
        if old is not None and new is not None:
            pairs.append((old, new))
        elif new is not None:
            create.append(new)
        elif old is not None:
            delete.append(old)
    return Changes(
        create=tuple(create),
        update_old=tuple(old for old, _ in pairs),
        update_new=tuple(new for _, new in pairs),
        delete=tuple(delete),
    )


def _add_owned_record(endpoint: Endpoint, owned: str) -> Endpoint:
    return replace(endpoint, labels={**(endpoint.labels or {}), OWNED_RECORD: owned}) if owned else endpoint


def is_as_requested(record: Record, desired: DesiredRecord) -> bool:
    """Return whether *record* has the targets, the properties and, if one is requested, the TTL of *desired*."""
    same_ttl = desired.ttl_s in {ttl.UNSET, record.ttl_s}
    return (
        (record.key, record.targets) == (desired.key, desired.targets)
        and same_ttl
        and (record.properties == desired.properties)
    )


def build_written_record(write: Write) -> Record | None:
    """Return the record that exists after *write*, None after a delete. The webhook may show it with another TTL."""
    if write.new is None:
        return None
    if write.old is not None and is_as_requested(write.old, write.new):
        return write.old
    return parse_record(write.new.key, build_endpoint(write.new))


def normalize_desired(desired: DesiredRecord, zone: Zone | None) -> DesiredRecord | Refusal:
    """Return *desired* as it is shown to the webhook, or why it cannot be; any name may be used if *zone* is None."""
    name, rtype = desired.name, desired.type
    detail = ""
    if rtype not in rrtype.OWNABLE:
        detail = f"{sanitize(rtype)} is not among the types of webhooks: {', '.join(rrtype.OWNABLE)}"
    elif zone is not None and not name.within(zone.name):
        detail = f"{name} lies outside zone {zone}"
    elif not desired.targets:
        detail = f"{rtype} needs a target"
    elif rtype in _NOT_AT_WILDCARDS and name.is_wildcard:
        detail = f"{rtype} is not allowed at a wildcard"
    elif problem := wire.find_problem(build_endpoint(desired)):
        detail = f"too long for a webhook: {problem}"
    if detail:
        return Refusal(desired=desired, reason=Reason.UNSUPPORTED, detail=detail)
    try:
        targets = normalize_targets(rtype, desired.targets, desired.properties)
    except InvalidValueError as exc:
        return Refusal(desired=desired, reason=Reason.INVALID_TARGET, detail=str(exc))
    return desired if targets == desired.targets else replace(desired, targets=targets)


def parse_adjusted(desired: DesiredRecord, answers: Iterable[Endpoint]) -> tuple[DesiredRecord | Refusal, ...]:
    """Return what the webhook made of *desired*: the *answers* at its name. Labels stay those of *desired*."""
    found: list[DesiredRecord | Refusal] = []
    for endpoint in answers:
        adjusted = DesiredRecord(
            name=desired.name,
            type=endpoint.record_type,
            targets=endpoint.targets or (),
            ttl_s=_bound_ttl(endpoint),
            set_identifier=endpoint.set_identifier or "",
            labels=desired.labels,
            properties=endpoint.properties or EMPTY_MAP,
        )
        result = normalize_desired(adjusted, None)
        if isinstance(result, Refusal):
            found.append(replace(result, desired=desired, detail=f"the webhook makes it invalid: {result.detail}"))
        else:
            found.append(result)
    if not found:
        detail = "the webhook does not take it: adjustendpoints returned nothing for it"
        found.append(Refusal(desired=desired, reason=Reason.UNSUPPORTED, detail=detail))
    return tuple(found)
