"""Reconcile one DNS name with the zones that hold it.

Everything is planned first, in each zone by a pure function of what is gathered for the name (`plan_name`), and stored
at the end. If a step raises, the evidence, grace period and queued changes of this name are dropped, and it gets a
failure decision and a retry. Other names are not affected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from extdns.engine.decisions import ZoneWait
from extdns.engine.gather import gather_facts, gather_former_view, gather_view
from extdns.engine.parent_zones import find_sharing_zones, shares_ownership
from extdns.engine.retries import Failure
from extdns.errors import describe_error
from extdns.model.change import (
    ADJUSTMENT,
    PLAN,
    RETRY,
    RULES,
    ZONES,
    Action,
    Awaited,
    Blocked,
    ChangeSet,
    Decision,
    Wait,
    Write,
)
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Category, Reason, select_reasons
from extdns.planner.decide import Unfulfilled, decide, reject_claim
from extdns.planner.desired import AdjustmentUnknownError
from extdns.planner.plan_name import NamePlan, plan_name
from extdns.planner.settings import Policy

if TYPE_CHECKING:
    from extdns.engine.parts import EngineParts
    from extdns.engine.zones import ZoneState
    from extdns.model.claim import NameClaim
    from extdns.model.dns_name import DnsName
    from extdns.model.record import Record, RecordKey
    from extdns.model.zone import Zone
    from extdns.planner.view import NameView
    from extdns.rules.rule_input import RuleInput


_UNCHANGED: Final = frozenset({Action.KEEP, Action.NONE})
_UNDECIDED: Final = select_reasons(Category.UNDECIDED)


class ZonePlan(NamedTuple):
    """The plan of one name in one zone."""

    zone_state: ZoneState
    view: NameView
    plan: NamePlan


class Planned(Struct, gc=False):
    """What was planned for one name in all its zones.

    Attributes:
        plans: the plans of the zones that can be planned now.
        decisions, waits: those of all zones together.
        unread: zones that must be fully read before the name can be planned to its end.
        unsure: zones that the name shares ownership records with, and whose writes got no answer. They are read before
            anything is queued.
        sets: by zone, the change sets to queue there, also those of ownership records that it holds for zones below.
        inputs: the inputs of the rules that were evaluated.
        unjudged: the ids of the zones in which a record at the name is or may be ours, as far as is known nobody
            requests it, and nothing proves that it may go.
        is_outside: whether filters exclude the name, or no zone in which names were ever planned can hold it.
    """

    plans: list[ZonePlan] = []
    decisions: list[Decision] = []
    waits: list[ZoneWait] = []
    unread: list[ZoneState] = []
    unsure: list[ZoneState] = []
    sets: dict[ZoneState, tuple[ChangeSet, ...]] = {}
    inputs: list[RuleInput] = []
    unjudged: set[str] = set()
    is_outside: bool = False


def reconcile(name: DnsName, parts: EngineParts, now_s: float) -> tuple[Decision, ...]:
    """Plan *name* in each of its zones, store the result, and return the decisions that are new."""
    try:
        return _store(name, plan_in_zones(name, parts, now_s), parts, now_s)
    except Exception as exc:  # noqa: BLE001 - law 3: a failure of one name affects no other
        return _abandon(name, exc, parts, now_s)


def should_wait_for_others(names: Collection[DnsName], parts: EngineParts) -> bool:
    """Return whether to plan *names* only after `wait_for_others_s`, together with other names.

    They wait if a claim to them ended, because deletes are counted together and another object may request the name
    in the next event. They also wait while a batch is in flight in their zone, because their changes have to wait
    anyway.
    """
    if parts.claims.have_ended(names):
        return True
    busy = [zone_state.zone.name for zone_state in parts.zones if zone_state.queue.in_flight]
    return bool(busy) and any(name.within(zone) for name in names for zone in busy)


def plan_in_zones(name: DnsName, parts: EngineParts, now_s: float) -> Planned:
    """Return the plan of *name* in all its zones, and store nothing but which records to show to the service.

    While a write of the name is in flight in a zone, the name is not planned again there, nor in the zones that
    share its ownership records: their decisions stay until the outcome makes the name dirty again.
    """
    claims, former = parts.claims.claims(name), parts.decisions.decisions(name)
    planned = Planned()
    if not parts.settings.plan.domains.matches(name):
        planned.is_outside = True
        planned.decisions += _reject_all(name, claims, Reason.DOMAIN_FILTERED)
        return planned
    zones = parts.zones.containing(name)
    if not zones:
        unknown = parts.zones.unknown_accounts
        ever_planned = parts.delete_guard.zones.values()
        planned.is_outside = not (unknown or any(name.within(zone.name) for zone in ever_planned))
        planned.decisions += _reject_all(name, claims, Reason.ZONES_UNKNOWN if unknown else Reason.NO_ZONE)
        planned.waits += [ZoneWait("", ZONES)] if claims else []
        return planned
    for zone_state in zones:
        sharing = find_sharing_zones(parts.zones, zone_state, name, parts.settings.registry)
        needed = (zone_state, *sharing)
        if doubtful := [one for one in needed if not one.is_fully_known(name)]:
            planned.unjudged.add(zone_state.zone.id)
            if unread := [one for one in doubtful if not one.cache.is_complete]:
                _wait_for_zone(unread[0], zone_state, name, claims, planned)
                continue
            planned.unsure += [one for one in sharing if one.queue.is_unsure(name)]
            if any(one.queue.is_writing(name) for one in doubtful):
                planned.decisions += [decision for decision in former if decision.zone == zone_state.zone]
                planned.waits += [wait for wait in parts.waits.waits(name) if wait.zone == zone_state.zone.id]
                continue
        view = gather_view(zone_state, sharing, name, parts, claims=claims, former=former)
        _plan_in_zone(zone_state, view, planned, parts)
    planned.sets = _combine_sets(name, planned, zones, parts)
    _block_delayed(name, planned, parts, now_s)
    for zone_state, _, plan in planned.plans:
        planned.decisions += plan.decisions
        planned.waits += [ZoneWait(zone_state.zone.id, wait) for wait in plan.waits_for]
    for zone_state in parts.zones.find_former_zones(name, zones):
        _, plan = _plan(gather_former_view(zone_state, name, zones, parts), parts)
        planned.decisions += plan.decisions
        if _is_unjudged(plan):
            planned.unjudged.add(zone_state.zone.id)
    return planned


def _plan_in_zone(zone_state: ZoneState, view: NameView, planned: Planned, parts: EngineParts) -> None:
    """Plan the name of *view*, and add the plan to *planned*. If an answer is awaited, add what that means for it."""
    try:
        view, plan = _plan(view, parts)
    except AdjustmentUnknownError:
        planned.waits.append(ZoneWait(zone_state.zone.id, ADJUSTMENT))
        if block := parts.adjustments.find_block():
            planned.decisions += _plan(replace(view, block=block), parts)[1].decisions
        else:
            planned.decisions += _select_unchanged(view)
        planned.unjudged.add(zone_state.zone.id)
        return
    planned.inputs += plan.rule_inputs
    if plan.is_awaiting_rules:
        planned.waits.append(ZoneWait(zone_state.zone.id, RULES))
        planned.decisions += _select_unchanged(view)
        planned.unjudged.add(zone_state.zone.id)
    else:
        if _is_unjudged(plan) or _may_be_misread(view, parts):
            planned.unjudged.add(zone_state.zone.id)
        planned.plans.append(ZonePlan(zone_state, view, plan))


def _is_unjudged(plan: NamePlan) -> bool:
    """Return whether a record of ours stays, no object of its namespace requests it, and nothing proves its end.

    A record that is kept until more is known is not judged either, whoever requests it.
    """
    judged = plan.requested | {delete.owned.key for delete in plan.deletes}
    return any(
        one.reason in _UNDECIDED or one.current.key not in judged
        for one in plan.decisions
        if one.action is Action.KEEP and one.current and one.current.is_ours
    )


def _may_be_misread(view: NameView, parts: EngineParts) -> bool:
    """Return whether a record may be ours although it seems foreign, because its ownership record was not read.

    That cannot be parsed, or may be in a parent zone that is not listed now.
    """
    if view.block and view.block.reason is Reason.RECORD_UNREADABLE:
        return True
    is_apex = view.zone.name == view.name
    if not (is_apex and view.lacks_ownership_name) or all(owned.is_ours for owned in view.current):
        return False
    above = {zone for zone in parts.delete_guard.zone_names.values() if view.name.within(zone)} - {view.name}
    return bool(parts.zones.unknown_accounts or above)


def _plan(view: NameView, parts: EngineParts) -> tuple[NameView, NamePlan]:
    """Plan the name of *view*. Gather its facts if they are needed, and return the view with them, too."""
    plan = plan_name(view, parts.planner)
    if plan is None:
        view = gather_facts(view, parts)
        plan = plan_name(view, parts.planner)
    assert plan  # noqa: S101 - nothing but facts is ever needed
    return view, plan


def _block_delayed(name: DnsName, planned: Planned, parts: EngineParts, now_s: float) -> None:
    """Plan *name* again where its changes cannot be sent now, so that the decisions say why.

    These changes stay in the change sets all the same.
    """
    pauses = {
        (zone_state.zone.id, write.key): replace(blocks[one.key], waits_for=(RETRY,))
        for zone_state, sets in planned.sets.items()
        if sets and (blocks := zone_state.queue.review(name, sets, now_s))
        for one in sets
        if one.key in blocks
        for write in one.writes
    }
    if pauses:
        planned.plans = [ZonePlan(zone, *_plan(replace(view, pauses=pauses), parts)) for zone, view, _ in planned.plans]


def _wait_for_zone(
    unread: ZoneState, zone_state: ZoneState, name: DnsName, claims: Sequence[NameClaim], planned: Planned
) -> None:
    """Record that planning *name* in the zone of *zone_state* waits until *unread* was fully read.

    If reading it failed, also add decisions that reject the claims.
    """
    planned.unread.append(unread)
    if unread.refresh.retry.failures:
        block = Blocked(reason=Reason.ZONE_UNREAD, detail="")
        planned.decisions += decide(zone_state.zone, name, (), [reject_claim(claim, block) for claim in claims])
    if claims:
        planned.waits.append(ZoneWait(zone_state.zone.id, Wait(Awaited.ZONE, unread.zone.id)))


def _select_unchanged(view: NameView) -> list[Decision]:
    """Return the last decisions about a name that change nothing: while an answer is awaited, nothing is queued."""
    return [one for one in view.former if one.zone == view.zone and one.action in _UNCHANGED]


def _store(name: DnsName, planned: Planned, parts: EngineParts, now_s: float) -> tuple[Decision, ...]:
    """Store what was *planned* for *name*; return the decisions that are new."""
    _store_plans(name, planned.plans, parts, now_s)
    for zone_state, sets in planned.sets.items():
        zone_state.queue.replace(name, () if planned.unsure else sets, now_s)
    for zone_state in planned.unread:
        zone_state.names_awaiting_read.add(name)
    _store_waits(name, planned.waits, parts, now_s)
    if planned.inputs:
        parts.rules.store_evaluation_time(now_s)
    if parts.rules.has_server:
        parts.rules.require(name, planned.inputs)
    parts.plan_retries.remove(name, Failure.PLANNING)
    if parts.claims.have_ended((name,)) and _is_decided_everywhere(name, planned, parts):
        parts.claims.forget_ended(name, set(_list_needed_ends(name, planned, parts)))
    parts.decisions.replace_unjudged(name, planned.unjudged)
    return parts.decisions.replace(name, planned.decisions)


def _store_plans(name: DnsName, plans: Iterable[ZonePlan], parts: EngineParts, now_s: float) -> None:
    """Store in the delete guard what was planned for *name* in each zone."""
    is_shared = shares_ownership(parts.zones, name, parts.settings.registry)
    for zone_state, view, plan in plans:
        if _may_be_misread(view, parts):
            parts.delete_guard.drop_evidence(zone_state.zone, name, now_s, is_known=False)
            continue
        is_known = zone_state.is_fully_known(name)
        if is_known:
            zone_state.queue.record_plan(name, is_requested=bool(view.claims))
        if is_shared and parts.leadership.is_leader and is_known and not zone_state.refresh.reads_all:
            zone_state.seen[name] = frozenset(owned.key for owned in view.current)
            if not (view.current or view.claims or view.leftovers or parts.zones.find_by_name(name)):
                del zone_state.seen[name]  # of names that come and go there is no end
        parts.delete_guard.observe(
            zone_state.zone,
            name,
            plan.deletes,
            now_s,
            current=view.current,
            requested=plan.requested,
            is_known=is_known,
        )
        if not view.block:
            parts.delete_guard.merged.observe(zone_state.zone.id, name, plan.decisions)


def _is_decided_everywhere(name: DnsName, planned: Planned, parts: EngineParts) -> bool:
    """Return whether no zone can hold a record at *name* that was not seen while it was planned."""
    zones = parts.zones.containing(name)
    return planned.is_outside or bool(planned.plans and all(zone_state.is_fully_known(name) for zone_state in zones))


def _list_needed_ends(name: DnsName, planned: Planned, parts: EngineParts) -> Iterator[tuple[str, str]]:
    """Yield set identifier and resource of each claim whose end can still be evidence for deleting a record of ours."""
    missing = {
        wait.about for _, wait in planned.waits if wait.what is Awaited.ANSWER and isinstance(wait.about, ObjectKey)
    }
    identifiers: set[str] = set()
    for one in planned.decisions:
        if one.current is None or not one.current.is_ours:
            continue
        identifier, resource = one.current.record.set_identifier, parts.planner.normalize_resource(one.current)
        if resource or one.desired is None:
            yield identifier, resource
        identifiers.add(identifier)
        for key in missing:
            yield identifier, key.resource
    # once nobody requests a record, it may be deleted only if none of these objects exists
    yield from _list_possible_requesters(name, identifiers, parts)


def _list_possible_requesters(
    name: DnsName, identifiers: Collection[str], parts: EngineParts
) -> Iterator[tuple[str, str]]:
    """Yield set identifier and resource of ended claims whose objects may still request a record of ours at *name*.

    *identifiers* are the set identifiers of these records.

    Either a list lacked the object when its claim ended, or lacks one that its claims depend on; or the end of a claim
    is not evidence.
    """
    for (identifier, resource), end in parts.claims.list_ended(name).items():
        if identifier not in identifiers:
            continue
        key = parts.planner.find_object(resource)
        in_doubt = isinstance(end, Blocked) or end is Evidence.ABSENT
        if in_doubt or (key is not None and parts.claims.missing_dependencies(key)):
            yield identifier, resource


def _combine_sets(
    name: DnsName, planned: Planned, zones: Iterable[ZoneState], parts: EngineParts
) -> dict[ZoneState, tuple[ChangeSet, ...]]:
    """Return by zone the change sets of *name* to queue there, () for a planned zone or its parent without any.

    Each ownership record is written once: several zones of one name use the same ones in the parent zone. That can
    also be a zone of the name: the public parent zone of a private one.
    """
    plans = planned.plans
    if len(plans) == 1 and not (plans[0].view.parent or planned.unsure):  # nearly every name
        return {plans[0].zone_state: plans[0].plan.sets}
    sets: dict[ZoneState, tuple[ChangeSet, ...]] = dict.fromkeys(planned.unsure, ())
    for zone_state, view, _ in plans:
        sets[zone_state] = ()
        if view.parent and (parent := parts.zones.find(view.parent)):
            sets.setdefault(parent, ())
    leftovers = _delete_leftovers(name, planned, zones, parts)
    found = [*(one for _, _, plan in plans for one in plan.sets), *leftovers]
    found.sort(key=lambda one: not one.changes)  # those of ownership records alone come last
    for zone_state in sets:
        taken: list[ChangeSet] = []
        written: set[RecordKey] = set()
        for one in found:
            keys = {write.key for write in one.writes}
            if one.zone.id == zone_state.zone.id and (one.changes or written.isdisjoint(keys)):
                taken.append(one)
                written |= keys
        sets[zone_state] = tuple(taken)
    return sets


def _delete_leftovers(
    name: DnsName, planned: Planned, zones: Iterable[ZoneState], parts: EngineParts
) -> list[ChangeSet]:
    """Return change sets that delete the leftover ownership records of *name* in the parent zones of its *zones*.

    They are deleted once nothing else is to be done at the name, and all of its records are known: a new leader reads
    the zones first.
    """
    leftovers: list[tuple[Zone, Record]] = []
    for _, view, _ in planned.plans:
        if view.leftovers:
            leftovers += product([view.parent or view.zone], view.leftovers)
    if not leftovers or parts.planner.settings.policy is not Policy.SYNC:
        return []
    if unread := [zone_state for zone_state in zones if zone_state.refresh.reads_all]:
        planned.unread += unread
        return []
    found = [zone_state for zone_state, _, _ in planned.plans]
    is_known = all(zone_state in found and zone_state.is_fully_known(name) for zone_state in zones)
    if not is_known or _may_have_unlisted_zone(name, parts):
        return []
    if parts.delete_guard.cluster.is_other or any(map(_has_work, planned.plans)):
        return []
    return [
        ChangeSet(zone=parent, name=name, changes=(), writes=(Write(old=record, new=None),))
        for parent, record in leftovers
    ]


def _may_have_unlisted_zone(name: DnsName, parts: EngineParts) -> bool:
    """Return whether a zone that is not listed may have the name *name*: an ownership record can cover its records."""
    zones, guard = parts.zones, parts.delete_guard
    listed = {zone_state.zone.id for zone_state in zones}
    unlisted = {zone_name for zone_id, zone_name in guard.zone_names.items() if zone_id not in listed}
    return bool(zones.unknown_accounts) or name in unlisted.union(zones.excluded)


def _has_work(one: ZonePlan) -> bool:
    """Return whether a change is planned, or found to be too large only since its ownership record exists."""
    is_too_large = any(it.reason is Reason.TOO_LARGE for it in one.plan.decisions)
    return bool(one.view.block or one.plan.sets or is_too_large)


def _store_waits(name: DnsName, waits: Sequence[ZoneWait], parts: EngineParts, now_s: float) -> None:
    """Replace the waits of *name*, and schedule the GET requests that they need."""
    for ended in parts.waits.replace(name, waits):
        if ended.what is Awaited.OBJECT and isinstance(ended.about, ObjectKey):
            parts.checks.forget(ended.about)
    for _, wait in waits:
        if wait.what is Awaited.ANSWER and isinstance(wait.about, ObjectKey):
            parts.checks.require(wait.about, now_s)


def _abandon(name: DnsName, exc: Exception, parts: EngineParts, now_s: float) -> tuple[Decision, ...]:
    """Drop the evidence, grace period and queued changes of *name*, and plan it again after a pause."""
    zones = parts.zones.containing(name)
    parts.decisions.replace_unjudged(name, {zone_state.zone.id for zone_state in zones})
    for zone_state in zones:
        zone_state.queue.discard(name)
        parts.delete_guard.drop_evidence(zone_state.zone, name, now_s, is_known=zone_state.is_fully_known(name))
    parts.plan_retries.record_failure(name, Failure.PLANNING, now_s)
    _store_waits(name, (ZoneWait("", PLAN),), parts, now_s)
    decisions = _reject_all(name, parts.claims.claims(name), Reason.OBJECT_FAILED, describe_error(exc))
    nobody = Unfulfilled(
        set_identifier="",
        desired=None,
        requested_by=(),
        block=Blocked(reason=Reason.OBJECT_FAILED, detail=describe_error(exc)),
    )
    return parts.decisions.replace(name, decisions or decide(None, name, (), (nobody,)))


def _reject_all(name: DnsName, claims: Iterable[NameClaim], reason: Reason, detail: str = "") -> tuple[Decision, ...]:
    block = Blocked(reason=reason, detail=detail)
    return decide(None, name, (), [reject_claim(claim, block) for claim in claims])
