"""Names that are written again and again (design 4, "Quarantine")."""

from __future__ import annotations

from tests.unit.engine.stage import (
    new,
    running,
)


def test_a_name_written_three_times_within_a_minute_is_written_every_five_seconds_at_most() -> None:
    world = running()
    for number in range(40):
        world.run(new("web", target=f"192.0.2.{number + 1}"), new("api"), for_s=0.5)
    # Three at once, then one at 6, 11 and 16 seconds.
    assert sum("web" in batch for batch in world.batches) == 6
    world.run(for_s=5.0)
    assert world.holds()["web A"] == ("192.0.2.40",)


def test_a_name_that_calms_down_is_written_at_once_again() -> None:
    world = running()
    for number in range(4):
        world.run(new("web", target=f"192.0.2.{number + 1}"), for_s=1.0)
    world.run(for_s=120.0)
    world.run(new("web", target="192.0.2.99"), for_s=0.1)
    assert world.holds() == {"web A": ("192.0.2.99",)}
