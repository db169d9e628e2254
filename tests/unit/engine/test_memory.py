"""What is over is forgotten: memory follows what there is, not what there was."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from extdns.engine.inputs import Cause, Tick
from extdns.model.cluster import Phase
from tests.unit.engine.stage import SERVICE, Stage, gone, owned, phase, published, running, seen, wants, withholds


def entries(root: object) -> int:
    """How many things *root* holds in dicts, sets and sequences, however deep."""
    seen_ids: set[int] = set()
    waiting, count = [root], 0
    while waiting:
        found = waiting.pop()
        if id(found) in seen_ids or isinstance(found, type | str | int | float):
            continue
        seen_ids.add(id(found))
        if isinstance(found, dict | set | frozenset | list | tuple):
            count += len(found)
        waiting += [one for one in gc.get_referents(found) if not isinstance(one, type(sys))]
    return count


def state(world: Stage) -> list[object]:
    """All that the engine remembers, but for its settings: the registry in them has look-up tables of its own."""
    engine = world.engine
    judge = {name: value for name, value in vars(engine._judge).items() if name not in {"_claims", "_settings"}}
    return [engine.claims, engine.zones, engine.decisions, engine._orphans, engine._dirty, judge]


def lives(name: str, cause: Cause) -> Iterator[list[object]]:
    yield [seen(name, wants(name, name))]
    yield [seen(name, withholds(name, name))]
    yield [seen(name, wants(name, name, "192.0.2.9"))]
    yield [gone(name, cause)]


@pytest.mark.parametrize("cause", [Cause.DELETED, Cause.MISSING])
def test_objects_that_come_and_go_leave_nothing_behind(cause: Cause) -> None:
    world = published()
    sizes = []
    for number in range(3):
        for news in lives(f"n{number}", cause):
            world.run(*news, for_s=10.0)  # type: ignore[arg-type]
        world.run(for_s=900.0)
        world.provider.submissions.clear()
        sizes.append(entries(state(world)))
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert sizes[1] == sizes[2]


def test_objects_that_come_and_go_at_a_name_that_stays_leave_nothing_behind() -> None:
    world = published()
    sizes = []
    for number in range(3):
        world.run(seen(f"n{number}", wants(f"n{number}", "web", f"192.0.2.{number + 10}")), for_s=10.0)
        world.run(gone(f"n{number}"), for_s=200.0)
        sizes.append(entries(state(world)))
    assert sizes[1] == sizes[2]


def test_an_ending_is_remembered_while_the_record_stands() -> None:
    world = published()
    world.run(phase(SERVICE, Phase.FAILING), gone("web"), for_s=60.0)
    assert world.engine.claims.ended((owned("web")[0].name, ""), "service/shop/web") == "object-deleted"
    world.run(phase(SERVICE))
    assert world.engine.claims.ended((owned("web")[0].name, ""), "service/shop/web") is None


def test_an_ending_is_remembered_while_a_write_is_in_flight() -> None:
    world = running()
    world.feed(seen("web", wants("web", "web")))
    world.now_s += 1.0
    world.feed(Tick())
    create = world.waiting.popleft()
    world.run(gone("web"), for_s=5.0)
    world.waiting.append(create)
    world.run(for_s=5.0)
    assert world.holds() == {}
    assert "Confirm" not in world.calls


def test_a_question_about_an_object_whose_record_went_by_itself_is_dropped() -> None:
    world = published()
    world.exists = lambda _: None
    world.run(gone("web", Cause.MISSING), for_s=1.0)
    world.provider.remove(next(iter(world.engine.zones)).zone, *(record.key for record in owned("web")))
    world.run(for_s=600.0)
    assert world.engine._judge.doubts == {}


def test_objects_about_which_was_asked_are_not_gone_through_at_each_step() -> None:
    world = published()
    world.feed(gone("web", Cause.MISSING))
    world.now_s += 1.0
    world.feed(Tick())
    assert world.engine._judge.asking
    assert world.engine._judge.doubts == {}


def test_claims_that_are_the_same_after_a_failure_go_with_their_object() -> None:
    world = published()
    world.run(seen("web", failure="cannot be computed"), seen("web", wants("web", "web")), gone("web"))
    assert world.holds() == {}
