"""Plan one name in one zone that was fully read: a pure function of nine steps.

docs/design/architecture.md, "Planning one name", has a drawing of them, and what each decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Awaited, Blocked, ChangeSet, Decision, Delete, Wait
from extdns.model.claim import NameClaim, UnresolvedClaim, is_detached
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.kind import ObjectKey, parse_namespace
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, RecordKey
from extdns.model.value import Value
from extdns.planner.comparison import (
    NameComparison,
    accept_unowned,
    compare_name,
    finalize,
    find_losing_successors,
    find_refused_successors,
    find_removals,
    find_target_removals,
    find_uncertain_updates,
    group_changes,
    is_as_requested,
    propose_changes,
)
from extdns.planner.contest_results import ContestResults, may_be_contested, resolve_contests
from extdns.planner.decide import (
    Unfulfilled,
    block_proposals,
    decide,
    find_unresolved,
    keep_records,
    keep_unreadable,
    reject_claim,
)
from extdns.planner.deletes import block_changes
from extdns.planner.desired import Requested, adjust, build_candidates, find_invalid_hosts
from extdns.planner.evidence import EvidenceReader, Finding
from extdns.planner.proposal import UP_TO_DATE, Proposal
from extdns.planner.ptr_claims import find_unproven
from extdns.planner.rules import (
    apply_rules,
    apply_rules_to_deletes,
    apply_to_findings,
    attach_evaluations,
    drop_denied_addresses,
)
from extdns.planner.settings import Planner, PlanSettings, Policy
from extdns.planner.view import NameView
from extdns.planner.write_order import select_writes
from extdns.rules.rule_input import RuleInput


class NamePlan(Value, frozen=True, kw_only=True, gc=True):
    """What to change at one name in one zone, and why the rest stays as it is.

    Attributes:
        decisions: one for each record of a managed type, and for each claim that is not published.
        sets: change sets with ownership records, in the order in which they are queued. That of ownership records which
            must be written first to the parent zone takes the place of the change set that needs them.
        deletes: all records with evidence, including those whose deletes wait.
        requested: the keys of the records that an object of their namespace requests, also by an unresolved claim, and
            of those that passed to another namespace as they are.
        waits_for: what would change the decisions.
        rule_inputs: what the rules were evaluated on.
        is_awaiting_rules: whether an answer of the policy server is awaited: nothing is planned, and nothing is queued.
    """

    decisions: tuple[Decision, ...] = ()
    sets: tuple[ChangeSet, ...] = ()
    deletes: tuple[PendingDelete, ...] = ()
    requested: frozenset[RecordKey] = frozenset()
    waits_for: tuple[Wait, ...] = ()
    rule_inputs: tuple[RuleInput, ...] = ()
    is_awaiting_rules: bool = False


_UNPROVEN: Final = Blocked(
    reason=Reason.REQUESTED_BY_OTHER, detail="other namespaces have the address, and the object only states it"
)


def plan_name(view: NameView, planner: Planner) -> NamePlan | None:
    """Return the plan of the name in *view*; None if `NameView.facts` must be gathered first.

    Raises:
        AdjustmentUnknownError: the service must be shown some of the desired records first.
    """
    settings = planner.settings
    if view.block:
        return keep_everything(view, view.block, settings)  # 1 blocked
    view, detached = split_detached(view)
    requested = merge_requests(view, detached, planner)  # 2 requested
    requested = apply_rules(view, requested, planner)  # 3 rules
    if requested.is_awaited:
        return await_rules(requested)
    if not view.facts and may_be_contested(view, requested, settings):
        return None
    contested = resolve_contests(view, requested, planner)  # 4 contests
    comparison = compare_name(view.current, contested.desired.taken, settings)  # 5 compare
    if settings.compat and view.lacks_ownership_name:
        comparison = accept_unowned(comparison, settings)
    if is_in_sync(requested, contested, comparison):
        return keep_in_sync(view, requested, comparison)
    if not view.facts and needs_facts(comparison):
        return None
    checked = check_deletes(view, requested, contested, comparison, planner)  # 6 deletes
    if checked.requested.is_awaited:
        return await_rules(checked.requested)
    proposals = finalize(checked.proposals, view.current, settings)  # 7 coexistence
    sets, proposals = build_change_sets(view, proposals, planner)  # 8 change sets
    unfulfilled = list_unfulfilled(requested, contested, comparison, settings)
    return NamePlan(
        decisions=decide_name(view, checked.requested, proposals, unfulfilled, contested.merged),  # 9 decisions
        sets=sets,
        deletes=checked.deletes,
        requested=find_requested_keys(view, requested, settings) | find_passed(contested, proposals),
        waits_for=(*checked.waits_for, *list_waits(proposals, unfulfilled)),
        rule_inputs=checked.requested.inputs,
    )


def keep_everything(view: NameView, block: Blocked, settings: PlanSettings) -> NamePlan:
    """Return a plan that changes nothing at the name because of *block*."""
    zone, name, current = view.zone, view.name, view.current
    rejected = [reject_claim(claim, block) for claim in view.claims]
    decisions = decide(zone, name, keep_records(current, block, settings.managed_types), rejected)
    if not any(decision.reason is Reason.RECORD_UNREADABLE for decision in decisions):  # else they are decided already
        decisions += decide(zone, name, keep_unreadable(current, block))
    return NamePlan(decisions=decisions, waits_for=block.waits_for)


def split_detached(view: NameView) -> tuple[NameView, list[Unfulfilled]]:
    """Return *view* without the claims that request nothing because a Gateway is missing, and these as unfulfilled."""
    detached = [claim for claim in view.claims if is_detached(claim)]
    if not detached:
        return view, []
    rest = tuple([claim for claim in view.claims if claim not in detached])
    return replace(view, claims=rest), find_unresolved(detached, ())


def await_rules(requested: Requested) -> NamePlan:
    """Return a plan that waits for an answer of the policy server."""
    return NamePlan(rule_inputs=requested.inputs, is_awaiting_rules=True)


def merge_requests(view: NameView, detached: Iterable[Unfulfilled], planner: Planner) -> Requested:
    """Return what the claims to the name request together, as the DNS service would hold it.

    Claims that `find_unproven` or `find_invalid_hosts` returns do not count. While the kind of an object is not
    synced, its claims are unknown. So our records that were made for an object that was not observed stay, and no other
    object may change records with their set identifier.
    """
    claims, settings, rejected = _extend_unresolved(view, planner), planner.settings, [*detached]
    if (
        len(claims) > 1
        and not settings.merges_namespaces
        and (found := find_unproven(drop_denied_addresses(view, planner)))
    ):
        claims = tuple([claim for claim in claims if claim not in found])
        rejected += [reject_claim(claim, _UNPROVEN) for claim in found]
    if not settings.compat and (invalid := find_invalid_hosts(claims, view, planner)):
        claims = tuple([claim for claim in claims if claim not in invalid])
        rejected += [reject_claim(claim, block) for claim, block in invalid.items()]
    candidates = build_candidates(claims, settings) if claims else ()
    unobserved = _find_unobserved(view, planner)
    if not unobserved:
        return Requested(claims=claims, desired=adjust(candidates, view, planner), rejected=tuple(rejected))
    own = {owned.key: _block_unobserved(owned, key) for owned, key in unobserved}
    blocks = {key.set_identifier: block for key, block in own.items()}
    candidates = tuple([one for one in candidates if one.desired.set_identifier not in blocks])
    rejected += [reject_claim(one, blocks[one.set_identifier]) for one in claims if one.set_identifier in blocks]
    return Requested(
        claims=[claim for claim in claims if claim.set_identifier not in blocks],
        desired=adjust(candidates, view, planner),
        rejected=tuple(rejected),
        stays={
            owned.key: own.get(owned.key, blocks[owned.record.set_identifier])
            for owned in view.current
            if owned.is_ours and owned.record.set_identifier in blocks
        },
    )


def _extend_unresolved(view: NameView, planner: Planner) -> tuple[NameClaim, ...]:
    """Return the claims to the name. An unresolved one also counts for other set identifiers of its object's records.

    The object may have a new set identifier before it has an address: then these records stay until it has one. If
    there is a record with the set identifier of the claim, it is not new.
    """
    unresolved = [one for one in view.claims if isinstance(one, UnresolvedClaim)] if view.current else ()
    if not unresolved:
        return view.claims
    made = {(planner.normalize_resource(one), one.record.set_identifier) for one in view.current if one.is_ours}
    others = sorted(made - {_get_request(claim) for claim in view.claims})
    new = [one for one in unresolved if one.reason is not Reason.NO_ENDPOINTS and _get_request(one) not in made]
    found = [
        replace(claim, set_identifier=identifier)
        for claim in new
        for resource, identifier in others
        if claim.provenance.ref.key.resource == resource
    ]
    return (*view.claims, *found)


def _get_request(claim: NameClaim) -> tuple[str, str]:
    return claim.provenance.ref.key.resource, claim.set_identifier


def _find_unobserved(view: NameView, planner: Planner) -> list[tuple[OwnedRecord, ObjectKey]]:
    """Return our records whose object was not observed, or is gone, while its kind is not synced; with the object."""
    if not ((facts := view.facts) and facts.kinds_down):
        return []
    found = [(owned, planner.find_object(owned.resource)) for owned in view.current if owned.is_ours]
    down = [(owned, key) for owned, key in found if key and key.kind in facts.kinds_down]
    return [(owned, key) for owned, key in down if not facts.objects[key].is_known]


def _block_unobserved(owned: OwnedRecord, key: ObjectKey) -> Blocked:
    detail = f"the {owned.record.type} record was made for {owned.resource}, which cannot be observed now"
    waits = (Wait(Awaited.SYNC, key.kind), Wait(Awaited.OBJECT, key))
    return Blocked(reason=Reason.SOURCE_DOWN, detail=detail, waits_for=waits)


def is_in_sync(requested: Requested, contested: ContestResults, comparison: NameComparison) -> bool:
    """Return whether every record is as requested and every claim is fulfilled, so that no change is needed."""
    is_plain = not (requested.rejected or requested.stays or contested.desired.refused)
    return is_plain and not contested.is_contested and is_as_requested(comparison, requested.claims)


def needs_facts(comparison: NameComparison) -> bool:
    """Return whether a delete is proposed, or an update that removes targets and adds none."""
    deletes = [one for one in comparison.proposals if isinstance(one.outcome, Delete)]
    return bool(deletes or find_target_removals(comparison))


def keep_in_sync(view: NameView, requested: Requested, comparison: NameComparison) -> NamePlan:
    """Return the plan of a name at which everything is as requested."""
    return NamePlan(
        decisions=decide_name(view, requested, comparison.proposals),
        requested=frozenset([one.key for one in comparison.proposals]),
        rule_inputs=requested.inputs,
    )


class CheckedDeletes(Value, frozen=True, kw_only=True, gc=True):
    """What may be made of the proposals of one name.

    Attributes:
        proposals: with a block in place of each change that may not be made.
        deletes: all records with evidence, including those whose deletes wait.
        requested: with what the rules answer about the deletes.
        waits_for: what would change the proposals.
    """

    proposals: tuple[Proposal, ...]
    deletes: tuple[PendingDelete, ...]
    requested: Requested
    waits_for: tuple[Wait, ...]


def check_deletes(
    view: NameView, requested: Requested, contested: ContestResults, comparison: NameComparison, planner: Planner
) -> CheckedDeletes:
    """Find the evidence for deletes, apply `--policy` and rules, and block what the delete guard does not allow."""
    if not (view.current or view.facts):  # nothing is deleted or updated, and there are no rules
        waits_for = requested.waits_for
        return CheckedDeletes(proposals=comparison.proposals, deletes=(), requested=requested, waits_for=waits_for)
    incompatible = [one for one in comparison.rejected if one.block.reason is Reason.INCOMPATIBLE_RECORD]
    stays = {
        **find_refused_successors(view.current, contested.desired.refused),
        **find_losing_successors(view.current, [*contested.rejected, *incompatible]),
        **requested.stays,
        **contested.transfers.retained,
    }
    findings = _find_evidence(view, requested, contested, comparison, stays, planner)
    outcomes = {key: found.outcome for key, found in findings.items()}
    outcomes |= {} if planner.settings.compat else find_uncertain_updates(comparison, requested.claims)
    proposals = propose_changes(comparison, outcomes, stays, planner.settings)
    deletes = _list_deletes(proposals, findings, contested, planner)
    proposals, deletes, requested = apply_rules_to_deletes(view, proposals, deletes, requested, planner)
    proposals = block_changes(view, proposals, deletes)
    waits = (wait for found in findings.values() for wait in found.waits_for)
    return CheckedDeletes(
        proposals=proposals,
        deletes=deletes,
        requested=requested,
        waits_for=(*waits, *contested.transfers.waits_for, *requested.waits_for),
    )


def _find_evidence(
    view: NameView,
    requested: Requested,
    contested: ContestResults,
    comparison: NameComparison,
    stays: Mapping[RecordKey, Blocked],
    planner: Planner,
) -> dict[RecordKey, Finding]:
    """Return a finding for each record that may have to be deleted, and for each update that must wait."""
    if not view.facts:
        return {}
    reader = EvidenceReader(planner=planner, facts=view.facts)
    removals = find_removals(comparison, stays, planner.settings)
    findings = {
        owned.key: reader.find(owned, claims, candidates)
        for owned, claims, candidates in contested.select_requests(removals, requested)
    }
    for update, candidate in find_target_removals(comparison):
        if found := reader.find_target_removal(update, candidate):
            findings[update.key] = found
    return apply_to_findings(findings, requested)


def _list_deletes(
    proposals: Iterable[Proposal], findings: Mapping[RecordKey, Finding], contested: ContestResults, planner: Planner
) -> tuple[PendingDelete, ...]:
    """Return all deletes for which there is evidence, including unresolved claims with `--unresolved-timeout`.

    With `--compat` there is no such timeout: an unresolved claim does not keep a record, and a failure keeps it for
    as long as it lasts, as with external-dns.
    """
    deletes = {one.owned.key: one for one in contested.transfers.deletes}
    is_limited = planner.expires_unresolved and planner.settings.policy is Policy.SYNC
    for proposal in proposals:
        outcome, owned = proposal.outcome, proposal.current
        if owned is None or proposal.key in deletes:
            continue
        if isinstance(outcome, Delete) and outcome.evidence is not Evidence.REPLACED:
            deletes[proposal.key] = PendingDelete(owned=owned, evidence=outcome.evidence)
        elif is_limited and (found := findings.get(proposal.key)) and found.unresolved and outcome is found.outcome:
            deletes[proposal.key] = PendingDelete(owned=owned, evidence=Evidence.UNRESOLVED_EXPIRED)
    return tuple(deletes.values())


def build_change_sets(
    view: NameView, proposals: tuple[Proposal, ...], planner: Planner
) -> tuple[tuple[ChangeSet, ...], tuple[Proposal, ...]]:
    """Build change sets with ownership records for *proposals*. Block the proposals that cannot be fulfilled now.

    If no ownership records can be made for deletes and what other namespaces request in their place, the deletes go
    alone.
    """
    blocks: dict[RecordKey, Blocked] = {}
    sets: list[ChangeSet] = []
    grouped = group_changes(view, proposals, planner.settings)
    completed = [(one, _select_writes(found, view)) for one, found in _complete_sets(view, grouped, planner)]
    for one, found in tuple(completed):
        if isinstance(found, Blocked) and (deletes := _list_deletes_of_others(one, planner.settings)):
            alone = replace(one, changes=deletes)
            completed.append((alone, _select_writes(planner.complete(alone, view.expected), view)))
    for one, found in completed:
        block = found if isinstance(found, Blocked) else _find_pause(found, view)
        for change in one.changes:
            if block:
                blocks[change.key] = block
            else:
                blocks.pop(change.key, None)
        if isinstance(found, ChangeSet):
            sets.append(found)
    return tuple(sets), block_proposals(proposals, blocks) if blocks else proposals


def _select_writes(completed: ChangeSet | Blocked, view: NameView) -> ChangeSet | Blocked:
    return completed if isinstance(completed, Blocked) else select_writes(completed, view.elsewhere)


def _find_pause(change_set: ChangeSet, view: NameView) -> Blocked | None:
    if not view.pauses:
        return None
    pauses = (view.pauses.get((change_set.zone.id, write.key)) for write in change_set.writes)
    return next(filter(None, pauses), None)


def _list_deletes_of_others(change_set: ChangeSet, settings: PlanSettings) -> tuple[Delete, ...]:
    """Return the deletes with evidence of their own, if other namespaces request all that *change_set* writes."""
    if settings.merges_namespaces:
        return ()
    deletes = [one for one in change_set.changes if isinstance(one, Delete) and one.evidence is not Evidence.REPLACED]
    others = {parse_namespace(one.desired.resource) for one in change_set.changes if not isinstance(one, Delete)}
    is_free = others and all(one.current.resource and one.current.namespace not in others for one in deletes)
    return tuple(deletes) if is_free else ()


def _complete_sets(
    view: NameView, sets: Sequence[ChangeSet], planner: Planner
) -> list[tuple[ChangeSet, ChangeSet | Blocked]]:
    """Return each of *sets* with its ownership records. Those that write an ownership record in common become one."""
    completed = [(one, planner.complete(one, view.expected)) for one in sets]
    if len(completed) == 1:  # nearly every name
        return completed
    joined: list[ChangeSet] = []
    writers: dict[RecordKey, int] = {}
    for one, found in completed:
        keys = [] if isinstance(found, Blocked) else [write.key for write in found.writes]
        number = next((writers[key] for key in keys if key in writers), len(joined))
        others = joined[number].changes if number < len(joined) else ()
        changes = sorted((*others, *one.changes), key=lambda change: change.key)
        joined[number : number + 1] = [replace(one, changes=tuple(changes))]
        writers |= dict.fromkeys(keys, number)
    return completed if len(joined) == len(completed) else _complete_sets(view, joined, planner)


def list_unfulfilled(
    requested: Requested, contested: ContestResults, comparison: NameComparison, settings: PlanSettings
) -> list[Unfulfilled]:
    """Return the requests that are not fulfilled: of all that lost, were refused or denied, or are unresolved."""
    unfulfilled = [*comparison.rejected, *contested.desired.refused, *contested.rejected, *requested.rejected]
    return unfulfilled + find_unresolved(contested.remaining, settings.managed_types)


def list_waits(proposals: Iterable[Proposal], unfulfilled: Iterable[Unfulfilled]) -> list[Wait]:
    """Return what would change the decisions about records that stay, and about requests that are not fulfilled."""
    blocks = [one.outcome for one in proposals if isinstance(one.outcome, Blocked)]
    blocks += [one.block for one in unfulfilled]
    return [wait for block in blocks for wait in block.waits_for]


def decide_name(
    view: NameView,
    requested: Requested,
    proposals: Iterable[Proposal],
    unfulfilled: Sequence[Unfulfilled] = (),
    merged: frozenset[RecordKey] = frozenset(),
) -> tuple[Decision, ...]:
    """Return the decisions about the name, with what the rules answer."""
    decisions = decide(view.zone, view.name, proposals, unfulfilled, merged=merged, former=view.former)
    return attach_evaluations(decisions, requested.evaluations) if requested.evaluations else decisions


def find_requested_keys(view: NameView, requested: Requested, settings: PlanSettings) -> frozenset[RecordKey]:
    """Return the keys of the records that an object of their namespace requests, also by an unresolved claim.

    Any object can be meant where the ownership record names none, or where namespaces are merged. In PTR records they
    are: each counts whose name the record has.
    """
    if not view.current:
        return frozenset()
    found: dict[RecordKey | str, set[str]] = {}  # namespaces by key, those of unresolved claims by set identifier
    for one in requested.desired.of_managed_types:
        found.setdefault(one.desired.key, set()).update([by.ref.key.namespace for by in one.requested_by])
    for claim in (*view.claims, *requested.claims):
        if isinstance(claim, UnresolvedClaim):
            found.setdefault(claim.set_identifier, set()).add(claim.provenance.ref.key.namespace)
    keys: list[RecordKey] = []
    for owned in view.current:
        key = owned.key
        namespaces = found.get(key, set()) | found.get(key.set_identifier, set())
        if settings.is_requested_by(owned, namespaces) or (namespaces and _has_name_of(owned, requested)):
            keys.append(key)
    return frozenset(keys)


def _has_name_of(owned: OwnedRecord, requested: Requested) -> bool:
    """Return whether *owned* is a PTR record, and has a name that is requested for it."""
    if owned.record.type != rrtype.PTR:
        return False
    about = [one.desired for one in requested.desired.taken if one.desired.key == owned.key]
    return any(not set(owned.record.targets).isdisjoint(one.targets) for one in about)


def find_passed(contested: ContestResults, proposals: Iterable[Proposal]) -> frozenset[RecordKey]:
    """Return the keys of the records that passed to another namespace, which requests them as they are."""
    transfers = {one.owned.key for one in contested.transfers.deletes if one.is_transfer}
    return frozenset(one.key for one in proposals if one.key in transfers and one.outcome is UP_TO_DATE)
