"""Reading of zones: the first read, refreshes page by page, and lists of zones.

See docs/design/retries.md, "Reading zones"; docs/design/pace.md.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec.structs import replace

from extdns.engine.effects import ListZones, ReadPage, SubmitBatch
from extdns.engine.inputs import Input, LeadershipChanged, PageRead, TimePassed, ZonesListed
from extdns.errors import RetryableError
from extdns.model.change import Action, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    host,
    observe,
    observe_new,
    ownership_record,
    record,
)
from tests.world import World, build_world, start_published, start_world

PAGES = 5
OTHER = Zone(name=DnsName("example.net"), id="example.net")
HOUR_S = 3600.0
ROUNDS = [60, 180, 420, 900, 1800, 2700, 3600]  # of a quiet hour, in seconds after the start
PAUSE_S = 5  # between two calls


def start_first_read() -> World:
    """Return an engine that has listed its zone of five pages and read none of them."""
    world = build_world(*(record(f"n{number}") for number in range(PAGES)), page_size=1)
    world.feed(change_phase(SERVICE))
    world.feed(change_phase(INGRESS))
    world.feed(world.answer())
    return world


def is_fully_read(world: World) -> bool:
    zone_state = world.engine.zones.find(ZONE)
    return zone_state is not None and zone_state.cache.is_complete


def foreign_records(count: int) -> list[Record]:
    types = (("A", "192.0.2.7"), ("AAAA", "2001:db8::7"), ("TXT", '"text"'))
    return [record(f"n{number}", target, rtype=rtype) for number in range(count) for rtype, target in types]


def fill_zone(count: int) -> list[Record]:
    """Build records of nobody at *count* names."""
    return [record(f"n{number}", "192.0.2.7") for number in range(count)]


def start_quiet(**changes: object) -> World:
    """Start an engine with the published Service `web`, and let a quiet hour pass."""
    world = start_published(**changes)
    world.run(for_s=HOUR_S)
    world.calls.clear()
    return world


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


def find_reads(world: World, for_s: float, effect: type[ReadPage | ListZones] = ReadPage) -> list[int]:
    """Run *world* and return when it requested pages, or lists of zones, in seconds from now."""
    requested, began_s, step = list[int](), world.now_s, world.engine.step

    def record_reads(item: Input, now_s: float) -> object:
        effects = step(item, now_s)
        requested.extend(round(now_s - began_s) for one in effects if isinstance(one, effect))
        return effects

    world.engine.step = record_reads  # type: ignore[method-assign, assignment]
    world.run(for_s=for_s)
    world.engine.step = step  # type: ignore[method-assign]
    return requested


# the first read


def test_first_read_is_one_request_for_all_pages() -> None:
    world = start_first_read()
    assert list(world.waiting) == [ReadPage(zone=ZONE, after=None, reads_to_end=True)]
    page = world.answer()
    effects = world.engine.step(page, world.now_s)
    assert not [effect for effect in effects if isinstance(effect, ReadPage)], "it is being read"


def test_pages_are_requested_one_by_one_after_the_first_read() -> None:
    world = start_first_read()
    world.run(for_s=1.0)
    assert is_fully_read(world)
    assert world.calls.count("ReadPage") == PAGES
    requested: list[ReadPage] = []
    for _ in range(30):
        world.now_s += 5.0
        requested += [effect for effect in world.engine.step(TimePassed(), world.now_s) if isinstance(effect, ReadPage)]
    assert requested == [ReadPage(zone=ZONE, after=None)]


def test_pages_out_of_order_are_ignored() -> None:
    world = start_first_read()
    pages: list[PageRead] = []
    after = None
    while not pages or after is not None:
        pages.append(PageRead(zone=ZONE, after=after, page=world.provider.read_page(ZONE, after)))
        after = pages[-1].page.after
    assert len(pages) == PAGES
    for number in (2, 0, 4, 1, 1, 0, 2, 3, 2):
        world.engine.step(pages[number], world.now_s)
        assert not is_fully_read(world)
    world.engine.step(pages[4], world.now_s)
    assert is_fully_read(world)
    zone_state = world.engine.zones.find(ZONE)
    assert zone_state
    assert sorted(zone_state.cache.names()) == sorted(record(f"n{number}").name for number in range(PAGES))


# refreshes


@pytest.mark.parametrize("page_size", [1, 2, 300])
def test_edit_of_a_record_of_ours_is_repaired(page_size: int) -> None:
    world = start_published(page_size=page_size)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [decision.reason for decision in world.reported] == ["drift-repaired", "published"]


def test_created_again_if_removed_with_its_ownership_record() -> None:
    world = start_published(page_size=1)
    world.provider.remove_records(ZONE, record("web").key, ownership_record("web").key)
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == {"a-web"}
    assert [decision.reason for decision in world.reported] == ["drift-repaired", "published"]


def test_removed_record_stays_in_the_cache_until_the_whole_zone_was_read() -> None:
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


@pytest.mark.parametrize("is_written", [True, False], ids=["written", "being-written"])
def test_page_read_before_a_write_does_not_replace_the_written_record(*, is_written: bool) -> None:
    world = start_published()
    page = read_next_page(world)
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    assert isinstance(world.waiting[0], SubmitBatch)
    if is_written:
        world.feed(world.answer())
    world.feed(page)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert len(world.batches) == 1


def test_page_does_not_replace_records_read_by_name_later() -> None:
    world = start_published()
    page = read_next_page(world)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.03)
    assert world.calls.count("ReadNames") == 1
    world.feed(page)
    world.run(for_s=1.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_page_does_not_restore_ownership_record_that_a_later_read_lacked() -> None:
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


def test_idle_engine_takes_a_step_only_to_refresh_or_list() -> None:
    world, woken = start_published(max_refresh_interval_s=60.0), list[float]()
    step = world.engine.step

    def counted(item: Input, now_s: float) -> object:
        woken.append(now_s)
        return step(item, now_s)

    world.engine.step = counted  # type: ignore[method-assign, assignment]
    world.run(for_s=3610.0)
    assert (world.calls.count("ListZones"), world.calls.count("ReadPage")) == (60, 60)
    assert len(woken) == 1 + 2 * 60 + 2 * 60  # one step for the request and one for the answer


def test_large_zone_does_not_delay_the_refresh_of_a_small_one() -> None:
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


@pytest.mark.parametrize(
    ("failures", "pages"),
    [pytest.param(2, 10 + 2, id="continues"), pytest.param(3, 2 + 3 + 10, id="starts-again-after-three")],
)
def test_page_is_read_again_after_it_failed(failures: int, pages: int) -> None:
    world = build_world(*foreign_records(10), page_size=3)
    world.provider.failures.extend([None, None, None, *[RetryableError("throttled")] * failures])
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=20.0)
    assert world.calls.count("ReadPage") == pages
    assert world.engine.zones.find(ZONE).cache.is_complete  # type: ignore[union-attr]


def test_page_being_read_is_not_requested_again_after_another_read_failed() -> None:
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


# intervals


def test_interval_doubles_up_to_fifteen_minutes_while_nothing_changes() -> None:
    reads = find_reads(start_published(), HOUR_S + 4 * PAUSE_S)
    assert reads == [pytest.approx(at_s, abs=4 * PAUSE_S) for at_s in ROUNDS]


def test_interval_of_lists_doubles_up_to_five_minutes_while_nothing_changes() -> None:
    lists = find_reads(start_published(), 1200.0, ListZones)
    assert lists == [pytest.approx(at_s, abs=PAUSE_S) for at_s in (60, 180, 420, 720, 1020)]


def test_interval_stays_the_same_if_its_maximum_is_not_longer() -> None:
    assert len(find_reads(start_published(interval_s=600.0, max_refresh_interval_s=60.0), HOUR_S + PAUSE_S)) == 6


def edit_record(world: World) -> None:
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))


def add_foreign_record(world: World) -> None:
    world.provider.put_records(ZONE, record("theirs", "192.0.2.66"))


def conflict(world: World) -> None:
    world.provider.answers.append(WriteConflict(message="changed"))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))


@pytest.mark.parametrize(
    ("change", "most_s"),
    [(edit_record, 900), (add_foreign_record, 900), (conflict, PAUSE_S)],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_interval_is_short_after_another_writer_was_found(change: Callable[[World], None], most_s: int) -> None:
    world = start_quiet()
    change(world)
    first, *later = find_reads(world, 1200.0)
    assert first <= most_s
    assert [at_s - first for at_s in later][:2] == [60, 180]


def test_refreshed_soon_after_a_foreign_record_was_found() -> None:
    world = start_quiet()
    world.provider.put_records(ZONE, record("new", "192.0.2.66"))
    world.run(for_s=HOUR_S)  # the record of another writer is known, and quiet
    world.feed(observe_new("new"))
    assert world.decision("new").reason is Reason.FOREIGN_RECORD
    world.provider.remove_records(ZONE, record("new").key)
    world.run(for_s=2 * PAUSE_S)
    assert world.decision("new").reason is Reason.PUBLISHED


def test_own_writes_do_not_shorten_the_interval() -> None:
    world = start_quiet()
    world.run(observe_new("new"), for_s=1.0)
    assert len(find_reads(world, 1700.0)) <= 2
    assert "new A" in world.list_records()


def test_change_found_in_the_middle_speeds_up_the_rest() -> None:
    world = start_world(*fill_zone(20), page_size=2)
    world.run(for_s=HOUR_S)
    quiet = find_reads(world, 950.0)
    waits_s = [later - at_s for at_s, later in pairwise(quiet)]
    assert waits_s.count(20) >= 9, "four times the pause of five seconds"
    world.provider.put_records(ZONE, record("n3", "192.0.2.66"))
    found = find_reads(world, 950.0)
    assert 5 in [later - at_s for at_s, later in pairwise(found)]


def test_large_unchanged_zone_takes_a_quarter_of_the_allowed_calls() -> None:
    world = start_world(*fill_zone(600), page_size=2)
    world.run(for_s=2 * HOUR_S)
    world.calls.clear()
    world.run(for_s=HOUR_S)
    assert world.calls.count("ReadPage") + world.calls.count("ListZones") <= 60 * 12 / 4 + 1


def test_zone_with_another_writer_is_refreshed_every_minute() -> None:
    theirs = Record(name=DnsName("a.example.net"), type="A", targets=("192.0.2.7",), ttl_s=1)
    world = start_world(zones={ZONE: fill_zone(100), OTHER: [theirs]}, page_size=3)
    pages = {ZONE: 0, OTHER: 0}
    for number in range(3600):
        world.provider.put_records(
            OTHER, Record(name=theirs.name, type="A", targets=(f"192.0.2.{number % 200}",), ttl_s=1)
        )
        world.now_s += 1.0
        world.feed(TimePassed())
        while world.waiting:
            if isinstance(effect := world.waiting[0], ReadPage):
                pages[effect.zone] += 1
            world.feed(world.answer())
    assert pages[OTHER] >= 54
    assert 100 <= pages[ZONE] <= 220


def test_zones_are_listed_every_minute_while_a_name_has_no_zone() -> None:
    world = start_world(zones={OTHER: ()})
    world.run(for_s=HOUR_S)
    assert len(find_reads(world, 600.0, ListZones)) == 2
    world.feed(observe_new("web"))
    assert world.decision("web").reason is Reason.NO_ZONE
    assert len(find_reads(world, 600.0, ListZones)) >= 10


def test_new_leader_refreshes_all_zones_at_once_and_every_minute() -> None:
    world = start_quiet(has_election=True)
    world.feed(LeadershipChanged(is_leader=True))
    assert any(isinstance(effect, ReadPage) for effect in world.waiting)
    assert find_reads(world, 70.0) == [60]


# lists of zones


@pytest.mark.parametrize(
    ("interval_s", "calls"),
    [
        pytest.param(1.0, 12, id="lists due far more often than the pace allows"),
        pytest.param(5.0, 12, id="lists due as often as the pace allows"),
        pytest.param(60.0, 1, id="a single call a minute"),
    ],
)
def test_lists_use_at_most_half_of_the_common_rate_limit(interval_s: float, calls: int) -> None:
    world = start_published(interval_s=interval_s, max_refresh_interval_s=interval_s, refresh_calls_per_minute=calls)
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(for_s=3600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    lists, pages = world.calls.count("ListZones"), world.calls.count("ReadPage")
    assert lists <= pages + 1
    assert 60 * calls - 2 <= lists + pages <= 60 * calls + 1


def test_zones_are_listed_less_often_if_one_list_takes_many_calls() -> None:
    world = start_published()
    listing = replace(world.provider.list_zones(), calls=13)
    world.feed(ZonesListed(zones=listing))
    lists, pages = world.calls.count("ListZones"), world.calls.count("ReadPage")
    world.run(for_s=110.0)
    assert world.calls.count("ListZones") == lists
    assert world.calls.count("ReadPage") > pages
    world.run(for_s=20.0)
    assert world.calls.count("ListZones") > lists


def test_zones_are_not_listed_again_while_a_list_has_no_answer() -> None:
    world = start_published(max_refresh_interval_s=60.0)
    for _ in range(600):
        world.now_s += 1.0
        world.feed(TimePassed())
    assert world.waiting.count(ListZones()) == 1
