"""Names that the service never accepts delay the others of their zone by no more than a second each (law 3).

See docs/design/retries.md, "What is sent next".
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from extdns.controller.exit_codes import compute_exit_code
from extdns.model.change import Forbidden, Unknown
from extdns.model.reason import Reason
from tests.builders import observe_new, refuse_names
from tests.world import World, start_world

FORBIDDEN = Forbidden(message="no right to change the zone")


def mix(bad: int, good: int, order: str) -> tuple[list[str], list[str]]:
    """Return the names of *bad* and of *good* records, such that the bad ones sort first, last or anywhere."""
    names = [f"n{number:03}" for number in range(bad + good)]
    if order == "shuffled":
        random.Random(1).shuffle(names)
    return (names[good:], names[:good]) if order == "last" else (names[:bad], names[bad:])


def list_published(world: World, names: Sequence[str]) -> list[str]:
    """Return those of *names* that have an A record."""
    records = world.list_records()
    return [name for name in names if f"{name} A" in records]


@pytest.mark.parametrize("order", ["first", "last", "shuffled"])
@pytest.mark.parametrize(("bad_count", "good_count"), [(3, 50), (30, 50), (190, 10)])
def test_names_forbidden_for_ever_delay_the_others_by_at_most_a_second_each(
    bad_count: int, good_count: int, order: str
) -> None:
    world = start_world()
    bad, good = mix(bad_count, good_count, order)
    world.provider.rule = refuse_names(*bad, outcome=FORBIDDEN)
    world.run(observe_new(*bad, *good), for_s=bad_count + good_count)
    assert list_published(world, good) == good
    world.run(for_s=3600.0)
    world.run(observe_new("late"), for_s=1.0)
    assert list_published(world, ["late"])
    assert {world.list_decisions(name)[0][2] for name in bad} == {Reason.ZONE_FORBIDDEN}


NAMES = [f"n{number:03}" for number in range(1000)]


def forbid_all(world: World, for_s: float) -> None:
    """Request a thousand names in a zone that allows no change, and let *for_s* seconds pass."""
    world.provider.rule = lambda _: FORBIDDEN
    world.run(observe_new(*NAMES), for_s=for_s)


def test_a_zone_that_allows_no_change_costs_a_call_a_minute_once_each_name_was_tried() -> None:
    world = start_world()
    forbid_all(world, 1000.0)
    assert {name for batch in world.batches if len(batch) == 1 for name in batch} == set(NAMES)
    world.provider.submissions.clear()
    world.run(for_s=1800.0)
    assert 28 <= len(world.batches) <= 30
    assert {decision.reason for decision in world.engine.decisions} == {Reason.ZONE_FORBIDDEN}


@pytest.mark.parametrize("after_s", [30.0, 500.0, 1300.0])
def test_two_minutes_after_a_zone_allows_changes_again_all_names_are_published(after_s: float) -> None:
    world = start_world()
    forbid_all(world, after_s)
    world.provider.rule = lambda _: None
    world.run(for_s=120.0)
    assert list_published(world, NAMES) == NAMES


def test_a_single_pass_sends_each_batch_once_to_a_zone_that_allows_no_change_and_ends() -> None:
    world = start_world(once=True)
    forbid_all(world, 0.1)
    assert world.engine.is_idle
    batches = [tuple(batch) for batch in world.batches]
    assert len(set(batches)) == len(batches)
    assert {batch[0] for batch in batches if len(batch) == 1} == set(NAMES)
    assert {decision.reason for decision in world.engine.decisions} == {Reason.ZONE_FORBIDDEN}


def test_a_single_pass_ends_after_a_dozen_calls_if_the_service_answers_none() -> None:
    world = start_world(once=True)
    world.provider.rule = lambda _: Unknown(message="no answer")
    world.run(observe_new(*NAMES), for_s=600.0)
    assert world.engine.is_idle
    assert len(world.batches) == 12
    assert compute_exit_code(world.engine) == 1
