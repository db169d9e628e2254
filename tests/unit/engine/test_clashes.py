"""Conflicts that are none: what the service says may hold other people's words (law 3)."""

from __future__ import annotations

import pytest

from extdns.model.name import DnsName
from extdns.model.outcome import Conflict
from tests.unit.engine.stage import ZONE, host, new, published, record, refusing, running, seen, wants

GOOD = [f"n{number}" for number in range(50)]


@pytest.mark.parametrize(
    "culprits", [pytest.param((), id="nobody"), pytest.param((host("nobody"),), id="somebody-else")]
)
def test_one_name_that_conflicts_with_nothing_sets_itself_aside_alone(culprits: tuple[DnsName, ...]) -> None:
    world = running()
    world.provider.rule = refusing("n17", outcome=Conflict(message="already exists", culprits=culprits))
    world.run(new(*GOOD), for_s=1.0)
    assert set(world.holds()) == {f"{name} A" for name in GOOD if name != "n17"}
    assert world.endings("n17") == ["A none refused"]
    assert len(world.batches) <= 14
    world.run(new("late"), for_s=1.0)
    assert world.batches[-1] == ["late"]


def test_an_innocent_whom_the_service_names_costs_another_batch() -> None:
    world = running()
    world.provider.rule = refusing("bad", outcome=Conflict(message="already exists", culprits=(host("n17"),)))
    world.run(new("bad", *GOOD), for_s=1.0)
    assert set(world.holds()) == {f"{name} A" for name in GOOD}
    assert world.endings("bad") == ["A none refused"]
    world.run(new("n17", "n18", target="192.0.2.9"), for_s=100.0)
    assert world.holds()["n17 A"] == world.holds()["n18 A"] == ("192.0.2.9",)


def test_a_conflict_that_names_nobody_is_found_and_read() -> None:
    world = published()
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    rule = refusing("web", outcome=Conflict(message="does not match"))
    world.provider.rule = lambda batch: rule(batch) if world.calls.count("ReadNames") == 0 else None
    world.run(seen("web", wants("web", "web", "192.0.2.9")), new(*GOOD), for_s=2.0)
    assert world.holds() == {"web A": ("192.0.2.9",)} | {f"{name} A": ("192.0.2.1",) for name in GOOD}
    assert world.calls.count("ReadNames") == 1


def test_a_name_that_conflicts_with_nothing_is_tried_again_when_its_claim_changes() -> None:
    world = running()
    world.provider.rule = refusing("web", outcome=Conflict(message="already exists"))
    world.run(new("web"), for_s=60.0)
    assert world.batches == [["web"]] * 2
    world.provider.rule = lambda _: None
    world.run(new("web", target="192.0.2.9"), for_s=1.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}
