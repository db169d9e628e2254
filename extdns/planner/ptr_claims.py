"""Derive the PTR claims of one name from its merged claims (docs/spec/sources.md 8.5).

PTR claims are derived after claims are merged. Whether the addresses of a merged record get PTR records therefore
depends on the record's deciding claim, even for the addresses that other objects contribute. If several names have one
address, each gives a PTR claim to the reverse name of the address, and the claims to the reverse name are merged, too.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.claim import Derivation, NameClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.record import RECORD_TYPE, RESOURCE, DesiredRecord, parse_address
from extdns.model.value import EMPTY_MAP, StringMap, group_by
from extdns.planner.proposal import group_claims
from extdns.planner.settings import PlanSettings

_PTR_REQUESTED: Final = "ptr"


def derive_ptr_claims(claims: Iterable[NameClaim], settings: PlanSettings) -> tuple[ResolvedClaim, ...]:
    """Return one PTR claim for each address of each claim whose merged record gets PTR records, without duplicates.

    *claims* are all of one name. Those of different namespaces are merged only with `settings.merges_namespaces`.
    """
    if rrtype.PTR not in settings.managed_types:
        return ()
    found = [
        claim
        for claim in claims
        if not isinstance(claim, UnresolvedClaim)
        and claim.desired.type in rrtype.ADDRESSES
        and not claim.name.is_wildcard
    ]
    if not (settings.creates_ptr or any(claim.desired.properties.has(RECORD_TYPE) for claim in found)):
        return ()
    by_namespace = group_by(found, lambda one: "" if settings.merges_namespaces else one.provenance.ref.key.namespace)
    derived = (ptr_claim for merged in by_namespace.values() for ptr_claim in _derive(merged, settings))
    return tuple(dict.fromkeys(derived))


def _derive(claims: Iterable[ResolvedClaim], settings: PlanSettings) -> Iterator[ResolvedClaim]:
    deciding: dict[tuple[object, ...], DesiredRecord] = {}
    for group in group_claims(claims, settings):
        first = group[0].desired
        targets = frozenset(target for claim in group for target in claim.desired.targets)
        # equal records count once, with the properties and TTL of the first (docs/spec/sources.md 1.7)
        identity = (group[0].provenance.derivation, first.type, first.set_identifier, targets)
        decided = deciding.setdefault(identity, first)
        if _is_enabled(decided, settings):
            for claim in group:
                yield from _derive_from_addresses(claim, decided.ttl_s, settings)


def _is_enabled(merged: DesiredRecord, settings: PlanSettings) -> bool:
    if merged.properties.has(RECORD_TYPE):
        return merged.properties.get(RECORD_TYPE).lower() == _PTR_REQUESTED
    return settings.creates_ptr


def _derive_from_addresses(claim: ResolvedClaim, ttl_s: int, settings: PlanSettings) -> Iterator[ResolvedClaim]:
    provenance = replace(claim.provenance, derivation=Derivation.PTR)
    # external-dns writes no resource
    labels = EMPTY_MAP if settings.compat else StringMap.from_items({RESOURCE: provenance.ref.key.resource})
    for target in claim.desired.targets:
        if name := find_reverse_name(target):
            record = DesiredRecord(name=name, type=rrtype.PTR, targets=(str(claim.name),), ttl_s=ttl_s, labels=labels)
            yield ResolvedClaim(desired=record, provenance=provenance)


def find_unproven(claims: Iterable[NameClaim]) -> list[ResolvedClaim]:
    """Return the PTR claims among *claims* of objects that only state an address, which other namespaces have.

    An object has an address if a controller gave it to the object. Any tenant can state one, also by a PTR record in a
    DNSEndpoint. If all do, none has it.
    """
    found = [one for one in claims if isinstance(one, ResolvedClaim) and one.desired.type == rrtype.PTR]
    derived = [one.provenance for one in found if one.provenance.derivation is Derivation.PTR]
    having = {one.ref.key.namespace for one in derived if not one.states_targets}
    return [one for one in found if having and one.provenance.ref.key.namespace not in having]


def find_reverse_name(target: str) -> DnsName | None:
    """Return the name of the PTR record of the address *target*, None if it is not an address."""
    parsed = parse_address(target)
    if parsed is None:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return DnsName.parse((mapped or parsed).reverse_pointer)
