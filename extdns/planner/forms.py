"""What can stand side by side at one name, and what cannot (design 2, law 6; RFC 1034 section 3.6.2).

Records of different forms exclude each other: a CNAME and any other type, whatever their set
identifiers, and simple records (no set identifier) and routed ones.
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
from extdns.planner.proposal import UP_TO_DATE, Proposal
from extdns.planner.table import Row


def beside(keys: Iterable[RecordKey]) -> bool:
    """Tell whether record sets of one name may all stand."""
    return len({(key.set_identifier == "", key.type == rrtype.EXCLUSIVE) for key in keys}) <= 1


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
    return any(proposal.candidate and not beside((held.key, proposal.key)) for proposal in proposals)


def replaced(held: Owned, proposals: Iterable[Proposal]) -> bool:
    """Tell whether the object that *held* was made for now wants the name in a form that excludes it."""
    return any(
        supersedes(proposal.key, candidate.asked_by, held)
        for proposal in proposals
        if (candidate := proposal.candidate) is not None
    )


def supersedes(key: RecordKey, asked_by: Iterable[Provenance], held: Owned) -> bool:
    """Tell whether *key*, which *asked_by* want, excludes *held*, and the object that was made for is among them."""
    return not beside((held.key, key)) and made_for(held, asked_by)


def made_for(held: Owned, asked_by: Iterable[Provenance]) -> bool:
    """Tell whether the object that *held* was made for is among those that *asked_by* names."""
    return any(asked.ref.key.resource == held.resource for asked in asked_by)


def compatible(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Drop creates that cannot stand beside what stays or is made, and replacements whose successor was dropped.

    One may follow from the other, so this goes on until nothing more is dropped.
    """
    current = list(proposals)
    while len(current) > 1:
        checked = _checked(current)
        if checked == current:
            break
        current = checked
    return current


def _checked(current: Sequence[Proposal]) -> list[Proposal]:
    """What the first rule that drops anything leaves of *current*."""
    for rule in (_beside_staying, _with_successor, _beside_made):
        checked = [rule(proposal, current) for proposal in current]
        if checked != current:
            return checked
    return list(current)


def _beside_staying(proposal: Proposal, proposals: Iterable[Proposal]) -> Proposal:
    if not isinstance(proposal.outcome, Create):
        return proposal
    for other in proposals:
        if other.held and not isinstance(other.outcome, Delete) and not beside((proposal.key, other.key)):
            return replace(proposal, outcome=_waiting(proposal.key, other))
    return proposal


def _beside_made(proposal: Proposal, proposals: Iterable[Proposal]) -> Proposal:
    """Of two that are made, the CNAME yields, as within one set identifier (spec plan 2.3)."""
    if not isinstance(proposal.outcome, Create) or proposal.key.type != rrtype.EXCLUSIVE:
        return proposal
    for other in proposals:
        if isinstance(other.outcome, Create) and not beside((proposal.key, other.key)):
            return replace(proposal, outcome=_no_place(Reason.ROUTING_CONFLICT, other.key))
    return proposal


def _waiting(new: RecordKey, stays: Proposal) -> Blocked:
    """What cannot stand beside a record set waits for the reason for which that one *stays*."""
    key, outcome = stays.key, stays.outcome
    if not isinstance(outcome, Blocked) or outcome is UP_TO_DATE:
        reason = Reason.ROUTING_CONFLICT
    elif outcome.reason is Reason.POLICY_KEEPS:
        reason = Reason.POLICY_KEEPS_TYPE
    elif outcome.reason in SOMEBODY_ELSES and (new.set_identifier == "") != (key.set_identifier == ""):
        reason = Reason.ROUTING_CONFLICT
    else:
        reason = outcome.reason
    return _no_place(reason, key, ", which stays")


def _no_place(reason: Reason, key: RecordKey, what: str = "") -> Blocked:
    named = f"{key.type} record" + (f" {key.set_identifier!r}" if key.set_identifier else "")
    return Blocked(reason=reason, detail=f"cannot stand beside the {named}{what}")


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
    return new.set_identifier == old.set_identifier or not beside((new, old))
