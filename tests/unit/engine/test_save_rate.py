"""Limits on how often state is saved and a name is written while an object keeps changing (docs/design/retries.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Observed
from tests.builders import build_claim, observe, observe_gone, observe_new
from tests.world import World, start_world

SECONDS = 40
A_SECOND = 20
DELETES = DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(count=1_000_000))


def start() -> World:
    """Return a process with one published Service that never changes, and no recorded calls."""
    world = start_world(first=[observe_new("stays")], has_state_store=True, deletes=DELETES)
    world.run(for_s=60.0)
    world.calls.clear()
    world.provider.submissions.clear()
    return world


def publish(*hosts: str) -> Observed:
    """Return the observation that the Service `web` now requests exactly *hosts*."""
    return observe("web", *(build_claim("web", name) for name in hosts))


@pytest.mark.parametrize(
    ("update", "writes"),
    [
        pytest.param(lambda number: publish(*["web"][number % 2 :]), 10, id="one hostname on and off"),
        pytest.param(lambda number: publish(f"web{number % 2}"), 20, id="two hostnames in turn"),
        pytest.param(lambda number: publish(f"web{number % 10}"), 100, id="ten hostnames in turn"),
    ],
)
def test_writes_and_saves_are_limited_while_an_object_changes_all_the_time(
    update: Callable[[int], Observed], writes: int
) -> None:
    world = start()
    for number in range(SECONDS * A_SECOND):
        world.run(update(number), for_s=1 / A_SECOND)
    assert world.calls.count("SubmitBatch") <= writes  # for each name three at once, then one every five seconds
    assert world.calls.count("SaveState") <= 1 + SECONDS


def test_short_lived_names_are_deleted_after_the_next_saves() -> None:
    world = start()
    for number in range(SECONDS * A_SECOND):
        world.run(publish(f"web{number}"), for_s=1 / A_SECOND)
    assert world.calls.count("SaveState") <= 1 + SECONDS
    assert len(world.list_records()) <= 2 + A_SECOND  # deletes of the last second wait for the next save
    world.run(observe_gone("web"), for_s=2.0)
    assert world.list_records() == {"stays A": ("192.0.2.1",)}


def test_delete_is_made_at_once_if_state_was_not_saved_for_a_second() -> None:
    world = start()
    world.run(publish("web"), for_s=2.0)
    world.run(observe_gone("stays"), for_s=0.1)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
