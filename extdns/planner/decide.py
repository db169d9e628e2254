"""Make the decisions about one name in one zone, after all steps that can change its proposals (law 7)."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Action, Awaited, Blocked, Create, Decision, Delete, Update, Wait
from extdns.model.claim import NameClaim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import REASONS, Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.planner.proposal import UP_TO_DATE, Candidate, Proposal, explain_foreign

_AS_REQUESTED: Final = frozenset({Reason.PUBLISHED, Reason.DRIFT_REPAIRED})


class Unfulfilled(Value, frozen=True, kw_only=True):
    """A request that is not fulfilled.

    Attributes:
        desired: the requested record; None for an unresolved claim, unless it stands for a claim that rules deny.
    """

    set_identifier: str
    desired: DesiredRecord | None
    requested_by: tuple[Provenance, ...]
    block: Blocked

    @property
    def type(self) -> str:
        """The record type, "" if it is unknown."""
        return self.desired.type if self.desired else ""


def reject_claim(claim: NameClaim, block: Blocked) -> Unfulfilled:
    """Build the unfulfilled request for *claim*, with *block* as the reason."""
    return Unfulfilled(
        set_identifier=claim.set_identifier,
        desired=claim.desired if isinstance(claim, ResolvedClaim) else claim.denied,
        requested_by=(claim.provenance,),
        block=block,
    )


def reject_candidate(candidate: Candidate, block: Blocked) -> Unfulfilled:
    """Build the unfulfilled request for *candidate*, with *block* as the reason."""
    return Unfulfilled(
        set_identifier=candidate.desired.set_identifier,
        desired=candidate.desired,
        requested_by=candidate.requested_by,
        block=block,
    )


def find_unresolved(claims: Iterable[NameClaim], managed_types: Container[str]) -> list[Unfulfilled]:
    """Return an unfulfilled request for each unresolved claim of *claims*.

    The reason is that of the claim, but `TYPE_UNMANAGED` if the claim is to an unmanaged type.
    """
    found: list[Unfulfilled] = []
    for claim in claims:
        if isinstance(claim, UnresolvedClaim):
            managed = not claim.type or claim.type in managed_types
            reason = claim.reason if managed else Reason.TYPE_UNMANAGED
            waits = (Wait(Awaited.OBJECT, claim.provenance.ref.key),)
            found.append(reject_claim(claim, Blocked(reason=reason, detail=claim.detail, waits_for=waits)))
    return found


def decide(
    zone: Zone | None,
    name: DnsName,
    proposals: Iterable[Proposal],
    unfulfilled: Sequence[Unfulfilled] = (),
    *,
    merged: Collection[RecordKey] = (),
    former: Sequence[Decision] = (),
) -> tuple[Decision, ...]:
    """Return the decisions about the records of *name* in *zone*, None if no zone is known to hold it.

    If a record stays for the reason why a request is not fulfilled, both get one decision. *merged* are the keys of
    records that hold what external-dns merged from several namespaces.
    """
    by_reason: dict[tuple[str, Reason], list[Unfulfilled]] = {}
    for one in unfulfilled:
        by_reason.setdefault((one.set_identifier, one.block.reason), []).append(one)
    published = {one.desired for one in former if one.reason in _AS_REQUESTED and one.zone == zone}
    found: list[Decision] = []
    covered: set[int] = set()
    for proposal in proposals:
        action, reason, detail = _conclude(proposal, merged, published)
        candidate = proposal.candidate
        desired = candidate.desired if candidate else None
        requested_by = candidate.requested_by if candidate else ()
        if by_reason and action is Action.KEEP and (answered := _list_answered(by_reason, proposal, reason)):
            covered.update(map(id, answered))
            desired = desired or next((one.desired for one in answered if one.desired), None)
            requested_by = tuple(dict.fromkeys(chain(requested_by, *(one.requested_by for one in answered))))
        found.append(
            Decision(
                zone=zone,
                name=name,
                set_identifier=proposal.key.set_identifier,
                type=proposal.key.type,
                action=action,
                reason=reason,
                detail=detail,
                desired=desired,
                current=proposal.current,
                requested_by=requested_by,
            )
        )
    if unfulfilled:
        found += [_decide_unfulfilled(zone, name, one) for one in unfulfilled if id(one) not in covered]
    return tuple(sorted(found, key=lambda decision: decision.sort_key) if len(found) > 1 else found)


def keep_records(current: Iterable[OwnedRecord], block: Blocked, managed_types: Container[str]) -> tuple[Proposal, ...]:
    """Build proposals that keep the *current* records of managed types: ours because of *block*, others as foreign."""
    return tuple(
        Proposal(key=one.key, outcome=block if one.is_ours else explain_foreign(one), current=one)
        for one in current
        if one.record.type in managed_types
    )


def keep_unreadable(current: Iterable[OwnedRecord], block: Blocked) -> tuple[Proposal, ...]:
    """Build proposals that keep the unreadable records of *current*, with *block* as the reason."""
    return tuple(
        Proposal(key=one.key, outcome=block, current=one) for one in current if rrtype.is_unreadable(one.record.type)
    )


def block_proposals(proposals: tuple[Proposal, ...], blocks: Mapping[RecordKey, Blocked]) -> tuple[Proposal, ...]:
    """Return *proposals* with a block in place of each change of a record in *blocks*."""
    return tuple(
        [
            replace(one, outcome=blocks[one.key]) if one.key in blocks and not isinstance(one.outcome, Blocked) else one
            for one in proposals
        ]
    )


def _list_answered(
    unfulfilled: Mapping[tuple[str, Reason], Sequence[Unfulfilled]], proposal: Proposal, reason: Reason
) -> list[Unfulfilled]:
    """Return the requests that the decision about *proposal*, made for *reason*, also explains.

    *unfulfilled* are by set identifier and reason.
    """
    same_set = unfulfilled.get((proposal.key.set_identifier, reason), ())
    return [one for one in same_set if one.desired is None or one.desired.type == proposal.key.type]


def _decide_unfulfilled(zone: Zone | None, name: DnsName, one: Unfulfilled) -> Decision:
    return Decision(
        zone=zone,
        name=name,
        set_identifier=one.set_identifier,
        type=one.type,
        action=Action.NONE,
        reason=one.block.reason,
        detail=one.block.detail,
        desired=one.desired,
        requested_by=one.requested_by,
    )


def _conclude(
    proposal: Proposal, merged: Collection[RecordKey], published: Container[DesiredRecord | None]
) -> tuple[Action, Reason, str]:
    """Return the action, its reason and detail. What was *published* as requested, another writer changed (law 5)."""
    match proposal.outcome:
        case Create(desired=desired):
            return Action.CREATE, Reason.DRIFT_REPAIRED if desired in published else Reason.REQUESTED, ""
        case Update(differences=("ownership record",)):
            return Action.UPDATE, Reason.OWNERSHIP_RECORD_MISSING, ""
        case Update(differences=("owner",)):
            return Action.UPDATE, Reason.OWNER_MIGRATED, "owner"
        case Update(desired=desired, differences=differences):
            reason = Reason.DRIFT_REPAIRED if desired in published else Reason.CHANGED
            return Action.UPDATE, reason, ", ".join(differences)
        case Delete(evidence=evidence):
            return Action.DELETE, REASONS[evidence.value], ""
        case Blocked(reason=reason, detail=detail):
            if proposal.outcome is UP_TO_DATE and proposal.key in merged:
                reason = Reason.MERGED_BEFORE
            return Action.NONE if proposal.current is None else Action.KEEP, reason, detail
