"""What is counted at the end of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs

from extdns.controller.census import Census, count, outstanding
from extdns.facts.holding import Holding, holdings
from extdns.metrics.metrics import Mismatch
from extdns.model.claim import Invalid
from extdns.model.domains import DomainFilter
from extdns.model.outcome import TryLater
from extdns.model.reason import WITHHELD, Reason
from extdns.model.zone import ZoneList
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    ZONE,
    Stage,
    gone,
    host,
    mark,
    origin,
    owned,
    record,
    refusing,
    running,
    seen,
    wants,
    withholds,
)

WRONG = Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")


def test_an_empty_zone_holds_nothing() -> None:
    stage = running()
    assert holdings(stage.engine) == {ZONE: Holding(records=0, ours=0)}
    assert count(stage.engine, "me", 0).held == {}


def test_records_are_counted_without_marks_and_ours_apart() -> None:
    web = seen("web", wants("web", "web"))
    stage = running(*owned("web"), record("mail"), record("mail", "ns.example.net", rtype="CNAME"), first=[web])
    assert holdings(stage.engine) == {ZONE: Holding(records=3, ours=1)}
    counts = count(stage.engine, "me", 0)
    assert counts.held == {"A": 2, "CNAME": 1}
    assert counts.wanted == {"A": 1}
    assert counts.verified["A"] == 1


def test_what_has_no_type_yet_is_verified_of_none() -> None:
    waiting = [seen("web", withholds("web", "web")), seen("api", wants("api", "api"))]
    assert count(running(first=waiting).engine, "me", 0).verified == {"A": 1}


def test_what_is_planned_and_not_made_is_outstanding() -> None:
    web = seen("web", wants("web", "web"), wants("web", "www"))
    dry = running(first=[web], writes=False)
    assert outstanding(dry.engine) == 2
    assert outstanding(running(first=[web]).engine) == 0


def test_what_others_hold_in_our_way_is_a_mismatch() -> None:
    theirs = (record("web"), mark("web", owner="them"))
    stage = running(*theirs, first=[seen("web", wants("web", "web", "2001:db8::1", rtype="AAAA"))])
    assert count(stage.engine, "me", 0).mismatches == (Mismatch("A", "me", "them", "web.example.org"),)


def test_a_record_that_is_in_the_way_of_two_is_one_mismatch() -> None:
    theirs = (record("web", "lb.example.net", rtype="CNAME"), mark("web", owner="them", rtype="CNAME"))
    both = seen("web", wants("web", "web"), wants("web", "web", "2001:db8::1", rtype="AAAA"))
    found = count(running(*theirs, first=[both]).engine, "me", 0).mismatches
    assert found == (Mismatch("CNAME", "me", "them", "web.example.org"),), "1.8"


def test_the_same_asked_for_twice_is_deduplicated() -> None:
    twice = [seen("web", wants("web", "web")), seen("web", wants("web", "web", kind=INGRESS), kind=INGRESS)]
    counts = count(running(first=twice).engine, "me", 0)
    assert counts.wanted == {"A": 1}, "plan 0.5, 1.2"
    assert sum(counts.deduplicated.values()) == 1


def test_what_several_ask_for_is_counted_as_it_is_merged() -> None:
    both = seen("web", wants("web", "web"), wants("web", "web", "2001:db8::1", rtype="AAAA"))
    more = seen("api", wants("api", "web", "192.0.2.2"), wants("api", "api", "web.example.org", rtype="CNAME"))
    other = seen("old", wants("old", "web", "192.0.2.3", kind=INGRESS), kind=INGRESS)
    counts = count(running(first=[both, more, other]).engine, "me", 0)
    assert counts.wanted == {"A": 2, "AAAA": 1, "CNAME": 1}, "one of both Services, one of the Ingress"


def test_what_makes_no_record_is_invalid() -> None:
    assert count(running(first=[seen("web", WRONG)]).engine, "me", 0).invalid == {("unknown", "service"): 1}


def test_what_makes_no_valid_record_is_invalid_by_its_type() -> None:
    one, other = withholds("web", "web", Reason.INVALID_ENDPOINT), withholds("web", "web", Reason.INVALID_TARGET)
    wrong = [structs.replace(one, type="MX"), structs.replace(one, type="A", name=host("api")), other]
    invalid = count(running(first=[seen("web", *wrong)]).engine, "me", 0).invalid
    assert invalid == {("MX", "service"): 1, ("A", "service"): 1}, "sources 1.7"


def an_object(world: Stage) -> None:
    world.run(seen("api", wants("api", "api")))


def a_mistake(world: Stage) -> None:
    world.run(seen("bad", WRONG))


def an_object_that_goes(world: Stage) -> None:
    world.run(gone("web"), for_s=600.0)


def a_record_of_somebody_else(world: Stage) -> None:
    world.provider.put(ZONE, record("mail"))
    world.run(for_s=65.0)


def a_zone_that_is_missing(world: Stage) -> None:
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=65.0)


def a_zone_that_goes(world: Stage) -> None:
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=700.0)


def a_write_that_waits(world: Stage) -> None:
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(seen("api", wants("api", "api")))


@pytest.mark.parametrize(
    "change",
    [
        an_object,
        a_mistake,
        an_object_that_goes,
        a_record_of_somebody_else,
        a_zone_that_is_missing,
        a_zone_that_goes,
        a_write_that_waits,
    ],
)
def test_what_changed_is_counted_anew(change: Callable[[Stage], None]) -> None:
    plan = structs.replace(PLAN, domains=DomainFilter(exclude=("mail.example.org",)))
    world, census = running(first=[seen("web", wants("web", "web"))], plan=plan), Census("me")
    before = census.count(world.engine, 0)
    change(world)
    after = census.count(world.engine, 0)
    assert after != before
    assert after == count(world.engine, "me", 0)


def test_what_did_not_change_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world, census = running(*owned("web"), first=[seen("web", wants("web", "web"))]), Census("me")
    first = census.count(world.engine, 0)
    world.run(for_s=600.0)
    monkeypatch.setattr("extdns.controller.census.count", lambda *_: None)
    assert census.count(world.engine, 0) == first
    state = world.engine.zones.state(ZONE)
    assert state is not None
    state.writes.pending[host("api")] = ()  # as when it was planned and is about to be sent
    assert census.count(world.engine, 3) == replace(first, problems=3, pending=1)


def test_names_that_are_set_aside_are_counted() -> None:
    world = running()
    world.provider.rule = refusing("web")
    world.run(seen("web", wants("web", "web")), seen("api", wants("api", "api")))
    assert count(world.engine, "me", 0).quarantined == 1


def test_problems_and_reasons_are_passed_on() -> None:
    counts = count(running(*owned("web"), first=[seen("web", wants("web", "web"))]).engine, "me", 7)
    assert counts.problems == 7
    assert counts.reasons["programmed"] == 1


@pytest.mark.parametrize("reason", sorted(WITHHELD))
def test_a_record_whose_object_says_no_target_any_more_is_stale_and_one_that_never_stood_is_not(reason: Reason) -> None:
    world = running(first=[seen("web", wants("web", "web"))])
    world.run(seen("web", withholds("web", "web", reason)), seen("new", withholds("new", "new", reason)), for_s=1.0)
    assert count(world.engine, "me", 0).stale == 1
