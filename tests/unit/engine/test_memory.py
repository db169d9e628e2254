"""Memory of the engine depends on the present objects and records, not on former ones."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FunctionType, MethodType

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Cause, TimePassed
from extdns.engine.settings import EngineSettings
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from tests.builders import (
    PLAN,
    build_claim,
    build_unresolved,
    observe,
    observe_gone,
)
from tests.fakes.faulty import NoAnswer
from tests.world import World, start_published, start_world


def count_entries(root: object) -> int:
    """Return how many entries the dicts, sets and sequences that can be reached from *root* have in sum.

    Settings and functions are left out: they lead to the registry, which has caches.
    """
    seen_ids: set[int] = set()
    waiting, count = [root], 0
    while waiting:
        found = waiting.pop()
        if id(found) in seen_ids or isinstance(
            found, type | str | int | float | EngineSettings | FunctionType | MethodType
        ):
            continue
        seen_ids.add(id(found))
        if isinstance(found, dict | set | frozenset | list | tuple):
            count += len(found)
        waiting += [one for one in gc.get_referents(found) if not isinstance(one, type(sys))]
    return count


def list_state(world: World) -> list[object]:
    """Return the parts of the engine that store state."""
    engine = world.engine
    observed = [engine._checks, engine._waits, engine._plan_retries, engine._phases, engine.problems]
    return [engine.claims, engine.zones, engine.decisions, engine._dirty, *observed]


def has_grown(world: World, live: Callable[[int], None]) -> bool:
    """Return whether the engine stores more after the third call of *live* than after the second."""
    sizes = []
    for number in range(3):
        live(number)
        world.run(for_s=900.0)
        world.provider.submissions.clear()
        sizes.append(count_entries(list_state(world)))
    return sizes[1] != sizes[2]


@pytest.mark.parametrize("cause", [Cause.DELETED, Cause.MISSING])
def test_memory_does_not_grow_while_objects_come_and_go(cause: Cause) -> None:
    world = start_published()

    def live(number: int) -> None:
        name = f"n{number}"
        for claim in (build_claim(name, name), build_unresolved(name, name), build_claim(name, name, "192.0.2.9")):
            world.run(observe(name, claim), for_s=10.0)
        world.run(observe_gone(name, cause), for_s=10.0)

    assert not has_grown(world, live)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_memory_does_not_grow_while_deleted_objects_requested_a_kept_name() -> None:
    world = start_published()

    def live(number: int) -> None:
        name = f"n{number}"
        world.run(observe(name, build_claim(name, "web", f"192.0.2.{number + 10}")), for_s=10.0)
        world.run(observe_gone(name))

    assert not has_grown(world, live)


def test_memory_does_not_grow_while_a_record_changes_whose_creates_get_no_answer() -> None:
    world = start_published()
    world.provider.rule = lambda _: NoAnswer(applied=False)

    def live(number: int) -> None:
        for last in range(10):
            world.run(observe("api", build_claim("api", "api", f"192.0.{number}.{last}")), for_s=60.0)

    assert not has_grown(world, live)


@pytest.mark.parametrize("include", [(), ("example.org",)], ids=["no-zone", "excluded-by-a-filter"])
def test_memory_does_not_grow_while_names_outside_the_zones_come_and_go(include: tuple[str, ...]) -> None:
    world = start_published(plan=replace(PLAN, domains=DomainFilter(include=include)))

    def live(number: int) -> None:
        claim = build_claim(f"n{number}", "other")
        desired = replace(claim.desired, name=DnsName(f"n{number}.example.com"))
        world.run(observe(f"n{number}", replace(claim, desired=desired)), for_s=10.0)
        world.run(observe_gone(f"n{number}"))

    assert not has_grown(world, live)


def test_evidence_is_stored_while_its_record_is_being_created() -> None:
    world = start_world()
    world.feed(observe("web", build_claim("web", "web")))
    world.now_s += 1.0
    world.feed(TimePassed())
    create = world.waiting.popleft()
    world.run(observe_gone("web"), for_s=5.0)
    world.waiting.append(create)
    world.run(for_s=5.0)
    assert world.list_records() == {}
    assert "CheckExistence" not in world.calls
