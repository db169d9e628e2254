"""The API server returns an empty list although objects exist.

Causes are a broken aggregation layer, an etcd restored without data, or a cache that answers before it is filled.
external-dns deletes every record within a minute.

What must hold: after the grace period, extdns checks each object by itself. No record is deleted while its object
exists. If all objects are gone for good, the deletes exceed the budget for absence: they are held until a person
approves them.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, start_cluster
from tests.fakes.apiserver.faults import Empty
from tests.fakes.apiserver.options import WatchList
from tests.incidents.production import Production
from tests.incidents.test_19_pods_come_and_go import endpoints, pod
from tests.objects import gateway, http_route, namespace, numbered, service, services

NAMES = numbered(40)
ALL = services(NAMES)
GATEWAY = gateway()
NAMESPACE = namespace()
ROUTES = [http_route(name) for name in ("r0", "r1")]


def test_a_list_that_is_empty_for_45_seconds_deletes_no_record() -> None:
    world = start_cluster(*ALL)
    world.drop_from_list(*ALL, for_s=45.0)
    world.apply(*ALL, for_s=HOUR_S)
    assert not world.deleted()
    assert world.published() == set(NAMES)
    assert not world.code


def test_a_list_that_stays_empty_deletes_no_record_while_the_objects_exist() -> None:
    world = start_cluster(*ALL)
    world.drop_from_list(*ALL, for_s=12 * HOUR_S)
    assert not world.deleted()


def test_two_objects_missing_from_lists_keep_their_records_until_they_are_confirmed_gone() -> None:
    world = start_cluster(*ALL)
    world.drop_from_list(*ALL[:2], for_s=12 * HOUR_S)
    assert not world.deleted()
    assert not world.code
    world.exists = lambda _: False
    world.run(for_s=HOUR_S)
    assert world.published() == set(NAMES[2:]), "two deletes are within the budget"


def test_records_of_routes_stay_while_their_gateway_exists_though_a_list_lacks_it() -> None:
    world = start_cluster(GATEWAY, NAMESPACE, *ROUTES, *ALL, flags=("--source=gateway-httproute",), for_s=MINUTE_S)
    assert world.published() == {*NAMES, "r0", "r1"}
    world.drop_from_list(GATEWAY, for_s=12 * HOUR_S)
    assert not world.deleted()
    world.apply(GATEWAY, for_s=HOUR_S)
    assert world.list_decisions("r0") == [("A", Action.KEEP, Reason.PUBLISHED)]
    world.drop_from_list(GATEWAY, exist=False, for_s=HOUR_S)
    assert world.published() == set(NAMES)


def test_deletes_of_the_records_of_all_missing_objects_are_held_and_new_names_are_published() -> None:
    world = start_cluster(*ALL)
    world.drop_from_list(*ALL, exist=False, for_s=2 * MINUTE_S)
    assert world.held_names() == set(NAMES)
    world.apply(service("new"), for_s=HOUR_S)
    assert world.published() == {*NAMES, "new"}
    world.approve()
    assert world.published() == {"new"}


def test_at_start_the_deletes_of_the_records_of_all_missing_objects_are_held() -> None:
    before = start_cluster(*ALL)
    before.objects.clear()
    after = before.restart(for_s=HOUR_S)
    assert not after.deleted()
    assert after.held_names() == set(NAMES)


def test_at_start_an_empty_list_deletes_no_record_while_the_objects_exist() -> None:
    before = start_cluster(*ALL)
    existing = set(before.objects)
    before.objects.clear()
    after = before.restart(for_s=0.0)
    after.exists = existing.__contains__
    after.run(for_s=HOUR_S)
    assert not after.deleted()


def test_with_compat_an_empty_list_deletes_all_records() -> None:
    world = start_cluster(*ALL, flags=COMPAT)
    world.drop_from_list(*ALL, for_s=MINUTE_S)
    assert world.published() == set()


@pytest.mark.parametrize(
    "count", [pytest.param(14, id="more-than-the-budget"), pytest.param(2, id="fewer-than-the-budget")]
)
def test_the_program_deletes_no_record_after_two_empty_lists(production: Production, count: int) -> None:
    production.apply(*ALL[:count])
    with production.process():
        production.until_published(*NAMES[:count])
    production.server.api.watch_list = WatchList.UNKNOWN
    production.server.faults.arm(Empty(), verb="list", resource="services", times=2)
    with production.process() as running:
        for _ in range(3):
            running.pass_time(10 * MINUTE_S)
            production.wait_for_marker()
        assert production.published() == set(NAMES[:count])


def test_the_record_of_a_headless_service_stays_while_its_unlisted_endpoints_exist() -> None:
    headless = service("db", address=None, type="ClusterIP", clusterIP="None", selector={"app": "db"})
    parts = [pod("db-0", "10.0.0.7"), endpoints("10.0.0.7")]
    world = start_cluster(headless, *parts)
    assert world.published() == {"db"}
    world.drop_from_list(*parts, for_s=12 * HOUR_S)
    assert world.published() == {"db"}
    assert not world.deleted()
    world.drop_from_list(*parts, exist=False, for_s=HOUR_S)
    assert world.published() == set()
