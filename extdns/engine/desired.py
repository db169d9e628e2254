"""Compute the desired records of one name in one zone, and resolve contests between namespaces.

::

    claims ─▶ candidates ─▶ adjust ─▶ contests ─▶ desired
                              │           └─ lost to another namespace, or waiting for a transfer
                              └─ refused by the service
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import field
from msgspec.structs import replace

from extdns.engine.adjustments import AdjustmentUnknownError
from extdns.engine.evidence import Finding
from extdns.model import rrtype
from extdns.model.change import AdjustedRecords, Blocked, Refusal
from extdns.model.claim import Derivation, ResolvedClaim, UnresolvedClaim
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.kind import find_namespace
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.model.wait import Wait
from extdns.planner.coexistence import can_coexist
from extdns.planner.contest import (
    Contender,
    Contest,
    ContestLoss,
    decide_contest,
    find_abandoned,
    find_contests,
)
from extdns.planner.decide import Unfulfilled, reject_claim
from extdns.planner.plan import find_changed, find_obstacle
from extdns.planner.proposal import Candidate, merge_claims

if TYPE_CHECKING:
    from extdns.engine.settings import Adjust, EngineSettings
    from extdns.engine.state import EngineState
    from extdns.model.claim import NameClaim, TargetlessClaim
    from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey
    from extdns.model.zone import Zone
    from extdns.planner.settings import PlanSettings
    from extdns.ports import Registry

_VIOLATION: Final = Finding(outcome=Evidence.POLICY_VIOLATION)


class Desired(Value, frozen=True, kw_only=True):
    """The desired records of one name, as the DNS service would hold them.

    Attributes:
        taken: the candidates that the service can hold, in the form in which it would return them.
        refused: the candidates that it cannot hold, and why.
        of_managed_types: those of `taken` and `refused` whose type is managed.
    """

    taken: tuple[Candidate, ...] = ()
    refused: tuple[Unfulfilled, ...] = ()
    of_managed_types: tuple[Candidate, ...] = ()


class Contested(Value, frozen=True, kw_only=True):
    """The outcome of the hostname contests at one name.

    Attributes:
        requested: the desired records of all claims.
        desired: the desired records of the claims that did not lose.
        losses: the claims that lost, and in which contest.
        rejected: the same losses, in the form that decisions need.
        remaining: the claims that did not lose every record that they request.
        retained: records that are not transferred to another namespace yet, and why.
        transfers: deletes of records that their namespace no longer requests while another namespace requests the name.
            Each is made once the delete guard allows it.
        merged: the keys of records that equal what external-dns merges from all claims, and not what the winners
            request.
        waits_for: what the records of `retained` wait for.
    """

    requested: Desired
    desired: Desired
    losses: tuple[ContestLoss, ...] = ()
    rejected: tuple[Unfulfilled, ...] = ()
    remaining: Sequence[NameClaim] = ()
    retained: Mapping[RecordKey, Blocked] = field(default_factory=dict)
    transfers: tuple[PendingDelete, ...] = ()
    merged: frozenset[RecordKey] = frozenset()
    waits_for: tuple[Wait, ...] = ()
    is_uncontested: bool = False  # nothing is contested

    def select_requests(
        self, owned: OwnedRecord, claims: Sequence[NameClaim]
    ) -> tuple[Sequence[NameClaim], Sequence[Candidate]]:
        """Return those of *claims* that did not lose the contest about *owned*, and what such claims request.

        If the ownership record names no object, return all *claims*: the record may belong to any namespace, also to
        one that lost.
        """
        record = owned.record
        if not owned.resource:
            return claims, self.requested.of_managed_types
        losing = [loss.claim for loss in self.losses if loss.contest.covers(record.set_identifier, record.type)]
        left = [claim for claim in claims if claim not in losing] if losing else claims
        return left, self.desired.of_managed_types


def build_candidates(
    claims: Iterable[NameClaim], settings: PlanSettings, targetless: Collection[TargetlessClaim] = ()
) -> tuple[Candidate, ...]:
    """Merge the resolved *claims* to a name into candidates.

    The claims in *targetless* add no targets, but one of them may be the deciding claim, which sets TTL and labels.
    """
    return merge_claims([claim for claim in claims if isinstance(claim, ResolvedClaim)], settings, targetless)


def adjust(found: Iterable[Candidate], zone: Zone, current: Sequence[OwnedRecord], settings: EngineSettings) -> Desired:
    """Split the candidates *found* into those that the DNS service can hold, in its form, and all others.

    If a candidate of a type that the service does not support would not be published anyway, the reason for that is
    reported instead of the refusal.

    Raises:
        AdjustmentUnknownError: the service must be shown some of the records first.
    """
    taken: list[Candidate] = []
    refusals = []
    unknown: list[DesiredRecord] = []
    for candidate in found:
        adjusted = settings.adjust((candidate.desired,), zone)
        if adjusted.unknown:
            unknown += adjusted.unknown
        taken += [
            candidate if endpoint is candidate.desired else replace(candidate, desired=endpoint)
            for endpoint in adjusted.accepted
        ]
        refusals += [(refusal, candidate) for refusal in adjusted.refused]
    if unknown:
        raise AdjustmentUnknownError(tuple(unknown))
    types, all_taken = settings.plan.managed_types, tuple(taken)
    managed = tuple([one for one in taken if one.desired.type in types])
    if not refusals:
        return Desired(taken=all_taken, of_managed_types=managed)
    refused = []
    for refusal, candidate in refusals:
        reason = refusal.reason
        if candidate.desired.type not in types:
            reason = Reason.TYPE_UNMANAGED
        elif reason is Reason.UNSUPPORTED:
            reason = find_obstacle(candidate, taken, current, settings.plan) or reason
        refused.append(
            Unfulfilled(
                set_identifier=refusal.desired.set_identifier,
                desired=refusal.desired,
                requested_by=candidate.requested_by,
                block=Blocked(reason=reason, detail=refusal.detail),
            )
        )
        if refusal.desired.type in types:
            managed += (replace(candidate, desired=refusal.desired),)
    return Desired(taken=all_taken, refused=tuple(refused), of_managed_types=managed)


def resolve_contests(
    zone: Zone,
    claims: Sequence[NameClaim],
    current: Sequence[OwnedRecord],
    desired: Desired,
    state: EngineState,
    *,
    violating: Container[RecordKey] = (),
) -> Contested:
    """Return which claims to a name lose its hostname contests, and which records pass to another namespace.

    Args:
        zone: the zone in which the name is planned.
        claims: all claims to the name.
        current: the records of the name in the zone.
        desired: the desired records of all *claims*.
        state: the parts of the engine; not changed.
        violating: the records to delete because they violate a rule.
    """
    uncontested = Contested(requested=desired, desired=desired, remaining=claims, is_uncontested=True)
    if state.settings.plan.merges_namespaces or len(claims) + len(current) <= 1:
        return uncontested
    claiming = [claim for claim in claims if _is_contender(claim)]
    ours = [owned for owned in current if owned.is_ours and owned.resource]
    if not _are_several_namespaces(claiming, ours):
        return uncontested
    contenders = [_contend(claim, zone, current, state.settings) for claim in claiming]
    retained, transfers, waits = _review_abandoned(zone, contenders, ours, desired, state, violating)
    contests = find_contests(contenders, ours)
    losses = [
        loss
        for contest in contests
        for loss in decide_contest(contest, contenders, ours, retained, state.settings.plan)
    ]
    merged: frozenset[RecordKey] = frozenset()
    selected = desired
    if losses:
        merged = _find_merged(zone, claims, contests, losses, desired, current, state.settings)
        losses = [loss for loss in losses if not any(_covers(loss.contest, key) for key in merged)]
        selected = _select(zone, claims, contests, losses, current, state.settings)
    rejected_everywhere = [one for one in contenders if _loses_all(one, contests, losses)]
    gone = [one.claim for one in rejected_everywhere]
    return Contested(
        requested=desired,
        desired=selected,
        losses=tuple(losses),
        rejected=tuple(_reject(losses, gone, zone, current, state.settings)),
        remaining=[claim for claim in claims if claim not in gone],
        retained=retained,
        transfers=transfers,
        merged=merged,
        waits_for=waits,
    )


def _is_contender(claim: NameClaim) -> bool:
    """Return whether *claim* takes part in contests. PTR claims do not: those of all namespaces are merged."""
    return claim.provenance.derivation is not Derivation.PTR


def _are_several_namespaces(claims: Iterable[NameClaim], ours: Iterable[OwnedRecord]) -> bool:
    """Return whether the objects of *claims* and the resources of *ours* are in more than one namespace."""
    namespaces = {claim.provenance.ref.key.namespace for claim in claims}
    namespaces |= {find_namespace(owned.resource) for owned in ours}
    return len(namespaces) > 1


def _contend(claim: NameClaim, zone: Zone, current: Sequence[OwnedRecord], settings: EngineSettings) -> Contender:
    if isinstance(claim, UnresolvedClaim):
        return Contender(claim=claim, types=frozenset({claim.type} if claim.type else ()))
    found = adjust(build_candidates((claim,), settings.plan), zone, current, settings)
    types = {one.desired.type for one in found.taken} | {one.type for one in found.refused}
    return Contender(claim=claim, types=frozenset(types))


def _review_abandoned(
    zone: Zone,
    contenders: Sequence[Contender],
    ours: Sequence[OwnedRecord],
    desired: Desired,
    state: EngineState,
    violating: Container[RecordKey],
) -> tuple[dict[RecordKey, Blocked], tuple[PendingDelete, ...], tuple[Wait, ...]]:
    """Review the records that their namespace no longer requests while another namespace does.

    Returns:
        The records that stay and why, the deletes by which records pass to the other namespace, and what the records
        that stay wait for.
    """
    retained: dict[RecordKey, Blocked] = {}
    transfers: list[PendingDelete] = []
    waits: list[Wait] = []
    for owned in find_abandoned(contenders, ours):
        successors = [one for one in desired.taken if one.desired.set_identifier == owned.record.set_identifier]
        if not successors:
            continue
        is_transfer = any(one.desired.type == owned.record.type for one in successors) or not all(
            can_coexist((owned.record, one.desired)) for one in successors
        )
        unresolved = () if is_transfer else [one.claim for one in contenders if isinstance(one.claim, UnresolvedClaim)]
        finding = _VIOLATION if owned.key in violating else state.evidence.find(owned, unresolved, ())
        waits += finding.waits_for
        if isinstance(finding.outcome, Blocked):
            retained[owned.key] = finding.outcome
            continue
        delete = PendingDelete(owned=owned, evidence=finding.outcome, is_transfer=is_transfer)
        transfers.append(delete)
        if blocked := state.delete_guard.find_block(zone, delete):
            retained[owned.key] = blocked
    return retained, tuple(transfers), tuple(waits)


def _find_merged(
    zone: Zone,
    claims: Sequence[NameClaim],
    contests: Sequence[Contest],
    losses: Sequence[ContestLoss],
    desired: Desired,
    current: Sequence[OwnedRecord],
    settings: EngineSettings,
) -> frozenset[RecordKey]:
    """Return the keys of records that equal the merge of all claims and differ from what the winners request.

    A record that equals what the winners request does not count, even if the merge is equal: external-dns publishes
    only one of several CNAMEs, and only what one of several sources requests.
    """
    losing = {loss.contest for loss in losses if loss.block.reason is Reason.REQUESTED_BY_OTHER}
    ours = [owned.key for owned in current if owned.is_ours]
    if not (losing and ours):
        return frozenset()
    of_all = find_changed(current, desired.taken, settings.plan)
    winning = _select(zone, claims, contests, losses, current, settings)
    of_winners = find_changed(current, winning.taken, settings.plan)
    merged = [
        contest
        for contest in losing
        if not any(_covers(contest, key) for key in of_all) and any(_covers(contest, key) for key in of_winners)
    ]
    return frozenset(key for key in ours if any(_covers(contest, key) for contest in merged))


def _select(
    zone: Zone,
    claims: Sequence[NameClaim],
    contests: Sequence[Contest],
    losses: Sequence[ContestLoss],
    current: Sequence[OwnedRecord],
    settings: EngineSettings,
) -> Desired:
    """Return the desired records of *claims* without the *losses*. A claim can lose one type and keep another."""
    contested = {contest.set_identifier for contest in contests}
    others = [claim for claim in claims if not (_is_contender(claim) and claim.set_identifier in contested)]
    parts = [adjust(build_candidates(others, settings.plan), zone, current, settings)]
    for contest in contests:
        losing = [loss.claim for loss in losses if loss.contest == contest]
        here = [one for one in claims if one not in others and one not in losing]
        here = [one for one in here if one.set_identifier == contest.set_identifier]
        found = adjust(build_candidates(here, settings.plan), zone, current, settings)
        parts.append(
            Desired(
                taken=tuple(one for one in found.taken if _covers(contest, one.desired.key)),
                refused=tuple(one for one in found.refused if contest.covers(one.set_identifier, one.type)),
                of_managed_types=tuple(one for one in found.of_managed_types if _covers(contest, one.desired.key)),
            )
        )
    return Desired(
        taken=tuple(one for part in parts for one in part.taken),
        refused=tuple(one for part in parts for one in part.refused),
        of_managed_types=tuple(one for part in parts for one in part.of_managed_types),
    )


def _loses_all(contender: Contender, contests: Iterable[Contest], losses: Sequence[ContestLoss]) -> bool:
    own = [contest for contest in contests if contender.is_about(contest)]
    losing = [loss.contest for loss in losses if loss.claim is contender.claim]
    return bool(own) and all(contest in losing for contest in own)


def _reject(
    losses: Iterable[ContestLoss],
    gone: Sequence[NameClaim],
    zone: Zone,
    current: Sequence[OwnedRecord],
    settings: EngineSettings,
) -> Iterable[Unfulfilled]:
    """Reject claims that lost a contest: the claim if it lost every record that it requests, else each lost record."""
    rejected: list[NameClaim] = []
    for loss in losses:
        claim = loss.claim
        if claim in gone or isinstance(claim, UnresolvedClaim):
            if claim not in rejected:
                rejected.append(claim)
                yield reject_claim(claim, loss.block)
            continue
        found = adjust(build_candidates((claim,), settings.plan), zone, current, settings)
        for one in found.taken:
            if _covers(loss.contest, one.desired.key):
                yield replace(reject_claim(claim, loss.block), desired=one.desired)


def _covers(contest: Contest, key: RecordKey) -> bool:
    return contest.covers(key.set_identifier, key.type)


def refuse_forgeries(adjust: Adjust, registry: Registry) -> Adjust:
    """Wrap *adjust* so that it also refuses TXT records that read as ownership records (docs/design/forgery.md)."""

    def adjust_and_refuse(desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        adjusted = adjust(desired, zone)
        for endpoint in adjusted.accepted:
            if endpoint.type == rrtype.TXT:
                checked = [_check(one, registry) for one in adjusted.accepted]
                return replace(AdjustedRecords.from_results((*checked, *adjusted.refused)), unknown=adjusted.unknown)
        return adjusted

    return adjust_and_refuse


def _check(endpoint: DesiredRecord, registry: Registry) -> DesiredRecord | Refusal:
    if endpoint.type == rrtype.TXT:
        for target in endpoint.targets:
            if registry.is_ownership_text(target):
                detail = f"{target[:80]} reads as an ownership record; allowed: any other text"
                return Refusal(desired=endpoint, reason=Reason.FORGED_OWNERSHIP, detail=detail)
    return endpoint
