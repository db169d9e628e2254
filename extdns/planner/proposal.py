"""Merge the claims of one name into candidates, and compare these with the current records.

::

    claims ─▶ candidates ─▶ rows, one for each set identifier ─▶ proposals, one for each record

The claims of each source are merged first; then equal results of several sources become one candidate
(docs/spec/sources.md 1.5, 1.7, 3.9, 8.5). The order of claims does not matter: they are sorted by source, then by the
age of the object (Services by resource). Records are compared for each set identifier (docs/spec/plan.md 2.2-2.7, 2.9).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.change import Blocked, Change, Create, Delete, Update
from extdns.model.claim import Derivation, Provenance, ResolvedClaim
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, RECORD_TYPE, DesiredRecord, OwnedRecord, RecordKey, build_sort_key, is_honoured
from extdns.model.value import EMPTY_MAP, StringMap, Value, group_by
from extdns.planner.settings import PlanSettings

# Claims of Services are merged even if their TTLs differ, and the smallest `resource` comes first (docs/spec/sources.md
# 3.9).
_IGNORES_TTL: Final = "service"
# This source merges each kind separately (docs/spec/sources.md 6.4).
_MERGED_BY_KIND: Final = "unstructured"
# Types whose records have one target only, so that different targets are different candidates.
_SINGLE_TARGET_TYPES: Final = frozenset({rrtype.CNAME, rrtype.DNAME})


class Candidate(Value, frozen=True, kw_only=True):
    """A record that one or more claims request.

    Attributes:
        requested_by: where the claims come from; at least one, the deciding one first.
    """

    desired: DesiredRecord
    requested_by: tuple[Provenance, ...]


def merge_claims(claims: Sequence[ResolvedClaim], settings: PlanSettings) -> tuple[Candidate, ...]:
    """Merge the claims to one name. The order of the candidates depends on the claims only."""
    if len(claims) == 1:
        return (Candidate(desired=finalize_desired(claims[0].desired, settings), requested_by=(claims[0].provenance,)),)
    return _deduplicate(_merge_group(group, settings) for group in group_claims(claims, settings))


def group_claims(claims: Iterable[ResolvedClaim], settings: PlanSettings) -> Iterable[list[ResolvedClaim]]:
    """Return the groups of *claims* to one name that are merged, each with the deciding claim first."""
    ranked = sorted(claims, key=lambda claim: _build_rank(claim.desired, claim.provenance, settings.source_order))
    return group_by(ranked, _build_merge_key).values()


def sort_candidates(candidates: Iterable[Candidate], settings: PlanSettings) -> list[Candidate]:
    """Return *candidates* sorted by their deciding claim: its source, as in `--source`, then the age of its object.

    Claims of Services are sorted by resource instead of age.
    """
    ordered = list(candidates)
    if len(ordered) > 1:
        ordered.sort(key=lambda one: _build_rank(one.desired, one.requested_by[0], settings.source_order))
    return ordered


def _build_rank(endpoint: DesiredRecord, requester: Provenance, source_order: tuple[str, ...]) -> tuple[object, ...]:
    position = source_order.index(requester.source) if requester.source in source_order else len(source_order)
    labelled = endpoint.resource if requester.source == _IGNORES_TTL else ""
    content = (endpoint.key, endpoint.targets, endpoint.ttl_s, endpoint.labels, endpoint.properties)
    return (position, requester.source, labelled, requester.ref.age_sort_key, requester.field, content)


def _build_merge_key(claim: ResolvedClaim) -> tuple[object, ...]:
    endpoint, source, derived = claim.desired, claim.provenance.source, claim.provenance.derivation
    if derived is Derivation.PTR:
        return (derived,)
    ttl_s = 0 if source == _IGNORES_TTL else endpoint.ttl_s
    targets = endpoint.targets if endpoint.type in _SINGLE_TARGET_TYPES else ()
    kind = claim.provenance.ref.key.kind if source == _MERGED_BY_KIND else None
    return (derived, source, kind, endpoint.type, endpoint.set_identifier, ttl_s, targets)


def _merge_group(group: Sequence[ResolvedClaim], settings: PlanSettings) -> Candidate:
    targets = tuple(sorted({target for claim in group for target in claim.desired.targets}))
    is_ptr = group[0].provenance.derivation is Derivation.PTR
    ttl_s = min(claim.desired.ttl_s for claim in group) if is_ptr else group[0].desired.ttl_s
    endpoint = finalize_desired(replace(group[0].desired, targets=targets, ttl_s=ttl_s), settings)
    requested_by = dict.fromkeys(claim.provenance for claim in group)
    return Candidate(desired=endpoint, requested_by=tuple(requested_by))


def _deduplicate(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the first candidate of each type, set identifier and targets, with the requesters of all of them.

    See docs/spec/sources.md 1.7.
    """
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


