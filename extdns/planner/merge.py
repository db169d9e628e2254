"""Merge the claims of one name into candidates: within each source first, then without duplicates.

See docs/spec/sources.md 1.5, 1.7, 3.9, 8.5.

The order of claims does not matter: they are sorted by source, then by the age of the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.claim import Derivation, Provenance, ResolvedClaim, TargetlessClaim
from extdns.model.record import ALIAS, RECORD_TYPE, DesiredRecord
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.planner.settings import PlanSettings

# Services merge whatever their TTL, and the smallest `resource` comes first (docs/spec/sources.md 3.9).
_IGNORES_TTL: Final = "service"
# This source merges each kind separately (docs/spec/sources.md 6.4).
_MERGED_BY_KIND: Final = "unstructured"
# Types that hold one name only, so different targets are different candidates.
_SINGLE_TARGET_TYPES: Final = frozenset({rrtype.CNAME, rrtype.DNAME})


MergedClaim = ResolvedClaim | TargetlessClaim
"""A claim that is merged with others."""


class Candidate(Value, frozen=True, kw_only=True):
    """A record that one or more claims request.

    Attributes:
        requested_by: where the claims come from; at least one, the deciding one first.
    """

    desired: DesiredRecord
    requested_by: tuple[Provenance, ...]


def merge_claims(
    claims: Iterable[ResolvedClaim], settings: PlanSettings, targetless: Iterable[TargetlessClaim] = ()
) -> tuple[Candidate, ...]:
    """Merge the claims to one name. The order of the candidates depends on the claims only.

    A claim of *targetless* sets TTL and labels of the merged record if it comes first among the merged claims.
    """
    merged: tuple[MergedClaim, ...] = tuple(claims)
    namespaces = {claim.provenance.ref.key.namespace for claim in merged}
    merged += tuple(
        one for one in targetless if settings.merges_namespaces or one.provenance.ref.key.namespace in namespaces
    )
    if len(merged) == 1 and isinstance(merged[0], ResolvedClaim):
        return (Candidate(desired=_finalize(merged[0].desired, settings), requested_by=(merged[0].provenance,)),)
    return _deduplicate(_merge_group(group, settings) for group in group_claims(merged, settings))


def group_claims(claims: Iterable[MergedClaim], settings: PlanSettings) -> list[list[MergedClaim]]:
    """Return the groups of *claims* to one name that are merged, each with the deciding claim first.

    Groups without targets are omitted.
    """
    groups: dict[tuple[object, ...], list[MergedClaim]] = {}
    for claim in sorted(claims, key=lambda claim: _build_rank(claim.desired, claim.provenance, settings.source_order)):
        groups.setdefault(_build_merge_key(claim), []).append(claim)
    return [group for group in groups.values() if any(map(_has_targets, group))]


def sort_candidates(candidates: Iterable[Candidate], settings: PlanSettings) -> list[Candidate]:
    """Return *candidates* sorted by their first source in the order of `--source`, then by their first claim's rank."""
    ordered = list(candidates)
    if len(ordered) > 1:
        ordered.sort(key=lambda one: _build_rank(one.desired, one.requested_by[0], settings.source_order))
    return ordered


def _build_rank(endpoint: DesiredRecord, requester: Provenance, source_order: tuple[str, ...]) -> tuple[object, ...]:
    position = source_order.index(requester.source) if requester.source in source_order else len(source_order)
    labelled = endpoint.resource if requester.source == _IGNORES_TTL else ""
    content = (endpoint.key, endpoint.targets, endpoint.ttl_s, endpoint.labels, endpoint.properties)
    return (position, requester.source, labelled, requester.ref.age_sort_key, requester.field, content)


def _has_targets(claim: MergedClaim) -> bool:
    return isinstance(claim, ResolvedClaim)


