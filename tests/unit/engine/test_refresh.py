"""Zones are refreshed page by page, within a rate limit (docs/design/retries.md, "Reading zones").

How the interval grows while nothing shows another writer is tested in test_pace.py; here it is fixed where it matters.
"""

from __future__ import annotations

import pytest

from extdns.engine.effects import ReadPage, SubmitBatch
from extdns.engine.inputs import Input, TimePassed
from extdns.engine.zones import ZoneCache, ZoneRefresh
from extdns.errors import RetryableError
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone, ZonePage
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    host,
    observe,
    owned,
    ownership_record,
    record,
)
from tests.world import World, build_world, start_published, start_world

OTHER = Zone(name=DnsName("example.net"), id="example.net")


def foreign_records(count: int) -> list[Record]:
    """Build foreign records of three types at *count* names."""
    types = (("A", "192.0.2.7"), ("AAAA", "2001:db8::7"), ("TXT", '"text"'))
    return [record(f"n{number}", target, rtype=rtype) for number in range(count) for rtype, target in types]


@pytest.mark.parametrize("page_size", [1, 2, 3, 4, 7, 300])
def test_after_the_first_read_the_zone_cache_equals_the_zone_whatever_the_page_size(page_size: int) -> None:
    world = build_world(*foreign_records(5), *owned("web"), page_size=page_size)
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS))
    cache = world.engine.zones.find(ZONE).cache  # type: ignore[union-attr]
    current = world.provider.contents(ZONE)
    assert {found.key: found for name in cache.names() for found in cache.records(name)} == current
    assert "SubmitBatch" not in world.calls


@pytest.mark.parametrize("page_size", [1, 2, 300])
def test_an_edit_of_a_record_of_ours_is_repaired_by_the_next_refresh(page_size: int) -> None:
    world = start_published(page_size=page_size)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [decision.reason for decision in world.reported] == ["drift-repaired", "published"]


def test_a_record_removed_together_with_its_ownership_record_is_created_again() -> None:
    world = start_published(page_size=1)
    world.provider.remove_records(ZONE, record("web").key, ownership_record("web").key)
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == {"a-web"}


def test_a_record_whose_ownership_record_was_removed_is_foreign_and_not_changed() -> None:
    world = start_published()
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.run(for_s=75.0)
    assert "SubmitBatch" not in world.calls
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]


def test_a_requested_record_is_created_after_a_foreign_record_was_removed() -> None:
    world = start_world(record("web", "192.0.2.66"), first=[observe("web", build_claim("web", "web"))])
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    world.provider.remove_records(ZONE, record("web").key)
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_a_removed_record_stays_in_the_zone_cache_until_a_refresh_has_read_the_whole_zone() -> None:
    world = start_published(page_size=1)
    world.provider.remove_records(ZONE, record("web").key, ownership_record("web").key)
    world.provider.put_records(ZONE, record("api"), record("blog"), record("zoo"))
    cache = world.engine.zones.find(ZONE).cache  # type: ignore[union-attr]
    world.feed(read_next_page(world))
    world.feed(read_next_page(world))
    assert cache.records(host("api"))
    assert (len(cache.records(host("web"))), world.batches) == (1, []), "the last page was not read yet"
    world.run(for_s=75.0)
    assert world.batches == [["web"]]


def test_a_page_read_before_a_write_does_not_replace_the_written_record_in_the_cache() -> None:
    world = start_published()
    page = read_next_page(world)
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    assert isinstance(world.waiting[0], SubmitBatch)
    world.feed(world.answer())  # the write is applied before the older page arrives
    world.feed(page)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert len(world.batches) == 1


def test_a_page_that_arrives_while_a_name_is_being_written_does_not_change_the_cache_of_this_name() -> None:
    world = start_published()
    page = read_next_page(world)
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(page)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert len(world.batches) == 1


def test_an_earlier_page_does_not_replace_records_that_were_read_by_name_later() -> None:
    world = start_published()
    page = read_next_page(world)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.03)
    assert world.calls.count("ReadNames") == 1
    world.feed(page)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_an_earlier_page_does_not_restore_an_ownership_record_that_a_later_read_by_name_did_not_find() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down", retry_after_s=70.0))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=69.0)
    while len(world.waiting) < 2:  # the names are requested again, and the next refresh begins
        world.now_s += 0.5
        world.feed(TimePassed())
    names, page = world.waiting
    world.waiting.clear()
    world.waiting.append(page)
    older = world.answer()
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.waiting.append(names)
    world.feed(world.answer())
    world.feed(older)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    assert len(world.batches) == 1


def read_next_page(world: World) -> Input:
    """Let time pass until the engine reads a page. Return the answer without feeding it."""
    while True:
        world.now_s += 1.0
        world.feed(TimePassed())
        while world.waiting:
            effect = world.waiting[0]
            answer = world.answer()
            if isinstance(effect, ReadPage):
                return answer
            world.feed(answer)


