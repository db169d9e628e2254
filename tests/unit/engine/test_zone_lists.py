"""Lists of zones and refreshes of zones have a common rate limit.

See docs/design/retries.md, "Reading zones".
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.effects import ListZones
from extdns.engine.inputs import TimePassed, ZonesListed
from tests.builders import ZONE, record
from tests.world import start_published


@pytest.mark.parametrize(
    ("interval_s", "calls"),
    [
        pytest.param(1.0, 12, id="lists due far more often than the pace allows"),
        pytest.param(5.0, 12, id="lists due as often as the pace allows"),
        pytest.param(60.0, 1, id="a single call a minute"),
    ],
)
def test_lists_of_zones_use_at_most_half_of_the_rate_limit_shared_with_refreshes(interval_s: float, calls: int) -> None:
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
