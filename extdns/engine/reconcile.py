"""Reconcile one DNS name with the zones that hold it.

Everything is planned first (`plan_name`; `zone_plan` has the steps), and stored at the end. If a step raises, the
evidence, grace period and queued changes of this name are dropped, and it gets a failure decision and a retry. Other
names are not affected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from extdns.engine.adjustments import AdjustmentUnknownError
from extdns.engine.decisions import ZoneWait
from extdns.engine.desired import build_candidates
from extdns.engine.ownership_zone import NO_SHARING, find_sharing_zones
from extdns.engine.retries import Failure
from extdns.engine.rule_review import attach_evaluations
from extdns.engine.zone_plan import Plan, plan_in_zone, read_owned
from extdns.errors import describe_error
from extdns.model.change import Action, Blocked, Decision
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.wait import ADJUSTMENT, PLAN, RULES, ZONES, Awaited, Wait
from extdns.planner.decide import Unfulfilled, block_proposals, decide, keep_records, reject_claim

if TYPE_CHECKING:
    from extdns.engine.state import EngineState
    from extdns.engine.zones import ZoneState
    from extdns.model.change import ChangeSet
    from extdns.model.claim import NameClaim
    from extdns.model.dns_name import DnsName
    from extdns.model.record import DesiredRecord, Record, RecordKey
    from extdns.planner.proposal import Proposal
    from extdns.rules.rule_input import RuleInput


_AWAITED: Final = {
    Reason.IN_GRACE: Awaited.GRACE,
    Reason.HELD: Awaited.APPROVAL,
    Reason.OTHER_CLUSTER: Awaited.APPROVAL,
    Reason.REFUSED: Awaited.RETRY,
    Reason.CONTENDED: Awaited.RETRY,
    Reason.ZONE_FORBIDDEN: Awaited.RETRY,
    Reason.WRITE_CONFLICT: Awaited.RETRY,
    Reason.TRY_LATER: Awaited.RETRY,
    Reason.NO_ANSWER: Awaited.RETRY,
    Reason.ZONE_UNREAD: Awaited.ZONE,
    Reason.RECORD_UNREADABLE: Awaited.ZONE,
}
"""By reason, what a decision waits for in addition to what its evidence waits for."""


_UNCHANGED: Final = frozenset({Action.KEEP, Action.NONE})


ZonePlan = tuple["ZoneState", "ZoneState | None", Plan]
"""A zone, the zone above it that holds the ownership records of the name (None if it holds them), and the plan."""


class NamePlan(Struct, gc=False):
    """The plans of one name in all its zones.

    Attributes:
        plans: the plans of the zones that can be planned now.
        decisions, waits: those of all zones together.
        unread: zones that must be fully read before the name can be planned in them.
        unadjusted: desired records that must be shown to the service before the name can be planned.
        sets: by zone, the change sets to queue there: those planned in it, and those of ownership records that it holds
            for zones below.
        inputs: the inputs of the rules that were evaluated.
        is_outside: whether filters exclude the name, or no zone in which names were ever planned can hold it.
    """

    plans: list[ZonePlan] = []
    decisions: list[Decision] = []
    waits: list[ZoneWait] = []
    unread: list[ZoneState] = []
    unadjusted: list[DesiredRecord] = []
    sets: dict[ZoneState, tuple[ChangeSet, ...]] = {}
    inputs: list[RuleInput] = []
    is_outside: bool = False


def reconcile(name: DnsName, state: EngineState, now_s: float) -> tuple[Decision, ...]:
    """Plan *name* in each of its zones, store the result, and return the decisions that are new."""
    try:
        return _store(name, plan_name(name, state, now_s), state, now_s)
    except Exception as exc:  # noqa: BLE001 - law 3: a failure of one name affects no other
        return _abandon(name, exc, state, now_s)


def should_gather(names: Collection[DnsName], state: EngineState) -> bool:
    """Return whether to plan *names* only after `gather_s`, together with other names.

    Names are gathered if a claim to them ended, because deletes are counted together and another object may request
    the name in the next event. They are also gathered while a batch is in flight in their zone, because their
    changes have to wait anyway.
    """
    if state.claims.have_ended(names):
        return True
    busy = [zone.zone.name for zone in state.zones if zone.queue.in_flight]
    return bool(busy) and any(name.within(zone) for name in names for zone in busy)


def plan_name(name: DnsName, state: EngineState, now_s: float) -> NamePlan:
    """Return the plan of *name* in all its zones, and store nothing.

    While a write of the name is in flight in a zone, the name is not planned again there, nor in the zones that
    share its ownership records: their decisions stay until the outcome makes the name dirty again.
    """
    claims, former = state.claims.claims(name), state.decisions.decisions(name)
    planned = NamePlan()
    if not state.settings.plan.domains.matches(name):
        planned.is_outside = True
        planned.decisions += _reject_all(name, claims, Reason.DOMAIN_FILTERED)
        return planned
    zones = state.zones.containing(name)
    if not zones:
        unknown = state.zones.unknown_accounts
        ever_planned = state.delete_guard.state.zones.values()
        planned.is_outside = not (unknown or any(name.within(zone.name) for zone in ever_planned))
        planned.decisions += _reject_all(name, claims, Reason.ZONES_UNKNOWN if unknown else Reason.NO_ZONE)
        planned.waits += [ZoneWait("", ZONES)] if claims else []
        return planned
    candidates = build_candidates(claims, state.settings.plan, state.claims.targetless_claims(name)) if claims else ()
    is_zone_name = bool(state.zones.find_by_name(name))
    for zone in zones:
        sharing = find_sharing_zones(state.zones, zone, name, state.settings.registry) if is_zone_name else NO_SHARING
        needed = (zone, *sharing.all)
        if unread := [one for one in needed if not one.cache.is_complete]:
            _wait_for_zone(unread[0], zone, name, claims, planned)
        elif any(one.queue.is_writing(name) for one in needed):
            planned.decisions += [decision for decision in former if decision.zone == zone.zone]
            planned.waits += [wait for wait in state.waits.waits(name) if wait.zone == zone.zone.id]
        else:
            try:
                plan = plan_in_zone(zone, sharing, name, claims, candidates, state)
            except AdjustmentUnknownError as unknown:
                _wait_for_adjustment(unknown.records, zone, name, claims, planned, state)
                continue
            planned.inputs += plan.review.inputs
            if plan.review.is_awaited:
                planned.waits.append(ZoneWait(zone.zone.id, RULES))
                planned.decisions += _select_unchanged(former, zone)
            else:
                planned.plans.append((zone, sharing.above, plan))
    _conclude_plans(name, planned, former, now_s)
    for zone in state.zones.find_former_zones(name, zones):
        planned.decisions += _keep_moved(zone, name, zones, state)
    return planned


def _keep_moved(zone: ZoneState, name: DnsName, homes: Iterable[ZoneState], state: EngineState) -> Iterable[Decision]:
    """Return decisions that keep the records of *name* in *zone*, because the name belongs to the zones *homes* now."""
    detail = f"the name belongs to {', '.join(str(home.zone) for home in homes)}"
    block = Blocked(reason=Reason.ZONE_MOVED, detail=detail)
    return decide(zone.zone, name, _keep_ours(zone, name, block, state))


def _keep_ours(zone: ZoneState, name: DnsName, block: Blocked, state: EngineState) -> tuple[Proposal, ...]:
    """Return proposals that keep our records of *name* in *zone* because of *block*."""
    registry = state.settings.registry
    read = read_owned(registry, zone.cache.records_around(name, registry.related_names(name)))
    ours = [owned for owned in read if owned.record.name == name and owned.is_ours]
    return keep_records(ours, block, state.settings.plan.managed_types)


def _conclude_plans(name: DnsName, planned: NamePlan, former: Sequence[Decision], now_s: float) -> None:
    """Add the combined change sets and the decisions to *planned*.

    A change that cannot be sent now is in its change set all the same; the decision about it says what it waits for.
    """
    planned.sets = _combine_sets(planned.plans)
    blocks = {zone: zone.queue.review(name, sets, now_s) for zone, sets in planned.sets.items() if sets}
    for zone, above, plan in planned.plans:
        proposals = _block_unsent(plan, blocks.get(zone), blocks.get(above) if above else None)
        decisions = plan.decisions or decide(
            zone.zone, name, proposals, plan.unfulfilled, merged=plan.merged, former=former
        )
        if plan.review.evaluations:
            decisions = attach_evaluations(decisions, plan.review.evaluations)
        planned.decisions += decisions
        zone_id = zone.zone.id
        planned.waits += [ZoneWait(zone_id, wait) for wait in plan.waits_for]
        for one in decisions:
            if one.action in _UNCHANGED and (awaited := _AWAITED.get(one.reason)):
                planned.waits.append(ZoneWait(zone_id, Wait(awaited, zone_id)))


def _block_unsent(plan: Plan, block: Blocked | None, block_above: Blocked | None) -> tuple[Proposal, ...]:
    """Return the proposals of *plan*, with blocks in place of the changes that cannot be sent now.

    Args:
        plan: the plan of a name in a zone.
        block: why no change of the name can be sent to the zone now, None if one can.
        block_above: why no change can be sent to the zone above that holds the ownership records of the name, None if
            one can.
    """
    if not (block or block_above):
        return plan.proposals
    blocks = {change.key: block for one in plan.sets for change in one.changes} if block else {}
    if block_above:
        blocks |= {change.key: block_above for one in plan.waiting for change in one.changes}
    return block_proposals(plan.proposals, blocks)


def _wait_for_zone(
    unread: ZoneState, zone: ZoneState, name: DnsName, claims: Sequence[NameClaim], planned: NamePlan
) -> None:
    """Record that planning *name* in *zone* waits until *unread* was fully read.

    If reading it failed, also add decisions that reject the claims.
    """
    planned.unread.append(unread)
    if unread.refresh.retry.failures:
        block = Blocked(reason=Reason.ZONE_UNREAD, detail="")
        planned.decisions += decide(zone.zone, name, (), [reject_claim(claim, block) for claim in claims])
    if claims:
        planned.waits.append(ZoneWait(zone.zone.id, Wait(Awaited.ZONE, unread.zone.id)))


def _wait_for_adjustment(
    records: Iterable[DesiredRecord],
    zone: ZoneState,
    name: DnsName,
    claims: Sequence[NameClaim],
    planned: NamePlan,
    state: EngineState,
) -> None:
    """Record that planning *name* in *zone* waits until the service was shown *records*.

    If the last request for *records* failed, add decisions that reject the claims and keep our records, with the error
    of that request. Otherwise add the former decisions, except changes: while an answer is awaited, none is queued.
    """
    planned.unadjusted += records
    planned.waits.append(ZoneWait(zone.zone.id, ADJUSTMENT))
    if block := state.adjustments.find_block(records):
        proposals = _keep_ours(zone, name, block, state)
        planned.decisions += decide(zone.zone, name, proposals, [reject_claim(claim, block) for claim in claims])
    else:
        planned.decisions += _select_unchanged(state.decisions.decisions(name), zone)


def _select_unchanged(former: Iterable[Decision], zone: ZoneState) -> list[Decision]:
    """Return the *former* decisions in *zone* that change nothing: while an answer is awaited, nothing is queued."""
    return [one for one in former if one.zone == zone.zone and one.action in _UNCHANGED]


def _store(name: DnsName, planned: NamePlan, state: EngineState, now_s: float) -> tuple[Decision, ...]:
    """Store what was *planned* for *name*; return the decisions that are new."""
    for zone, _, plan in planned.plans:
        if not plan.is_readable:
            state.delete_guard.drop_evidence(zone.zone, name, now_s, is_known=False)
            continue
        state.delete_guard.replace(
            zone.zone,
            name,
            plan.deletes,
            now_s,
            current=plan.current,
            requested=plan.requested,
            is_known=zone.is_fully_known(name),
        )
    _store_leftovers(name, planned)
    for zone, sets in planned.sets.items():
        zone.queue.replace(name, sets, now_s)
    for zone in planned.unread:
        zone.names_awaiting_read.add(name)
    if planned.unadjusted:
        state.adjustments.require(planned.unadjusted)
    _store_waits(name, planned.waits, state, now_s)
    if planned.inputs:
        state.rules.store_evaluation_time(now_s)
    if state.rules.has_server:
        state.rules.require(name, planned.inputs)
    if state.plan_retries.by_name:
        state.plan_retries.remove(name, Failure.PLANNING)
    if state.claims.have_ended((name,)) and _is_decided_everywhere(name, planned, state):
        state.claims.forget_ended(name, set(_list_needed_ends(planned, state)))
    return state.decisions.replace(name, planned.decisions)


def _is_decided_everywhere(name: DnsName, planned: NamePlan, state: EngineState) -> bool:
    """Return whether no zone can hold a record at *name* that was not seen while it was planned."""
    zones = state.zones.containing(name)
    return planned.is_outside or bool(planned.plans and all(zone.is_fully_known(name) for zone in zones))


def _list_needed_ends(planned: NamePlan, state: EngineState) -> Iterator[tuple[str, str]]:
    """Yield set identifier and resource of each claim whose end can still be evidence for deleting a record of ours."""
    missing = [
        wait.about for _, wait in planned.waits if wait.what is Awaited.ANSWER and isinstance(wait.about, ObjectKey)
    ]
    for one in planned.decisions:
        if one.current is None or not one.current.is_ours:
            continue
        identifier, resource = one.current.record.set_identifier, state.evidence.normalize_resource(one.current)
        if resource or one.desired is None:
            yield identifier, resource
        # once nobody requests it, it may be deleted only if none of these objects exists
        yield from ((identifier, former) for former in state.evidence.list_possible_requesters(one.current))
        for key in missing:
            yield identifier, key.resource


def _combine_sets(plans: Sequence[ZonePlan]) -> dict[ZoneState, tuple[ChangeSet, ...]]:
    """Return by zone the change sets of one name to queue there.

    They are those planned in the zone, and those of ownership records that it holds for zones below
    (`Plan.sets_above`), each once: if several zones hold one name, they use the same ownership records. The zone above
    can also be one of the zones that hold the name: a public zone above a private one.
    """
    sets = {zone: plan.sets for zone, _, plan in plans}
    below: dict[ZoneState, list[ChangeSet]] = {}
    for _, above, plan in plans:
        if above:
            below.setdefault(above, []).extend(plan.sets_above)
    for above, found in below.items():
        own = sets.get(above, ())
        written = {write.key for one in own for write in one.writes}
        added: dict[RecordKey, ChangeSet] = {}
        for one in found:
            key = one.writes[0].key
            if key not in written:
                added.setdefault(key, one)
        sets[above] = (*own, *added.values())
    return sets


def _store_leftovers(name: DnsName, planned: NamePlan) -> None:
    """Store the leftover ownership records of *name* in the zones above."""
    leftovers: dict[ZoneState, list[Record]] = {}
    for _, above, plan in planned.plans:
        if above:
            leftovers.setdefault(above, []).extend(plan.leftovers)
    for above, found in leftovers.items():
        above.leftovers.pop(name, None)
        if found:
            above.leftovers[name] = tuple(dict.fromkeys(found))


def _store_waits(name: DnsName, waits: Iterable[ZoneWait], state: EngineState, now_s: float) -> None:
    """Replace the waits of *name*, and schedule the GET requests that they need."""
    found = tuple(waits)
    for ended in state.waits.replace(name, found):
        if ended.what is Awaited.OBJECT and isinstance(ended.about, ObjectKey):
            state.checks.forget(ended.about)
    for _, wait in found:
        if wait.what is Awaited.ANSWER and isinstance(wait.about, ObjectKey):
            state.checks.require(wait.about, now_s)


def _abandon(name: DnsName, exc: Exception, state: EngineState, now_s: float) -> tuple[Decision, ...]:
    """Drop the evidence, grace period and queued changes of *name*, and plan it again after a pause."""
    for zone in state.zones.containing(name):
        zone.queue.discard(name)
        state.delete_guard.drop_evidence(zone.zone, name, now_s, is_known=zone.is_fully_known(name))
    state.plan_retries.record_failure(name, Failure.PLANNING, now_s)
    _store_waits(name, (ZoneWait("", PLAN),), state, now_s)
    decisions = _reject_all(name, state.claims.claims(name), Reason.OBJECT_FAILED, describe_error(exc))
    nobody = Unfulfilled(
        set_identifier="",
        desired=None,
        requested_by=(),
        block=Blocked(reason=Reason.OBJECT_FAILED, detail=describe_error(exc)),
    )
    return state.decisions.replace(name, decisions or decide(None, name, (), (nobody,)))


def _reject_all(name: DnsName, claims: Iterable[NameClaim], reason: Reason, detail: str = "") -> tuple[Decision, ...]:
    block = Blocked(reason=reason, detail=detail)
    return decide(None, name, (), [reject_claim(claim, block) for claim in claims])
