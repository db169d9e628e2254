"""PTR records for the addresses that names point at (spec sources 8.5)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.claim import Derivation, Notice, Wanted
from extdns.model.finishing import RECORD_TYPE
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.target import Address, address

_ON: Final = "ptr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointers:
    """A stage that puts beside an A or AAAA a PTR for each of its addresses.

    The property `record-type` decides for its endpoint; finishing takes it off. The PTRs of one
    address, from whatever objects, become one when claims are merged.

    Attributes:
        enabled: what holds for endpoints without that property.
    """

    enabled: bool

    def __call__(self, wanted: Wanted) -> tuple[Wanted, ...]:
        """*wanted*, with a notice if it cannot have what it asks for, and its PTRs by address."""
        endpoint = wanted.endpoint
        asks = endpoint.properties.has(RECORD_TYPE)
        if endpoint.type not in rrtype.ADDRESSES or endpoint.name.is_wildcard:
            return (_noticed(wanted),) if asks else (wanted,)
        on = endpoint.properties.get(RECORD_TYPE).lower() == _ON if asks else self.enabled
        return (wanted, *_pointers(wanted)) if on else (wanted,)


def _pointers(wanted: Wanted) -> Iterator[Wanted]:
    endpoint = wanted.endpoint
    provenance = replace(wanted.provenance, derived=Derivation.POINTER)
    for target in endpoint.targets:
        parsed = address(target)
        if parsed is not None:
            pointer = Endpoint(
                name=_reverse(parsed), type=rrtype.PTR, targets=(str(endpoint.name),), ttl_s=endpoint.ttl_s
            )
            yield Wanted(endpoint=pointer, provenance=provenance)


def _reverse(parsed: Address) -> DnsName:
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return DnsName.parse((mapped or parsed).reverse_pointer)


def _noticed(wanted: Wanted) -> Wanted:
    value = wanted.endpoint.properties.get(RECORD_TYPE)
    allowed = "nothing: only A and AAAA records without wildcard get a PTR"
    notice = Notice(reason=Reason.INVALID_ANNOTATION, field=f"annotation {RECORD_TYPE}", value=value, allowed=allowed)
    return replace(wanted, notices=(*wanted.notices, notice))
