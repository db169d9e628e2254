"""A defect in one step costs nothing of what that step had begun (law 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.engine.writes import Writes
from extdns.model.cluster import Phase
from extdns.model.name import DnsName
from extdns.model.zone import Zone
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, phase, published, seen, stage, wants

OTHER = Zone(name=DnsName("example.net"), id="net")


def failing(work: Callable[..., Any], turns: Iterator[bool]) -> Callable[..., Any]:
    """*work*, but that it raises on each of the *turns* that is true."""

    def broken(*arguments: Any) -> Any:  # noqa: ANN401 - stands for any function
        if next(turns, False):
            raise ZeroDivisionError("planted")
        return work(*arguments)

    return broken


def test_a_call_is_made_though_a_plan_fails_in_the_same_step() -> None:
    world = published()
    world.run(for_s=58.0)
    world.engine.decisions.put = failing(world.engine.decisions.put, iter([True]))  # type: ignore[method-assign]
    world.now_s += 2.0
    with pytest.raises(ZeroDivisionError):
        world.feed(phase(INGRESS, Phase.FAILING))  # all is planned anew while the list of zones is due
    world.run(for_s=0.0)
    assert world.calls == ["ListZones"]
    world.run(for_s=60.0)
    assert world.calls.count("ListZones") == 2


def test_a_batch_is_sent_though_that_of_another_zone_fails_in_the_same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    world = stage(zones={ZONE: (), OTHER: ()})
    world.run(phase(SERVICE), phase(INGRESS))
    there = replace(wants("b", "b"), endpoint=replace(wants("b", "b").endpoint, name=DnsName("b.example.net")))
    world.feed(seen("a", wants("a", "a")))
    world.feed(seen("b", there))
    world.now_s += 0.1
    monkeypatch.setattr(Writes, "next_batch", failing(Writes.next_batch, iter([False, True])))
    with pytest.raises(ZeroDivisionError):
        world.run()
    world.run()
    assert len(world.provider.contents(ZONE)) == 2
    assert len(world.provider.contents(OTHER)) == 2
    assert world.engine.settled
