"""Grace period, budgets, holds and approval of deletes in the engine (docs/design/delete-safety.md).

Across restarts, crashes and lists of zones, see docs/design/state.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine import reconcile
from extdns.engine.effects import SubmitBatch
from extdns.engine.inputs import Cause
from extdns.model import rrtype
from extdns.model.change import Action, TryLater
from extdns.model.claim import Claim
from extdns.model.cluster import Phase
from extdns.model.evidence import ALL_ZONES, Evidence, Scope
from extdns.model.reason import Reason
from extdns.model.zone import Zone, ZoneList
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    build_unresolved,
    change_phase,
    host,
    observe,
    observe_gone,
    observe_new,
    owned,
    ownership_record,
    record,
)
from tests.unit.engine.forty_services import (
    DELETES,
    NAMES,
    WITHIN_BUDGET,
    build_records,
    delete_services,
    restart_with,
    run_forty,
    run_up_to,
)
from tests.world import World, build_world, start_world

# budgets


def test_deletes_of_one_cause_that_end_their_grace_period_within_seconds_have_one_code() -> None:
    world = run_forty()
    for name in NAMES[:13]:
        world.run(delete_services(name), for_s=0.5)
    world.run(for_s=120.0)
    (reported,) = world.held
    assert len(reported.held) == 13


def test_held_deletes_are_reported_and_saved_again_when_evidence_changes() -> None:
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:20], cause=Cause.MISSING), for_s=120.0)
    world.run(delete_services(*NAMES[:20], cause=Cause.VERSION), for_s=120.0)
    first, last = world.held
    assert (first.code, first.held[0].evidence) == (last.code, Evidence.ABSENT)
    assert {one.evidence for one in last.held} == {Evidence.HOSTNAME_REMOVED}
    assert {evidence for *_, evidence in world.state.find_zone("example.org").namespaces[0][1].records} == {
        Evidence.HOSTNAME_REMOVED
    }


def test_a_and_aaaa_record_count_as_one_name() -> None:
    names = NAMES[:10]
    both = [one for name in names for one in owned(name, "2001:db8::1", rtype="AAAA", resource=f"service/shop/{name}")]
    claims = [(build_claim(name, name), build_claim(name, name, "2001:db8::1", rtype="AAAA")) for name in names]
    requested = [observe(name, *both) for name, both in zip(names, claims, strict=True)]
    world = start_world(*build_records(*names), *both, first=requested, deletes=DELETES)
    assert world.engine.delete_guard.budget(ZONE.id).owned == len(names)
    world.run(delete_services(*names), for_s=120.0)
    assert world.list_records() == {}


def test_each_set_identifier_counts_by_itself() -> None:
    claims = [build_claim("web", "web", set_identifier=f"s{number}") for number in range(11)]
    world = start_world(first=[observe("web", *claims)], deletes=DELETES)
    world.run(observe_gone("web"), for_s=120.0)
    assert len(world.held[-1].held) == 11


@pytest.mark.parametrize(
    ("reads_manifests", "left", "lost", "held"),
    [
        pytest.param(True, (), 3, {ALL_ZONES: 3}, id="manifests-request-nothing"),
        pytest.param(True, (), 40, {ALL_ZONES: 40}, id="one-code-for-any-number"),
        pytest.param(True, (build_unresolved("rest", "rest"),), 3, {}, id="another-request-without-target"),
        pytest.param(False, (), 3, {}, id="a-cluster-requests-nothing"),
    ],
)
def test_deletes_by_absence_are_held_if_no_manifest_requests_a_name(
    reads_manifests: bool, left: tuple[Claim, ...], lost: int, held: dict[Scope, int]
) -> None:
    names = NAMES[:lost]
    settings = replace(DELETES, reads_manifests=reads_manifests)
    first = [observe_new(*names), *([observe("rest", *left)] if left else [])]
    world = start_world(*build_records(*names), first=first, deletes=settings, has_state_store=True)
    world.run(delete_services(*names, cause=Cause.MISSING), for_s=120.0)
    assert {one.scope: len(one.held) for one in world.engine.delete_guard.held_sets()} == held
    assert len(world.list_records()) == sum(held.values())


def test_a_granted_delete_that_was_not_sent_is_held_if_no_manifest_requests_a_name_any_more() -> None:
    names, settings = NAMES[:4], replace(DELETES, reads_manifests=True)
    world = start_world(*build_records(*names), first=[observe_new(*names)], deletes=settings, names_per_step=1)
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(delete_services(names[0], cause=Cause.MISSING), for_s=120.0)
    assert world.list_decisions(names[0]) == [("A", Action.KEEP, Reason.TRY_LATER)]
    world.provider.rule = lambda _: None
    world.now_s += 600.0
    world.run(delete_services(*names[1:], cause=Cause.MISSING), for_s=120.0)
    assert len(world.list_records()) == len(names)


def test_owned_count_is_right_after_ownership_record_moved() -> None:
    world = start_world(*owned("web", resource=""), record("api"))
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.provider.put_records(ZONE, ownership_record("api", resource=""))
    world.run(for_s=900.0)
    saved = world.engine.delete_guard.save(world.now_s).find_zone(ZONE.id)
    assert world.engine.delete_guard.budget(ZONE.id).owned == 1
    assert all(records <= 1 for _, records in saved.whole.most)


def test_record_counts_once_after_it_passed_to_another_namespace() -> None:
    names = [f"h{number}" for number in range(10)]
    world = start_world(*build_records(*names), first=[observe_new(*names)])
    world.provider.put_records(ZONE, *[ownership_record(name, resource="service/lab/web") for name in names])
    world.run(for_s=900.0)
    budget = world.engine.delete_guard.budget(ZONE.id)
    assert max(budget.owned, *(one.names for one in budget.owned_maxima)) == 10


SUB: Final = Zone(name=host("sub"), id="sub")
HELD_NAMES: Final = ("h0", "h1", "h2", "h0.sub", "h1.sub", "h2.sub")
OTHER_NAMES: Final = tuple(f"h{number}{below}" for number in range(3, 10) for below in ("", ".sub"))


# budgets across restarts, crashes and lists of zones


def test_deletes_count_after_a_crash_right_after_the_write() -> None:
    world = run_forty(has_state_store=True)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    world.answer()
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    after = restart_with(world, NAMES[WITHIN_BUDGET:])
    after.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=120.0)
    assert after.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


@pytest.mark.parametrize("has_state_store", [True, False])
def test_deletes_in_flight_count(*, has_state_store: bool) -> None:
    world = run_forty(has_state_store=has_state_store)
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    world.feed(delete_services(*NAMES[WITHIN_BUDGET : WITHIN_BUDGET + 3]))
    world.now_s += 1.0
    world.run(for_s=120.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_in_flight_count_even_if_planning_their_names_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    world = run_forty()
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "plan_in_zones", lambda *_: 1 / 0)
        world.feed(change_phase(INGRESS, Phase.FAILING))  # all names are planned again
        world.feed(change_phase(INGRESS))
    world.run(for_s=60.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=120.0)
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def hold_for_all_zones() -> World:
    """Start a process with two zones, in which the budget over all zones holds the deletes of `HELD_NAMES`."""
    names = (*HELD_NAMES, *OTHER_NAMES)
    records = build_records(*names)
    zones = {zone: [one for one in records if one.name.within(SUB.name) is (zone is SUB)] for zone in (ZONE, SUB)}
    world = build_world(zones=zones, deletes=DELETES, has_state_store=True)
    world.run(observe_new(*names), change_phase(SERVICE), change_phase(INGRESS), for_s=20.0)
    world.run(delete_services(*HELD_NAMES, cause=Cause.MISSING), for_s=120.0)
    assert [one.scope for one in world.engine.delete_guard.held_sets()] == [ALL_ZONES]
    return world


def test_held_over_all_zones_after_its_zone_left_and_returned() -> None:
    world = hold_for_all_zones()
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(for_s=900.0)
    assert [one.zone for one in world.engine.zones] == [SUB]
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 6


def test_held_over_all_zones_after_a_start_without_its_zone() -> None:
    before = hold_for_all_zones()
    world = build_world(zones={ZONE: (), SUB: ()}, deletes=DELETES, has_state_store=True)
    world.provider.inner, world.state, world.now_s = before.provider.inner, before.state, before.now_s
    world.provider.zone_list = ZoneList(zones=(SUB,))
    world.run(observe_new(*OTHER_NAMES), change_phase(SERVICE), change_phase(INGRESS), for_s=900.0)
    world.provider.zone_list = None
    world.run(for_s=900.0)
    assert [world.list_decisions(name) for name in HELD_NAMES] == [[("A", Action.KEEP, Reason.HELD)]] * 6


def test_deletes_in_flight_count_even_if_their_zone_leaves_the_list() -> None:
    world = run_forty()
    world.feed(delete_services(*NAMES[:WITHIN_BUDGET]))
    run_up_to(world, SubmitBatch)
    submitted = world.waiting.popleft()
    assert isinstance(submitted, SubmitBatch)
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=430.0)
    assert not tuple(world.engine.zones)
    world.provider.submit(ZONE, submitted.batch)
    world.provider.zone_list = None
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=150.0)
    assert len(world.list_records()) == len(NAMES) - WITHIN_BUDGET
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


def test_deletes_in_a_zone_count_after_it_left_the_list_and_returned() -> None:
    """Test that the budget of a missing zone is also part of the saved state."""
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:WITHIN_BUDGET]), for_s=61.0)
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=430.0)
    assert not tuple(world.engine.zones)
    assert len(world.state.find_zone(ZONE.id).whole.made) == 1
    world.provider.zone_list = None
    world.run(delete_services(NAMES[WITHIN_BUDGET]), for_s=150.0)
    assert world.list_decisions(NAMES[WITHIN_BUDGET]) == [("A", Action.KEEP, Reason.HELD)]


HELD: Final = NAMES[0]
UNREADABLE: Final = record(f"a-{HELD}", "line 12 is not valid", rtype=rrtype.UNREADABLE, ttl_s=0)


def hold_one() -> World:
    """Start a process in which the delete of `HELD` is held: it was one of too many, but the others returned."""
    world = run_forty(has_state_store=True, settings_digest="today")
    world.run(*[observe(name) for name in NAMES[:13]], for_s=120.0)
    world.run(observe_new(*NAMES[1:13]), for_s=700.0)
    assert world.list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]
    return world


def build_next(before: World) -> World:
    world = build_world(deletes=DELETES, has_state_store=True, settings_digest="today")
    world.provider.inner = before.provider.inner
    world.state, world.now_s = before.state, before.now_s
    return world


def start(world: World, for_s: float = 120.0) -> World:
    """Start a process: the object of `HELD` is gone, the others exist."""
    world.run(observe_new(*NAMES[1:]), change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)
    return world


def edit_ownership_record(world: World) -> None:
    world.provider.put_records(ZONE, *owned(HELD, resource="service/shop/other"))


def edit_targets(world: World) -> None:
    world.provider.put_records(ZONE, *owned(HELD, "192.0.2.99", resource=f"service/shop/{HELD}"))


# holds of edited or unreadable records


@pytest.mark.parametrize("edit", [edit_ownership_record, edit_targets])
def test_stays_held_if_edited_before_the_next_process_read_it(edit: Callable[[World], None]) -> None:
    world = build_next(hold_one())
    edit(world)
    assert start(world).list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_stays_held_while_its_ownership_record_cannot_be_parsed(*, is_restarted: bool) -> None:
    world = hold_one()
    ownership = owned(HELD, resource=f"service/shop/{HELD}")[1]
    world.provider.remove_records(ZONE, ownership.key)
    world.provider.put_records(ZONE, UNREADABLE)
    if is_restarted:
        world = start(build_next(world))
    else:
        world.run(for_s=700.0)
    assert world.list_decisions(f"a-{HELD}") == [("?", Action.KEEP, Reason.RECORD_UNREADABLE)]
    world.provider.remove_records(ZONE, UNREADABLE.key)
    world.provider.put_records(ZONE, ownership)
    world.run(for_s=1400.0)
    assert world.list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]


def test_held_name_passes_to_another_namespace_if_state_is_loaded_late() -> None:
    world = build_next(hold_one())
    world.state_fails = 2
    other = build_claim("other", HELD, "lb.test", rtype=rrtype.CNAME, namespace="lab")
    world.run(observe("other", other, namespace="lab"), observe(HELD))
    start(world, for_s=1400.0)
    assert world.list_decisions(HELD) == [("CNAME", Action.KEEP, Reason.PUBLISHED)]
