"""Compare the current with the desired records of one name, and make changes of the differences (docs/spec/plan.md 2).

`plan_name` uses these functions in its steps (docs/design/architecture.md, "Planning one name")::

    5 compare       compare_name       current and desired records ─▶ proposals
    6 deletes       find_removals      the records that only evidence allows to delete
                    propose_changes    with the evidence and `--policy`
    7 coexistence   finalize           without the proposals that cannot coexist
    8 change sets   group_changes      the changes that apply together
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, assert_never

from msgspec.structs import replace

from extdns.model.change import Awaited, Blocked, Change, ChangeSet, Create, Delete, Update, Wait
from extdns.model.claim import NameClaim, Provenance, UnresolvedClaim
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey
from extdns.model.value import Value, group_by
from extdns.planner import coexistence
from extdns.planner.decide import Unfulfilled, reject_candidate
from extdns.planner.proposal import (
    UP_TO_DATE,
    Candidate,
    NameRow,
    Proposal,
    build_rows,
    find_differences,
    propose,
    sort_candidates,
)
from extdns.planner.settings import PlanSettings, Policy
from extdns.planner.view import NameView


class NameComparison(Value, frozen=True, kw_only=True):
    """The comparison of current and desired records of one name, before evidence is considered.

    Attributes:
        proposals: one for each current record, and each new one, of a managed type. The evidence of a delete only
            states whether another record of its set identifier is requested (`REPLACED`) or none is
            (`ORPHAN_UNCLAIMED`).
        rejected: candidates of unmanaged types, and candidates that yield or lose to another candidate, with the
            reason.
    """

    proposals: tuple[Proposal, ...]
    rejected: tuple[Unfulfilled, ...] = ()


def compare_name(
    current: Iterable[OwnedRecord], candidates: Iterable[Candidate], settings: PlanSettings
) -> NameComparison:
    """Return the proposed changes of a name's records, and the requested records that are rejected, with reasons.

    *candidates* are in the form in which the service would hold them.
    """
    types = settings.managed_types
    desired = sort_candidates(candidates, settings)
    managed = [one for one in desired if one.desired.type in types]
    rejected: list[Unfulfilled] = []
    if len(managed) < len(desired):
        rejected += [_reject(one, Reason.TYPE_UNMANAGED) for one in desired if one.desired.type not in types]
    table = build_rows([owned for owned in current if owned.record.type in types], managed)
    if len(table) > 1:
        table, incompatible = coexistence.choose_routings(table)
        rejected += [_reject(one, Reason.INCOMPATIBLE_RECORD) for one in incompatible]
    proposals: list[Proposal] = []
    for row in table:
        proposals += propose(row, settings)
        if row.yielding_cnames or row.other_candidates:
            rejected += _reject_others(row)
    return NameComparison(proposals=tuple(proposals), rejected=tuple(rejected))


def accept_unowned(comparison: NameComparison, settings: PlanSettings) -> NameComparison:
    """Return *comparison* with records that nobody owns as published if they are as requested.

    With `--compat` that is so where no ownership record can be: such a record is created without one.
    """
    proposals = [
        replace(one, outcome=UP_TO_DATE)
        if one.current
        and one.candidate
        and not one.current.is_ours
        and one.current.owner is None
        and not find_differences(one.current, one.candidate.desired, settings.owner)
        else one
        for one in comparison.proposals
    ]
    return replace(comparison, proposals=tuple(proposals))


def is_as_requested(comparison: NameComparison, claims: Iterable[NameClaim]) -> bool:
    """Return whether every record is as requested and every claim is published, so that no change is needed."""
    if comparison.rejected:
        return False
    for proposal in comparison.proposals:
        if proposal.outcome is not UP_TO_DATE:
            return False
    return not any(isinstance(claim, UnresolvedClaim) for claim in claims)


def find_removals(
    comparison: NameComparison, retained: Mapping[RecordKey, Blocked], settings: PlanSettings
) -> list[OwnedRecord]:
    """Return the records of *comparison* that can be deleted only with evidence.

    Left out are records that a requested record replaces, those of `settings.migrate_from`, and *retained* ones, which
    stay regardless of evidence.
    """
    exchanged = coexistence.find_exchanged(comparison.proposals)
    return [
        one.outcome.current
        for one in comparison.proposals
        if isinstance(one.outcome, Delete)
        and not (one.key in retained or one.key in exchanged or block_former_owner(one.outcome.current, settings))
    ]


def find_target_removals(comparison: NameComparison) -> list[tuple[Update, Candidate]]:
    """Return the updates of *comparison* that remove targets and add none, with the candidates that decide them."""
    return [
        (one.outcome, one.candidate)
        for one in comparison.proposals
        if isinstance(one.outcome, Update) and one.candidate and _removes_targets_only(one.outcome)
    ]


def find_uncertain_updates(comparison: NameComparison, claims: Iterable[NameClaim]) -> dict[RecordKey, Blocked]:
    """Return, by key, why an update that removes targets waits: one of its objects also states an invalid target.

    That may be a removed target with a typing error in it.
    """
    invalid = {
        (claim.provenance.ref.key, claim.set_identifier): claim
        for claim in claims
        if isinstance(claim, UnresolvedClaim) and claim.reason is Reason.INVALID_TARGET and not claim.type
    }
    found: dict[RecordKey, Blocked] = {}
    for one in comparison.proposals if invalid else ():
        if isinstance(one.outcome, Update) and one.candidate and _removes_targets(one.outcome):
            for place in one.candidate.requested_by:
                if claim := invalid.get((place.ref.key, one.key.set_identifier)):
                    waits = (Wait(Awaited.OBJECT, place.ref.key),)
                    found[one.key] = Blocked(reason=claim.reason, detail=claim.detail, waits_for=waits)
    return found


def propose_changes(
    comparison: NameComparison,
    findings: Mapping[RecordKey, Evidence | Blocked],
    retained: Mapping[RecordKey, Blocked],
    settings: PlanSettings,
) -> tuple[Proposal, ...]:
    """Give each delete of *comparison* its evidence or the reason why the record stays, and apply `--policy`.

    *findings* are for each record of `find_removals`, and for those updates of `find_target_removals` that cannot be
    made yet. *retained* records stay regardless of evidence.
    """
    exchanged = coexistence.find_exchanged(comparison.proposals)
    rejected: dict[tuple[str, str], Unfulfilled] = {}  # the first, by set identifier and resource
    for one in comparison.rejected:
        for requester in one.requested_by:
            rejected.setdefault((one.set_identifier, requester.ref.key.resource), one)
    resolved: list[Proposal] = []
    for proposal in comparison.proposals:
        outcome = proposal.outcome
        if isinstance(outcome, Delete) and outcome.key in exchanged:
            outcome = replace(outcome, evidence=Evidence.REPLACED)
        elif isinstance(outcome, Delete):
            outcome = _resolve_delete(outcome, rejected, findings, retained, settings)
        elif isinstance(found := findings.get(proposal.key), Blocked):
            outcome = found
        if not (isinstance(outcome, Blocked) or allows(settings.policy, outcome)):
            outcome = Blocked(reason=Reason.POLICY_KEEPS, detail=f"--policy={settings.policy}")
        resolved.append(proposal if outcome is proposal.outcome else replace(proposal, outcome=outcome))
    return tuple(resolved)


def allows(policy: Policy, change: Change) -> bool:
    """Return whether *policy* allows *change*."""
    match change:
        case Create():
            return True
        case Update():
            return policy is not Policy.CREATE_ONLY
        case Delete():
            return policy is Policy.SYNC
        case _:
            assert_never(change)


def finalize(
    proposals: Sequence[Proposal], current: Iterable[OwnedRecord], settings: PlanSettings
) -> tuple[Proposal, ...]:
    """Block those of *proposals* that cannot coexist with another one or with a record that stays (law 6).

    Deletes of records whose replacement is not written are blocked, too.
    """
    types = settings.managed_types
    unmanaged = [
        Proposal(key=one.key, outcome=UP_TO_DATE, current=one) for one in current if one.record.type not in types
    ]
    if len(proposals) + len(unmanaged) <= 1:
        return tuple(proposals)
    return tuple(coexistence.drop_incompatible([*proposals, *unmanaged])[: len(proposals)])


def group_changes(view: NameView, proposals: Iterable[Proposal], settings: PlanSettings) -> list[ChangeSet]:
    """Group the changes of *proposals* into change sets without ownership records, sorted by their first key.

    Changes of one set identifier and namespace, and changes of records that cannot coexist, form one set (law 6).
    """
    changing = [one for one in proposals if not isinstance(one.outcome, Blocked)]
    groups = _find_groups(changing, settings) if len(changing) > 1 else [changing] if changing else []
    changes = [tuple([one.outcome for one in group if not isinstance(one.outcome, Blocked)]) for group in groups]
    return [ChangeSet(zone=view.zone, name=view.name, changes=group, parent=view.parent) for group in changes]


def _find_groups(proposals: Iterable[Proposal], settings: PlanSettings) -> list[list[Proposal]]:
    """Return the groups of *proposals* that belong together. Each is sorted by key, and the groups by their first."""
    by_set = group_by(proposals, lambda one: one.key.set_identifier).values()
    groups = dict(enumerate(part for same_set in by_set for part in _split_by_namespace(same_set, settings)))
    forms = {number: coexistence.list_forms(coexistence.find_contents(group)) for number, group in groups.items()}
    present = {form for found in forms.values() for form in found}
    for both in combinations(sorted(present), 2):
        if coexistence.exclude(*both):
            first, *others = [number for number in groups if not forms[number].isdisjoint(both)]
            for other in others:
                groups[first] += groups.pop(other)
                forms[first] |= forms.pop(other)
    for group in groups.values():
        group.sort(key=lambda one: one.key)
    return sorted(groups.values(), key=lambda group: group[0].key)


def _split_by_namespace(proposals: Sequence[Proposal], settings: PlanSettings) -> list[list[Proposal]]:
    """Split the changes of one set identifier by the namespaces of those that request the records.

    A delete goes with what the resource of its record requests instead. If that is unknown, nothing is split.
    """

    def find_namespace(one: Proposal) -> str:
        if one.candidate:
            return one.candidate.requested_by[0].ref.key.namespace
        owned = one.current
        assert owned is not None  # noqa: S101 - a record that nobody requests exists
        requested = (other.candidate for other in proposals if other.candidate)
        found = (new for new in requested if coexistence.is_requested_by_resource(owned, new.requested_by))
        return next((new.requested_by[0].ref.key.namespace for new in found), owned.namespace)

    is_unknown = any(one.current and not (one.candidate or one.current.resource) for one in proposals)
    if is_unknown or settings.merges_namespaces:
        return [[*proposals]]
    return [*group_by(proposals, find_namespace).values()]


def propose_with_evidence(
    current: Sequence[OwnedRecord], candidates: Iterable[Candidate], settings: PlanSettings
) -> Sequence[Proposal]:
    """Return what would be proposed if only *candidates* were requested and deletes had evidence."""
    comparison = compare_name(current, candidates, settings)
    free = dict.fromkeys((one.key for one in find_removals(comparison, {}, settings)), Evidence.REPLACED)
    return finalize(propose_changes(comparison, free, {}, settings), current, settings)


def find_changed(
    current: Sequence[OwnedRecord], candidates: Iterable[Candidate], settings: PlanSettings
) -> frozenset[RecordKey]:
    """Return the keys of the records that would change, as `propose_with_evidence` finds them."""
    proposals = propose_with_evidence(current, candidates, settings)
    return frozenset(one.key for one in proposals if not isinstance(one.outcome, Blocked))


def find_written(
    current: Sequence[OwnedRecord], candidates: Iterable[Candidate], settings: PlanSettings
) -> list[DesiredRecord]:
    """Return the records of *candidates* that would be there, as `propose_with_evidence` finds them."""
    proposals = propose_with_evidence(current, candidates, settings)
    return [
        one.candidate.desired
        for one in proposals
        if one.candidate and (one.outcome is UP_TO_DATE or not isinstance(one.outcome, Blocked))
    ]


def find_refused_successors(current: Iterable[OwnedRecord], refused: Iterable[Unfulfilled]) -> dict[RecordKey, Blocked]:
    """Return, by key, why records of ours stay because the service refuses what would replace them (law 6).

    See `_would_replace` for which records replace another one.
    """
    found: dict[RecordKey, Blocked] = {}
    for owned in current:
        for one in refused:
            if owned.is_ours and one.desired is not None and (block := _keep_for_refused(owned, one.desired, one)):
                found.setdefault(owned.key, block)
    return found


def find_losing_successors(current: Iterable[OwnedRecord], losing: Iterable[Unfulfilled]) -> dict[RecordKey, Blocked]:
    """Return, by key, why records of ours stay: what their own objects request instead lost to others (law 6)."""
    of_resources: dict[str, list[Unfulfilled]] = {}
    for one in losing:
        for requester in one.requested_by:
            of_resources.setdefault(requester.ref.key.resource, []).append(one)
    found: dict[RecordKey, Blocked] = {}
    for owned in current:
        for one in of_resources.get(owned.resource, ()):
            if owned.is_ours and one.desired and not coexistence.can_coexist((owned.record, one.desired)):
                found[owned.key] = replace(one.block, detail=f"the requested {one.type} record cannot replace it")
    return found


_NOT_REFUSED: Final = frozenset({Reason.NO_ZONE, Reason.TYPE_UNMANAGED, Reason.INCOMPATIBLE_TYPE})
"""Reasons that the DNS service refuses nothing: the record is for another zone, or another one is published instead."""


def _keep_for_refused(owned: OwnedRecord, endpoint: DesiredRecord, refused: Unfulfilled) -> Blocked | None:
    if endpoint.key == owned.key:
        return refused.block
    if refused.block.reason not in _NOT_REFUSED and _would_replace(endpoint, refused.requested_by, owned):
        return replace(
            refused.block, detail=f"the requested {endpoint.type} record cannot replace it: {refused.block.detail}"
        )
    return None


def _would_replace(endpoint: DesiredRecord, requested_by: Sequence[Provenance], owned: OwnedRecord) -> bool:
    """Return whether *endpoint* would replace *owned*.

    The namespace of *owned* must request it, with the same set identifier, as a record that cannot coexist with
    *owned*, or by the resource of *owned* with the same type.
    """
    if not coexistence.is_requested_by_namespace(owned, requested_by):
        return False
    if endpoint.set_identifier == owned.record.set_identifier or not coexistence.can_coexist((owned.record, endpoint)):
        return True
    return endpoint.type == owned.record.type and coexistence.is_requested_by_resource(owned, requested_by)


def _resolve_delete(
    change: Delete,
    rejected: Mapping[tuple[str, str], Unfulfilled],
    findings: Mapping[RecordKey, Evidence | Blocked],
    retained: Mapping[RecordKey, Blocked],
    settings: PlanSettings,
) -> Delete | Blocked:
    if former := block_former_owner(change.current, settings):
        return former
    found = retained.get(change.key) or findings[change.key]
    if not isinstance(found, Blocked):
        return replace(change, evidence=found)
    successor = change.key.set_identifier, change.current.resource
    if found.reason is Reason.REQUESTED_BY_OTHER and (one := rejected.get(successor)):
        return replace(one.block, detail=f"the requested {one.type} record cannot replace it")
    return found


def _removes_targets(update: Update) -> bool:
    current, desired = _fold_targets(update)
    return not current <= desired


def _removes_targets_only(update: Update) -> bool:
    current, desired = _fold_targets(update)
    return desired < current


def _fold_targets(update: Update) -> tuple[set[str], set[str]]:
    """Return the current and the desired targets of *update*, in lower case."""
    current, desired = update.current.record.targets, update.desired.targets
    return {target.casefold() for target in current}, {target.casefold() for target in desired}


def block_former_owner(owned: OwnedRecord, settings: PlanSettings) -> Blocked | None:
    """Return why a record of `settings.migrate_from` is kept, None if it is not one.

    Its object can be in another cluster, so nothing here is evidence that it is gone.
    """
    if owned.owner is None or owned.owner == settings.owner:
        return None
    detail = f'the record is owned by "{owned.owner}", and taken over once an object of its namespace requests it'
    return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)


def _reject(candidate: Candidate, reason: Reason, detail: str = "") -> Unfulfilled:
    return reject_candidate(candidate, Blocked(reason=reason, detail=detail))


def _reject_others(row: NameRow) -> Iterable[Unfulfilled]:
    for candidate in row.yielding_cnames:
        yield _reject(candidate, Reason.INCOMPATIBLE_TYPE)
    for candidate in row.other_candidates:
        winner = row.winners[candidate.desired.type].requested_by[0]
        yield _reject(candidate, Reason.REQUESTED_BY_OTHER, f"{winner.ref} has precedence")