def test_refreshes_and_lists_of_zones_together_stay_within_the_rate_limit() -> None:
    world = start_world(*foreign_records(100), page_size=3, max_refresh_interval_s=60.0)
    world.calls.clear()
    world.run(for_s=3600.0)
    reads = [call for call in world.calls if call.startswith(("Read", "List"))]
    assert 700 <= len(reads) <= 721
    assert "ReadNames" not in reads


def test_an_idle_engine_takes_a_step_only_to_refresh_or_list_zones() -> None:
    world, woken = start_published(max_refresh_interval_s=60.0), list[float]()
    step = world.engine.step

    def counted(item: Input, now_s: float) -> object:
        woken.append(now_s)
        return step(item, now_s)

    world.engine.step = counted  # type: ignore[method-assign, assignment]
    world.run(for_s=3610.0)
    assert (world.calls.count("ListZones"), world.calls.count("ReadPage")) == (60, 60)
    assert len(woken) == 1 + 2 * 60 + 2 * 60  # one step for the request and one for the answer


def test_the_first_read_of_a_zone_has_no_rate_limit() -> None:
    world = build_world(*foreign_records(100), page_size=3)
    world.run(for_s=0.0)
    assert world.engine.zones.find(ZONE).cache.is_complete  # type: ignore[union-attr]


def test_a_small_zone_is_refreshed_every_interval() -> None:
    world = start_world(*foreign_records(3), max_refresh_interval_s=60.0)
    world.run(for_s=610.0)
    assert world.calls.count("ReadPage") == 10


def test_a_large_zone_does_not_delay_the_refresh_of_a_small_one() -> None:
    small = Record(name=DnsName("a.example.net"), type="A", targets=("192.0.2.7",), ttl_s=1)
    world = build_world(zones={ZONE: foreign_records(300), OTHER: [small]}, page_size=3, max_refresh_interval_s=60.0)
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    requested = [0, 0]
    for _ in range(600):
        world.now_s += 1.0
        world.feed(TimePassed())
        while world.waiting:
            effect = world.waiting[0]
            if isinstance(effect, ReadPage):
                requested[effect.zone == OTHER] += 1
            world.feed(world.answer())
    assert requested[1] >= 8
    assert requested[0] >= 80


def test_a_page_whose_read_fails_twice_is_read_again_and_the_refresh_continues_after_it() -> None:
    world = build_world(*foreign_records(10), page_size=3)
    world.provider.failures.extend([None, None, None, RetryableError("throttled"), RetryableError("throttled")])
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=10.0)
    assert world.calls.count("ReadPage") == 10 + 2
    assert world.engine.zones.find(ZONE).cache.is_complete  # type: ignore[union-attr]


def test_after_a_page_failed_three_times_the_refresh_starts_again_from_the_first_page() -> None:
    world = build_world(*foreign_records(10), page_size=3)
    world.provider.failures.extend([None, None, None, *[RetryableError("bad cursor")] * 3])
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=20.0)
    assert world.calls.count("ReadPage") == 2 + 3 + 10
    assert world.engine.zones.find(ZONE).cache.is_complete  # type: ignore[union-attr]


def test_a_failed_read_of_a_page_is_repeated_after_the_delay_that_the_dns_service_states() -> None:
    world = build_world(*foreign_records(1))
    world.provider.failures.extend([None, RetryableError("throttled", retry_after_s=20.0)])
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=19.9)
    assert world.calls.count("ReadPage") == 1
    world.run(for_s=0.2)
    assert world.calls.count("ReadPage") == 2


def test_after_a_failed_read_of_names_a_page_that_is_being_read_is_not_requested_again() -> None:
    world = start_published(page_size=1)
    page = read_next_page(world)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.9)
    assert world.calls.count("ReadNames") == 1
    requested = world.calls.count("ReadPage")
    world.run(for_s=3.0)
    assert world.calls.count("ReadPage") == requested  # the requested page has not arrived
    world.feed(page)
    world.run(for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


@pytest.mark.parametrize(
    ("under_way", "counts"),
    [
        pytest.param(True, False, id="page-requested-before-the-write"),
        pytest.param(False, True, id="page-requested-after-the-write"),
    ],
)
def test_a_page_changes_the_cache_of_a_written_name_only_if_it_was_requested_after_the_write(
    under_way: bool, counts: bool
) -> None:
    refresh, cache = ZoneRefresh(), ZoneCache()
    if under_way:
        refresh.start_page(0.0)
    refresh.skip_names([host("web")])
    refresh.start_page(0.0)
    changed, complete = refresh.take_page(ZonePage(records=(record("web"),)), cache, set())
    assert complete
    assert changed == ({host("web")} if counts else set())
