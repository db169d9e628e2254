"""Zones are read page by page, and read again at a pace (design 4, "Mirror" and "Audit")."""

from __future__ import annotations

import pytest

from extdns.engine.audit import Audit
from extdns.engine.effects import ReadPage, Submit
from extdns.engine.inputs import Input, Tick
from extdns.engine.mirror import Mirror
from extdns.errors import RetryableError
from extdns.model.name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Page, Zone
from tests.unit.engine.stage import (
    INGRESS,
    SERVICE,
    ZONE,
    Stage,
    host,
    mark,
    owned,
    phase,
    published,
    record,
    running,
    seen,
    stage,
    wants,
)

OTHER = Zone(name=DnsName("example.net"), id="example.net")


def crowd(count: int) -> list[Record]:
    """Records of somebody else, several types a name."""
    types = (("A", "192.0.2.7"), ("AAAA", "2001:db8::7"), ("TXT", '"text"'))
    return [record(f"n{number}", target, rtype=rtype) for number in range(count) for rtype, target in types]


@pytest.mark.parametrize("page_size", [1, 2, 3, 4, 7, 300])
def test_pages_are_merged_by_whole_names_wherever_they_end(page_size: int) -> None:
    world = stage(*crowd(5), *owned("web"), page_size=page_size)
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS))
    mirror = world.engine.zones.state(ZONE).mirror  # type: ignore[union-attr]
    stands = world.provider.contents(ZONE)
    assert {found.key: found for name in mirror.names() for found in mirror.of(name)} == stands
    assert "Submit" not in world.calls


