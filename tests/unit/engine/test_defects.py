"""An exception in a step does not lose the effects that the step had already caused (law 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.engine import reconcile
from extdns.engine.decisions import Decisions
from extdns.engine.delete_guard import DeleteGuard
from extdns.engine.inputs import Observed, StateFailed
from extdns.engine.write_queue import WriteQueue
from extdns.model.change import PLAN
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from extdns.planner.plan_name import plan_name
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, host, observe
from tests.unit.engine.test_reconcile import fail_for
from tests.world import build_world, start_published, start_world

OTHER = Zone(name=DnsName("example.net"), id="net")


def fail_on_turns(work: Callable[..., Any], turns: Iterator[bool]) -> Callable[..., Any]:
    """Return *work*, changed to raise ZeroDivisionError on each call for which *turns* yields true."""

    def broken(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - stands for any function
        if next(turns, False):
            raise ZeroDivisionError("planted")
        return work(*arguments, **named)

    return broken


def test_a_due_request_for_the_list_of_zones_is_made_although_planning_raises() -> None:
    world = start_published(max_refresh_interval_s=60.0)
    world.run(for_s=58.0)
    decisions = world.engine.decisions
    decisions.take_added_owned = fail_on_turns(decisions.take_added_owned, iter([True]))  # type: ignore[method-assign]
    world.now_s += 2.0
    with pytest.raises(ZeroDivisionError):
        world.feed(change_phase(INGRESS, Phase.FAILING))  # all names are planned again while the list of zones is due
    world.run(for_s=0.0)
    assert world.calls == ["ListZones"]
    world.run(for_s=60.0)
    assert world.calls.count("ListZones") == 2


@pytest.mark.parametrize("step", ["drop_evidence", "replace"])
def test_all_other_names_are_planned_although_one_can_neither_be_planned_nor_stored_as_failing(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = start_world()
    names = ["a", "b", "c"]
    seen = Observed(
        observations=tuple(one for name in names for one in observe(name, build_claim(name, name)).observations)
    )
    with monkeypatch.context() as patch:
        if step == "drop_evidence":
            patch.setattr(reconcile, "plan_name", fail_for(host("a"), plan_name))
            patch.setattr(DeleteGuard, step, fail_for(host("a"), DeleteGuard.drop_evidence))
        else:
            patch.setattr(Decisions, step, fail_for(host("a"), Decisions.replace))
        with pytest.raises(ZeroDivisionError):
            world.feed(seen)
        world.run(for_s=0.5)
        assert world.list_records() == {"b A": ("192.0.2.1",), "c A": ("192.0.2.1",)}
        assert [one.wait for one in world.engine._waits.waits(host("a"))] == [PLAN]
    world.run(for_s=5.0)
    assert set(world.list_records()) == {"a A", "b A", "c A"}


def test_a_batch_is_sent_although_building_the_batch_of_another_zone_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world(zones={ZONE: (), OTHER: ()})
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    there = replace(
        build_claim("b", "b"), desired=replace(build_claim("b", "b").desired, name=DnsName("b.example.net"))
    )
    world.feed(observe("a", build_claim("a", "a")))
    world.feed(observe("b", there))
    world.now_s += 0.1
    monkeypatch.setattr(WriteQueue, "take_batch", fail_on_turns(WriteQueue.take_batch, iter([False, True])))
    with pytest.raises(ZeroDivisionError):
        world.run()
    world.run()
    assert len(world.provider.contents(ZONE)) == 2
    assert len(world.provider.contents(OTHER)) == 2
    assert world.engine.is_idle


def test_the_saved_state_does_not_count_as_loaded_if_loading_it_raised_and_is_loaded_again() -> None:
    world = build_world(has_state_store=True)
    guard = world.engine.delete_guard
    guard.load = fail_on_turns(guard.load, iter([True]))  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        world.run(change_phase(SERVICE), change_phase(INGRESS))
    assert world.engine.state_problem
    world.run(StateFailed(message="planted"), for_s=5.0)
    assert world.engine.state_problem == ""
    assert world.calls.count("LoadState") == 2
