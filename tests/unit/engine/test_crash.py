"""What one process deleted counts for the next, wherever the first one dies (laws 2 and 10; design 6, "Budget")."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.effects import Effect, SaveState, Submit
from extdns.engine.inputs import Observed, StateFailed, Tick
from extdns.model.record import Record
from extdns.model.zone import ZoneList
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, Stage, gone, new, owned, phase, running, stage

DELETES = DeleteSettings(owner="me", grace_s=60.0)
NAMES = [f"h{number:02}" for number in range(40)]
ALLOWED = 12  # 30 % of forty


def records(names: list[str]) -> Iterator[Record]:
    """Records of ours, each made for the Service of its name."""
    return (one for name in names for one in owned(name, resource=f"service/shop/{name}"))


def full(*, keeps_state: bool = True) -> Stage:
    """Forty Services and their records."""
    return running(*records(NAMES), first=[new(*NAMES)], deletes=DELETES, keeps_state=keeps_state)


def restarted(before: Stage, names: list[str]) -> Stage:
    """The next process, over a zone that holds *names*."""
    world = stage(*records(names), deletes=DELETES, keeps_state=True)
    world.state, world.now_s = before.state, before.now_s
    world.run(new(*names), phase(SERVICE), phase(INGRESS), for_s=1.0)
    return world


def all_gone(*names: str) -> Observed:
    return Observed(observations=tuple(one for name in names for one in gone(name).observations))


def run_up_to(world: Stage, kind: type[Effect]) -> None:
    """Carry out everything else, and let time pass, until an effect of *kind* is the next to be carried out."""
    while not (found := [effect for effect in world.waiting if isinstance(effect, kind)]):
        if world.waiting:
            world.feed(world.answer())
        else:
            assert world.wake_s is not None
            world.now_s = max(world.now_s, world.wake_s)
            world.feed(Tick())
    world.waiting.remove(found[0])
    world.waiting.appendleft(found[0])


def test_a_process_that_dies_right_after_it_has_deleted_leaves_word_of_it() -> None:
    world = full()
    world.feed(all_gone(*NAMES[:ALLOWED]))
    run_up_to(world, Submit)
    world.answer()
    assert len(world.holds()) == len(NAMES) - ALLOWED
    after = restarted(world, NAMES[ALLOWED:])
    after.run(all_gone(NAMES[ALLOWED]), for_s=120.0)
    assert after.endings(NAMES[ALLOWED]) == ["A keep held"]


def test_until_that_is_kept_only_the_deletes_wait() -> None:
    world = full()
    world.feed(all_gone(*NAMES[:ALLOWED]))
    run_up_to(world, SaveState)
    save = world.waiting.popleft()
    world.run(new("fresh"))
    assert len(world.holds()) == len(NAMES) + 1
    assert world.endings(NAMES[0]) == ["A keep in-grace"]
    world.waiting.append(save)
    world.run()
    assert len(world.holds()) == len(NAMES) + 1 - ALLOWED


def test_what_cannot_be_kept_is_not_waited_for() -> None:
    world = full()
    world.feed(all_gone(*NAMES[:ALLOWED]))
    run_up_to(world, SaveState)
    world.waiting.popleft()
    world.run(StateFailed(message="forbidden"))
    assert len(world.holds()) == len(NAMES) - ALLOWED
    world.run(all_gone(*NAMES[ALLOWED:]), for_s=120.0)
    assert world.endings(NAMES[ALLOWED]) == ["A keep held"], "this process knows"


@pytest.mark.parametrize("keeps_state", [True, False])
def test_a_delete_that_is_on_its_way_counts_though_others_come_due_meanwhile(*, keeps_state: bool) -> None:
    world = full(keeps_state=keeps_state)
    world.feed(all_gone(*NAMES[:ALLOWED]))
    run_up_to(world, Submit)
    world.feed(all_gone(*NAMES[ALLOWED : ALLOWED + 3]))
    world.now_s += 1.0
    world.run(for_s=120.0)
    assert len(world.holds()) == len(NAMES) - ALLOWED
    assert world.endings(NAMES[ALLOWED]) == ["A keep held"]


def test_a_zone_that_comes_back_after_it_was_given_up_has_the_budget_that_it_had() -> None:
    """So has it for the next process, also while it is away."""
    world = full()
    world.run(all_gone(*NAMES[:ALLOWED]), for_s=61.0)
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=430.0)
    assert not tuple(world.engine.zones)
    assert len(world.state.of(ZONE.id).made) == ALLOWED
    world.provider.zone_list = None
    world.run(all_gone(NAMES[ALLOWED]), for_s=150.0)
    assert world.endings(NAMES[ALLOWED]) == ["A keep held"]
