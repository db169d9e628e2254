"""Claims of one name become candidates: merged within each source, then deduplicated (spec sources 1.5, 1.7, 3.9, 8.5).

The order of claims never matters: they are sorted by source, then by the object that leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.claim import Derivation, Provenance, Wanted
from extdns.model.finishing import finish
from extdns.model.record import Endpoint
from extdns.model.value import Value
from extdns.planner.settings import PlanSettings

# Services are merged whatever their TTL, and the smallest `resource` leads (spec sources 3.9).
_TTL_BLIND: Final = "service"
# Here each kind is a source of its own (spec sources 6.4).
_BY_KIND: Final = "unstructured"
# Types that hold one name only: different targets are different candidates.
_SINGLE: Final = frozenset({rrtype.CNAME, rrtype.DNAME})


class Candidate(Value, frozen=True, kw_only=True):
    """An endpoint that one or more objects want.

    Attributes:
        asked_by: the claims behind it, at least one, the leading one first.
    """

    endpoint: Endpoint
    asked_by: tuple[Provenance, ...]


def candidates(wanted: Iterable[Wanted], settings: PlanSettings) -> tuple[Candidate, ...]:
    """The candidates of one name, in an order that depends on the claims alone."""
    claims = tuple(wanted)
    if len(claims) == 1:
        return (Candidate(endpoint=_finished(claims[0].endpoint, settings), asked_by=(claims[0].provenance,)),)
    groups: dict[tuple[object, ...], list[Wanted]] = {}
    for claim in sorted(claims, key=lambda claim: _rank(claim.endpoint, claim.provenance, settings.source_order)):
        groups.setdefault(_merge_key(claim), []).append(claim)
    return _distinct(_merged(group, settings) for group in groups.values())


def in_order(found: Iterable[Candidate], settings: PlanSettings) -> list[Candidate]:
    """*found*, those of earlier sources first, within a source those of the leading object."""
    ordered = list(found)
    if len(ordered) > 1:
        ordered.sort(key=lambda one: _rank(one.endpoint, one.asked_by[0], settings.source_order))
    return ordered


def _rank(endpoint: Endpoint, asked: Provenance, source_order: tuple[str, ...]) -> tuple[object, ...]:
    position = source_order.index(asked.source) if asked.source in source_order else len(source_order)
    labelled = endpoint.resource if asked.source == _TTL_BLIND else ""
    content = (endpoint.key, endpoint.targets, endpoint.ttl_s, endpoint.labels, endpoint.properties)
    return (position, asked.source, labelled, asked.ref.seniority, asked.field, content)


def _merge_key(claim: Wanted) -> tuple[object, ...]:
    endpoint, source, derived = claim.endpoint, claim.provenance.source, claim.provenance.derived
    if derived is Derivation.POINTER:
        return (derived,)
    ttl_s = 0 if source == _TTL_BLIND else endpoint.ttl_s
    targets = endpoint.targets if endpoint.type in _SINGLE else ()
    kind = claim.provenance.ref.key.kind if source == _BY_KIND else None
    return (derived, source, kind, endpoint.type, endpoint.set_identifier, ttl_s, targets)


def _merged(group: Sequence[Wanted], settings: PlanSettings) -> Candidate:
    targets = tuple(sorted({target for claim in group for target in claim.endpoint.targets}))
    pointer = group[0].provenance.derived is Derivation.POINTER
    ttl_s = min(claim.endpoint.ttl_s for claim in group) if pointer else group[0].endpoint.ttl_s
    endpoint = _finished(replace(group[0].endpoint, targets=targets, ttl_s=ttl_s), settings)
    return Candidate(endpoint=endpoint, asked_by=tuple(dict.fromkeys(claim.provenance for claim in group)))


def _finished(endpoint: Endpoint, settings: PlanSettings) -> Endpoint:
    return finish(
        endpoint, min_ttl_s=settings.min_ttl_s, provider=settings.provider, prefer_alias=settings.prefer_alias
    )


def _distinct(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Drop what says the same as an earlier candidate; those who asked for it are kept (spec sources 1.7)."""
    kept: dict[tuple[object, ...], Candidate] = {}
    for candidate in found:
        endpoint = candidate.endpoint
        identity = (endpoint.type, endpoint.set_identifier, endpoint.targets)
        earlier = kept.get(identity)
        if earlier is None:
            kept[identity] = candidate
        else:
            kept[identity] = replace(earlier, asked_by=(*earlier.asked_by, *candidate.asked_by))
    return tuple(kept.values())
