"""Zones with ownership records, in each naming format (docs/spec/plan.md 3.2.5, 3.2.10, 10.1 and 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Action, TryLater
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from registry.txt.registry import TxtRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    build_registry,
    change_phase,
    host,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
    refuse_names,
    refuse_with_names,
)
from tests.world import World, build_world, start_world

APEX = DnsName("example.org")


def move_to_apex(found: Record) -> Record:
    return replace(found, name=APEX)


# older naming formats


def test_record_in_an_old_format_gets_a_current_ownership_record_once() -> None:
    old = record("web", *ownership_record("web").targets, rtype="TXT")
    world = start_world(record("web"), old, first=[observe("web", build_claim("web", "web"))])
    assert world.list_ownership_labels() == {"web", "a-web"}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1


def test_old_format_is_enough_if_a_current_name_would_be_outside_the_zone() -> None:
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
def test_record_is_not_changed_if_its_ownership_record_could_be_of_another(*, compat: bool) -> None:
    registry = build_registry(unmarked_creates=compat)
    current = {found.key: found for found in (record("a-foo", "192.0.2.66"), ownership_record("foo"))}
    world = build_world(*current.values(), plan=replace(PLAN, compat=compat), registry=registry)
    world.run(observe("web", build_claim("web", "a-foo")), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.provider.contents(ZONE) == current
    assert world.decision("a-foo").reason is Reason.FOREIGN_RECORD


# docs/spec/plan.md 11
@pytest.mark.parametrize("compat", [False, True], ids=["ours", "compat"])
@pytest.mark.parametrize("requested", [("foo",), ()], ids=["requested", "not-requested"])
def test_record_by_hand_at_the_ownership_name_of_another_record_stays(
    requested: tuple[str, ...], *, compat: bool
) -> None:
    """Test that the TXT at `a-foo`, which could be an old ownership record of `a-foo`, does not make `a-foo` ours."""
    registry = build_registry(unmarked_creates=compat)
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


ANY = build_registry(wildcard="any")
STAR, NAMED = "*.x", "any.x"


def request_names(world: World, *requested: tuple[str, str], for_s: float = 1.0) -> World:
    """Run an engine that observes one Service for each of *requested*, a name and a type."""
    targets = {"A": "192.0.2.1", "CNAME": "lb.test"}
    seen_first = [observe(at, build_claim(at, at, targets[rtype], rtype=rtype)) for at, rtype in requested]
    world.run(*seen_first, change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)
    return world


# two names with one ownership name


@pytest.mark.parametrize(
    ("registry", "first", "second", "reason"),
    [
        pytest.param(ANY, (STAR, "A"), (NAMED, "A"), Reason.DUPLICATE_OWNERSHIP_NAME, id="11-wildcard-replacement"),
        pytest.param(
            build_registry(),
            ("cname-x", "CNAME"),
            ("x", "CNAME"),
            Reason.DUPLICATE_OWNERSHIP_NAME,
            id="cname-at-the-ownership-name",
        ),
        pytest.param(
            build_registry(prefix="t."), ("t.cname-x", "CNAME"), ("x", "CNAME"), Reason.NO_OWNERSHIP_NAME, id="prefix"
        ),
    ],
)
def test_dry_run_plans_of_two_names_the_one_that_a_real_run_creates(
    registry: TxtRegistry, first: tuple[str, str], second: tuple[str, str], reason: Reason
) -> None:
    dry = request_names(build_world(registry=registry, has_writer=False), second, first)
    assert dry.list_decisions(first[0]) == [(first[1], Action.CREATE, Reason.REQUESTED)]
    assert dry.list_decisions(second[0]) == [(second[1], Action.NONE, reason)]
    real = request_names(build_world(registry=registry), second, first)
    assert real.list_decisions(first[0]) == [(first[1], Action.KEEP, Reason.PUBLISHED)]
    assert real.list_decisions(second[0]) == [(second[1], Action.NONE, reason)]
    assert len(real.batches) == 1


def test_dry_run_plans_a_name_whose_ownership_name_is_freed_by_a_delete() -> None:
    current = owned(STAR, resource=f"service/shop/{STAR}")[0], owned("any.x", resource=f"service/shop/{STAR}")[1]
    worlds = [build_world(*current, registry=ANY, has_writer=has_writer) for has_writer in (False, True)]
    for world in worlds:
        request_names(world, (STAR, "A"))
        assert world.list_decisions(STAR) == [("A", Action.KEEP, Reason.PUBLISHED)]
        world.run(observe_gone(STAR), observe("any", build_claim("any", NAMED)), for_s=1.0)
    dry, real = worlds
    assert dry.list_decisions(STAR) == [("A", Action.DELETE, Reason.OBJECT_DELETED)]
    assert dry.list_decisions(NAMED) == [("A", Action.CREATE, Reason.REQUESTED)]
    assert set(real.list_records()) == {"any.x A"}
    assert real.list_decisions(NAMED) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_name_is_created_if_the_other_with_its_ownership_name_is_refused() -> None:
    world = build_world(registry=ANY)
    world.provider.rule = refuse_with_names(STAR)
    request_names(world, (STAR, "A"), (NAMED, "A"), for_s=10.0)
    assert set(world.list_records()) == {"any.x A"}
    assert world.list_decisions(STAR) == [("A", Action.NONE, Reason.DUPLICATE_OWNERSHIP_NAME)]
    assert world.list_decisions(NAMED) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_name_waits_while_the_other_with_its_ownership_name_is_written() -> None:
    world = build_world(registry=ANY)
    world.provider.rule = refuse_names(STAR, outcome=TryLater(message="throttled"))
    request_names(world, (STAR, "A"), (NAMED, "A"), for_s=5.0)
    assert world.list_decisions(NAMED) == [("A", Action.NONE, Reason.DUPLICATE_OWNERSHIP_NAME)]
    assert world.batches == [["*"]] * len(world.batches)
    assert host(NAMED) not in {
        key.name for key in world.provider.contents(world.engine.zones.containing(host("x"))[0].zone)
    }


TYPES = frozenset({"A", "CNAME", "TXT"})
WITH_TXT = replace(PLAN, managed_types=TYPES)
TXT_REGISTRY = build_registry(types=TYPES)
FORGED = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/gone"'


# TXT records of objects with the text of an ownership record (law 1)


@pytest.mark.parametrize("compat", [False, True])
def test_txt_record_with_ownership_text_is_not_published(compat: bool) -> None:
    world = start_world(
        record("mail"),
        first=[observe("web", build_claim("web", "a-mail", FORGED, '"v=spf1"', rtype="TXT"))],
        plan=replace(WITH_TXT, compat=compat),
        registry=TXT_REGISTRY,
    )
    assert world.list_decisions("a-mail") == [("TXT", Action.NONE, Reason.FORGED_OWNERSHIP)]
    assert world.list_records() == {"mail A": ("192.0.2.1",)}
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"mail A": ("192.0.2.1",)}


def test_existing_forgery_makes_nothing_ours_and_goes_with_its_object() -> None:
    forged = record("a-mail", FORGED, rtype="TXT")
    own = ownership_record("txt-a-mail", resource="service/shop/web")
    world = start_world(
        record("mail"),
        forged,
        replace(own, name=host("txt-a-mail")),
        first=[observe("web", build_claim("web", "a-mail", FORGED, rtype="TXT"))],
        plan=WITH_TXT,
        registry=TXT_REGISTRY,
    )
    assert world.list_decisions("a-mail") == [("TXT", Action.KEEP, Reason.FORGED_OWNERSHIP)]
    assert world.list_decisions("mail") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    assert world.decision("mail").detail == (
        "a-mail.example.org does not count as its ownership record: an object published it as a TXT record"
    )
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"mail A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == set()


def test_record_is_kept_if_its_object_now_requests_only_a_forgery() -> None:
    world = start_world(
        *owned("web", "lb.test", rtype="CNAME"),
        first=[observe("web", build_claim("web", "web", FORGED, rtype="TXT"))],
        plan=WITH_TXT,
        registry=TXT_REGISTRY,
    )
    world.run(for_s=600.0)
    assert world.list_records() == {"web CNAME": ("lb.test",)}
