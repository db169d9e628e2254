"""A list comes back empty.

A broken aggregation layer, an etcd restored from nothing, or a cache that answers before it is filled: the API server
gives a complete list without a single object, and means it. The reference deletes every record within a minute.

What must hold: the list says no more than that; every object is asked for, one by one, after the grace. While they
exist, nothing goes, not then and not later. When they are gone for good, the records that would go are more than may
go by absence: all are held, and a person releases them.
"""

from __future__ import annotations

import pytest

from tests.fakes.apiserver.faults import Empty
from tests.fakes.apiserver.options import WatchList
from tests.incidents.objects import gateway, http_route, namespace, numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, scene

NAMES = numbered(40)
ALL = services(NAMES)
GATEWAY = gateway()
NAMESPACE = namespace()
ROUTES = [http_route(name) for name in ("r0", "r1")]


def test_once_while_running_nothing_goes() -> None:
    world = scene(*ALL)
    world.lose(*ALL, for_s=45.0)
    world.show(*ALL, for_s=HOUR_S)
    assert not world.deleted()
    assert world.published() == set(NAMES)
    assert not world.code


def test_for_long_while_the_objects_exist_nothing_goes() -> None:
    world = scene(*ALL)
    world.lose(*ALL, for_s=12 * HOUR_S)
    assert not world.deleted()


def test_two_of_many_that_exist_do_not_go_either() -> None:
    world = scene(*ALL)
    world.lose(*ALL[:2], for_s=12 * HOUR_S)
    assert not world.deleted()
    assert not world.code
    world.exists = lambda _: False
    world.run(for_s=HOUR_S)
    assert world.published() == set(NAMES[2:]), "gone for good, two are within the budget"


def test_what_others_rest_on_does_not_take_them_along_while_it_exists() -> None:
    world = scene(GATEWAY, NAMESPACE, *ROUTES, *ALL, flags=("--source=gateway-httproute",), for_s=MINUTE_S)
    assert world.published() == {*NAMES, "r0", "r1"}
    world.lose(GATEWAY, for_s=12 * HOUR_S)
    assert not world.deleted()
    world.show(GATEWAY, for_s=HOUR_S)
    assert world.endings("r0") == ["A keep programmed"]
    world.lose(GATEWAY, exist=False, for_s=HOUR_S)
    assert world.published() == set(NAMES)


def test_for_good_all_are_held_and_changes_go_on() -> None:
    world = scene(*ALL)
    world.lose(*ALL, exist=False, for_s=2 * MINUTE_S)
    assert world.shown_held() == set(NAMES)
    world.show(service("new"), for_s=HOUR_S)
    assert world.published() == {*NAMES, "new"}
    world.release()
    assert world.published() == {"new"}


def test_at_start_all_are_held() -> None:
    before = scene(*ALL)
    before.objects.clear()
    after = before.again(for_s=HOUR_S)
    assert not after.deleted()
    assert after.shown_held() == set(NAMES)


def test_at_start_while_the_objects_exist_nothing_goes() -> None:
    before = scene(*ALL)
    there = set(before.objects)
    before.objects.clear()
    after = before.again(for_s=0.0)
    after.exists = there.__contains__
    after.run(for_s=HOUR_S)
    assert not after.deleted()


def test_the_reference_loses_all() -> None:
    world = scene(*ALL, flags=COMPAT)
    world.lose(*ALL, for_s=MINUTE_S)
    assert world.published() == set()


@pytest.mark.parametrize("count", [pytest.param(14, id="more-than-the-budget"), pytest.param(2, id="fewer")])
def test_the_whole_program_believes_no_empty_list(production: Production, count: int) -> None:
    production.put(*ALL[:count])
    with production.process():
        production.until_published(*NAMES[:count])
    production.server.api.watch_list = WatchList.UNKNOWN
    production.server.faults.arm(Empty(), verb="list", resource="services", times=2)
    with production.process() as running:
        for _ in range(3):
            running.pass_time(10 * MINUTE_S)
            production.seen()
        assert production.published() == set(NAMES[:count])


def test_the_whole_program_holds_what_is_missing_for_good(production: Production) -> None:
    production.put(*ALL[:14])
    with production.process():
        production.until_published(*NAMES[:14])
    production.delete(*ALL[:14])
    with production.process() as running:
        running.pass_time(MINUTE_S + 1.0)
        production.release(running)
        production.until_published()


def test_the_whole_program_loses_all_as_the_reference_does(production: Production) -> None:
    production.put(*ALL[:14])
    with production.process():
        production.until_published(*NAMES[:14])
    production.delete(*ALL[:14])
    with production.process("--compat"):
        production.until_published()