def _build_merge_key(claim: MergedClaim) -> tuple[object, ...]:
    endpoint, source, derived = claim.desired, claim.provenance.source, claim.provenance.derivation
    if derived is Derivation.PTR:
        return (derived,)
    ttl_s = 0 if source == _IGNORES_TTL else endpoint.ttl_s
    targets = endpoint.targets if endpoint.type in _SINGLE_TARGET_TYPES else ()
    kind = claim.provenance.ref.key.kind if source == _MERGED_BY_KIND else None
    return (derived, source, kind, endpoint.type, endpoint.set_identifier, ttl_s, targets)


def _merge_group(group: Sequence[MergedClaim], settings: PlanSettings) -> Candidate:
    targets = tuple(sorted({target for claim in group for target in claim.desired.targets}))
    is_ptr = group[0].provenance.derivation is Derivation.PTR
    ttl_s = min(claim.desired.ttl_s for claim in group) if is_ptr else group[0].desired.ttl_s
    endpoint = _finalize(replace(group[0].desired, targets=targets, ttl_s=ttl_s), settings)
    requested_by = dict.fromkeys(claim.provenance for claim in group if isinstance(claim, ResolvedClaim))
    return Candidate(desired=endpoint, requested_by=tuple(requested_by))


def _finalize(endpoint: DesiredRecord, settings: PlanSettings) -> DesiredRecord:
    return finalize_desired(
        endpoint, min_ttl_s=settings.min_ttl_s, provider=settings.provider, prefer_alias=settings.prefer_alias
    )


def _deduplicate(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return each distinct candidate once, with the requesters of those that equal it (docs/spec/sources.md 1.7)."""
    distinct: dict[tuple[object, ...], Candidate] = {}
    for candidate in found:
        endpoint = candidate.desired
        identity = (endpoint.type, endpoint.set_identifier, endpoint.targets)
        earlier = distinct.get(identity)
        if earlier is None:
            distinct[identity] = candidate
        else:
            distinct[identity] = replace(earlier, requested_by=(*earlier.requested_by, *candidate.requested_by))
    return tuple(distinct.values())


# Providers whose properties have another prefix than their name (docs/spec/sources.md 8.6, 11).
_PROPERTY_NAMESPACES: Final = {
    "azure-dns": "azure",
    "azure-private-dns": "azure",
    "scaleway": "scw",
    "skydns": "coredns",
}
_KEEPS_ALL_PROPERTIES: Final = "cloudflare"  # its properties keep the full annotation key


def finalize_desired(endpoint: DesiredRecord, *, min_ttl_s: int, provider: str, prefer_alias: bool) -> DesiredRecord:
    """Return *endpoint* with the default TTL, and with the properties of the provider only. Idempotent.

    Args:
        endpoint: the merged record.
        min_ttl_s: the TTL for records without one; a smaller TTL is not raised. 0 for none.
        provider: the value of `--provider`; properties of other providers are dropped.
        prefer_alias: whether to make every CNAME an alias that does not state otherwise.
    """
    ttl_s = max(min_ttl_s, ttl.UNSET) if endpoint.ttl_s == ttl.UNSET else endpoint.ttl_s
    properties = _keep_own_properties(endpoint.properties, provider) if endpoint.properties else EMPTY_MAP
    if prefer_alias and endpoint.type == rrtype.CNAME and not properties.has(ALIAS):
        properties = properties.set(ALIAS, "true")
    if ttl_s == endpoint.ttl_s and properties == endpoint.properties:
        return endpoint
    return replace(endpoint, ttl_s=ttl_s, properties=properties)


def _keep_own_properties(properties: StringMap, provider: str) -> StringMap:
    """Remove the properties of other providers, and `record-type`, from *properties* (docs/spec/sources.md 11)."""
    name = provider.strip()
    own = f"{_PROPERTY_NAMESPACES.get(name, name)}/"
    return StringMap.from_items(
        (key, value)
        for key, value in properties
        if key != RECORD_TYPE and (name == _KEEPS_ALL_PROPERTIES or "/" not in key or key.startswith(own))
    )
