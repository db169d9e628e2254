"""Records as a zone holds them, and endpoints as somebody wants them (spec plan 0.1)."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model import pairs, rrtype, ttl
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.target import canonical
from extdns.model.value import Value

ALIAS = "alias"
OWNER = "owner"
RESOURCE = "resource"


class RecordKey(Value, frozen=True, order=True):
    """What identifies a record set within a zone; sorts by name, set identifier, type."""

    name: DnsName
    set_identifier: str
    type: str


class Endpoint(Value, frozen=True, kw_only=True):
    """A record set that somebody wants.

    Attributes:
        type: a record type, in capitals.
        targets: canonical record data, sorted, without duplicates.
        ttl_s: seconds, `ttl.UNSET` (0) when nobody said.
        set_identifier: "" for a simple record, else the member of a routing policy.
        labels: `resource` and whatever else goes into the ownership mark, `owner` excepted.
        properties: provider-specific, such as `alias` or `aws/weight`.
    """

    name: DnsName
    type: str
    targets: tuple[str, ...]
    ttl_s: int = ttl.UNSET
    set_identifier: str = ""
    labels: Pairs = pairs.NONE
    properties: Pairs = pairs.NONE

    @property
    def key(self) -> RecordKey:
        """The identity of the record set this endpoint would become."""
        return RecordKey(self.name, self.set_identifier, self.type)

    @property
    def resource(self) -> str:
        """The object it is made for, as `service/shop/web`, "" if none is named."""
        return self.labels.get(RESOURCE)

    @property
    def is_alias(self) -> bool:
        """Whether it is an A or AAAA that points at a name, which only some services have."""
        return self.properties.get(ALIAS) == "true" and self.type in rrtype.ADDRESSES


class Record(Value, frozen=True, kw_only=True):
    """A record set as it was read from a zone.

    Attributes:
        type: a record type, in capitals, or `rrtype.UNREADABLE`.
        targets: canonical record data, sorted, without duplicates; TXT values keep their quotes.
        ttl_s: seconds.
        exact: the service's own form, opaque and hashable, for conditional writes; None when the
            other fields say all.
    """

    name: DnsName
    type: str
    targets: tuple[str, ...]
    ttl_s: int
    set_identifier: str = ""
    properties: Pairs = pairs.NONE
    exact: object = None

    @property
    def key(self) -> RecordKey:
        """The identity of the record set in its zone."""
        return RecordKey(self.name, self.set_identifier, self.type)


def foreseen_record(endpoint: Endpoint) -> Record:
    """What will stand once *endpoint* is written, as far as it says; the service may fill in a TTL."""
    return Record(
        name=endpoint.name,
        type=endpoint.type,
        targets=endpoint.targets,
        ttl_s=endpoint.ttl_s,
        set_identifier=endpoint.set_identifier,
        properties=endpoint.properties,
    )


def restated(record: Record) -> Endpoint:
    """The endpoint that leaves *record* as it stands."""
    return Endpoint(
        name=record.name,
        type=record.type,
        targets=record.targets,
        ttl_s=record.ttl_s,
        set_identifier=record.set_identifier,
        properties=record.properties,
    )


def canonical_targets(rtype: str, targets: Iterable[str]) -> tuple[str, ...]:
    """*targets* in canonical form, sorted by text and without duplicates (spec sources 1.5)."""
    return tuple(sorted({canonical(rtype, target) for target in targets}))
