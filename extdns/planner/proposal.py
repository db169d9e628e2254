"""Compare the current and desired records of a name, for each set identifier (docs/spec/plan.md 2.2-2.7, 2.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model import rrtype
from extdns.model.change import Blocked, Change, Create, Delete, Update
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey, build_sort_key
from extdns.model.value import Value
from extdns.planner.merge import Candidate
from extdns.planner.settings import PlanSettings

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
    held = row.current
    proposals = [_propose_for_current(owned, row, settings) for owned in held.values()]
    if new := [candidate for rtype, candidate in row.winners.items() if rtype not in held]:
        in_the_way = min((owned for owned in held.values() if not owned.is_ours), key=_get_key, default=None)
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
        detail = f"{owned.encrypted_name} may be its ownership record, but --txt-encrypt-aes-key does not decrypt it"
        return Blocked(reason=Reason.OWNERSHIP_RECORD_UNREADABLE, detail=detail)
    if owned.mixed_name:
        detail = f"{owned.mixed_name} does not count as its ownership record: it also holds other values"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if owned.forged:
        detail = f"{owned.forged} does not count as its ownership record: an object published it as a TXT record"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if not owned.is_unambiguous:
        return Blocked(reason=Reason.FOREIGN_RECORD, detail="its ownership record can be that of another record")
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
    current: dict[str, OwnedRecord]
    winners: dict[str, Candidate]
    yielding_cnames: tuple[Candidate, ...] = ()
    other_candidates: tuple[Candidate, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates of the row, winners first."""
        return (*self.winners.values(), *self.yielding_cnames, *self.other_candidates)


def build_rows(current: Iterable[OwnedRecord], candidates: Iterable[Candidate]) -> tuple[NameRow, ...]:
    """Group the records and candidates of one name into a row for each set identifier, sorted by it."""
    by_set: dict[str, tuple[dict[str, OwnedRecord], list[Candidate]]] = {}
    for owned in current:
        by_set.setdefault(owned.record.set_identifier, ({}, []))[0][owned.record.type] = owned
    for candidate in candidates:
        by_set.setdefault(candidate.desired.set_identifier, ({}, []))[1].append(candidate)
    return tuple([_build_row(set_identifier, *by_set[set_identifier]) for set_identifier in sorted(by_set)])


def _build_row(set_identifier: str, current: dict[str, OwnedRecord], candidates: list[Candidate]) -> NameRow:
    fitting, cnames = _drop_cnames(candidates)
    by_type: dict[str, list[Candidate]] = {}
    for candidate in fitting:
        by_type.setdefault(candidate.desired.type, []).append(candidate)
    winners = {rtype: _find_winner(found, current.get(rtype)) for rtype, found in sorted(by_type.items())}
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
    """Return the candidates to use, and CNAMEs dropped because of another type (docs/spec/plan.md 2.3)."""
    others = [candidate for candidate in candidates if candidate.desired.type != rrtype.EXCLUSIVE]
    if not others or len(others) == len(candidates):
        return candidates, ()
    return others, tuple([candidate for candidate in candidates if candidate.desired.type == rrtype.EXCLUSIVE])


def _find_winner(candidates: list[Candidate], current: OwnedRecord | None) -> Candidate:
    """Return the candidate of the resource of the current record of this type, else the smallest candidate.

    Each type is decided separately, alias or not (docs/spec/plan.md 2.4): an address and a load balancer's hostname for
    one name end as an A record with the address and an AAAA alias.
    """
    if len(candidates) == 1:
        return candidates[0]
    return min(
        candidates, key=lambda candidate: (_is_new(candidate, current), build_size_key(candidate.desired.targets))
    )


def _is_new(candidate: Candidate, current: OwnedRecord | None) -> bool:
    return current is None or candidate.desired.resource != current.resource
