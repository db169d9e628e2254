"""Grace period, budgets and approval of deletes in the engine (docs/design/delete-safety.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits
from extdns.engine.inputs import Cause
from extdns.model.change import Action
from extdns.model.claim import Claim
from extdns.model.cluster import Phase
from extdns.model.evidence import ALL_ZONES, Evidence, Scope
from extdns.model.reason import Reason
from tests.builders import (
    SERVICE,
    ZONE,
    build_claim,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    observe_new,
    owned,
)
from tests.unit.engine.forty_services import DELETES, NAMES, build_records, delete_services, run_forty
from tests.world import start_published, start_world

# grace period


def test_a_record_is_deleted_after_the_grace_period_of_its_deleted_object() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe_gone("web"), for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    world.run(for_s=2.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.OBJECT_DELETED]


def test_a_record_is_kept_if_it_is_requested_again_within_the_grace_period() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe_gone("web"), for_s=50.0)
    world.run(observe("web", build_claim("web", "web")), for_s=5.0)
    world.run(observe_gone("web"), for_s=50.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    assert not world.provider.submissions


def test_a_record_is_kept_while_its_kind_is_not_served_although_its_object_was_deleted_before() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe_gone("web"), for_s=30.0)
    world.run(change_phase(SERVICE, Phase.NOT_SERVED), for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]


def test_an_object_missing_from_a_list_is_confirmed_to_be_gone_by_one_get_after_the_grace_period() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe_gone("web", Cause.MISSING), for_s=59.0)
    assert "CheckExistence" not in world.calls
    world.run(for_s=2.0)
    assert world.calls.count("CheckExistence") == 1
    assert world.list_records() == {}
    assert world.evidence == [Evidence.ABSENT]


def test_a_record_with_an_unresolved_claim_is_retained_without_limit_by_default() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe("web", build_unresolved("web", "web")), for_s=86_400.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]


def test_a_record_with_an_unresolved_claim_is_deleted_after_the_unresolved_timeout() -> None:
    world = start_published(deletes=replace(DELETES, unresolved_timeout_s=3600.0))
    world.run(observe("web", build_unresolved("web", "web")), for_s=3590.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]
    world.run(for_s=20.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.UNRESOLVED_EXPIRED]


# budgets


def test_all_deletes_of_a_mass_delete_are_held_while_creates_are_made() -> None:
    world = run_forty()
    world.run(delete_services(*NAMES[:13]), observe_new("fresh"), for_s=120.0)
    assert world.list_decisions("h00") == [("A", Action.KEEP, Reason.HELD)]
    assert len(world.list_records()) == 41
    assert "fresh A" in world.list_records()
    (reported,) = world.held
    assert [str(one.owned.record.name) for one in reported.held] == [
        f"h{number:02}.example.org" for number in range(13)
    ]


def test_held_deletes_are_reported_and_saved_again_when_their_evidence_changes() -> None:
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:20], cause=Cause.MISSING), for_s=120.0)
    world.run(delete_services(*NAMES[:20], cause=Cause.VERSION), for_s=120.0)
    first, last = world.held
    assert (first.code, first.held[0].evidence) == (last.code, Evidence.ABSENT)
    assert {one.evidence for one in last.held} == {Evidence.HOSTNAME_REMOVED}
    assert {evidence for *_, evidence in world.state.find_zone("example.org").namespaces[0][1].records} == {
        Evidence.HOSTNAME_REMOVED
    }


def test_deletes_within_ten_minutes_of_each_other_count_in_one_budget() -> None:
    world = run_forty()
    for name in NAMES[:20]:
        world.run(observe_gone(name), for_s=20.0)
    world.run(for_s=100.0)
    assert len(world.list_records()) == 31, "nine went, and with four in grace it was too much"
    assert len(world.held[-1].held) == 11


@pytest.mark.parametrize(
    ("names", "left"),
    [pytest.param(NAMES[:10], 0, id="10-names"), pytest.param(NAMES[:11], 22, id="11-names")],
)
def test_the_a_and_the_aaaa_record_of_a_name_count_as_one_name(names: list[str], left: int) -> None:
    both = [one for name in names for one in owned(name, "2001:db8::1", rtype="AAAA", resource=f"service/shop/{name}")]
    claims = [(build_claim(name, name), build_claim(name, name, "2001:db8::1", rtype="AAAA")) for name in names]
    requested = [observe(name, *both) for name, both in zip(names, claims, strict=True)]
    world = start_world(*build_records(*names), *both, first=requested, deletes=DELETES)
    assert world.engine.delete_guard.budget(ZONE.id).owned == len(names)
    world.run(delete_services(*names), for_s=120.0)
    assert len(world.list_records()) == left


def test_each_set_identifier_of_a_name_counts_by_itself() -> None:
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
def test_if_no_object_of_the_manifests_requests_a_name_all_deletes_by_absence_are_held(
    reads_manifests: bool, left: tuple[Claim, ...], lost: int, held: dict[Scope, int]
) -> None:
    names = NAMES[:lost]
    settings = replace(DELETES, reads_manifests=reads_manifests)
    first = [observe_new(*names), *([observe("rest", *left)] if left else [])]
    world = start_world(*build_records(*names), first=first, deletes=settings, has_state_store=True)
    world.run(delete_services(*names, cause=Cause.MISSING), for_s=120.0)
    assert {one.scope: len(one.held) for one in world.engine.delete_guard.held_sets()} == held
    assert len(world.list_records()) == sum(held.values())


def test_all_deletes_are_held_if_a_list_of_objects_is_empty() -> None:
    world = run_forty()
    world.run(delete_services(*NAMES, cause=Cause.MISSING), for_s=3600.0)
    assert len(world.list_records()) == 40, (
        "answers wait for each other: the first one alone would be within the budget"
    )
    assert len(world.held[-1].held) == 40


def test_updates_of_all_records_at_once_are_not_held() -> None:
    world = run_forty()
    world.run(observe_new(*NAMES, target="192.0.2.77"), for_s=5.0)
    assert set(world.list_records().values()) == {("192.0.2.77",)}


def test_a_delete_that_is_part_of_a_change_of_type_is_neither_delayed_nor_counted() -> None:
    world = run_forty(replace(DELETES, limits=DeleteLimits(count=0, percent=0)))
    changed = [observe(name, build_claim(name, name, "lb.example.net", rtype="CNAME")) for name in NAMES]
    world.run(*changed, for_s=5.0)
    assert set(world.list_records().values()) == {("lb.example.net",)}


# approval


def test_approved_deletes_are_made_within_seconds() -> None:
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:13]), for_s=120.0)
    world.approvals = (world.held[-1].code,)
    world.run(for_s=15.0)
    assert len(world.list_records()) == 27
    assert world.held[-1].held == ()


def test_a_record_published_again_after_its_approved_delete_has_its_own_grace_period() -> None:
    world = run_forty(has_state_store=True)
    world.run(delete_services(*NAMES[:13]), for_s=120.0)
    world.approvals = (world.held[-1].code,)
    world.run(for_s=15.0)
    world.run(observe_new(*NAMES[:13]), for_s=5.0)
    world.run(observe_gone(NAMES[0]), for_s=59.0)
    assert len(world.list_records()) == 40
    world.run(for_s=2.0)
    assert len(world.list_records()) == 39
