"""Records: desired records, current records, records with their owner, and record data (docs/spec/plan.md 0.1)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final

from extdns.errors import InvalidValueError
from extdns.model import rrtype, ttl
from extdns.model.cache import cache_short
from extdns.model.dns_name import DnsName
from extdns.model.kind import parse_namespace
from extdns.model.value import EMPTY_MAP, StringMap, Value

ALIAS = "alias"
OWNER = "owner"
RESOURCE = "resource"
OWNED_RECORD = "ownedRecord"
"""The label that names the owned record, written if the name of the ownership record is ambiguous."""

RECORD_TYPE = "record-type"
"""A property of a claim that only decides whether it gets PTR records (docs/spec/sources.md 8.5)."""


def is_honoured(key: str, properties: Iterable[str]) -> bool:
    """Return whether a provider that honours *properties* honours the property *key*.

    One of *properties* that ends with a slash stands for all that begin with it, and for those without a slash. One
    that begins with a slash has the prefix of annotations before it. `record-type` is honoured with any provider.
    """
    return key == RECORD_TYPE or any(
        key == one
        or (one.endswith("/") and ("/" not in key or key.startswith(one)))
        or (one.startswith("/") and key.endswith(one))
        for one in properties
    )


class RecordKey(Value, frozen=True, order=True):
    """The identity of a record within a zone. Sorts by name, set identifier, type."""

    name: DnsName
    set_identifier: str
    type: str

    def __str__(self) -> str:
        """Return the type and name, and the set identifier if there is one: `A web.shop.example (blue)`."""
        return f"{self.type} {self.name}{f' ({self.set_identifier})' if self.set_identifier else ''}"


class DesiredRecord(Value, frozen=True, kw_only=True):
    """A record that objects request. A record is always a record set: all values of one name, type and set identifier.

    Attributes:
        type: a record type, in capitals.
        targets: canonical record data, sorted, without duplicates.
        ttl_s: seconds, `ttl.UNSET` (0) if the object states none.
        set_identifier: "" for a simple record, else the member of a routing policy.
        labels: the labels of the ownership record, such as `resource`, without `owner`.
        properties: provider-specific, such as `alias` or `aws/weight`.
    """

    name: DnsName
    type: str
    targets: tuple[str, ...]
    ttl_s: int = ttl.UNSET
    set_identifier: str = ""
    labels: StringMap = EMPTY_MAP
    properties: StringMap = EMPTY_MAP

    @property
    def key(self) -> RecordKey:
        """The identity of the record."""
        return RecordKey(self.name, self.set_identifier, self.type)

    @property
    def has_ttl(self) -> bool:
        """Whether an object or a setting states the TTL."""
        return self.ttl_s != ttl.UNSET

    @property
    def resource(self) -> str:
        """The object that requests the record, as `service/shop/web`; "" if none is named."""
        return self.labels.get(RESOURCE)

    @property
    def namespace(self) -> str:
        """The namespace of that object; "" if it has none or none is named."""
        return parse_namespace(self.resource)

    @property
    def is_alias(self) -> bool:
        """Whether the record is an alias: an A or AAAA record that points to a name, which only some services have."""
        return self.properties.get(ALIAS) == "true" and self.type in rrtype.ADDRESSES


class Record(Value, frozen=True, kw_only=True):
    """A record as it was read from a zone.

    Attributes:
        type: a record type, in capitals; after `rrtype.UNREADABLE` if the record cannot be read.
        targets: canonical record data, sorted, without duplicates; TXT values keep their quotes.
        ttl_s: the TTL in seconds.
        has_ttl: whether the DNS service states the TTL. A webhook may not; then `ttl_s` is `ttl.UNSET` (0).
        exact: the record in the form in which the DNS service returned it, opaque and hashable, for conditional writes;
            None if the other fields are enough.
    """

    name: DnsName
    type: str
    targets: tuple[str, ...]
    ttl_s: int
    set_identifier: str = ""
    properties: StringMap = EMPTY_MAP
    has_ttl: bool = True
    exact: object = None

    @property
    def key(self) -> RecordKey:
        """The identity of the record."""
        return RecordKey(self.name, self.set_identifier, self.type)


def project_record(endpoint: DesiredRecord) -> Record:
    """Return the record expected in the zone after *endpoint* was written. The service may replace an unset TTL."""
    return Record(
        name=endpoint.name,
        type=endpoint.type,
        targets=endpoint.targets,
        ttl_s=endpoint.ttl_s,
        set_identifier=endpoint.set_identifier,
        properties=endpoint.properties,
        has_ttl=endpoint.has_ttl,
    )


def restate_record(record: Record) -> DesiredRecord:
    """Return the desired record that equals *record*, so that writing it changes nothing."""
    return DesiredRecord(
        name=record.name,
        type=record.type,
        targets=record.targets,
        ttl_s=record.ttl_s,
        set_identifier=record.set_identifier,
        properties=record.properties,
    )


class OwnedRecord(Value, frozen=True, kw_only=True):
    """A record that is not an ownership record, with the ownership that the registry found.

    Attributes:
        owner: the owner id that its ownership records name, None if nothing proves an owner.
        is_ours: whether the record is proven to be ours (law 1).
        labels: the labels of its ownership records, without `owner`.
        ownership_records: the records that prove its ownership, as read, sorted by key.
        has_current_format: whether one of them has the newest naming format. If not, the next update adds one that has.
        is_unambiguous: whether they cannot belong to another record. If they can, the engine counts this record as
            foreign: external-dns counts them for the other record only, unless that is in another zone.
        encrypted_name: the name of a TXT record that may be its ownership record, encrypted with another key; "" if
            there is none.
        mixed_name: the name of a TXT record that would be its ownership record if it had no further values; "" if there
            is none.
        forged: the name of a TXT record that reads as its ownership record, but has an ownership record of its own and
            so was published by somebody; "" if there is none.
    """

    record: Record
    owner: str | None = None
    is_ours: bool = False
    labels: StringMap = EMPTY_MAP
    ownership_records: tuple[Record, ...] = ()
    has_current_format: bool = True
    is_unambiguous: bool = True
    encrypted_name: str = ""
    mixed_name: str = ""
    forged: str = ""

    @property
    def key(self) -> RecordKey:
        """The identity of the record."""
        return self.record.key

    @property
    def resource(self) -> str:
        """The object that the ownership record names, as `service/shop/web`; "" if none."""
        return self.labels.get(RESOURCE)

    @property
    def namespace(self) -> str:
        """The namespace of that object; "" if it has none or none is named."""
        return parse_namespace(self.resource)


POLICIES: Final = {
    "aws/weight": "weight",
    "aws/region": "region",
    "aws/failover": "failover",
    "aws/multi-value-answer": "multi-value-answer",
    "aws/geolocation-continent-code": "geolocation",
    "aws/geolocation-country-code": "geolocation",
    "aws/geolocation-subdivision-code": "geolocation",
    "aws/geoproximity-region": "geoproximity",
    "aws/geoproximity-bias": "geoproximity",
    "aws/geoproximity-coordinates": "geoproximity",
    "aws/geoproximity-local-zone-group": "geoproximity",
}
"""The policy of each property that states one, in the order in which messages name them."""

SIMPLE: Final = ""
"""The routing of a record without set identifier."""
_ROUTED: Final = "routed"


def list_policies(properties: StringMap) -> tuple[str, ...]:
    """Return the routing policies that *properties* state. A service accepts at most one."""
    if not properties:
        return ()
    present = {name for name, _ in properties}
    return tuple(dict.fromkeys(policy for name, policy in POLICIES.items() if name in present))


def get_routing(content: DesiredRecord | Record) -> str:
    """Return the routing of *content*: `SIMPLE`, or its policy ("routed" if the properties state none)."""
    if not content.set_identifier:
        return SIMPLE
    return "+".join(list_policies(content.properties)) or _ROUTED


Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_OCTET: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4: Final = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_UNTOUCHED: Final = frozenset({rrtype.TXT, rrtype.NAPTR, rrtype.SRV})


@cache_short(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """Parse an IP address. Return None if *text* is not one, which includes IPv4 with leading zeros."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_ipv4(text: str) -> bool:
    """Return whether *text* is an IPv4 address, which has only one spelling. Cheaper than `parse_address`."""
    return IPV4.fullmatch(text) is not None


