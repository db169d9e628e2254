"""Which of the proposed deletes and updates may be made now (docs/design/delete-safety.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from extdns.model.change import APPROVAL, GRACE, Blocked, Delete, Update
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.decide import block_proposals
from extdns.planner.proposal import Proposal
from extdns.planner.view import DeleteFacts, NameView

_UNSAVED: Final = "the grace period is over: the delete is made once the saved state contains its grant"


def block_changes(
    view: NameView, proposals: tuple[Proposal, ...], deletes: Iterable[PendingDelete]
) -> tuple[Proposal, ...]:
    """Return *proposals* with a `Blocked`, which states the reason, in place of each change not allowed now.

    While the objects come from another cluster, no delete and no update is allowed. If there are *deletes*, *view* has
    its facts.
    """
    if view.other_cluster:
        guarded = [one.key for one in proposals if isinstance(one.outcome, Update | Delete)]
        return block_proposals(proposals, dict.fromkeys(guarded, _block_for_cluster(view.other_cluster)))
    blocks = {one.owned.key: (one, find_block(view, one)) for one in deletes}
    return tuple([_block_delete(one, *blocks[one.key]) if one.key in blocks else one for one in proposals])


def find_block(view: NameView, delete: PendingDelete) -> Blocked | None:
    """Return what *delete* waits for, or None if it may be made now."""
    if view.other_cluster:
        return _block_for_cluster(view.other_cluster)
    facts = view.facts
    assert facts is not None  # noqa: S101 - evidence is found in facts
    return find_delete_block(delete, facts.deletes[delete.owned.key])


def find_delete_block(delete: PendingDelete, known: DeleteFacts) -> Blocked | None:
    """Return what *delete* waits for by what is *known* about it, or None if it may be made now."""
    if known.is_unguarded:
        return None
    if not known.is_approved:
        if delete.evidence in known.insufficient:
            resource = delete.owned.resource
            detail = f"it was made for {resource}" if resource else "its ownership record names none"
            return Blocked(reason=Reason.ORPHAN_UNCLAIMED, detail=f"held: no object requests the record; {detail}")
        if known.hold and not delete.is_transfer:
            return known.hold
    is_allowed = known.is_approved or delete.evidence not in known.insufficient
    if known.granted and covers(known.granted, delete, is_allowed=is_allowed):
        return None if known.is_saved else _wait(_UNSAVED)
    return _wait(known.waiting_by_absence if delete.evidence.is_by_absence else known.waiting)


def covers(granted: PendingDelete, delete: PendingDelete, *, is_allowed: bool) -> bool:
    """Return whether the grant of the delete *granted* covers *delete*, which may differ in its evidence.

    It does not cover a delete that has to wait longer, or that counts in another budget. *is_allowed* is whether the
    evidence of *delete* is sufficient, or a person approved it.
    """
    if granted == delete:
        return True
    return (
        is_same(granted.owned, delete.owned)
        and granted.is_transfer is delete.is_transfer
        and granted.evidence.is_by_absence is delete.evidence.is_by_absence
        and Evidence.UNRESOLVED_EXPIRED not in {granted.evidence, delete.evidence}
        and is_allowed
    )


def is_same(one: OwnedRecord, other: OwnedRecord) -> bool:
    """Return whether both have the same record and the same ownership records."""
    return one.record == other.record and one.ownership_records == other.ownership_records


def _block_delete(proposal: Proposal, delete: PendingDelete, block: Blocked | None) -> Proposal:
    """Return *proposal* with *block*, unless it is None, in place of its delete.

    The delete of a record that a requested record replaces is never blocked.

    A proposal to retain a record with an unresolved claim stays as it is until `--unresolved-timeout` ends, and then
    becomes a delete or is replaced by *block*.
    """
    outcome = proposal.outcome
    if delete.evidence is Evidence.UNRESOLVED_EXPIRED:
        if block and block.reason is Reason.IN_GRACE:
            return proposal
        return replace(proposal, outcome=block or Delete(current=delete.owned, evidence=delete.evidence))
    if block is None or not isinstance(outcome, Delete) or outcome.evidence is Evidence.REPLACED:
        return proposal
    return replace(proposal, outcome=block)


def _block_for_cluster(cluster: str) -> Blocked:
    detail = f"the objects come from cluster {cluster}"
    return Blocked(reason=Reason.OTHER_CLUSTER, detail=detail, waits_for=(APPROVAL,))


def _wait(detail: str) -> Blocked:
    return Blocked(reason=Reason.IN_GRACE, detail=detail, waits_for=(GRACE,))
