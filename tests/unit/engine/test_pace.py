"""Zones are read less often while nothing shows another writer (docs/design/pace.md)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from extdns.engine.effects import ListZones, ReadPage
from extdns.engine.inputs import Input, LeadershipChanged, TimePassed
from extdns.model.change import WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.builders import ZONE, build_claim, observe, observe_new, owned, ownership_record, record
from tests.fakes.faulty import NoAnswer
from tests.world import World, start_published, start_world

HOUR_S = 3600.0
OTHER = Zone(name=DnsName("example.net"), id="example.net")
ROUNDS = [60, 180, 420, 900, 1800, 2700, 3600]  # of a quiet hour, in seconds after the start
PAUSE_S = 5  # between two calls


def fill_zone(count: int) -> list[Record]:
    """Build records of nobody at *count* names."""
    return [record(f"n{number}", "192.0.2.7") for number in range(count)]


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


def start_quiet(*, page_size: int = 300, **changes: object) -> World:
    """Start an engine with the published Service `web`, and let a quiet hour pass."""
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web"))], page_size=page_size, **changes
    )
    world.run(for_s=HOUR_S)
    world.calls.clear()
    return world


def test_the_refresh_interval_of_a_zone_doubles_up_to_fifteen_minutes_while_nothing_changes() -> None:
    reads = find_reads(start_published(), HOUR_S + 4 * PAUSE_S)
    assert reads == [pytest.approx(at_s, abs=4 * PAUSE_S) for at_s in ROUNDS]


def test_the_interval_between_lists_of_zones_doubles_up_to_five_minutes_while_they_do_not_change() -> None:
    lists = find_reads(start_published(), 1200.0, ListZones)
    assert lists == [pytest.approx(at_s, abs=PAUSE_S) for at_s in (60, 180, 420, 720, 1020)]


def test_the_refresh_interval_stays_the_same_if_its_maximum_is_not_longer() -> None:
    assert len(find_reads(start_published(max_refresh_interval_s=60.0), HOUR_S + PAUSE_S)) == 60
    assert len(find_reads(start_published(interval_s=600.0, max_refresh_interval_s=60.0), HOUR_S + PAUSE_S)) == 6


def edit_record(world: World) -> None:
    """Edit a record of ours, as another writer."""
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))


def add_foreign_record(world: World) -> None:
    """Create a record that no object requests, as another writer."""
    world.provider.put_records(ZONE, record("theirs", "192.0.2.66"))


@pytest.mark.parametrize("change", [edit_record, add_foreign_record], ids=["edited", "foreign"])
def test_the_refresh_interval_is_short_again_after_a_change_by_another_writer_was_found(
    change: Callable[[World], None],
) -> None:
    world = start_quiet()
    change(world)
    first, *later = find_reads(world, 1200.0)
    assert first <= 900
    assert [at_s - first for at_s in later][:2] == [60, 180]


def test_a_zone_is_refreshed_at_once_after_a_write_conflict() -> None:
    world = start_quiet()
    world.provider.answers.append(WriteConflict(message="changed"))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    first, *later = find_reads(world, 200.0)
    assert first <= PAUSE_S
    assert [at_s - first for at_s in later] == [60, 180]


def test_a_zone_is_refreshed_soon_after_a_read_of_names_found_that_a_record_differs_from_the_zone_cache() -> None:
    world = start_quiet()
    world.provider.answers.append(NoAnswer(applied=True))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    assert len(find_reads(world, 50.0)) == 1
    assert "ReadNames" in world.calls


def test_a_zone_is_refreshed_soon_after_a_foreign_record_was_found_at_a_requested_name() -> None:
    world = start_quiet()
    world.provider.put_records(ZONE, record("new", "192.0.2.66"))
    world.run(for_s=HOUR_S)  # the record of another writer is known, and quiet
    world.feed(observe_new("new"))
    assert world.decision("new").reason is Reason.FOREIGN_RECORD
    world.provider.remove_records(ZONE, record("new").key)
    world.run(for_s=2 * PAUSE_S)
    assert world.decision("new").reason is Reason.PUBLISHED


def test_writes_by_extdns_do_not_shorten_the_refresh_interval() -> None:
    world = start_quiet()
    world.run(observe_new("new"), for_s=1.0)
    assert len(find_reads(world, 1700.0)) <= 2
    assert "new A" in world.list_records()


def test_a_change_found_in_the_middle_of_a_refresh_speeds_up_the_rest_of_it() -> None:
    world = start_world(*fill_zone(20), page_size=2)
    world.run(for_s=HOUR_S)
    quiet = find_reads(world, 950.0)
    waits_s = [later - at_s for at_s, later in pairwise(quiet)]
    assert waits_s.count(20) >= 9, "four times the pause of five seconds"
    world.provider.put_records(ZONE, record("n3", "192.0.2.66"))
    found = find_reads(world, 950.0)
    assert 5 in [later - at_s for at_s, later in pairwise(found)]


def test_refreshing_a_large_unchanged_zone_takes_at_most_a_quarter_of_the_allowed_calls() -> None:
    world = start_world(*fill_zone(600), page_size=2)
    world.run(for_s=2 * HOUR_S)
    world.calls.clear()
    world.run(for_s=HOUR_S)
    assert world.calls.count("ReadPage") + world.calls.count("ListZones") <= 60 * 12 / 4 + 1


def test_of_two_zones_the_one_with_another_writer_is_refreshed_every_minute() -> None:
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


def test_zones_are_listed_every_minute_while_a_name_waits_for_its_zone() -> None:
    world = start_world(zones={OTHER: ()})
    world.run(for_s=HOUR_S)
    assert len(find_reads(world, 600.0, ListZones)) == 2
    world.feed(observe_new("web"))
    assert world.decision("web").reason is Reason.NO_ZONE
    assert len(find_reads(world, 600.0, ListZones)) >= 10


def test_a_new_leader_refreshes_all_zones_at_once_and_every_minute() -> None:
    world = start_quiet(has_election=True)
    world.feed(LeadershipChanged(is_leader=True))
    first, second = find_reads(world, 70.0)
    assert (first <= PAUSE_S, second - first) == (True, 60)


def test_an_ownership_record_removed_by_another_writer_is_found_within_fifteen_minutes() -> None:
    world = start_quiet()
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.run(for_s=905.0)
    assert world.decision("web").reason is Reason.FOREIGN_RECORD
