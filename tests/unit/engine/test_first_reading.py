"""The first reading of a zone goes on from page to page, later ones keep a pace (design 4, "Audit")."""

from __future__ import annotations

from extdns.engine.effects import ReadPage
from extdns.engine.inputs import PageRead, Tick
from extdns.errors import ForbiddenError, RetryableError
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, Stage, phase, record, stage

PAGES = 5


def long() -> Stage:
    """The zones are listed, and nothing is read of the one with five pages."""
    world = stage(*(record(f"n{number}") for number in range(PAGES)), page_size=1)
    world.feed(phase(SERVICE))
    world.feed(phase(INGRESS))
    world.feed(world.answer())
    return world


def whole(world: Stage) -> bool:
    state = world.engine.zones.state(ZONE)
    return state is not None and state.mirror.whole


def test_a_zone_is_asked_for_once_and_read_onward() -> None:
    world = long()
    assert list(world.waiting) == [ReadPage(zone=ZONE, after=None, onward=True)]
    page = world.answer()
    effects = world.engine.step(page, world.now_s)
    assert not [effect for effect in effects if isinstance(effect, ReadPage)], "it is being read"


def test_once_it_was_read_pages_are_asked_for_one_by_one() -> None:
    world = long()
    world.run(for_s=1.0)
    assert whole(world)
    assert world.calls.count("ReadPage") == PAGES
    asked: list[ReadPage] = []
    for _ in range(30):
        world.now_s += 5.0
        asked += [effect for effect in world.engine.step(Tick(), world.now_s) if isinstance(effect, ReadPage)]
    assert asked == [ReadPage(zone=ZONE, after=None)]


def test_a_first_reading_that_fails_goes_on_where_it_was() -> None:
    world = long()
    world.provider.failures.extend([None, None, RetryableError("busy"), ForbiddenError("no")])
    world.run(for_s=0.5)
    assert not whole(world)
    world.run(for_s=5.0)
    assert whole(world)
    assert world.calls.count("ReadPage") == PAGES + 2


def test_pages_of_an_earlier_reading_are_passed_over() -> None:
    world = long()
    pages: list[PageRead] = []
    after = None
    while not pages or after is not None:
        pages.append(PageRead(zone=ZONE, asked=after, page=world.provider.page(ZONE, after)))
        after = pages[-1].page.after
    assert len(pages) == PAGES
    for number in (2, 0, 4, 1, 1, 0, 2, 3, 2):
        world.engine.step(pages[number], world.now_s)
        assert not whole(world)
    world.engine.step(pages[4], world.now_s)
    assert whole(world)
    state = world.engine.zones.state(ZONE)
    assert state
    assert sorted(state.mirror.names()) == sorted(record(f"n{number}").name for number in range(PAGES))
