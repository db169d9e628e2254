"""The values of the API, which it calls DNS records, to and from records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from extdns.model import rrtype, ttl
from extdns.model.change import Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, canonicalize
from extdns.model.value import StringMap, Value, group_by
from providers.common.api_calls import parse_service_name
from providers.common.txt_strings import is_txt_value, join_strings, split_strings

PROXIED: Final = "cloudflare-proxied"
COMMENT: Final = "cloudflare-record-comment"
TAGS: Final = "cloudflare-tags"
PROPERTIES: Final = (PROXIED, COMMENT, TAGS)
"""The properties of values. Those of requests have the prefix of the annotations before them."""

REGION: Final = "cloudflare-region-key"
"""The property for the region of a name, which its A, AAAA and CNAME records share."""

CUSTOM: Final = "cloudflare-custom-hostname"
"""The property for the custom hostnames of which a name is the origin, separated by commas."""

PROXIABLE: Final = frozenset({rrtype.A, rrtype.AAAA, rrtype.CNAME})
HOSTNAME_TYPES: Final = {REGION: PROXIABLE, CUSTOM: frozenset({rrtype.A, rrtype.CNAME})}
"""The properties that belong to a name, with the types of the records that show them."""

BOOLEANS: Final = {"1": True, "t": True, "true": True, "0": False, "f": False, "false": False}
"""The values of `PROXIED`, in lower case. Another one leaves the default."""

AUTOMATIC_TTL: Final = 1
AUTOMATIC_TTL_S: Final = 300
"""The TTL with which Cloudflare answers for a value whose TTL is automatic."""

_NO_HOSTNAMES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({})
_NAPTR: Final = re.compile(r'(\d+) (\d+) "(.*?)" "(.*?)" "((?:[^"\\]|\\.)*)" (\S+)', re.ASCII)


class EntryData(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The field `data` of SRV and NAPTR values."""

    priority: int | None = None
    weight: int | None = None
    port: int | None = None
    target: str | None = None
    order: int | None = None
    preference: int | None = None
    flags: str | None = None
    service: str | None = None
    regex: str | None = None
    replacement: str | None = None


class CloudflareValue(Value, frozen=True, kw_only=True):
    """One value of a record set, as the API returns it. A *ttl* of 1 is automatic."""

    id: str
    name: str
    type: str
    content: str = ""
    ttl: int = AUTOMATIC_TTL
    proxied: bool = False
    comment: str | None = None
    tags: tuple[str, ...] = ()
    priority: int | None = None
    data: EntryData | None = None

    @property
    def target(self) -> str:
        """The value as the target of a record, in canonical form."""
        data = self.data
        match self.type:
            case rrtype.MX:
                text = f"{self.priority} {self.content}"
            case rrtype.SRV if data and data.target:
                text = f"{data.priority} {data.weight} {data.port} {data.target.removesuffix('.')}."
            case rrtype.NAPTR if data and data.replacement:
                host = f"{data.replacement.removesuffix('.')}."
                text = f'{data.order} {data.preference} "{data.flags}" "{data.service}" "{data.regex}" {host}'
            case rrtype.TXT:
                text = join_strings(self.content) if is_txt_value(self.content) else _quote(self.content)
            case _:
                text = self.content
        return canonicalize(self.type, text)