@pytest.mark.parametrize("page_size", [1, 2, 300])
def test_an_edit_of_an_owned_record_is_repaired_within_a_round(page_size: int) -> None:
    world = published(page_size=page_size)
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.run(for_s=75.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert [decision.reason for decision in world.told] == ["drift-repaired", "programmed"]


def test_a_record_that_was_removed_together_with_its_mark_is_made_again() -> None:
    world = published(page_size=1)
    world.provider.remove(ZONE, record("web").key, mark("web").key)
    world.run(for_s=75.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.marks() == {"a-web"}


def test_a_removed_mark_is_seen_and_the_record_is_left_alone() -> None:
    world = published()
    world.provider.remove(ZONE, mark("web").key)
    world.run(for_s=75.0)
    assert "Submit" not in world.calls
    assert world.endings("web") == ["A keep foreign-record"]


def test_a_foreign_record_that_goes_makes_room() -> None:
    world = running(record("web", "192.0.2.66"), first=[seen("web", wants("web", "web"))])
    assert world.endings("web") == ["A keep foreign-record"]
    world.provider.remove(ZONE, record("web").key)
    world.run(for_s=75.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_name_counts_as_absent_only_at_the_end_of_a_round() -> None:
    world = published(page_size=1)
    world.provider.remove(ZONE, record("web").key, mark("web").key)
    while not (world.waiting and isinstance(world.waiting[0], ReadPage)):
        world.now_s += 1.0
        world.feed(Tick())
        while world.waiting and not isinstance(world.waiting[0], ReadPage):
            world.feed(world.answer())
    mirror = world.engine.zones.state(ZONE).mirror  # type: ignore[union-attr]
    assert mirror.of(host("web"))


def test_what_was_written_during_a_round_is_not_judged_by_older_pages() -> None:
    world = published()
    page = next_page(world)
    world.feed(seen("web", wants("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(Tick())
    assert isinstance(world.waiting[0], Submit)
    world.feed(world.answer())  # the write lands before the page, which is older, arrives
    world.feed(page)
    world.run(for_s=1.0)
    assert world.endings("web") == ["A keep programmed"]
    assert len(world.batches) == 1


def test_a_write_in_flight_is_not_judged_by_a_page() -> None:
    world = published()
    page = next_page(world)
    world.feed(seen("web", wants("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(Tick())
    world.feed(page)
    world.run(for_s=1.0)
    assert world.endings("web") == ["A keep programmed"]
    assert len(world.batches) == 1


def test_what_was_read_by_itself_during_a_round_is_not_judged_by_older_pages() -> None:
    world = published()
    page = next_page(world)
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=0.03)
    assert world.calls.count("ReadNames") == 1
    world.feed(page)
    world.run(for_s=1.0)
    assert world.endings("web") == ["A keep programmed"]
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_an_older_page_does_not_bring_back_a_mark_that_was_seen_to_be_gone() -> None:
    world = published()
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down", retry_after_s=70.0))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=69.0)
    while len(world.waiting) < 2:  # the names are asked for again, and a new round begins
        world.now_s += 0.5
        world.feed(Tick())
    names, page = world.waiting
    world.waiting.clear()
    world.waiting.append(page)
    older = world.answer()
    world.provider.remove(ZONE, mark("web").key)
    world.waiting.append(names)
    world.feed(world.answer())
    world.feed(older)
    world.run(for_s=1.0)
    assert world.endings("web") == ["A keep foreign-record"]
    assert len(world.batches) == 1


def next_page(world: Stage) -> Input:
    """Let time pass until a page is asked for; it is read now, and its answer has not arrived."""
    while True:
        world.now_s += 1.0
        world.feed(Tick())
        while world.waiting:
            effect = world.waiting[0]
            answer = world.answer()
            if isinstance(effect, ReadPage):
                return answer
            world.feed(answer)


def test_audits_keep_the_pace_lists_of_zones_included() -> None:
    world = running(*crowd(100), page_size=3)
    world.calls.clear()
    world.run(for_s=3600.0)
    reads = [call for call in world.calls if call.startswith(("Read", "List"))]
    assert 700 <= len(reads) <= 721
    assert "ReadNames" not in reads


def test_an_idle_engine_is_woken_only_to_read_and_takes_in_only_what_it_read() -> None:
    world, woken = published(), list[float]()
    step = world.engine.step

    def counted(item: Input, now_s: float) -> object:
        woken.append(now_s)
        return step(item, now_s)

    world.engine.step = counted  # type: ignore[method-assign, assignment]
    world.run(for_s=3610.0)
    assert (world.calls.count("ListZones"), world.calls.count("ReadPage")) == (60, 60)
    assert len(woken) == 1 + 2 * 60 + 2 * 60  # to ask and to be answered


def test_the_first_reading_keeps_no_pace() -> None:
    world = stage(*crowd(100), page_size=3)
    world.run(for_s=0.0)
    assert world.engine.zones.state(ZONE).mirror.whole  # type: ignore[union-attr]


def test_a_small_zone_is_read_again_every_interval() -> None:
    world = running(*crowd(3))
    world.run(for_s=610.0)
    assert world.calls.count("ReadPage") == 10


def test_a_large_zone_does_not_keep_the_audit_from_a_small_one() -> None:
    small = Record(name=DnsName("a.example.net"), type="A", targets=("192.0.2.7",), ttl_s=1)
    world = stage(zones={ZONE: crowd(300), OTHER: [small]}, page_size=3)
    world.run(phase(SERVICE), phase(INGRESS))
    asked = [0, 0]
    for _ in range(600):
        world.now_s += 1.0
        world.feed(Tick())
        while world.waiting:
            effect = world.waiting[0]
            if isinstance(effect, ReadPage):
                asked[effect.zone == OTHER] += 1
            world.feed(world.answer())
    assert asked[1] >= 8
    assert asked[0] >= 80


def test_a_page_that_failed_is_asked_for_again_and_the_round_goes_on() -> None:
    world = stage(*crowd(10), page_size=3)
    world.provider.failures.extend([None, None, None, RetryableError("throttled"), RetryableError("throttled")])
    world.run(phase(SERVICE), phase(INGRESS), for_s=10.0)
    assert world.calls.count("ReadPage") == 10 + 2
    assert world.engine.zones.state(ZONE).mirror.whole  # type: ignore[union-attr]


def test_a_page_that_fails_again_and_again_starts_the_round_anew() -> None:
    world = stage(*crowd(10), page_size=3)
    world.provider.failures.extend([None, None, None, *[RetryableError("bad cursor")] * 3])
    world.run(phase(SERVICE), phase(INGRESS), for_s=20.0)
    assert world.calls.count("ReadPage") == 2 + 3 + 10
    assert world.engine.zones.state(ZONE).mirror.whole  # type: ignore[union-attr]


def test_a_failed_page_waits_as_long_as_the_service_asks() -> None:
    world = stage(*crowd(1))
    world.provider.failures.extend([None, RetryableError("throttled", retry_after_s=20.0)])
    world.run(phase(SERVICE), phase(INGRESS), for_s=19.9)
    assert world.calls.count("ReadPage") == 1
    world.run(for_s=0.2)
    assert world.calls.count("ReadPage") == 2


def test_names_that_cannot_be_read_do_not_disturb_the_page_under_way() -> None:
    world = published(page_size=1)
    page = next_page(world)
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=0.9)
    assert world.calls.count("ReadNames") == 1
    asked = world.calls.count("ReadPage")
    world.run(for_s=3.0)
    assert world.calls.count("ReadPage") == asked  # the one that was asked for has not arrived
    world.feed(page)
    world.run(for_s=60.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}


@pytest.mark.parametrize(
    ("under_way", "counts"),
    [
        pytest.param(True, False, id="page-asked-for-before-the-write"),
        pytest.param(False, True, id="page-asked-for-after-the-write"),
    ],
)
def test_a_page_counts_for_a_written_name_if_it_was_asked_for_later(under_way: bool, counts: bool) -> None:
    audit, mirror = Audit(), Mirror()
    if under_way:
        audit.ask(0.0)
    audit.touch([host("web")])
    audit.ask(0.0)
    changed, complete = audit.read(Page(records=(record("web"),)), mirror, set())
    assert complete
    assert changed == ({host("web")} if counts else set())