def finalize_desired(endpoint: DesiredRecord, settings: PlanSettings) -> DesiredRecord:
    """Return the merged *endpoint* with the default TTL if it has none, and without properties of other providers.

    Properties without a slash stay, but for `record-type`: providers refuse or drop them. With `prefer_alias`, a CNAME
    without the property `alias` becomes an alias. Idempotent.
    """
    ttl_s = max(settings.min_ttl_s, ttl.UNSET) if endpoint.ttl_s == ttl.UNSET else endpoint.ttl_s
    own = EMPTY_MAP
    if endpoint.properties:
        own = StringMap.from_items(
            (key, value)
            for key, value in endpoint.properties
            if key != RECORD_TYPE and ("/" not in key or is_honoured(key, settings.properties))
        )
    if settings.prefer_alias and endpoint.type == rrtype.CNAME and not own.has(ALIAS):
        own = own.set(ALIAS, "true")
    if ttl_s == endpoint.ttl_s and own == endpoint.properties:
        return endpoint
    return replace(endpoint, ttl_s=ttl_s, properties=own)


UP_TO_DATE = Blocked(reason=Reason.PUBLISHED, detail="")


class Proposal(Value, frozen=True, kw_only=True):
    """The proposed change of one record, or the reason why it does not change.

    Attributes:
        outcome: a change, or why the record stays as it is.
        current: the existing record, None if there is none.
        candidate: the deciding candidate, None if the record is not requested.
    """

    key: RecordKey
    outcome: Change | Blocked
    current: OwnedRecord | None = None
    candidate: Candidate | None = None


def propose(row: NameRow, settings: PlanSettings) -> tuple[Proposal, ...]:
    """Return a proposal for each type, sorted, from the current records of *row* and its winning candidates.

    A record is created only if every record of the row is ours. A delete is a replacement if the row has another
    requested record; if not, its evidence is not known yet (`ORPHAN_UNCLAIMED`).
    """
    existing = row.current
    proposals = [_propose_for_current(owned, row, settings) for owned in existing.values()]
    if new := [candidate for rtype, candidate in row.winners.items() if rtype not in existing]:
        foreign = [owned for owned in existing.values() if not owned.is_ours]
        in_the_way = min(foreign, key=_get_key) if foreign else None
        proposals += [_propose_create(candidate, in_the_way) for candidate in new]
    return tuple(sorted(proposals, key=_get_key) if len(proposals) > 1 else proposals)


def _get_key(one: OwnedRecord | Proposal) -> RecordKey:
    return one.key


def _propose_create(candidate: Candidate, in_the_way: OwnedRecord | None) -> Proposal:
    outcome = Create(desired=candidate.desired) if in_the_way is None else explain_foreign(in_the_way)
    return Proposal(key=candidate.desired.key, outcome=outcome, candidate=candidate)


def _propose_for_current(current: OwnedRecord, row: NameRow, settings: PlanSettings) -> Proposal:
    candidate = row.winners.get(current.record.type)
    outcome: Change | Blocked
    if not current.is_ours:
        outcome = explain_foreign(current)
    elif candidate is None:
        outcome = Delete(current=current, evidence=Evidence.REPLACED if row.winners else Evidence.ORPHAN_UNCLAIMED)
    else:
        words = find_differences(current, candidate.desired, settings.owner)
        outcome = Update(current=current, desired=candidate.desired, differences=words) if words else UP_TO_DATE
    return Proposal(key=current.key, outcome=outcome, current=current, candidate=candidate)


def explain_foreign(owned: OwnedRecord) -> Blocked:
    """Return the reason why *owned* counts as foreign, with its owner or what is wrong with its ownership record."""
    if owned.encrypted_name:
        detail = f"{owned.encrypted_name} may be its ownership record, but no --txt-encrypt-aes-key decrypts it"
        return Blocked(reason=Reason.OWNERSHIP_RECORD_UNREADABLE, detail=detail)
    if owned.mixed_name:
        detail = f"{owned.mixed_name} does not count as its ownership record: it also holds other values"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if owned.forged:
        detail = f"{owned.forged} does not count as its ownership record: an object published it as a TXT record"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if not owned.is_unambiguous:
        detail = "its ownership record can be that of another record; delete this one to have it created as requested"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if owned.owner is None:
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=f"{owned.record.type} without an ownership record")
    return Blocked(reason=Reason.OWNED_BY_OTHER, detail=f'{owned.record.type} owned by "{owned.owner}"')


def build_size_key(targets: Sequence[str]) -> tuple[int, list[tuple[int, int, str]]]:
    """Build the sort key for choosing among records: fewer targets first, then the first target that differs.

    See docs/spec/plan.md 0.2.
    """
    return (len(targets), [build_sort_key(text) for text in sorted(targets)])