def _quote(text: str) -> str:
    """Return TXT content that was stored without quotes as one string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def build_records(
    entries: Iterable[CloudflareValue], hostnames: Mapping[str, Mapping[str, str]] = _NO_HOSTNAMES
) -> dict[DnsName, tuple[Record, ...]]:
    """Return the records of which *entries* are the values, by name. Those with a name nobody can request are left out.

    *hostnames* has the values of the properties of names, by property and name.

    If the values of a record differ in TTL, the record has none, so that a TTL that is asked for is set on all. If they
    differ in comment or tags, its properties are those that all have; Cloudflare proxies all if it proxies one.
    """
    groups = group_by(entries, lambda entry: (entry.name, entry.type))
    found: dict[DnsName, list[Record]] = defaultdict(list)
    for (text, rtype), values in groups.items():
        if (name := parse_service_name(text)) is not None:
            of_name = [
                (key, by_name.get(text, "")) for key, by_name in hostnames.items() if rtype in HOSTNAME_TYPES[key]
            ]
            found[name].append(_build_record(name, rtype, tuple(values), of_name))
    return {name: tuple(sorted(records, key=lambda record: record.key)) for name, records in found.items()}


def _build_record(
    name: DnsName, rtype: str, values: tuple[CloudflareValue, ...], of_name: Iterable[tuple[str, str]]
) -> Record:
    properties = [_read_properties(value) for value in values]
    items = {item for each in properties for item in each}
    shared = [item for item in items if item[0] == PROXIED or all(item in each for each in properties)]
    shared += (item for item in of_name if item[1])
    ttls = {AUTOMATIC_TTL_S if one.ttl == AUTOMATIC_TTL else one.ttl for one in values}
    has_ttl = len(ttls) == 1
    return Record(
        name=name,
        type=rtype,
        targets=tuple(sorted({value.target for value in values})),
        ttl_s=min(max(ttl.UNSET, *ttls), ttl.MAX_TTL_S) if has_ttl else ttl.UNSET,
        has_ttl=has_ttl,
        properties=StringMap.from_items(shared),
        exact=values,
    )


def _read_properties(entry: CloudflareValue) -> StringMap:
    found = {PROXIED: "true" if entry.proxied else "", COMMENT: entry.comment or "", TAGS: format_tags(entry.tags)}
    return StringMap.from_items((key, value) for key, value in found.items() if value)


def split_hostnames(text: str) -> tuple[str, ...]:
    """Return the custom hostnames of a property, sorted, each once."""
    return tuple(sorted({one.strip() for one in text.split(",")} - {""}))


def format_tags(tags: Iterable[str]) -> str:
    """Return *tags* as the value of a property: sorted, each once."""
    return ",".join(sorted({tag.strip() for tag in tags} - {""}))


class Operations(Value, frozen=True, kw_only=True):
    """The body of a batch. Cloudflare deletes first, then patches, then posts."""

    deletes: tuple[Mapping[str, Any], ...] = ()
    patches: tuple[Mapping[str, Any], ...] = ()
    posts: tuple[Mapping[str, Any], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deletes or self.patches or self.posts)


def plan_operations(writes: Iterable[Write]) -> tuple[Operations, tuple[CloudflareValue, ...]]:
    """Return as few operations as make *writes*, and the values that they leave as they are.

    A value that a record no longer has is patched to a new one, which is not among those that stay, so no two values
    are ever equal. TXT values are deleted and posted (see the docstring of the package).
    """
    kept: list[CloudflareValue] = []
    deleted: list[CloudflareValue] = []
    patched: list[tuple[CloudflareValue, dict[str, Any]]] = []
    posted: list[dict[str, Any]] = []
    for old, new in ((write.old, write.new) for write in writes):
        spare: list[CloudflareValue] = []
        fields = {} if new is None else {target: build_fields(new, target) for target in new.targets}
        for entry in old.exact if old is not None and isinstance(old.exact, tuple) else ():
            wanted = None if entry.type == rrtype.TXT else fields.pop(entry.target, None)
            if wanted is None:
                spare.append(entry)
            elif patch := _find_changed(entry, wanted):
                patched.append((entry, patch))
            else:
                kept.append(entry)
        pairs = [] if new is None or new.type == rrtype.TXT else list(zip(spare, fields.values(), strict=False))
        patched += ((entry, _find_changed(entry, wanted)) for entry, wanted in pairs)
        deleted += spare[len(pairs) :]
        posted += list(fields.values())[len(pairs) :]
    operations = Operations(
        deletes=tuple({"id": entry.id} for entry in deleted),
        patches=tuple({"id": entry.id, **patch} for entry, patch in patched),
        posts=tuple(posted),
    )
    return operations, tuple(kept)


def build_fields(desired: DesiredRecord, target: str) -> dict[str, Any]:
    """Return the fields of the value *target* of *desired*; comment and tags only if there are any."""
    fields = {"name": str(desired.name), "type": desired.type, **_build_content(desired.type, target)}
    proxied = desired.properties.get(PROXIED) == "true"
    fields["ttl"] = AUTOMATIC_TTL if proxied or desired.ttl_s == ttl.UNSET else desired.ttl_s
    if desired.type in PROXIABLE:
        fields["proxied"] = proxied
    if comment := desired.properties.get(COMMENT):
        fields["comment"] = comment
    if tags := desired.properties.get(TAGS):
        fields["tags"] = tags.split(",")
    return fields


def _build_content(rtype: str, target: str) -> dict[str, Any]:
    match rtype:
        case rrtype.MX:
            priority, _, host = target.partition(" ")
            return {"priority": int(priority), "content": host}
        case rrtype.SRV:
            priority, weight, port, host = target.split(" ")
            data = {"priority": int(priority), "weight": int(weight), "port": int(port), "target": host}
            return {"data": data | {"target": host.removesuffix(".") or "."}}
        case rrtype.NAPTR if match := _NAPTR.fullmatch(target):
            order, preference, flags, service, regex, replacement = match.groups()
            texts = {"flags": flags, "service": service, "regex": regex, "replacement": replacement}
            return {"data": {"order": int(order), "preference": int(preference), **texts}}
        case rrtype.TXT:
            return {"content": split_strings(target)}
        case _:
            return {"content": str(target)}


def _find_changed(entry: CloudflareValue, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of *fields* that differ from *entry*; a comment or tags that are no longer wanted are emptied.

    An automatic TTL stays if 300 seconds are asked for, which is the same, and a TTL stays if none is asked for.
    """
    content = {key: fields[key] for key in ("content", "priority", "data") if key in fields}
    changed: dict[str, Any] = {} if _build_content(entry.type, entry.target) == content else content
    wanted = fields["ttl"]
    keeps_ttl = wanted == AUTOMATIC_TTL and not fields.get("proxied")
    if not keeps_ttl and wanted != entry.ttl and {wanted, entry.ttl} != {AUTOMATIC_TTL, AUTOMATIC_TTL_S}:
        changed["ttl"] = wanted
    if fields.get("proxied", False) != entry.proxied:
        changed |= {"proxied": fields["proxied"], "ttl": wanted}
    if fields.get("comment", "") != (entry.comment or ""):
        changed["comment"] = fields.get("comment", "")
    if format_tags(fields.get("tags", ())) != format_tags(entry.tags):
        changed["tags"] = fields.get("tags", [])
    return changed
