"""The record sets of the API, to and from records.

Azure DNS and Azure Private DNS spell fields differently (`ARecords`, `aRecords`), so names are read in lower case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import msgspec

from extdns.decoders import build_decoder
from extdns.errors import sanitize
from extdns.model import rrtype, ttl
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey, canonicalize_targets
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.model.zone import Zone
from providers.common import rdata, scan
from providers.common.api_calls import parse_service_name
from providers.common.txt_strings import is_txt_value

TAGS: Final = "azure/tags"
"""The property whose value is the metadata of a record set, as `a=1,b=2`."""

DEFAULT_TTL_S: Final = 300
APEX: Final = "@"
_MAX_TEXT: Final = 255
_OWNERSHIP: Final = '"heritage='
_HOST_FIELDS: Final = {rrtype.CNAME: "cname", rrtype.NS: "nsdname", rrtype.PTR: "ptrdname"}
_FIELDS: Final = {rrtype.A: "ipv4Address", rrtype.AAAA: "ipv6Address", **_HOST_FIELDS}

OwnershipNames = Callable[[DnsName, str], Iterable[str]]
Tags = Mapping[RecordKey, Mapping[str, str]]


class _Target(Value, frozen=True, kw_only=True):
    id: str | None = None


class _Properties(Value, frozen=True, kw_only=True):
    """The properties of a record set. The records are in a field of their own, whose name depends on the type."""

    ttl: int = DEFAULT_TTL_S
    metadata: dict[str, str] | None = None
    targetresource: _Target | None = None
    isautoregistered: bool = False


build_decoder(_Properties)  # now, and not by two threads that convert the first record sets


class AzureRecordSet(Value, frozen=True, kw_only=True):
    """A record set, as the API returns it, but with the names of properties in lower case."""

    name: str
    type: str
    etag: str | None = ""
    properties: Mapping[str, Any] = MappingProxyType({})

    @property
    def rtype(self) -> str:
        """The record type, which follows the name of the service."""
        return self.type.rpartition("/")[2].upper()

    def read_records(self) -> list[Any]:
        """Return the records, [] if there are none."""
        found = self.properties.get(f"{self.rtype.lower()}records") or self.properties.get(
            f"{self.rtype.lower()}record"
        )
        return found if isinstance(found, list) else [] if found is None else [found]


class Exact(Value, frozen=True, kw_only=True):
    """What a write of a record that was read states, and keeps: the etag, and all metadata."""

    etag: str
    metadata: StringMap = EMPTY_MAP


def lower_keys(found: AzureRecordSet) -> AzureRecordSet:
    """Return *found* with the names of its properties in lower case."""
    return msgspec.structs.replace(found, properties={key.lower(): one for key, one in found.properties.items()})


def build_records(
    sets: Iterable[AzureRecordSet], zone: Zone, ownership_names: OwnershipNames | None, tags: Tags
) -> dict[DnsName, tuple[Record, ...]]:
    """Return the records of the record sets of *zone*, by name. Those with a name nobody can request are left out.

    An alias record set, and one that a virtual network registered, have no `exact`, so they are never written. Where an
    ownership record says, or without ownership records may say, that such a record is ours, it cannot be read.
    *tags*: the desired tags, which say what metadata is ours without an ownership record.
    """
    found: dict[DnsName, list[Record]] = defaultdict(list)
    for one in sets:
        if (name := _find_name(one, zone)) is not None:
            record = _read_record(one, name)
            found[name].append(_build_unreadable(name, one.rtype, record) if isinstance(record, str) else record)
    texts = {one.name: one for records in found.values() for one in records if one.type == rrtype.TXT}
    return {
        name: _merge_unreadable([_mark(record, texts, ownership_names, tags) for record in records])
        for name, records in found.items()
    }


def _build_unreadable(name: DnsName, rtype: str, text: str) -> Record:
    return Record(name=name, type=f"{rrtype.UNREADABLE}{rtype}", targets=(f"{rtype}: {text}",), ttl_s=ttl.UNSET)


def _merge_unreadable(records: list[Record]) -> tuple[Record, ...]:
    """Return *records*, those of one name, sorted, with one record for all that cannot be read."""
    by_key: dict[RecordKey, Record] = {}
    for one in records:
        other = by_key.get(one.key)
        targets = tuple(sorted({*one.targets, *other.targets})) if other else one.targets
        by_key[one.key] = msgspec.structs.replace(one, targets=targets)
    return tuple(by_key[key] for key in sorted(by_key))


def _find_name(found: AzureRecordSet, zone: Zone) -> DnsName | None:
    return zone.name if found.name == APEX else parse_service_name(f"{found.name}.{zone.name}")


def _mark(
    record: Record, texts: Mapping[DnsName, Record], ownership_names: OwnershipNames | None, tags: Tags
) -> Record:
    """Return *record* with the property that its metadata is, or as one that cannot be read.

    The metadata with the keys of its ownership record, or without one of the desired *tags*, is ours.
    """
    if rrtype.is_unreadable(record.type):
        return record
    metadata = _get_metadata(record)
    if not metadata and isinstance(record.exact, Exact):
        return record
    names = ownership_names(record.name, record.type) if ownership_names else ()
    found = [texts[DnsName(name)] for name in names if name in texts]
    owners = [one for one in found if one.name != record.name or one.targets[0].startswith(_OWNERSHIP)]
    if not isinstance(record.exact, Exact):
        is_foreign = ownership_names and not owners
        text = f"Azure keeps it as {', '.join(record.targets)}, and extdns does not change it"
        return record if is_foreign else _build_unreadable(record.name, record.type, text)
    keys = {key for owner in owners for key, _ in _get_metadata(owner)} or set(tags.get(record.key, {}))
    return msgspec.structs.replace(
        record, properties=build_property((key, one) for key, one in metadata if key in keys)
    )


def _get_metadata(record: Record) -> StringMap:
    return record.exact.metadata if isinstance(record.exact, Exact) else EMPTY_MAP


def build_property(pairs: Iterable[tuple[str, str]]) -> StringMap:
    """Return the property for the metadata *pairs*."""
    text = ",".join(f"{key}={value}" for key, value in sorted(pairs))
    return StringMap.from_items({TAGS: text}) if text else EMPTY_MAP


def parse_tags(text: str) -> dict[str, str]:
    """Return the metadata that *text* states, without pairs that lack a key or a value, as external-dns reads it."""
    pairs = (part.partition("=") for part in text.split(","))
    return {key.strip(): value.strip() for key, _, value in pairs if key.strip() and value.strip()}


def build_record(found: AzureRecordSet, name: DnsName) -> Record:
    """Return the record for the answer to a write at *name*. What it has no form for has no targets."""
    record = _read_record(found, name)
    return Record(name=name, type=found.rtype, targets=(), ttl_s=ttl.UNSET) if isinstance(record, str) else record


def _read_record(found: AzureRecordSet, name: DnsName) -> Record | str:
    """Return the record, without properties, or why it cannot be read."""
    try:
        properties = msgspec.convert(found.properties, _Properties)
        alias = properties.targetresource.id if properties.targetresource else None
        targets = (sanitize(alias, 200),) if alias else _read_targets(found.rtype, found.read_records())
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError) as exc:
        return f"not in the form of the API: {sanitize(str(exc), 200)}"
    if not targets:
        return "a record set without records, or of a type that is not read"
    if not found.etag:
        return "without an etag, so that no write of it would be conditional"
    is_fixed = alias or properties.isautoregistered
    exact = None if is_fixed else Exact(etag=found.etag, metadata=StringMap.from_items(properties.metadata or {}))
    ttl_s = min(max(ttl.UNSET, properties.ttl), ttl.MAX_TTL_S)
    return Record(name=name, type=found.rtype, targets=targets, ttl_s=ttl_s, exact=exact)


def _read_targets(rtype: str, records: list[Any]) -> tuple[str, ...]:
    match rtype:
        case rrtype.A | rrtype.AAAA | rrtype.CNAME | rrtype.NS | rrtype.PTR:
            texts = [str(one[_FIELDS[rtype]]) for one in records]
        case rrtype.MX:
            texts = [f"{one['preference']} {one['exchange']}" for one in records]
        case rrtype.SRV:
            hosts = [str(one["target"]).removesuffix(".") for one in records]
            numbers = [f"{one['priority']} {one['weight']} {one['port']}" for one in records]
            texts = [f"{front} {host}." for front, host in zip(numbers, hosts, strict=True)]
        case rrtype.TXT:
            texts = [read_text([str(part) for part in one["value"]]) for one in records]
        case rrtype.SOA | "CAA":
            texts = [" ".join(str(part) for part in one.values()) for one in records]
        case _:
            texts = []
    return canonicalize_targets(rtype, texts)


def read_text(strings: Sequence[str]) -> str:
    """Return the TXT target for *strings*. external-dns stores its ownership texts with their quotation marks."""
    joined = "".join(strings)
    if len(joined) > 1 and joined[0] == joined[-1] == '"' and is_txt_value(joined):
        return joined
    return rdata.build_txt_target(text.encode("utf-8", "replace") for text in strings)


def build_strings(target: str) -> list[str]:
    """Return the strings for the TXT *target*; an ownership text has the form that external-dns gives it.

    Raises:
        ValueError: the API, which takes text, has no form for it.
    """
    if target.startswith(_OWNERSHIP):
        return [target[start : start + _MAX_TEXT] for start in range(0, len(target), _MAX_TEXT)]
    words = scan.split_words(rdata.format_txt(target)) or ()
    return [rdata.parse_string(word).decode("utf-8") for word in words]


def build_body(desired: DesiredRecord, old: Record | None, *, private: bool) -> dict[str, Any]:
    """Return the content of a request that writes *desired*; metadata of *old* that is not ours stays."""
    rtype = desired.type
    records = [_build_value(rtype, target) for target in desired.targets]
    field = f"{rtype.lower() if private else rtype}{'Record' if rtype == rrtype.CNAME else 'Records'}"
    properties = {
        "ttl" if private else "TTL": desired.ttl_s or DEFAULT_TTL_S,
        "metadata": dict(merge_metadata(desired, old)),
        field: records[0] if rtype == rrtype.CNAME else records,
    }
    return {"properties": properties}


def merge_metadata(desired: DesiredRecord, old: Record | None) -> StringMap:
    """Return the metadata that a record set has after *desired* replaced *old*."""
    before = dict(_get_metadata(old)) if old else {}
    ours = parse_tags(old.properties.get(TAGS)) if old else {}
    kept = {key: value for key, value in before.items() if key not in ours}
    return StringMap.from_items(kept | parse_tags(desired.properties.get(TAGS)))


def _build_value(rtype: str, target: str) -> dict[str, Any]:
    match rtype:
        case rrtype.MX:
            preference, _, host = target.partition(" ")
            return {"preference": int(preference), "exchange": host}
        case rrtype.SRV:
            priority, weight, port, host = target.split()
            numbers = {"priority": int(priority), "weight": int(weight), "port": int(port)}
            return {**numbers, "target": host.removesuffix(".") or "."}
        case rrtype.TXT:
            return {"value": build_strings(target)}
        case _:
            return {_FIELDS[rtype]: str(target)}


def build_relative_name(name: DnsName, zone: Zone) -> str:
    """Return *name* as the API spells it in *zone*."""
    return APEX if name == zone.name else name.removesuffix(f".{zone.name}")
