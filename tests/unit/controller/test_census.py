"""What is counted at the end of a run."""

from __future__ import annotations

from extdns.controller.census import Holding, count, holdings, outstanding
from extdns.metrics.metrics import Mismatch
from extdns.model.claim import Invalid
from extdns.model.reason import Reason
from tests.unit.engine.stage import INGRESS, ZONE, mark, origin, owned, record, running, seen, wants, withholds


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


def test_the_same_asked_for_twice_is_deduplicated() -> None:
    twice = [seen("web", wants("web", "web")), seen("web", wants("web", "web", kind=INGRESS), kind=INGRESS)]
    counts = count(running(first=twice).engine, "me", 0)
    assert sum(counts.wanted.values()) == 2
    assert sum(counts.deduplicated.values()) == 1


def test_what_makes_no_record_is_invalid() -> None:
    wrong = Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")
    assert count(running(first=[seen("web", wrong)]).engine, "me", 0).invalid == {("unknown", "service"): 1}


def test_problems_and_reasons_are_passed_on() -> None:
    counts = count(running(*owned("web"), first=[seen("web", wants("web", "web"))]).engine, "me", 7)
    assert counts.problems == 7
    assert counts.reasons["programmed"] == 1
