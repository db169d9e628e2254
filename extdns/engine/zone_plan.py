"""Plan one name in one zone that was fully read. Takes and returns values, and stores nothing.

::

    claims   ─▶ adjust ─▶ contest ─┐
    current  ──────────────────────┼─▶ propose ─▶ delete guard ─▶ finalize ─▶ ownership ─▶ retries ─▶ decide
    evidence ──────────────────────┘

The step `retries` needs the change sets of all zones of the name together, because a zone may have to hold ownership
records of zones below it. So `plan_in_zone` ends before that step, and reconcile.py does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.engine.batches import project_records, split_and_complete
from extdns.engine.desired import adjust, resolve_contests
from extdns.engine.evidence import Finding
from extdns.engine.ownership_zone import Parts, SharingZones, find_zone_above, read_above, respect_elsewhere, split_sets
from extdns.engine.rule_review import NO_REVIEW, RuleReview, RuleReviewer, apply_review
from extdns.model import rrtype
from extdns.model.change import Blocked, ChangeSet, Decision, Delete
from extdns.model.claim import UnresolvedClaim
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.model.wait import ZONES, Awaited, Wait
from extdns.planner.decide import block_proposals, decide, find_unresolved, keep_records, keep_unreadable, reject_claim
from extdns.planner.plan import (
    compare_name,
    finalize,
    find_refused_successors,
    find_removals,
    find_target_removals,
    group_changes,
    is_as_requested,
    propose_changes,
)
from extdns.planner.settings import Policy

if TYPE_CHECKING:
    from extdns.engine.desired import Contested, Desired
    from extdns.engine.state import EngineState
    from extdns.engine.zones import ZoneState
    from extdns.model.claim import NameClaim
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, Record, RecordKey
    from extdns.planner.decide import Unfulfilled
    from extdns.planner.plan import NameComparison
    from extdns.planner.proposal import Candidate, Proposal
    from extdns.ports import Registry


class Plan(Value, frozen=True, kw_only=True):
    """What to change at one name in one zone, and why the rest stays as it is.

    Attributes:
        decisions: one for each record of a managed type, and for each claim that is not published; reconcile.py makes
            those about *proposals* and *unfulfilled*.
        proposals: what to do with each record.
        unfulfilled: requests that are not fulfilled.
        merged: see `Contested.merged`.
        sets: change sets with ownership records, in the order in which they are queued.
        sets_above: change sets of ownership records in the zone above, if the name is that of the zone.
        waiting: change sets that wait until ownership records in the zone above were written.
        leftovers: ownership records in the zone above whose records no longer exist once *sets* are written.
        deletes: all records with evidence, including those whose deletes wait.
        current: the records of the name in the zone.
        requested: the keys of the records that an object requests, also by an unresolved claim.
        is_readable: whether every record that decides about the name can be read.
        waits_for: what would change the decisions.
        review: what rules answer; if an answer is awaited, nothing is planned.
    """

    decisions: tuple[Decision, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    unfulfilled: tuple[Unfulfilled, ...] = ()
    merged: frozenset[RecordKey] = frozenset()
    sets: tuple[ChangeSet, ...] = ()
    sets_above: tuple[ChangeSet, ...] = ()
    waiting: tuple[ChangeSet, ...] = ()
    leftovers: tuple[Record, ...] = ()
    deletes: tuple[PendingDelete, ...] = ()
    current: tuple[OwnedRecord, ...] = ()
    requested: frozenset[RecordKey] = frozenset()
    is_readable: bool = True
    waits_for: tuple[Wait, ...] = ()
    review: RuleReview = NO_REVIEW


def plan_in_zone(
    zone: ZoneState,
    sharing: SharingZones,
    name: DnsName,
    claims: Sequence[NameClaim],
    candidates: Sequence[Candidate],
    state: EngineState,
) -> Plan:
    """Return the plan of *name* in *zone*, which was fully read.

    Args:
        zone: one of the zones of the name.
        sharing: the other zones in which the ownership records of the name matter.
        name: the name.
        claims: all claims to it.
        candidates: what the resolved claims request together.
        state: the parts of the engine; not changed.
    """
    plan_input = _read_input(zone, sharing, name, claims, state)
    current, settings = plan_input.current, state.settings.plan
    if not (current or claims or (plan_input.above and name in plan_input.above.leftovers)):
        return Plan()
    if block := _find_block(plan_input, state):
        return _keep_all(plan_input, block, state)
    if plan_input.hidden:
        candidates = [one for one in candidates if one.desired.set_identifier not in plan_input.hidden]
    desired = adjust(candidates, zone.zone, current, state.settings)
    reviewer, review = None, NO_REVIEW
    if state.rules.is_active:
        reviewer = RuleReviewer(zone=zone, current=current, state=state)
        review = reviewer.review_claims(plan_input.visible, candidates, desired)
        if review.is_awaited:
            return Plan(review=review)
        if review.candidates is not candidates:  # something is denied
            plan_input = replace(plan_input, claims=[*review.claims, *plan_input.list_hidden()])
            desired = adjust(review.candidates, zone.zone, current, state.settings)
    contest = resolve_contests(zone.zone, plan_input.visible, current, desired, state, violating=review.violating)
    comparison = compare_name(current, contest.desired.taken, settings)
    requested = _find_requested(plan_input, desired)
    simple = contest.is_uncontested and not (plan_input.hidden or plan_input.above or review.rejected)
    if simple and not contest.desired.refused and is_as_requested(comparison, plan_input.claims):
        decisions = decide(zone.zone, name, comparison.proposals, former=state.decisions.decisions(name))
        return Plan(decisions=decisions, current=current, requested=requested, review=review)
    return _plan_changes(plan_input, requested, comparison, contest, review, reviewer, state)


def _plan_changes(
    plan_input: PlanInput,
    requested: frozenset[RecordKey],
    comparison: NameComparison,
    contest: Contested,
    review: RuleReview,
    reviewer: RuleReviewer | None,
    state: EngineState,
) -> Plan:
    """Return the plan of a name at which not every record is as requested, or not every claim is fulfilled."""
    zone, current, settings = plan_input.zone, plan_input.current, state.settings.plan
    retained = _find_retained(plan_input, contest, review)
    findings = _find_evidence(plan_input, comparison, contest, retained, state)
    if reviewer:
        findings = apply_review(findings, review)
    proposals = propose_changes(comparison, {key: found.outcome for key, found in findings.items()}, retained, settings)
    deletes = _find_deletes(proposals, findings, contest, state)
    if reviewer:
        proposals, deletes, review = reviewer.review_deletes(proposals, deletes, review)
        if review.is_awaited:
            return Plan(review=review)
    proposals = state.delete_guard.review(zone.zone, proposals, deletes)
    proposals = finalize(proposals, current, settings)
    parts, proposals = _complete(plan_input, proposals, state)
    unfulfilled = [*comparison.rejected, *contest.desired.refused, *contest.rejected, *review.rejected]
    unfulfilled += find_unresolved(contest.remaining, settings.managed_types)
    unfulfilled += [reject_claim(one, plan_input.hidden[one.set_identifier]) for one in plan_input.list_hidden()]
    return Plan(
        proposals=proposals,
        unfulfilled=tuple(unfulfilled),
        merged=contest.merged,
        sets=parts.home,
        sets_above=parts.above,
        waiting=parts.waiting,
        leftovers=parts.leftovers,
        deletes=deletes,
        current=current,
        requested=requested,
        waits_for=(*_find_waits(plan_input, findings, contest, state), *review.waits_for),
        review=review,
    )


def _find_evidence(
    plan_input: PlanInput,
    comparison: NameComparison,
    contest: Contested,
    retained: Mapping[RecordKey, Blocked],
    state: EngineState,
) -> dict[RecordKey, Finding]:
    """Return a finding for each record that may have to be deleted, and for each update that must wait."""
    findings = {
        owned.key: state.evidence.find(owned, *contest.select_requests(owned, plan_input.visible))
        for owned in find_removals(comparison, retained, state.settings.plan)
    }
    for update, candidate in find_target_removals(comparison):
        if found := state.evidence.find_target_removal(update, candidate):
            findings[update.key] = found
    return findings


class PlanInput(Value, frozen=True, kw_only=True):
    """The input for planning one name in one zone: its records, related records and claims.

    Attributes:
        current: the records of the name.
        records: the records of the name and of its related names, including ownership records.
        related: the related names.
        claims: all claims to the name.
        above: the zone that holds the ownership records, None if that is the zone of the name.
        elsewhere: the records of the name in other zones that have ownership records in common with this one.
        hidden: set identifiers of records whose resource cannot be observed, so that no other object may change them.
    """

    zone: ZoneState
    name: DnsName
    current: tuple[OwnedRecord, ...]
    records: Sequence[Record]
    related: tuple[str, ...]
    claims: Sequence[NameClaim]
    above: ZoneState | None
    elsewhere: tuple[OwnedRecord, ...]
    hidden: Mapping[str, Blocked]

    @property
    def visible(self) -> Sequence[NameClaim]:
        """The claims whose set identifier is not in `hidden`."""
        return [one for one in self.claims if one.set_identifier not in self.hidden] if self.hidden else self.claims

    def list_hidden(self) -> list[NameClaim]:
        """Return the claims whose set identifier is in `hidden`."""
        return [one for one in self.claims if one.set_identifier in self.hidden] if self.hidden else []


def _read_input(
    zone: ZoneState, sharing: SharingZones, name: DnsName, claims: Sequence[NameClaim], state: EngineState
) -> PlanInput:
    related = state.settings.registry.related_names(name)
    records = zone.cache.records_around(name, related)
    if sharing.above:
        records += read_above(sharing.above, zone, related)
    read = read_owned(state.settings.registry, records) if records else ()
    current = tuple([owned for owned in read if owned.record.name == name])
    return PlanInput(
        zone=zone,
        name=name,
        current=current,
        records=records,
        related=related,
        claims=claims,
        above=sharing.above,
        elsewhere=_read_elsewhere(sharing.all, name, related, state) if sharing.all else (),
        hidden=_find_hidden(current, state) if state.evidence.phases.down else {},
    )


def _find_hidden(current: Iterable[OwnedRecord], state: EngineState) -> dict[str, Blocked]:
    """Return, by set identifier, why nothing may change there: the resource of our record cannot be observed now."""
    return {
        owned.record.set_identifier: Blocked(
            reason=Reason.SOURCE_DOWN,
            detail=f"the {owned.record.type} record was made for {owned.resource}, which cannot be observed now",
        )
        for owned in current
        if owned.is_ours and state.evidence.is_hidden(owned)
    }


def _read_elsewhere(
    zones: Iterable[ZoneState], name: DnsName, related: tuple[str, ...], state: EngineState
) -> tuple[OwnedRecord, ...]:
    registry, found = state.settings.registry, []
    for other in zones:
        records = other.cache.records_around(name, related)
        if above := find_zone_above(state.zones, other, name, registry):
            records += read_above(above, other, related)
        found += [owned for owned in read_owned(registry, records) if owned.record.name == name]
    return tuple(found)


def _find_block(plan_input: PlanInput, state: EngineState) -> Blocked | None:
    """Return why nothing at the name may change, None if it may.

    The zone is no longer listed; the zones of an account are unknown, and no record is ours; or a record at the name or
    a related name cannot be read.
    """
    zone, unknown = plan_input.zone, state.zones.unknown_accounts
    if zone.missing_since_at is not None:
        return Blocked(reason=Reason.ZONE_GONE, detail=f"zone {zone.zone} is missing in the list of zones")
    if unknown and not any(owned.is_ours for owned in plan_input.current):
        accounts = ", ".join(account or "the account" for account in unknown)
        return Blocked(reason=Reason.ZONES_UNKNOWN, detail=f"the zones of {accounts} are unknown")
    # An ownership record may be among the unreadable records, so that the owner of the others is unknown, too.
    unreadable = [text for record in plan_input.records if record.type == rrtype.UNREADABLE for text in record.targets]
    return Blocked(reason=Reason.RECORD_UNREADABLE, detail="; ".join(sorted(unreadable))) if unreadable else None


def _keep_all(plan_input: PlanInput, block: Blocked, state: EngineState) -> Plan:
    zone, current = plan_input.zone.zone, plan_input.current
    proposals = keep_records(current, block, state.settings.plan.managed_types)
    decisions = decide(zone, plan_input.name, proposals, [reject_claim(claim, block) for claim in plan_input.claims])
    if not any(decision.reason is Reason.RECORD_UNREADABLE for decision in decisions):  # else they are decided already
        decisions += decide(zone, plan_input.name, keep_unreadable(current, block))
    is_readable = block.reason is not Reason.RECORD_UNREADABLE
    awaited = ZONES if is_readable else Wait(Awaited.ZONE, zone.id)
    return Plan(decisions=decisions, current=current, is_readable=is_readable, waits_for=(awaited,))


def read_owned(registry: Registry, records: Sequence[Record]) -> tuple[OwnedRecord, ...]:
    """Determine the owner of each record. A record is foreign if its ownership record may belong to another record.

    External-dns counts such an ownership record for the other record only.
    """
    return tuple([one if one.is_unambiguous else replace(one, is_ours=False) for one in registry.read(records)])


def _find_retained(plan_input: PlanInput, contest: Contested, review: RuleReview) -> dict[RecordKey, Blocked]:
    """Return the records that stay regardless of evidence, and why.

    Their object cannot be observed, they are not transferred yet, or rules or the service refuse their successor.
    """
    retained = {**review.retained, **contest.retained}
    if plan_input.hidden or contest.desired.refused:
        retained = {**find_refused_successors(plan_input.current, contest.desired.refused), **retained}
        for owned in plan_input.current:
            if owned.is_ours and (block := plan_input.hidden.get(owned.record.set_identifier)):
                retained.setdefault(owned.key, block)
    return retained


def _find_deletes(
    proposals: Iterable[Proposal], findings: Mapping[RecordKey, Finding], contest: Contested, state: EngineState
) -> tuple[PendingDelete, ...]:
    """Return all deletes for which there is evidence, including unresolved claims with `--unresolved-timeout`.

    With `--compat` there is no such timeout: an unresolved claim does not keep a record, and a failure keeps it for
    as long as it lasts, as with external-dns.
    """
    deletes = {one.owned.key: one for one in contest.transfers}
    settings = state.settings.deletes
    limited = settings.unresolved_timeout_s is not None and not settings.immediate
    limited = limited and state.settings.plan.policy is Policy.SYNC
    for proposal in proposals:
        outcome, owned = proposal.outcome, proposal.current
        if owned is None or proposal.key in deletes:
            continue
        if isinstance(outcome, Delete) and outcome.evidence is not Evidence.REPLACED:
            deletes[proposal.key] = PendingDelete(owned=owned, evidence=outcome.evidence)
        elif limited and (found := findings.get(proposal.key)) and found.unresolved and outcome is found.outcome:
            deletes[proposal.key] = PendingDelete(owned=owned, evidence=Evidence.UNRESOLVED_EXPIRED)
    return tuple(deletes.values())


def _complete(
    plan_input: PlanInput, proposals: tuple[Proposal, ...], state: EngineState
) -> tuple[Parts, tuple[Proposal, ...]]:
    """Build change sets with ownership records for *proposals*. Block the proposals that no change set can fulfil."""
    zone, above, settings = plan_input.zone, plan_input.above, state.settings
    blocks: dict[RecordKey, Blocked] = {}
    complete: list[ChangeSet] = []
    if sets := group_changes(zone.zone, plan_input.name, proposals):
        queued = zone.queue.find_queued_before(plan_input.related)
        expected = project_records(plan_input.records, queued, plan_input.name, plan_input.related)
        for change_set in sets:
            located = replace(change_set, ownership_zone=above.zone) if above else change_set
            for part, piece in split_and_complete(located, expected, settings.registry, settings.capabilities):
                if isinstance(piece, Blocked):
                    blocks |= {change.key: piece for change in part.changes}
                else:
                    complete.append(piece)
    if plan_input.elsewhere:
        complete, covering = respect_elsewhere(complete, plan_input.elsewhere)
        blocks |= covering
    proving = (*plan_input.current, *plan_input.elsewhere)
    parts = split_sets(complete, above, plan_input.name, proving) if above else Parts(home=tuple(complete))
    return parts, block_proposals(proposals, blocks) if blocks else proposals


def _find_requested(plan_input: PlanInput, desired: Desired) -> frozenset[RecordKey]:
    requested = frozenset([one.desired.key for one in desired.of_managed_types])
    unresolved = {claim.set_identifier for claim in plan_input.claims if isinstance(claim, UnresolvedClaim)}
    if unresolved:
        requested |= {owned.key for owned in plan_input.current if owned.record.set_identifier in unresolved}
    return requested


def _find_waits(
    plan_input: PlanInput, findings: Mapping[RecordKey, Finding], contest: Contested, state: EngineState
) -> tuple[Wait, ...]:
    """Return what would change the proposals. Records that are as requested or about to be written wait for nothing."""
    waits = [wait for found in findings.values() for wait in found.waits_for]
    waits += contest.waits_for
    waits += [
        Wait(Awaited.OBJECT, one.provenance.ref.key) for one in contest.remaining if isinstance(one, UnresolvedClaim)
    ]
    for owned in plan_input.current if plan_input.hidden else ():
        if (key := state.evidence.find_object(owned.resource)) and state.evidence.is_hidden(owned):
            waits += [Wait(Awaited.SYNC, key.kind), Wait(Awaited.OBJECT, key)]
    return tuple(waits)
