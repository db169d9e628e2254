"""What can stand side by side at one name, and what cannot (design 2, law 6; RFC 1034 section 3.6.2).

Two forms exclude each other: a CNAME and any other type of the same set identifier, and simple
records (no set identifier) and routed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, Create, Delete
from extdns.model.claim import Provenance
from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.model.reason import SOMEBODY_ELSES, Reason
from extdns.model.record import RecordKey
from extdns.planner.merge import Candidate
from extdns.planner.proposal import Proposal
from extdns.planner.table import Row


def beside(one: RecordKey, other: RecordKey) -> bool:
    """Tell whether two record sets of one name may both stand."""
    if (one.set_identifier == "") != (other.set_identifier == ""):
        return False
    if one.set_identifier != other.set_identifier or one.type == other.type:
        return True
    return rrtype.EXCLUSIVE not in {one.type, other.type}


def one_form(table: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[Candidate, ...]]:
    """Let a name be wanted in one form only, simple or routed; the others' candidates are returned.

    The form in which a record of ours stands goes on while somebody asks for it, else the form in
    which any record stands, since no other can be made beside it, else the form of the oldest object.
    """
    asked = [row for row in table if row.winners]
    if len({row.set_identifier == "" for row in asked}) <= 1:
        return tuple(table), ()
    simple = min(asked, key=lambda row: _claim_to_form(row, table)).set_identifier == ""
    misfits = [row for row in asked if (row.set_identifier == "") != simple]
    kept = tuple(replace(row, winners={}, losers=(), outdone=()) if row in misfits else row for row in table)
    return kept, tuple(candidate for row in misfits for candidate in row.candidates)


def _claim_to_form(row: Row, table: Iterable[Row]) -> tuple[object, ...]:
    simple = row.set_identifier == ""
    standing = [owned for other in table if (other.set_identifier == "") == simple for owned in other.held.values()]
    oldest = min(asked.ref.seniority for candidate in row.winners.values() for asked in candidate.asked_by)
    return (not any(owned.ours for owned in standing), not standing, oldest, row.set_identifier)


def excluded(held: Owned, proposals: Iterable[Proposal]) -> bool:
    """Tell whether something wanted cannot stand beside *held*."""
    return any(proposal.candidate and not beside(held.key, proposal.key) for proposal in proposals)


def replaced(held: Owned, proposals: Iterable[Proposal]) -> bool:
    """Tell whether the object that *held* was made for now wants the name in a form that excludes it."""
    return any(
        supersedes(proposal.key, candidate.asked_by, held)
        for proposal in proposals
        if (candidate := proposal.candidate) is not None
    )


def supersedes(key: RecordKey, asked_by: Iterable[Provenance], held: Owned) -> bool:
    """Tell whether *key*, which *asked_by* want, excludes *held*, and the object that was made for is among them."""
    return not beside(held.key, key) and any(asked.ref.key.resource == held.resource for asked in asked_by)


def compatible(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Drop creates that cannot stand beside what stays, and replacements whose successor was dropped.

    One may follow from the other, so this goes on until nothing more is dropped.
    """
    current = list(proposals)
    while len(current) > 1:
        checked = [_beside_staying(proposal, current) for proposal in current]
        checked = [_with_successor(proposal, checked) for proposal in checked]
        if checked == current:
            break
        current = checked
    return current


def _beside_staying(proposal: Proposal, proposals: Iterable[Proposal]) -> Proposal:
    if not isinstance(proposal.outcome, Create):
        return proposal
    for other in proposals:
        if other.held and isinstance(other.outcome, Blocked) and not beside(proposal.key, other.key):
            return replace(proposal, outcome=_waiting(proposal.key, other.key, other.outcome))
    return proposal


def _waiting(new: RecordKey, key: RecordKey, stays: Blocked) -> Blocked:
    """What waits for the record set *key*, waits for the reason for which that one *stays*."""
    what = f"{key.type} record" + (f" {key.set_identifier!r}" if key.set_identifier else "")
    if stays.reason is Reason.POLICY_KEEPS:
        reason = Reason.POLICY_KEEPS_TYPE
    elif stays.reason in SOMEBODY_ELSES and (new.set_identifier == "") != (key.set_identifier == ""):
        reason = Reason.ROUTING_CONFLICT
    else:
        reason = stays.reason
    return Blocked(reason=reason, detail=f"cannot stand beside the {what}, which stays")


def _with_successor(proposal: Proposal, proposals: Sequence[Proposal]) -> Proposal:
    """A replacement goes only together with all that replaces it: both or neither (law 6)."""
    if not isinstance(proposal.outcome, Delete) or proposal.outcome.evidence is not Evidence.REPLACED:
        return proposal
    for other in proposals:
        if (why := _hindrance(other)) and _succeeds(other.key, proposal.key):
            return replace(proposal, outcome=Blocked(reason=why, detail=f"{other.key.type} cannot replace it"))
    return proposal


def _hindrance(proposal: Proposal) -> Reason | None:
    """Why a record set that is wanted is not made, None if it is, or one of its type stands already."""
    outcome = proposal.outcome
    return outcome.reason if isinstance(outcome, Blocked) and proposal.candidate and not proposal.held else None


def _succeeds(new: RecordKey, old: RecordKey) -> bool:
    return new.set_identifier == old.set_identifier or not beside(new, old)
