"""What one row proposes, before policy, evidence and neighbours are asked (spec plan 2.5-2.7, 2.9)."""

from __future__ import annotations

from extdns.model.change import Blocked, Change, Create, Delete, Update
from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import RecordKey
from extdns.model.value import Value
from extdns.planner.compare import differences
from extdns.planner.merge import Candidate
from extdns.planner.settings import PlanSettings
from extdns.planner.table import Row

UP_TO_DATE = Blocked(reason=Reason.PROGRAMMED, detail="")


class Proposal(Value, frozen=True, kw_only=True):
    """One record set: the change it wants, or the reason why there is none.

    Attributes:
        outcome: a change, or what keeps the record set as it is.
        held: what stands.
        candidate: what decides, None when nobody asks.
    """

    key: RecordKey
    outcome: Change | Blocked
    held: Owned | None = None
    candidate: Candidate | None = None


def propose(row: Row, settings: PlanSettings) -> tuple[Proposal, ...]:
    """Compare what is held with what won, type by type; sorted by type.

    Creates need every record of the row to be ours. Deletes of a row in which something is still
    wanted are replacements; where nothing is, they carry no judgement yet (`ORPHAN_UNCLAIMED`).
    """
    held = row.held
    proposals = [_standing(owned, row, settings) for owned in held.values()]
    if new := [candidate for rtype, candidate in row.winners.items() if rtype not in held]:
        in_the_way = min((owned for owned in held.values() if not owned.ours), key=_by_key, default=None)
        proposals += [_new(candidate, in_the_way) for candidate in new]
    return tuple(sorted(proposals, key=_by_key) if len(proposals) > 1 else proposals)


def _by_key(one: Owned | Proposal) -> RecordKey:
    return one.key


def _new(candidate: Candidate, in_the_way: Owned | None) -> Proposal:
    outcome = Create(wanted=candidate.endpoint) if in_the_way is None else foreign(in_the_way)
    return Proposal(key=candidate.endpoint.key, outcome=outcome, candidate=candidate)


def _standing(held: Owned, row: Row, settings: PlanSettings) -> Proposal:
    candidate = row.winners.get(held.record.type)
    outcome: Change | Blocked
    if not held.ours:
        outcome = foreign(held)
    elif candidate is None:
        outcome = Delete(held=held, evidence=Evidence.REPLACED if row.winners else Evidence.ORPHAN_UNCLAIMED)
    else:
        words = differences(held, candidate.endpoint, settings.owner)
        outcome = Update(held=held, wanted=candidate.endpoint, differences=words) if words else UP_TO_DATE
    return Proposal(key=held.key, outcome=outcome, held=held, candidate=candidate)


def foreign(owned: Owned) -> Blocked:
    """Why a record that is not ours stays as it is."""
    if owned.sealed:
        detail = f"{owned.sealed} looks like its ownership record, which --txt-encrypt-aes-key does not open"
        return Blocked(reason=Reason.MARK_UNREADABLE, detail=detail)
    if owned.shared:
        detail = f"{owned.shared} proves nothing: beside the ownership record it holds other values"
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=detail)
    if owned.owner is None:
        return Blocked(reason=Reason.FOREIGN_RECORD, detail=f"{owned.record.type} without an ownership record")
    return Blocked(reason=Reason.OWNED_BY_OTHER, detail=f'{owned.record.type} owned by "{owned.owner}"')
