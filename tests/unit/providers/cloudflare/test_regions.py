"""Regional services: the region of a name is set, changed, removed and repaired in calls of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from extdns.model.change import Applied, Refused, TryLater, Write, WriteConflict
from extdns.model.record import DesiredRecord, Record
from extdns.model.value import StringMap
from providers.cloudflare.entries import REGION
from tests.cloudflare_world import World
from tests.conformance.provider import build_desired, create, delete
from tests.fakes.cloudflare.server import Cloudflare
from tests.fakes.service.faults import Drop, Meanwhile, Refuse

WWW = "www.example.org"
BATCH, READ = "POST dns_records", "GET dns_records"
LIST, ADD, CHANGE, REMOVE = (f"{method} regional_hostnames" for method in ("GET", "POST", "PATCH", "DELETE"))


@pytest.fixture
def world() -> Iterator[World]:
    with Cloudflare() as fake:
        yield World(fake, plan="enterprise", regional=True)


def desire(region: str, rtype: str = "A", name: str = WWW) -> DesiredRecord:
    target = "2001:db8::1" if rtype == "AAAA" else "192.0.2.1"
    properties = StringMap.from_items([(REGION, region)] if region else [])
    return replace(build_desired(name, rtype, target), properties=properties)


def add(world: World, *desired: DesiredRecord) -> list[Record]:
    return list(world.apply(*(Write(old=None, new=one) for one in desired)).values())


def regions(world: World) -> dict[str, str]:
    return world.fake.regions(world.id)


def test_a_region_is_set_changed_and_removed_and_read_back(world: World) -> None:
    (made,) = add(world, desire("eu"))
    assert world.actions() == [BATCH, LIST, READ, ADD], "the region of a new name comes after its record"
    assert world.read() == {f"{WWW} A": made}
    world.actions()
    (changed,) = world.apply(Write(old=made, new=desire("us"))).values()
    assert world.actions() == [LIST, READ, CHANGE], "that of a name with a record comes before"
    assert regions(world) == {WWW: "us"}
    (plain,) = world.apply(Write(old=changed, new=desire(""))).values()
    assert (regions(world), plain.properties) == ({}, ())


def test_the_region_goes_before_the_record_and_stays_with_another_record_of_its_name(world: World) -> None:
    both = add(world, desire("eu"), desire("eu", "AAAA"))
    world.apply(delete(both[0]))
    assert regions(world) == {WWW: "eu"}
    world.actions()
    world.apply(delete(both[1]))
    assert world.actions() == [LIST, READ, REMOVE, BATCH]
    assert regions(world) == {}


def test_a_region_that_somebody_changed_or_removed_is_repaired(world: World) -> None:
    add(world, desire("eu"))
    for drift in ("us", ""):
        regions(world).pop(WWW)
        regions(world).update({WWW: drift} if drift else {})
        (held,) = world.read().values()
        assert held.properties.get(REGION) == drift
        world.apply(Write(old=held, new=desire("eu")))
        assert regions(world) == {WWW: "eu"}


@pytest.mark.parametrize("is_answer_lost", [False, True])
def test_a_region_whose_call_broke_after_the_record_was_made_is_set_later(world: World, is_answer_lost: bool) -> None:
    world.fake.faults.arm(Drop(worked=is_answer_lost), action=ADD)
    (made,) = add(world, desire("eu"))
    assert made.properties == ()
    (done,) = world.apply(Write(old=made, new=desire("eu"))).values()
    assert (regions(world), world.read()) == ({WWW: "eu"}, {f"{WWW} A": done})


def test_a_deleted_name_whose_batch_did_not_arrive_is_still_ours_to_delete(world: World) -> None:
    (made,) = add(world, desire("eu"))
    world.fake.faults.arm(Refuse(429, "971"), action=BATCH)
    assert isinstance(world.submit(delete(made)), TryLater)
    (held,) = world.read().values()
    assert (regions(world), held.properties) == ({}, ())
    assert isinstance(world.submit(delete(held)), Applied)
    assert world.read() == {}


def test_a_plan_without_regional_services_refuses_the_region_and_not_the_record() -> None:
    with Cloudflare() as fake:
        world = World(fake, plan="pro", regional=True)
        (made,) = add(world, desire("eu"))
        outcome = world.submit(Write(old=made, new=desire("eu")), create("new.example.org", "A", "192.0.2.2"))
        assert isinstance(outcome, Refused)
        assert outcome.offending_names == (WWW,)
        assert "not enabled for this account" in outcome.message
        assert set(world.read()) == {f"{WWW} A"}


def test_two_records_of_a_name_with_different_regions_are_refused(world: World) -> None:
    first, second = add(world, desire("eu"), desire("us", "AAAA"))
    assert regions(world) == {}
    outcome = world.submit(Write(old=first, new=desire("eu")), Write(old=second, new=desire("us", "AAAA")))
    assert isinstance(outcome, Refused)
    assert "regions 'eu' and 'us'" in outcome.message
    alone = world.submit(Write(old=first, new=desire("eu")))
    assert isinstance(alone, Refused)
    assert "its AAAA record, which stays, has the region ''" in alone.message


def test_a_conflict_in_the_batch_leaves_the_region_of_a_new_name_alone(world: World) -> None:
    world.fake.faults.arm(
        Meanwhile(lambda: world.fake.put(world.id, WWW, "CNAME", "other.example.net") and None), action=BATCH
    )
    assert isinstance(world.submit(Write(old=None, new=desire("eu"))), WriteConflict)
    assert regions(world) == {}


def test_the_annotation_overrides_the_region_of_the_flag_and_text_has_none(world: World) -> None:
    world.fake.reset()
    world = World(world.fake, plan="enterprise", regional=True, region="eu")
    found = {
        rtype: world.adjust(build_desired(WWW, rtype, target), **stated)
        for rtype, target, stated in (
            ("A", "192.0.2.1", {}),
            ("AAAA", "2001:db8::1", {"region_key": ""}),
            ("CNAME", "lb.example.net", {"region_key": "us"}),
            ("TXT", '"x"', {"region_key": "us"}),
        )
    }
    assert {rtype: one.properties.get(REGION) for rtype, one in found.items() if isinstance(one, DesiredRecord)} == {
        "A": "eu",
        "AAAA": "",
        "CNAME": "us",
        "TXT": "",
    }
    assert "the region 'e u'" in str(world.adjust(build_desired(WWW, "A", "192.0.2.1"), region_key="e u"))
