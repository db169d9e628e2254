"""Check that each wait of a decision can end: something under way leads to its end.

See docs/design/architecture.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import assert_never

from extdns.engine.decisions import CHANGING, ZoneWait
from extdns.engine.effects import CheckExistence
from extdns.engine.engine import Engine
from extdns.engine.inputs import ExistenceChecked, Input
from extdns.engine.parent_zones import find_sharing_zones
from extdns.engine.write_queue import WriteQueue
from extdns.engine.zones import ZoneState
from extdns.model.change import Awaited, Decision
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import Reason
from tests.world import World

# A decision with one of these reasons must wait for one of these things; otherwise it would never change.
MOMENTARY = {
    Reason.ABSENCE_UNCONFIRMED: {Awaited.ANSWER},
    Reason.SOURCE_DOWN: {Awaited.SYNC},
    Reason.OBJECT_FAILED: {Awaited.OBJECT, Awaited.COMPUTED, Awaited.PLAN},
    Reason.IN_GRACE: {Awaited.GRACE},
    Reason.HELD: {Awaited.APPROVAL},
    Reason.ZONE_UNREAD: {Awaited.ZONE},
    Reason.ZONES_UNKNOWN: {Awaited.ZONES},
    Reason.ZONE_GONE: {Awaited.ZONES},
    Reason.RECORD_UNREADABLE: {Awaited.ZONE},
    Reason.NO_ADDRESS: {Awaited.OBJECT},
    Reason.WRITE_CONFLICT: {Awaited.RETRY},
    Reason.TRY_LATER: {Awaited.RETRY, Awaited.ADJUSTMENT},
    Reason.NO_ANSWER: {Awaited.RETRY},
    Reason.REFUSED: {Awaited.RETRY},
    Reason.ZONE_FORBIDDEN: {Awaited.RETRY},
    Reason.CONTENDED: {Awaited.RETRY},
}


def check_waits(engine: Engine, world: World, answers: Iterable[Input]) -> None:
    """Check the waits of every name that is not about to be planned.

    Args:
        engine: after any step.
        world: has the calls that the engine requested and that are not made yet.
        answers: inputs that the engine has not received yet.
    """
    under_way = {effect.key for effect in world.waiting if isinstance(effect, CheckExistence)}
    under_way |= {item.key for item in answers if isinstance(item, ExistenceChecked)}
    for name, decisions in engine.decisions.by_name():
        if name in engine._dirty or any(name in found for found in engine._written.values()):
            continue
        busy = {zone_state.zone.id for zone_state in engine.zones if _is_writing(engine, zone_state, name)}
        waits = engine._waits.waits(name)
        for decision in decisions:
            if decision.zone and decision.zone.id in busy:
                continue
            _check_decision(engine, decision, {one.wait.what for one in waits})
        for one in waits:
            if one.zone in busy:
                continue
            assert name in engine._waits.names(one.wait), f"{name} is not planned again when {one.wait} ends"
            is_called = bool(world.waiting or answers)
            assert _can_come(engine, world, name, one, under_way, is_called=is_called), (
                f"{name} waits for {one.wait}, which cannot end"
            )


def _check_decision(engine: Engine, decision: Decision, awaited: set[Awaited]) -> None:
    if decision.action not in CHANGING:
        expected = MOMENTARY.get(decision.reason)
        assert expected is None or awaited & expected, f"{decision} waits for {sorted(awaited)}"
    elif engine.leadership.is_leader and decision.zone and (state := engine.zones.find(decision.zone)):
        assert any(_is_queued(queue, decision.name) for queue in _queues_of(engine, state, decision.name)), (
            f"{decision} is not queued"
        )


def _can_come(
    engine: Engine, world: World, name: DnsName, zone_wait: ZoneWait, under_way: set[ObjectKey], *, is_called: bool
) -> bool:
    zone_id, wait = zone_wait
    match wait.what:
        case Awaited.ANSWER:
            assert isinstance(wait.about, ObjectKey)
            return _is_requested(engine, world, wait.about, under_way)
        case Awaited.SYNC:
            assert isinstance(wait.about, Kind)
            down = {*engine._phases.down, *engine._phases.dependencies_down}
            return wait.about in down or wait.about.name in {kind for kind, _ in engine.readiness.find_missing()}
        case Awaited.OBJECT | Awaited.COMPUTED:
            return True  # objects may change at any time; then the name is planned, see above
        case Awaited.GRACE:
            return _is_timed(engine, world, name, zone_id)
        case Awaited.APPROVAL:
            guard = engine.delete_guard
            is_code_due = bool(guard.entries.changed)  # once all dirty names are planned
            return any(one.held for one in guard.held_sets()) or guard.has_any_unread or is_code_due
        case Awaited.ZONE | Awaited.ZONES | Awaited.ADJUSTMENT:
            return engine.find_next(world.now_s) is not None or is_called
        case Awaited.RETRY:
            return any(
                _is_retried(engine, zone_id, name) for zone_state in engine.zones if zone_state.zone.id == zone_id
            )
        case Awaited.RULES:
            return engine.rules.awaits_answers
        case Awaited.PLAN:
            return name in engine._plan_retries.by_name
        case _:
            assert_never(wait.what)


def _is_timed(engine: Engine, world: World, name: DnsName, zone_id: str) -> bool:
    """Return whether a delete at *name* has a timer that wakes the engine in time, or waits for saved state."""
    state_sync, guard = engine._state_sync, engine.delete_guard
    if not state_sync.is_ready:
        return True  # nothing is decided before the state was loaded, or by a standby
    entries = [
        one for one in guard.entries if one.delete and one.zone_id == zone_id and one.delete.owned.record.name == name
    ]
    if any(entry.is_granted for entry in entries):
        return state_sync.is_busy(world.now_s) or guard.next_deadline_at < math.inf
    at_s = min((entry.timer_at for entry in entries), default=math.inf)
    return at_s < math.inf and (at_s <= world.now_s or (world.wake_s is not None and world.wake_s <= at_s))


def _is_requested(engine: Engine, world: World, key: ObjectKey, under_way: set[ObjectKey]) -> bool:
    """Return whether a GET is scheduled, with a deadline that wakes the engine, or under way, or waits for others."""
    checks = engine._checks
    if (due_s := checks.scheduled.get(key)) is not None:
        return due_s <= world.now_s or (world.wake_s is not None and world.wake_s <= due_s)
    return key in under_way or (key in checks._answers and bool(checks.under_way))


def _is_retried(engine: Engine, zone_id: str, name: DnsName) -> bool:
    state = next(zone_state for zone_state in engine.zones if zone_state.zone.id == zone_id)
    return any(name in queue.retries.by_name or _is_queued(queue, name) for queue in _queues_of(engine, state, name))


def _is_writing(engine: Engine, zone_state: ZoneState, name: DnsName) -> bool:
    """Return whether a write of *name* in a zone is in flight: its outcome plans the name again."""
    return any(queue.is_writing(name) for queue in _queues_of(engine, zone_state, name))


def _is_queued(queue: WriteQueue, name: DnsName) -> bool:
    return name in queue.queued or queue.is_writing(name) or name in queue.reads.names


def _queues_of(engine: Engine, zone_state: ZoneState, name: DnsName) -> list[WriteQueue]:
    """Return the queues whose writes of *name* a decision about it in a zone may wait for.

    The name of a zone waits for all zones that have ownership records in common with it.
    """
    sharing = find_sharing_zones(engine.zones, zone_state, name, engine.settings.registry)
    return [one.queue for one in (zone_state, *sharing)]