def find_differences(current: OwnedRecord, desired: DesiredRecord, owner: str) -> tuple[str, ...]:
    """Return what differs between *current* and *desired*, such as `targets` or `ttl`; () if nothing does.

    An unset TTL is not a difference. All properties are compared, labels are not.
    """
    record = current.record
    found: list[str] = []
    if not _same_targets(record.targets, desired.targets):
        found.append("targets")
    if desired.ttl_s > 0 and desired.ttl_s != record.ttl_s:
        found.append("ttl")
    if record.properties != desired.properties:
        found.append("properties")
    if current.owner is not None and current.owner != owner:
        found.append("owner")
    if not current.has_current_format:
        found.append("ownership record")
    return tuple(found)


_CONTENT: Final = frozenset({"targets", "ttl", "properties"})


def is_published(owned: OwnedRecord, record: DesiredRecord) -> bool:
    """Return whether *owned* is ours, and is what *record* requests."""
    if not owned.is_ours or owned.key != record.key:
        return False
    return _CONTENT.isdisjoint(find_differences(owned, record, ""))


def _same_targets(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if one == other:
        return True
    return sorted(text.casefold() for text in one) == sorted(text.casefold() for text in other)


class NameRow(Value, frozen=True, kw_only=True):
    """The records and candidates of one set identifier of one name in one zone.

    Attributes:
        current: records of managed types, by type.
        winners: the deciding candidate of each type.
        yielding_cnames: CNAME candidates, if another type is requested.
        other_candidates: candidates of a type that another candidate decides.
    """

    set_identifier: str
    current: Mapping[str, OwnedRecord]
    winners: Mapping[str, Candidate]
    yielding_cnames: tuple[Candidate, ...] = ()
    other_candidates: tuple[Candidate, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates of the row, winners first."""
        return (*self.winners.values(), *self.yielding_cnames, *self.other_candidates)


def build_rows(current: Iterable[OwnedRecord], candidates: Iterable[Candidate]) -> tuple[NameRow, ...]:
    """Group the records and candidates of one name into one row for each set identifier; rows are sorted by it."""
    by_set: dict[str, tuple[dict[str, OwnedRecord], list[Candidate]]] = {}
    for owned in current:
        by_set.setdefault(owned.record.set_identifier, ({}, []))[0][owned.record.type] = owned
    for candidate in candidates:
        by_set.setdefault(candidate.desired.set_identifier, ({}, []))[1].append(candidate)
    return tuple([_build_row(set_identifier, *by_set[set_identifier]) for set_identifier in sorted(by_set)])


def _build_row(set_identifier: str, current: dict[str, OwnedRecord], candidates: list[Candidate]) -> NameRow:
    fitting, cnames = _drop_cnames(candidates) if len(candidates) > 1 else (candidates, ())
    winners: dict[str, Candidate] = {}
    for candidate in fitting:
        rtype = candidate.desired.type
        rival = winners.get(rtype)
        winners[rtype] = candidate if rival is None else _choose_winner(rival, candidate, current.get(rtype))
    if len(winners) > 1:
        winners = dict(sorted(winners.items()))
    others: tuple[Candidate, ...] = ()
    if len(fitting) > len(winners):
        others = tuple([candidate for candidate in fitting if candidate is not winners[candidate.desired.type]])
    return NameRow(
        set_identifier=set_identifier,
        current=current,
        winners=winners,
        yielding_cnames=cnames,
        other_candidates=others,
    )


def _drop_cnames(candidates: list[Candidate]) -> tuple[list[Candidate], tuple[Candidate, ...]]:
    """Return the candidates to use, and the CNAMEs that yield to another requested type (docs/spec/plan.md 2.3)."""
    others = [candidate for candidate in candidates if candidate.desired.type != rrtype.EXCLUSIVE]
    if not others or len(others) == len(candidates):
        return candidates, ()
    return others, tuple([candidate for candidate in candidates if candidate.desired.type == rrtype.EXCLUSIVE])


def _choose_winner(one: Candidate, other: Candidate, current: OwnedRecord | None) -> Candidate:
    """Return the candidate that the resource of *current* requests, else the first one by `build_size_key`.

    Each type is decided separately, alias or not (docs/spec/plan.md 2.4): an address and a load balancer's hostname for
    one name result in an A record with the address and an AAAA alias.
    """
    return min(
        one, other, key=lambda candidate: (_rank_owner(candidate, current), build_size_key(candidate.desired.targets))
    )


def _rank_owner(candidate: Candidate, current: OwnedRecord | None) -> int:
    """Return 0 if *current* was made for *candidate*, 1 if PTR claims may share it, 2 if neither."""
    if current is None or candidate.desired.resource == current.resource:
        return 0
    return 1 if candidate.requested_by[0].derivation is Derivation.PTR else 2