def strip_trailing_dots(text: str) -> str:
    """Return *text* without one or two dots at its end, as external-dns, which strips one in each of two places."""
    return text.removesuffix(".").removesuffix(".") if text.endswith(".") else text


def choose_record_type(target: str) -> str:
    """Return the record type for *target*: A, AAAA, or CNAME if it is not an IP literal.

    See docs/spec/sources.md 1.3.
    """
    parsed = parse_address(target)
    if parsed is None:
        return rrtype.CNAME
    return rrtype.A if parsed.version == 4 else rrtype.AAAA  # noqa: PLR2004 - the IP version


def parse_target(text: str) -> tuple[str, str]:
    """Return the record type for a target (see `choose_record_type`) and its canonical form.

    The type is that of the text without trailing dots: `192.0.2.1.` is an address (docs/spec/sources.md 2.2).

    The name may still be none that a record can point to (`extdns.model.validation`).

    Raises:
        InvalidValueError: an address with a zone (fe80::1%eth0), which is meaningful on one host
            only, or text that is neither an address nor a name.
    """
    original, text = text, strip_trailing_dots(text)
    if is_ipv4(text):
        return rrtype.A, text
    parsed = parse_address(text)
    if parsed is None:
        return rrtype.CNAME, DnsName.parse(text or original)
    if "%" in text:
        raise InvalidValueError(text, "an address without zone", "invalid-target")
    return rrtype.AAAA, _format_address(parsed)


