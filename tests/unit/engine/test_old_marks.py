"""Records of ours by marks in older naming (spec plan 3.2.5, 3.2.10)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    mark,
    phase,
    record,
    running,
    seen,
    stage,
    wants,
)

APEX = DnsName("example.org")


def at_apex(found: Record) -> Record:
    return replace(found, name=APEX)


def test_an_old_mark_gets_one_of_today_beside_it_once() -> None:
    old = record("web", *mark("web").targets, rtype="TXT")
    world = running(record("web"), old, first=[seen("web", wants("web", "web"))])
    assert world.marks() == {"web", "a-web"}
    assert world.endings("web") == ["A keep programmed"]
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1


def test_where_todays_mark_would_lie_outside_the_zone_the_old_one_does_and_nothing_is_amiss() -> None:
    claim = wants("web", "web")
    at_the_apex = replace(claim, endpoint=replace(claim.endpoint, name=APEX))
    world = stage(at_apex(record("web")), at_apex(record("web", *mark("web").targets, rtype="TXT")))
    world.run(seen("web", at_the_apex), phase(SERVICE), phase(INGRESS), for_s=600.0)
    assert world.provider.submissions == []
    assert [one.reason for one in world.engine.decisions.of(APEX)] == [Reason.PROGRAMMED]
    assert world.engine.decisions.failing == 0
    world.provider.put(ZONE, at_apex(record("web", "192.0.2.9")))
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1
    assert world.provider.contents(ZONE)[at_apex(record("web")).key].targets == ("192.0.2.1",)


@pytest.mark.parametrize("compat", [False, True], ids=["ours", "compat"])
@pytest.mark.parametrize("asked", [("foo",), ()], ids=["asked-for", "not-asked-for"])
def test_11_a_record_put_by_hand_where_the_mark_of_another_stands_survives(
    asked: tuple[str, ...], *, compat: bool
) -> None:
    """Until it has a mark of its own, the TXT at `a-foo` reads as its old one; that is too little to remove it by."""
    registry = TxtRegistry(owner="me", naming=Naming(), managed_types=PLAN.managed_types, unmarked_creates=compat)
    by_hand = record("a-foo", "192.0.2.66")
    standing = {found.key: found for found in (record("foo"), mark("foo"), by_hand)}
    world = stage(*standing.values(), plan=replace(PLAN, compat=compat), registry=registry)
    world.run(seen("web", *(wants("web", at) for at in asked)), phase(SERVICE), phase(INGRESS), for_s=600.0)
    assert world.provider.contents(ZONE) == standing
    assert world.decision("a-foo").reason is Reason.ORPHAN_UNCLAIMED
