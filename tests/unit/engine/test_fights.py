"""Names that somebody else changes back (design 4, "Quarantine")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.model.decision import Verdict
from tests.unit.engine.stage import ZONE, Stage, gone, mark, owned, published, record, running, seen, wants

MINUTE_S = 60.0
THEIRS = record("web", "192.0.2.66")


def edit(world: Stage) -> None:
    world.provider.put(ZONE, THEIRS)


def remove(world: Stage) -> None:
    world.provider.remove(ZONE, THEIRS.key, mark("web").key)


def restore(world: Stage) -> None:
    world.provider.put(ZONE, *owned("web"))


def fight(world: Stage, blow: Callable[[Stage], None], minutes: int) -> list[int]:
    """Give *blow* once a minute, before the zone is read; returns the minutes in which that was answered."""
    answered = []
    for minute in range(minutes):
        blow(world)
        before = len(world.batches)
        world.run(for_s=MINUTE_S)
        if len(world.batches) > before:
            answered.append(minute)
    return answered


@pytest.mark.parametrize("blow", [pytest.param(edit, id="changed"), pytest.param(remove, id="removed")])
def test_what_is_changed_back_three_times_is_left_alone_for_five_minutes_and_then_twice_as_long(
    blow: Callable[[Stage], None],
) -> None:
    world = published(interval_s=MINUTE_S)
    first, *later = fight(world, blow, 40)
    assert [minute - first for minute in later] == [1, 2, 8, 19]
    assert world.decision("web").reason == "fought-over"


def test_the_decision_says_what_happens_and_counts_as_a_failure() -> None:
    world = published(interval_s=MINUTE_S)
    fight(world, edit, 5)
    decision = world.decision("web")
    assert (decision.verdict, decision.reason) == (Verdict.KEEP, "fought-over")
    assert decision.detail == "changed back each time it was written; left as it is for 5 minutes"
    assert world.engine.decisions.failing == 1
    assert [state.writes.set_aside for state in world.engine.zones] == [1]


def test_a_delete_that_is_undone_three_times_is_not_made_again_for_a_while() -> None:
    world = published(interval_s=MINUTE_S)
    world.run(gone("web"))
    assert world.holds() == {}
    assert fight(world, restore, 7) == [0, 1]
    assert world.decision("web").reason == "fought-over"


def test_another_wish_is_written_at_once() -> None:
    world = published(interval_s=MINUTE_S)
    fight(world, edit, 5)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_who_gives_up_is_met_with_peace() -> None:
    world = published(interval_s=MINUTE_S)
    fight(world, edit, 5)
    world.run(for_s=6 * MINUTE_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    world.run(for_s=20 * MINUTE_S)
    assert len(fight(world, edit, 8)) == 3, "all is forgotten"


def test_a_name_of_which_the_wish_changes_all_the_time_is_not_fought_over() -> None:
    world = running()
    for number in range(60):
        world.run(seen("web", wants("web", "web", f"192.0.2.{number % 2 + 1}")), for_s=6.0)
    assert world.holds() == {"web A": ("192.0.2.2",)}


def test_three_edits_in_more_than_ten_minutes_are_repaired() -> None:
    world = published(interval_s=MINUTE_S)
    for _ in range(10):
        edit(world)
        world.run(for_s=4 * MINUTE_S)
        assert world.holds() == {"web A": ("192.0.2.1",)}


def test_other_names_go_on() -> None:
    world = published(interval_s=MINUTE_S)
    fight(world, edit, 5)
    world.run(seen("api", wants("api", "api")), for_s=1.0)
    assert world.holds()["api A"] == ("192.0.2.1",)
