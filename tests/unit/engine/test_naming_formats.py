"""Records with ownership records in an older naming format (docs/spec/plan.md 3.2.5, 3.2.10)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    observe,
    ownership_record,
    record,
)
from tests.world import build_world, start_world

APEX = DnsName("example.org")


def move_to_apex(found: Record) -> Record:
    """Return *found* at the apex of the zone."""
    return replace(found, name=APEX)


def test_a_record_with_an_old_ownership_record_gets_a_current_one_once() -> None:
    old = record("web", *ownership_record("web").targets, rtype="TXT")
    world = start_world(record("web"), old, first=[observe("web", build_claim("web", "web"))])
    assert world.list_ownership_labels() == {"web", "a-web"}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1


def test_an_old_ownership_record_is_enough_if_the_name_of_a_current_one_would_be_outside_the_zone() -> None:
    claim = build_claim("web", "web")
    at_the_apex = replace(claim, desired=replace(claim.desired, name=APEX))
    world = build_world(
        move_to_apex(record("web")), move_to_apex(record("web", *ownership_record("web").targets, rtype="TXT"))
    )
    world.run(observe("web", at_the_apex), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.provider.submissions == []
    assert [one.reason for one in world.engine.decisions.decisions(APEX)] == [Reason.PUBLISHED]
    assert world.engine.decisions.failing == 0
    world.provider.put_records(ZONE, move_to_apex(record("web", "192.0.2.9")))
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1
    assert world.provider.contents(ZONE)[move_to_apex(record("web")).key].targets == ("192.0.2.1",)


@pytest.mark.parametrize("compat", [False, True], ids=["ours", "compat"])
def test_a_requested_record_is_not_changed_if_its_ownership_record_could_cover_another_record(*, compat: bool) -> None:
    registry = TxtRegistry(
        owner="me", naming=Naming(), managed_types=PLAN.managed_types, creates_without_ownership=compat
    )
    current = {found.key: found for found in (record("a-foo", "192.0.2.66"), ownership_record("foo"))}
    world = build_world(*current.values(), plan=replace(PLAN, compat=compat), registry=registry)
    world.run(observe("web", build_claim("web", "a-foo")), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.provider.contents(ZONE) == current
    assert world.decision("a-foo").reason is Reason.FOREIGN_RECORD


# docs/spec/plan.md 11
@pytest.mark.parametrize("compat", [False, True], ids=["ours", "compat"])
@pytest.mark.parametrize("requested", [("foo",), ()], ids=["requested", "not-requested"])
def test_a_record_created_by_hand_at_the_ownership_name_of_another_record_stays(
    requested: tuple[str, ...], *, compat: bool
) -> None:
    """Test that the TXT at `a-foo`, which could be an old ownership record of `a-foo`, does not make `a-foo` ours."""
    registry = TxtRegistry(
        owner="me", naming=Naming(), managed_types=PLAN.managed_types, creates_without_ownership=compat
    )
    by_hand = record("a-foo", "192.0.2.66")
    found_records = {found.key: found for found in (record("foo"), ownership_record("foo"), by_hand)}
    world = build_world(*found_records.values(), plan=replace(PLAN, compat=compat), registry=registry)
    world.run(
        observe("web", *(build_claim("web", at) for at in requested)),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=600.0,
    )
    assert world.provider.contents(ZONE) == found_records
    assert world.decision("a-foo").reason is Reason.FOREIGN_RECORD
