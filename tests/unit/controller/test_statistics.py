"""The statistics at the end of a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from extdns.controller.statistics import StatisticsCache, count_planned_changes, count_statistics
from extdns.documents.snapshot import RecordCounts, count_records
from extdns.metrics.metrics import Mismatch
from extdns.model.change import TryLater
from extdns.model.claim import InvalidClaim
from extdns.model.reason import Category, Reason, select_reasons
from extdns.model.selection import DomainFilter
from extdns.model.zone import ZoneList
from tests.builders import (
    INGRESS,
    PLAN,
    ZONE,
    build_claim,
    build_unresolved,
    host,
    observe,
    observe_gone,
    origin,
    owned,
    ownership_record,
    record,
    refuse_names,
)
from tests.world import World, start_world

INVALID = InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")


def test_empty_zone_has_zero_records() -> None:
    world = start_world()
    assert count_records(world.engine) == {ZONE: RecordCounts(records=0, ours=0)}
    assert count_statistics(world.engine, "me", 0).current == {}


def test_ownership_records_are_not_counted_as_records() -> None:
    web = observe("web", build_claim("web", "web"))
    world = start_world(*owned("web"), record("mail"), record("mail", "ns.example.net", rtype="CNAME"), first=[web])
    assert count_records(world.engine) == {ZONE: RecordCounts(records=3, ours=1)}
    counts = count_statistics(world.engine, "me", 0)
    assert counts.current == {"A": 2, "CNAME": 1}
    assert counts.requested == {"A": 1}
    assert counts.verified["A"] == 1


def test_unresolved_claim_is_not_counted_as_published() -> None:
    waiting = [observe("web", build_unresolved("web", "web")), observe("api", build_claim("api", "api"))]
    assert count_statistics(start_world(first=waiting).engine, "me", 0).verified == {"A": 1}


def test_planned_change_is_counted_until_it_is_made() -> None:
    web = observe("web", build_claim("web", "web"), build_claim("web", "www"))
    dry = start_world(first=[web], has_writer=False)
    assert count_planned_changes(dry.engine) == 2
    assert count_planned_changes(start_world(first=[web]).engine) == 0


def test_record_of_another_owner_is_a_mismatch() -> None:
    theirs = (record("web"), ownership_record("web", owner="them"))
    world = start_world(*theirs, first=[observe("web", build_claim("web", "web", "2001:db8::1", rtype="AAAA"))])
    assert count_statistics(world.engine, "me", 0).mismatches == (Mismatch("A", "me", "them", "web.example.org"),)


def test_record_of_another_owner_that_blocks_two_is_one_mismatch() -> None:
    theirs = (record("web", "lb.example.net", rtype="CNAME"), ownership_record("web", owner="them", rtype="CNAME"))
    both = observe("web", build_claim("web", "web"), build_claim("web", "web", "2001:db8::1", rtype="AAAA"))
    found = count_statistics(start_world(*theirs, first=[both]).engine, "me", 0).mismatches
    assert found == (Mismatch("CNAME", "me", "them", "web.example.org"),), "1.8"


def test_endpoint_requested_twice_counts_once_and_as_one_deduplication() -> None:
    twice = [
        observe("web", build_claim("web", "web")),
        observe("web", build_claim("web", "web", kind=INGRESS), kind=INGRESS),
    ]
    counts = count_statistics(start_world(first=twice).engine, "me", 0)
    assert counts.requested == {"A": 1}, "plan 0.5, 1.2"
    assert sum(counts.deduplicated.values()) == 1


def test_endpoints_of_one_source_are_counted_after_merging() -> None:
    both = observe("web", build_claim("web", "web"), build_claim("web", "web", "2001:db8::1", rtype="AAAA"))
    more = observe(
        "api", build_claim("api", "web", "192.0.2.2"), build_claim("api", "api", "web.example.org", rtype="CNAME")
    )
    other = observe("old", build_claim("old", "web", "192.0.2.3", kind=INGRESS), kind=INGRESS)
    counts = count_statistics(start_world(first=[both, more, other]).engine, "me", 0)
    assert counts.requested == {"A": 2, "AAAA": 1, "CNAME": 1}, "one of both Services, one of the Ingress"


def test_invalid_claim_is_counted_with_an_unknown_type() -> None:
    assert count_statistics(start_world(first=[observe("web", INVALID)]).engine, "me", 0).invalid == {
        ("unknown", "service"): 1
    }


def test_invalid_endpoint_is_counted_under_its_type() -> None:
    one, other = (
        build_unresolved("web", "web", Reason.INVALID_ENDPOINT),
        build_unresolved("web", "web", Reason.INVALID_TARGET),
    )
    claims = [structs.replace(one, type="MX"), structs.replace(one, type="A", name=host("api")), other]
    invalid = count_statistics(start_world(first=[observe("web", *claims)]).engine, "me", 0).invalid
    assert invalid == {("MX", "service"): 1, ("A", "service"): 1}, "docs/spec/sources.md 1.7"


def a_record_of_somebody_else(world: World) -> None:
    world.provider.put_records(ZONE, record("mail"))
    world.run(for_s=65.0)


def a_zone_that_is_missing(world: World) -> None:
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=65.0)


def a_zone_that_goes(world: World) -> None:
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=700.0)


def a_write_that_waits(world: World) -> None:
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(observe("api", build_claim("api", "api")))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda world: world.run(observe("api", build_claim("api", "api"))), id="an-object"),
        pytest.param(lambda world: world.run(observe("bad", INVALID)), id="an-invalid-claim"),
        pytest.param(lambda world: world.run(observe_gone("web"), for_s=600.0), id="an-object-that-goes"),
        a_record_of_somebody_else,
        a_zone_that_is_missing,
        a_zone_that_goes,
        a_write_that_waits,
    ],
)
def test_computed_again_after_a_change_of_the_engine(change: Callable[[World], None]) -> None:
    plan = structs.replace(PLAN, domains=DomainFilter(exclude=("mail.example.org",)))
    world, cache = start_world(first=[observe("web", build_claim("web", "web"))], plan=plan), StatisticsCache("me")
    before = cache.count(world.engine, 0)
    change(world)
    after = cache.count(world.engine, 0)
    assert after != before
    assert after == count_statistics(world.engine, "me", 0)


def test_not_computed_again_without_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    world, cache = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))]), StatisticsCache("me")
    first = cache.count(world.engine, 0)
    world.run(for_s=600.0)
    monkeypatch.setattr("extdns.controller.statistics.count_statistics", lambda *_: None)
    assert cache.count(world.engine, 0) == first
    zone_state = world.engine.zones.find(ZONE)
    assert zone_state is not None
    zone_state.queue.queued[host("api")] = ()  # the change is planned and not sent yet
    assert cache.count(world.engine, 3) == structs.replace(first, problems=3, queued=1)


def test_names_that_wait_for_a_retry_are_backing_off() -> None:
    world = start_world()
    world.provider.rule = refuse_names("web")
    world.run(observe("web", build_claim("web", "web")), observe("api", build_claim("api", "api")))
    assert count_statistics(world.engine, "me", 0).backing_off == 1


def test_number_of_problems_and_of_decisions_for_each_reason() -> None:
    counts = count_statistics(
        start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))]).engine, "me", 7
    )
    assert counts.problems == 7
    assert counts.reasons["published"] == 1


@pytest.mark.parametrize("reason", sorted(select_reasons(Category.UNRESOLVED)))
def test_only_unresolved_claims_with_a_record_are_retained(reason: Reason) -> None:
    world = start_world(first=[observe("web", build_claim("web", "web"))])
    world.run(
        observe("web", build_unresolved("web", "web", reason)),
        observe("new", build_unresolved("new", "new", reason)),
        for_s=1.0,
    )
    assert count_statistics(world.engine, "me", 0).retained == 1
