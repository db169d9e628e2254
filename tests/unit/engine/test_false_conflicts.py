"""False write conflicts: the service reports conflicts at names that are unchanged (law 3)."""

from __future__ import annotations

import pytest

from extdns.model.change import Action, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from tests.builders import ZONE, build_claim, host, observe, observe_new, record, refuse_names
from tests.world import start_published, start_world

GOOD = [f"n{number}" for number in range(50)]


@pytest.mark.parametrize(
    "offending", [pytest.param((), id="nobody"), pytest.param((host("nobody"),), id="unrelated-name")]
)
def test_a_name_whose_write_conflict_a_read_does_not_confirm_delays_no_other_name(
    offending: tuple[DnsName, ...],
) -> None:
    world = start_world()
    world.provider.rule = refuse_names(
        "n17", outcome=WriteConflict(message="already exists", offending_names=offending)
    )
    world.run(observe_new(*GOOD), for_s=1.0)
    assert set(world.list_records()) == {f"{name} A" for name in GOOD if name != "n17"}
    assert world.list_decisions("n17") == [("A", Action.NONE, Reason.REFUSED)]
    assert len(world.batches) <= 14
    world.run(observe_new("late"), for_s=1.0)
    assert world.batches[-1] == ["late"]


def test_if_a_write_conflict_blames_the_wrong_name_only_the_name_that_conflicts_is_not_written() -> None:
    world = start_world()
    world.provider.rule = refuse_names(
        "bad", outcome=WriteConflict(message="already exists", offending_names=(host("n17"),))
    )
    world.run(observe_new("bad", *GOOD), for_s=1.0)
    assert set(world.list_records()) == {f"{name} A" for name in GOOD}
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]
    world.run(observe_new("n17", "n18", target="192.0.2.9"), for_s=100.0)
    assert world.list_records()["n17 A"] == world.list_records()["n18 A"] == ("192.0.2.9",)


def test_if_a_write_conflict_lists_no_names_the_changed_name_is_found_by_reading() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    rule = refuse_names("web", outcome=WriteConflict(message="does not match"))
    world.provider.rule = lambda batch: rule(batch) if world.calls.count("ReadNames") == 0 else None
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), observe_new(*GOOD), for_s=2.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)} | {f"{name} A": ("192.0.2.1",) for name in GOOD}
    assert world.calls.count("ReadNames") == 1


def test_a_name_whose_write_conflict_a_read_does_not_confirm_is_retried_when_its_claim_changes() -> None:
    world = start_world()
    world.provider.rule = refuse_names("web", outcome=WriteConflict(message="already exists"))
    world.run(observe_new("web"), for_s=59.0)
    assert world.batches == [["web"]] * 2
    world.provider.rule = lambda _: None
    world.run(observe_new("web", target="192.0.2.9"), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
