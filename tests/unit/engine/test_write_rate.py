"""Limits on how often one name is written (docs/design/retries.md, "The retry table")."""

from __future__ import annotations

from tests.builders import observe_new
from tests.world import start_world


def test_after_three_writes_within_a_minute_a_name_is_written_at_most_every_five_seconds() -> None:
    world = start_world()
    for number in range(40):
        world.run(observe_new("web", target=f"192.0.2.{number + 1}"), observe_new("api"), for_s=0.5)
    # Three at once, then one at 6, 11 and 16 seconds.
    assert sum("web" in batch for batch in world.batches) == 6
    world.run(for_s=5.0)
    assert world.list_records()["web A"] == ("192.0.2.40",)


def test_a_name_that_was_not_written_for_a_minute_is_again_written_at_once() -> None:
    world = start_world()
    for number in range(4):
        world.run(observe_new("web", target=f"192.0.2.{number + 1}"), for_s=1.0)
    world.run(for_s=120.0)
    world.run(observe_new("web", target="192.0.2.99"), for_s=0.1)
    assert world.list_records() == {"web A": ("192.0.2.99",)}