def canonicalize(rtype: str, text: str) -> str:
    """Return the canonical spelling of *text* as record data of *rtype*.

    IP literals are compressed and lower-cased (RFC 5952), host names lose one trailing dot and are
    lower-cased; TXT, NAPTR and SRV stay as they are. A host of MX or SRV that is not ASCII
    gets A-labels, and tabs become blanks. `validate_record` checks whether the data is valid for its type.
    """
    if rtype in {rrtype.MX, rrtype.SRV} and ("\t" in text or not text.isascii()):
        text = _rewrite_fields(text)
    if rtype in _UNTOUCHED or is_ipv4(text):
        return text
    parsed = parse_address(text)
    if parsed is not None:
        return _format_address(parsed)
    if rtype == rrtype.MX:
        fields = " ".join(text.split()).lower()
        return fields if fields.endswith(" .") else fields.removesuffix(".")  # "0 ." accepts no mail (RFC 7505)
    return _canonicalize_host(text)


def _format_address(parsed: Address) -> str:
    """Format by RFC 5952; Python formats IPv4-mapped addresses by its section 5 only from 3.13 on."""
    mapped = parsed.ipv4_mapped if parsed.version == 6 else None  # noqa: PLR2004 - the IP version
    return f"::ffff:{mapped}" if mapped else str(parsed)


def _rewrite_fields(text: str) -> str:
    """Return the fields of MX or SRV data with blanks between them, and the last one, a host, with A-labels."""
    *numbers, host = text.split() or [""]
    try:
        name = DnsName.parse(host)
    except InvalidValueError:
        return text
    return " ".join([*numbers, f"{name}." if host.endswith(".") else name])


def _canonicalize_host(text: str) -> str:
    try:
        return DnsName.parse(text)
    except InvalidValueError:
        return text.removesuffix(".")


def build_sort_key(target: str) -> tuple[int, int, str]:
    """Build a sort key: IPv4, then IPv6, both by number, then everything else by text (docs/spec/plan.md 0.2)."""
    parsed = parse_address(target)
    if parsed is None:
        return (2, 0, target)
    return (0 if parsed.version == 4 else 1, int(parsed), "")  # noqa: PLR2004 - the IP version


def canonicalize_targets(rtype: str, targets: Iterable[str]) -> tuple[str, ...]:
    """Return *targets* in canonical form, sorted by text, without duplicates (docs/spec/sources.md 1.5)."""
    return tuple(sorted({canonicalize(rtype, target) for target in targets}))
