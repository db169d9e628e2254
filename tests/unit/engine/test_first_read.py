"""The first read of a zone requests its pages without pause; later refreshes have a rate limit.

See docs/design/retries.md, "Reading zones".
"""

from __future__ import annotations

from extdns.engine.effects import ReadPage
from extdns.engine.inputs import PageRead, TimePassed
from extdns.errors import ForbiddenError, RetryableError
from tests.builders import INGRESS, SERVICE, ZONE, change_phase, record
from tests.world import World, build_world

PAGES = 5


def start_first_read() -> World:
    """Return an engine that has listed its zone of five pages and read none of them."""
    world = build_world(*(record(f"n{number}") for number in range(PAGES)), page_size=1)
    world.feed(change_phase(SERVICE))
    world.feed(change_phase(INGRESS))
    world.feed(world.answer())
    return world


def is_fully_read(world: World) -> bool:
    """Return whether all pages of the zone were read."""
    zone_state = world.engine.zones.find(ZONE)
    return zone_state is not None and zone_state.cache.is_complete


def test_the_first_read_of_a_zone_is_one_request_for_all_its_pages() -> None:
    world = start_first_read()
    assert list(world.waiting) == [ReadPage(zone=ZONE, after=None, reads_to_end=True)]
    page = world.answer()
    effects = world.engine.step(page, world.now_s)
    assert not [effect for effect in effects if isinstance(effect, ReadPage)], "it is being read"


def test_after_the_first_read_pages_of_a_zone_are_requested_one_by_one_with_pauses() -> None:
    world = start_first_read()
    world.run(for_s=1.0)
    assert is_fully_read(world)
    assert world.calls.count("ReadPage") == PAGES
    requested: list[ReadPage] = []
    for _ in range(30):
        world.now_s += 5.0
        requested += [effect for effect in world.engine.step(TimePassed(), world.now_s) if isinstance(effect, ReadPage)]
    assert requested == [ReadPage(zone=ZONE, after=None)]


def test_a_failed_first_read_continues_at_the_same_page() -> None:
    world = start_first_read()
    world.provider.failures.extend([None, None, RetryableError("busy"), ForbiddenError("no")])
    world.run(for_s=0.5)
    assert not is_fully_read(world)
    world.run(for_s=5.0)
    assert is_fully_read(world)
    assert world.calls.count("ReadPage") == PAGES + 2


def test_pages_that_arrive_out_of_order_are_ignored() -> None:
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
