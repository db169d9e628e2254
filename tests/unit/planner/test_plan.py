"""The plan of one name: ownership, evidence, zones and decisions (spec plan 2.5, 2.9, 11; design 2, 5, 6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Create, Delete, Update
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from extdns.planner.merge import Candidate
from extdns.planner.plan import NamePlan, plan_name
from tests.unit.planner.scene import (
    ALIAS,
    API,
    NAME,
    OLD,
    SETTINGS,
    WEB,
    ZONE,
    at_once,
    changes,
    decision_on,
    endings,
    gone,
    held,
    managing,
    plan,
    waiting,
    wanted,
    words,
)

A = wanted("A", "1.1.1.1")
MIGRATING = replace(SETTINGS, migrate_from="past")


@pytest.mark.parametrize(
    ("stands", "candidates", "expected"),
    [
        pytest.param((), (A,), [("A", "create", "wanted")], id="2.5-create"),
        pytest.param((held("A", "1.1.1.1"),), (A,), [("A", "keep", "programmed")], id="2.6-nothing-to-do"),
        pytest.param((held("A", "2.2.2.2"),), (A,), [("A", "update", "changed")], id="2.6-update"),
        pytest.param((held("A", "1.1.1.1", marked=False),), (A,), [("A", "update", "mark-missing")], id="3.2.5-mark"),
        pytest.param((held("A", "1.1.1.1"),), (), [("A", "delete", "object-deleted")], id="2.5-delete"),
        pytest.param((held("A", "1.1.1.1", owner=None),), (), [("A", "keep", "foreign-record")], id="2.9-foreign"),
        pytest.param((held("A", "1.1.1.1", owner="other"),), (A,), [("A", "keep", "owned-by-other")], id="2.9-other"),
        pytest.param(
            (held("AAAA", "::1", owner="other"),),
            (A,),
            [("A", "none", "owned-by-other"), ("AAAA", "keep", "owned-by-other")],
            id="2.5-creates-need-the-whole-row",
        ),
        pytest.param(
            (),
            (wanted("CNAME", "lb.test"), A),
            [("A", "create", "wanted"), ("CNAME", "none", "type-conflict")],
            id="2.3-cname-lost",
        ),
        pytest.param(
            (),
            (wanted("A", "0.0.0.1", resource=API), A),
            [("A", "none", "conflict-lost"), ("A", "create", "wanted")],
            id="2.4-outdone",
        ),
        pytest.param(
            (),
            (A, wanted("A", "lb.test", resource=API, properties=ALIAS)),
            [("A", "none", "type-conflict"), ("A", "create", "wanted")],
            id="11-address-and-alias",
        ),
        pytest.param((), (wanted("TXT", "x"),), [("TXT", "none", "type-unmanaged")], id="2.1-unmanaged"),
    ],
)
def test_every_claim_and_record_ends_in_a_decision(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], expected: list[tuple[str, str, str]]
) -> None:
    assert endings(plan(stands, candidates)) == expected


def test_a_decision_shows_what_is_wanted_what_stands_and_who_asks() -> None:
    stands, candidate = held("A", "2.2.2.2", ttl_s=60), wanted("A", "1.1.1.1", ttl_s=30)
    (decision,) = plan((stands,), (candidate,)).decisions
    assert (decision.zone, decision.name, decision.set_identifier) == (ZONE, NAME, "")
    assert (decision.wanted, decision.held, decision.asked_by) == (candidate.endpoint, stands, candidate.asked_by)
    assert decision.detail == "targets, ttl"


def test_who_lost_learns_to_whom() -> None:
    decision = next(
        one for one in plan((), (A, wanted("A", "9.9.9.9", resource=API))).decisions if one.verdict == "none"
    )
    assert (decision.reason, decision.detail) == (Reason.CONFLICT_LOST, "Service shop/web has it")
    assert [asked.ref.key.resource for asked in decision.asked_by] == [API]


def test_foreign_records_name_their_owner() -> None:
    assert decision_on(plan((held("A", "1.1.1.1", owner="blue"),), ()), "A").detail == 'A owned by "blue"'
    assert decision_on(plan((held("A", "1.1.1.1", owner=None),), ()), "A").detail == "A without an ownership record"


def test_a_record_whose_mark_shares_its_record_set_is_nobodys_and_says_so() -> None:
    shared = replace(held("A", "1.1.1.1", owner=None), shared="a-foo.example.org")
    decision = decision_on(plan((shared,), (wanted("A", "2.2.2.2"),)), "A")
    assert (decision.verdict, decision.reason) == ("keep", "foreign-record")
    assert decision.detail == "a-foo.example.org proves nothing: beside the ownership record it holds other values"


def test_managing_no_type_leaves_everything_alone() -> None:
    made = plan((held("A", "1.1.1.1"),), (A,), settings=managing())  # 10.2
    assert made.sets == ()
    assert endings(made) == [("A", "none", "type-unmanaged")]


def test_a_type_must_be_spelled_as_it_is() -> None:
    assert words(plan((), (A,), settings=managing("a"))) == []  # 2.1


@pytest.mark.parametrize("evidence", [one for one in Evidence if one is not Evidence.REPLACED])
def test_the_judges_evidence_goes_with_the_delete(evidence: Evidence) -> None:
    stands = held("A", "1.1.1.1")
    made = plan((stands,), (), judge=lambda _: evidence)
    assert changes(made) == (Delete(held=stands, evidence=evidence),)
    assert decision_on(made, "A").reason == evidence.value


def test_what_the_judge_keeps_stays_with_the_judges_reason() -> None:
    made = plan((held("A", "1.1.1.1", resource=OLD),), (), judge=waiting(OLD, reason=Reason.OBJECT_FAILED))
    assert made.sets == ()
    assert decision_on(made, "A").reason is Reason.OBJECT_FAILED
    assert decision_on(made, "A").detail == "no address yet"


def test_the_judge_is_not_asked_about_what_is_wanted_or_not_ours() -> None:
    def judge(owned: Owned) -> Blocked:
        raise AssertionError(owned)

    stands = (held("A", "1.1.1.1"), held("AAAA", "::1", owner="other"), held("TXT", "x", owner=None))
    assert plan(stands, (A,), settings=managing("A", "AAAA", "TXT"), judge=judge).sets == ()


def past(rtype: str, target: str, *, resource: str = "", set_identifier: str = "") -> Owned:
    """A record of the owner that is migrated from; the registry lets us have it."""
    return held(rtype, target, owner="past", ours=True, resource=resource, set_identifier=set_identifier)


@pytest.mark.parametrize(
    ("stands", "candidates", "expected"),
    [
        pytest.param((past("A", "1.1.1.1"),), (A,), [("A", "update", "owner-migrated")], id="taken-over"),
        pytest.param((past("A", "2.2.2.2"),), (A,), [("A", "update", "changed")], id="taken-over-and-changed"),
        pytest.param((past("A", "1.1.1.1"),), (), [("A", "keep", "owned-by-other")], id="unclaimed"),
        pytest.param(
            (past("A", "1.1.1.1"), past("AAAA", "::1")),
            (A,),
            [("A", "update", "owner-migrated"), ("AAAA", "keep", "owned-by-other")],
            id="unclaimed-type-of-a-claimed-pair",
        ),
        pytest.param(
            (past("CNAME", "lb.test"),),
            (A,),
            [("A", "create", "wanted"), ("CNAME", "delete", "replaced")],
            id="type-that-the-claim-excludes",
        ),
        pytest.param(
            (past("A", "1.1.1.1", resource=OLD),),
            (wanted("A", "1.1.1.1", set_identifier="v1"),),
            [("A", "keep", "owned-by-other"), ("A", "none", "routing-conflict")],
            id="unclaimed-form-makes-others-wait",
        ),
    ],
)
def test_the_old_owners_records_are_taken_over_only_when_claimed(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], expected: list[tuple[str, str, str]]
) -> None:
    assert endings(plan(stands, candidates, settings=MIGRATING)) == expected  # design 5


def plan_in(zone: Zone, *stands: Owned) -> NamePlan:
    """The plan of `A` in *zone*."""
    return plan_name(zone=zone, name=NAME, held=stands, candidates=(A,), judge=gone, leave=at_once, settings=SETTINGS)


def test_zones_of_one_name_are_compared_one_by_one() -> None:
    public, private = ZONE, Zone(name=ZONE.name, id="z2", private=True)  # 11
    right, wrong = held("A", "1.1.1.1"), held("A", "9.9.9.9")
    assert plan_in(public, right).sets == ()
    assert plan_in(private).sets == (ChangeSet(zone=private, name=NAME, changes=(Create(wanted=A.endpoint),)),)
    (repair,) = plan_in(private, wrong).sets
    assert repair.zone == private
    assert repair.changes == (Update(held=wrong, wanted=A.endpoint, differences=("targets",)),)


def test_a_plan_of_nothing_is_empty() -> None:
    assert plan((), ()) == NamePlan()


def test_changes_are_sorted_by_key() -> None:
    stands = (held("AAAA", "::9"), held("A", "9.9.9.9"))
    (change_set,) = plan(stands, (wanted("AAAA", "::1"), A)).sets
    assert change_set.name == DnsName("foo.example.org")
    assert [change.key.type for change in change_set.changes] == ["A", "AAAA"]


def test_an_incumbent_switching_between_address_and_alias_is_one_update() -> None:
    stands = held("A", "lb.test", resource=WEB, properties=ALIAS)
    (change,) = changes(plan((stands,), (A,)))
    assert change == Update(held=stands, wanted=A.endpoint, differences=("targets", "properties"))
