"""Forty Services in one namespace with their published records, for tests that delete some of them."""

from __future__ import annotations

from typing import Final

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.effects import Effect, LoadState
from extdns.engine.inputs import Cause, Observed, TimePassed
from extdns.model.record import Record
from tests.builders import INGRESS, SERVICE, change_phase, combine, observe_gone, observe_new, owned
from tests.world import World, build_world, start_world

DELETES: Final = DeleteSettings(owner="me", grace_s=60.0)
NAMES: Final = [f"h{number:02}" for number in range(40)]
WITHIN_BUDGET: Final = 12  # 30 % of forty


def build_records(*names: str) -> list[Record]:
    """Build a record of ours and its ownership record for each of *names*; its resource is the Service of that name."""
    return [one for name in names for one in owned(name, resource=f"service/shop/{name}")]


def run_forty(**changes: object) -> World:
    """Start a process with forty Services and their records; *changes* replace single settings of the engine."""
    return start_world(*build_records(*NAMES), first=[observe_new(*NAMES)], deletes=DELETES, **changes)


def delete_services(*names: str, cause: Cause = Cause.DELETED) -> Observed:
    """Build the observation that the Services *names* were deleted or, for another *cause*, are missing from a list."""
    return combine(*(observe_gone(name, cause) for name in names))


def start_without_answer(*records: Record, **changes: object) -> World:
    """Start a process that has observed the forty Services, and has no answer to its request to load the state."""
    settings = {"deletes": DELETES, "has_state_store": True, "settings_digest": "today", **changes}
    world = build_world(*(records or build_records(*NAMES)), **settings)  # type: ignore[arg-type]
    world.feed(observe_new(*NAMES))
    for effect in [one for one in world.waiting if isinstance(one, LoadState)]:
        world.waiting.remove(effect)
    return world


def restart_with(before: World, names: list[str]) -> World:
    """Return the next process, with the Services *names* and their records."""
    world = build_world(*build_records(*names), deletes=DELETES, has_state_store=True)
    world.state, world.now_s = before.state, before.now_s
    world.run(observe_new(*names), change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    return world


def run_up_to(world: World, kind: type[Effect]) -> None:
    """Carry out effects and let time pass until an effect of *kind* is the next one."""
    while not (found := [effect for effect in world.waiting if isinstance(effect, kind)]):
        if world.waiting:
            world.feed(world.answer())
        else:
            assert world.wake_s is not None
            world.now_s = max(world.now_s, world.wake_s)
            world.feed(TimePassed())
    world.waiting.remove(found[0])
    world.waiting.appendleft(found[0])
