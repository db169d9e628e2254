"""Regional and custom hostnames are set, changed, removed and repaired in calls of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from extdns.engine.batches import measure, select_for_batch
from extdns.model.change import Applied, Refused, TryLater, Write, WriteConflict
from extdns.model.record import DesiredRecord, Record
from extdns.model.value import StringMap
from providers.cloudflare.entries import CUSTOM, REGION
from tests.cloudflare_world import World
from tests.conformance.provider import build_batch, build_desired, create, delete
from tests.fakes.cloudflare.server import Cloudflare
from tests.fakes.service.answers import ConnectionCut
from tests.fakes.service.faults import Drop, Fault, Meanwhile, Refuse

WWW = "www.example.org"
BATCH, READ = "POST dns_records", "GET dns_records"
LIST, ADD, CHANGE, REMOVE = (f"{method} regional_hostnames" for method in ("GET", "POST", "PATCH", "DELETE"))


@pytest.fixture
def world() -> Iterator[World]:
    with Cloudflare() as fake:
        yield World(fake, plan="enterprise", hostname_properties=(REGION,))


def desire(region: str, rtype: str = "A", target: str = "192.0.2.1") -> DesiredRecord:
    target = "2001:db8::1" if rtype == "AAAA" else target
    properties = StringMap.from_items([(REGION, region)] if region else [])
    return replace(build_desired(WWW, rtype, target), properties=properties)


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


def test_a_region_comes_after_a_changed_address_and_stays_if_that_fails(world: World) -> None:
    (made,) = add(world, desire("eu"))
    world.fake.faults.arm(Refuse(400, "1004"), action=CHANGE)
    (moved,) = world.apply(Write(old=made, new=desire("us", target="192.0.2.2"))).values()
    assert world.read() == {f"{WWW} A": moved}
    assert (moved.targets, moved.properties.get(REGION)) == (("192.0.2.2",), "eu")


def test_a_region_goes_before_the_record_but_stays_for_another_of_its_name(world: World) -> None:
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
        world = World(fake, plan="pro", hostname_properties=(REGION,))
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


@pytest.mark.parametrize("region", ["us", ""])
def test_an_address_changes_whatever_region_another_record_of_its_name_has(world: World, region: str) -> None:
    add(world, desire(region, "AAAA"))
    (made,) = add(world, desire("eu"))
    (changed,) = world.apply(Write(old=made, new=desire("eu", target="192.0.2.2"))).values()
    assert changed.targets == ("192.0.2.2",)
    refused = world.submit(Write(old=changed, new=desire("eu", target="192.0.2.2")))
    assert isinstance(refused, Refused)
    assert f"its AAAA record, which stays, has the region {region!r}" in refused.message


def test_a_conflict_in_the_batch_leaves_the_region_of_a_new_name_alone(world: World) -> None:
    world.fake.faults.arm(
        Meanwhile(lambda: world.fake.put(world.id, WWW, "CNAME", "other.example.net") and None), action=BATCH
    )
    assert isinstance(world.submit(Write(old=None, new=desire("eu"))), WriteConflict)
    assert regions(world) == {}


def test_the_annotation_overrides_the_region_of_the_flag_and_text_has_none(world: World) -> None:
    world.fake.reset()
    world = World(world.fake, plan="enterprise", hostname_properties=(REGION,), region="eu")
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


# Custom hostnames


ONE, TWO = "shop.customer.example", "www.customer.example"
LIST_CUSTOM, ADD_CUSTOM, REMOVE_CUSTOM = (f"{method} custom_hostnames" for method in ("GET", "POST", "DELETE"))


@pytest.fixture
def saas() -> Iterator[World]:
    with Cloudflare() as fake:
        yield World(fake, hostname_properties=(CUSTOM,))


def serve(*hostnames: str, name: str = WWW) -> DesiredRecord:
    properties = StringMap.from_items([(CUSTOM, ",".join(hostnames))] if hostnames else [])
    return replace(build_desired(name, "A", "192.0.2.1"), properties=properties)


def origins(world: World) -> dict[str, str]:
    return {one["hostname"]: one["custom_origin_server"] for one in world.fake.customs(world.id).values()}


def test_custom_hostnames_are_added_exchanged_and_removed_and_read_back(saas: World) -> None:
    (made,) = add(saas, serve(ONE))
    assert saas.actions() == [BATCH, LIST_CUSTOM, ADD_CUSTOM], "those of a new name come after its record"
    assert (origins(saas), saas.read()) == ({ONE: WWW}, {f"{WWW} A": made})
    saas.actions()
    (changed,) = saas.apply(Write(old=made, new=serve(TWO))).values()
    assert saas.actions() == [LIST_CUSTOM, REMOVE_CUSTOM, ADD_CUSTOM]
    assert origins(saas) == {TWO: WWW}
    saas.apply(delete(changed))
    assert saas.actions() == [LIST_CUSTOM, REMOVE_CUSTOM, BATCH], "those of a deleted name go before its record"
    assert (origins(saas), saas.read()) == ({}, {})


def test_custom_hostnames_of_two_pages_are_read_and_a_lost_one_is_added_again(saas: World) -> None:
    names = [f"n{number:02}.customer.example" for number in range(60)]
    (made,) = add(saas, serve(*names))
    assert saas.read() == {f"{WWW} A": made}
    saas.fake.customs(saas.id).popitem()
    (held,) = saas.read().values()
    saas.apply(Write(old=held, new=serve(*names)))
    assert len(origins(saas)) == 60


def make_hostnames(count: int, label: str) -> list[str]:
    return [f"{label}{number}.customer.example" for number in range(count)]


def test_a_batch_takes_at_most_a_hundred_calls_for_hostnames_or_has_one_name(saas: World) -> None:
    limits = saas.reader.capabilities
    writes = [Write(old=None, new=serve(*make_hostnames(50, one), name=f"{one}.example.org")) for one in "abc"]
    first = select_for_batch(build_batch(saas.zone, writes).change_sets, limits)
    assert [one.name for one in first] == ["a.example.org", "b.example.org"]
    saas.apply(*(write for one in first for write in one.writes))
    assert saas.actions().count(ADD_CUSTOM) == 100
    (made,) = add(saas, serve(*make_hostnames(100, "old")))
    (replaced,) = build_batch(saas.zone, [Write(old=made, new=serve(*make_hostnames(100, "new")))]).change_sets
    assert measure(replaced, limits).is_within(limits)


def test_a_record_has_at_most_a_hundred_custom_hostnames(saas: World) -> None:
    most, more = (
        saas.adjust(build_desired(WWW, "A", "192.0.2.1"), custom_hostname=",".join(make_hostnames(count, "n")))
        for count in (100, 101)
    )
    assert isinstance(most, DesiredRecord)
    assert more == "101 custom hostnames; allowed: 100 for a record"


@pytest.mark.parametrize("is_answer_lost", [False, True])
def test_a_custom_hostname_whose_call_broke_is_added_later(saas: World, is_answer_lost: bool) -> None:
    saas.fake.faults.arm(Drop(worked=is_answer_lost), action=ADD_CUSTOM)
    (made,) = add(saas, serve(ONE))
    saas.apply(Write(old=made, new=serve(ONE)))
    assert origins(saas) == {ONE: WWW}


def test_a_custom_hostname_with_another_origin_is_refused_and_stays(saas: World) -> None:
    saas.fake.customs(saas.id)["x"] = {"id": "x", "hostname": ONE, "custom_origin_server": "theirs.example.org"}
    (made,) = add(saas, serve(ONE))
    outcome = saas.submit(Write(old=made, new=serve(ONE)))
    assert isinstance(outcome, Refused)
    assert "has another origin: theirs.example.org" in outcome.message
    (made,) = saas.apply(Write(old=made, new=replace(serve(ONE), targets=("192.0.2.2",)))).values()
    assert (made.targets, saas.read()) == (("192.0.2.2",), {f"{WWW} A": made})
    assert isinstance(saas.submit(delete(made)), Applied)
    assert origins(saas) == {ONE: "theirs.example.org"}


@pytest.mark.parametrize("origin", ["theirs.example.org", None])
def test_custom_hostnames_of_other_origins_stay_when_ours_come_and_go(saas: World, origin: str | None) -> None:
    saas.fake.customs(saas.id)["x"] = theirs = {"id": "x", "hostname": TWO, "custom_origin_server": origin}
    (made,) = add(saas, serve(ONE))
    (plain,) = saas.apply(Write(old=made, new=serve())).values()
    saas.apply(delete(plain))
    assert saas.fake.customs(saas.id) == {"x": theirs}


def test_a_custom_hostname_moves_from_one_record_to_another_in_one_batch(saas: World) -> None:
    first, second = add(saas, serve(ONE)) + add(saas, serve(name="app.example.org"))
    saas.apply(Write(old=second, new=serve(ONE, name="app.example.org")), Write(old=first, new=serve()))
    assert origins(saas) == {ONE: "app.example.org"}


@pytest.mark.parametrize(("plan", "held"), [("enterprise", {ONE: WWW}), ("free", {})])
def test_tls_version_and_certificate_authority_come_from_the_flags(plan: str, held: dict[str, str]) -> None:
    with Cloudflare() as fake:
        world = World(
            fake, plan, hostname_properties=(CUSTOM,), min_tls_version="1.2", certificate_authority="lets_encrypt"
        )
        (made,) = add(world, serve(ONE))
        assert origins(world) == held
        for one in fake.customs(world.id).values():
            assert one["ssl"]["settings"] == {"min_tls_version": "1.2"}
            assert one["ssl"]["certificate_authority"] == "lets_encrypt"
        outcome = world.submit(Write(old=made, new=serve(ONE)))
        assert isinstance(outcome, Applied if held else Refused)


def test_custom_hostnames_are_names_of_a_and_cname_records_only(saas: World) -> None:
    a, aaaa = (build_desired(WWW, rtype, target) for rtype, target in (("A", "192.0.2.1"), ("AAAA", "2001:db8::1")))
    found = [saas.adjust(one, custom_hostname=f" {TWO}, {ONE.upper()},") for one in (a, aaaa)]
    assert [one.properties.get(CUSTOM) for one in found if isinstance(one, DesiredRecord)] == [f"{ONE},{TWO}", ""]
    assert "custom hostname 'nodot'" in str(saas.adjust(a, custom_hostname="nodot"))


class Crash(Fault):
    """Carries out *left* more calls, then none."""

    def __init__(self, left: int) -> None:
        self.left = left

    def before(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise ConnectionCut


@pytest.mark.parametrize("calls", range(10))
def test_after_a_crash_before_any_call_a_later_pass_completes_everything(calls: int) -> None:
    def want(region: str, *hostnames: str) -> DesiredRecord:
        return replace(serve(), properties=StringMap.from_items([(REGION, region), (CUSTOM, ",".join(hostnames))]))

    with Cloudflare() as fake:
        world = World(fake, plan="enterprise", hostname_properties=(REGION, CUSTOM))
        for desired in (want("eu", ONE), want("us", TWO), None):
            for fault in (Crash(calls), Fault(), Fault()):
                held = world.read().get(f"{WWW} A")
                fake.faults.arm(fault, times=None)
                if held or desired:
                    world.submit(Write(old=held, new=desired))
                fake.faults.clear()
            found = {key: record.properties for key, record in world.read().items()}
            assert found == ({f"{WWW} A": desired.properties} if desired else {})
        assert (regions(world), origins(world)) == ({}, {})
