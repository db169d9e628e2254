"""Records of one name that cannot coexist: changes of type, and simple and routed records (law 6).

See docs/design/architecture.md; docs/spec/plan.md 11.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action, Change, Delete
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from tests.builders import create, delete, update
from tests.unit.planner.name_plan import (
    API,
    OLD,
    WEB,
    Findings,
    build_candidate,
    build_current,
    find_decision,
    find_gone,
    find_waiting,
    list_changes,
    list_decisions,
    plan,
    with_managed_types,
)

REPLACED = Evidence.REPLACED
S1, S2 = "s1", "s2"
A_S1, CNAME_S2 = (
    build_candidate("A", "1.1.1.1", set_identifier=S1),
    build_candidate("CNAME", "b.test", resource=API, set_identifier=S2),
)
HELD_S1 = build_current("CNAME", "a.test", resource=WEB, set_identifier=S1)
HELD_S2 = build_current("CNAME", "b.test", resource=API, set_identifier=S2)
A, AAAA, CNAME = build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1"), build_candidate("CNAME", "lb.test")
V1, V2 = (
    build_candidate("A", "1.1.1.1", set_identifier="v1"),
    build_candidate("A", "2.2.2.2", set_identifier="v2", resource=API),
)
CNAME_V1 = build_candidate("CNAME", "lb.test", set_identifier="v1")
C_S2_EXISTS = build_current("CNAME", "c.test", resource=API, set_identifier=S2)
SIMPLE_OF_OLD = build_current("A", "1.1.1.1", resource=OLD)
A_OF_WEB, AAAA_OF_OLD = build_current("A", "1.1.1.1", resource=WEB), build_current("AAAA", "::1", resource=OLD)
THEIRS = build_current("A", "1.1.1.1", owner="other", set_identifier="theirs")
WEIGHT, REGION = {"aws/weight": "10"}, {"aws/region": "eu-central-1"}
LATENT = build_candidate("A", "1.1.1.1", set_identifier="r", properties=REGION)
WITH_TXT = with_managed_types("A", "AAAA", "CNAME", "TXT")


# changes of type


@pytest.mark.parametrize("owner", [pytest.param("other", id="2.9-other-owner"), pytest.param(None, id="2.9-no-owner")])
def test_unrequested_a_is_deleted_even_if_the_requested_aaaa_is_foreign(owner: str | None) -> None:
    unrequested = build_current("A", "1.1.1.1")
    made = plan((unrequested, build_current("AAAA", "::2", owner=owner)), (AAAA,))
    assert list_changes(made) == [delete(unrequested)]


@pytest.mark.parametrize(
    ("current", "candidates"),
    [
        pytest.param((build_current("A", "1.1.1.1"),), (CNAME,), id="a-to-cname"),
        pytest.param((build_current("CNAME", "lb.test"),), (A, AAAA), id="cname-to-addresses"),
        pytest.param((A_OF_WEB,), (V1,), id="simple-to-routed"),
        pytest.param((A_OF_WEB,), (V1, V2), id="simple-to-two-sets"),
        pytest.param((build_current("A", "1.1.1.1", resource=WEB, set_identifier="v1"),), (A,), id="routed-to-simple"),
        pytest.param(
            (A_OF_WEB, build_current("AAAA", "::1", resource=WEB)),
            (CNAME_V1,),
            id="both-types",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", resource=WEB, set_identifier="w", properties=WEIGHT),),
            (LATENT,),
            id="policy",
        ),
    ],
)
def test_replaced_and_replacing_records_are_in_one_change_set(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...]
) -> None:
    made = plan(current, candidates, find=find_waiting(WEB))  # a replaced record needs no evidence
    (change_set,) = made.sets
    deletes = [change for change in change_set.changes if isinstance(change, Delete)]
    assert deletes == [delete(one, REPLACED) for one in current]
    assert len(change_set.changes) == len(current) + len(candidates)


def test_different_set_identifiers_have_separate_change_sets() -> None:
    made = plan((build_current("A", "9.9.9.9", set_identifier="v1"),), (V1, V2))
    assert [[change.key.set_identifier for change in each.changes] for each in made.sets] == [["v1"], ["v2"]]


@pytest.mark.parametrize(
    ("current", "candidates", "find", "expected"),
    [
        pytest.param(
            (SIMPLE_OF_OLD,),
            (V1,),
            find_gone,
            [delete(SIMPLE_OF_OLD), create(V1.desired)],
            id="old-object-gone",
        ),
        pytest.param((SIMPLE_OF_OLD,), (V1,), find_waiting(OLD), [], id="old-object-waits"),
        pytest.param(
            (SIMPLE_OF_OLD,),
            (CNAME,),
            find_waiting(OLD),
            [delete(SIMPLE_OF_OLD, REPLACED), create(CNAME.desired)],
            id="resolved-claim-replaces",
        ),
        pytest.param((SIMPLE_OF_OLD,), (AAAA,), find_waiting(OLD), [create(AAAA.desired)], id="can-coexist"),
        pytest.param((A_OF_WEB, AAAA_OF_OLD), (CNAME_V1,), find_waiting(OLD), [], id="one-of-two-types-waits"),
        pytest.param(
            (A_OF_WEB, AAAA_OF_OLD),
            (V1,),
            find_waiting(OLD),
            [delete(A_OF_WEB, REPLACED), create(V1.desired)],
            id="the-other-type-can-stay",
        ),
        pytest.param((build_current("A", "1.1.1.1", owner=None),), (V1,), find_gone, [], id="foreign-simple"),
        pytest.param((THEIRS,), (A,), find_gone, [], id="foreign-routed"),
        pytest.param((THEIRS,), (V1,), find_gone, [create(V1.desired)], id="foreign-set-identifier-and-ours"),
        pytest.param((HELD_S1, HELD_S2), (A_S1,), find_waiting(API), [], id="cname-of-another-set-waits"),
        pytest.param((HELD_S1, HELD_S2), (A_S1, CNAME_S2), find_gone, [], id="cname-of-another-set-is-requested"),
        pytest.param(
            (HELD_S1, C_S2_EXISTS),
            (A_S1, CNAME_S2),
            find_gone,
            [update(C_S2_EXISTS, CNAME_S2.desired)],
            id="cname-of-another-set-is-updated",
        ),
        pytest.param(
            (build_current("CNAME", "b.test", owner="other", set_identifier=S2),),
            (A_S1,),
            find_gone,
            [],
            id="foreign-cname-of-another-set",
        ),
        pytest.param((), (A_S1, CNAME_S2), find_gone, [create(A_S1.desired)], id="cname-yields-across-sets"),
    ],
)
def test_created_only_if_it_can_coexist_with_all_records_that_stay(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], find: Findings, expected: list[Change]
) -> None:
    assert list_changes(plan(current, candidates, find=find)) == expected


def test_decision_about_a_blocked_create_names_what_it_cannot_coexist_with() -> None:
    made = plan((SIMPLE_OF_OLD,), (V1,), find=find_waiting(OLD))
    decision = find_decision(made, "A", "v1")
    assert (decision.action, decision.reason) == (Action.NONE, Reason.NO_ADDRESS)
    assert decision.detail == "the requested record cannot coexist with the A record, which stays"


@pytest.mark.parametrize(
    ("current", "find", "reason"),
    [
        pytest.param(HELD_S2, find_waiting(API), Reason.NO_ADDRESS, id="waits-with-it"),
        pytest.param(
            build_current("CNAME", "b.test", owner="other", set_identifier=S2),
            find_gone,
            Reason.OWNED_BY_OTHER,
            id="other-owner",
        ),
    ],
)
def test_blocked_create_has_the_reason_why_the_cname_stays(
    current: OwnedRecord, find: Findings, reason: Reason
) -> None:
    decision = find_decision(plan((current,), (A_S1,), find=find), "A", S1)
    assert (decision.action, decision.reason) == (Action.NONE, reason)
    assert decision.detail == "the requested record cannot coexist with the CNAME record 's2', which stays"


def test_cname_and_a_are_incompatible_under_different_set_identifiers() -> None:
    stays = plan((HELD_S1, HELD_S2), (A_S1, CNAME_S2))
    assert [(one.type, one.set_identifier, one.reason) for one in stays.decisions] == [
        ("A", S1, Reason.INCOMPATIBLE_RECORD),
        ("CNAME", S1, Reason.INCOMPATIBLE_RECORD),
        ("CNAME", S2, Reason.PUBLISHED),
    ]
    fresh = find_decision(plan((), (A_S1, CNAME_S2)), "CNAME", S2)
    assert (fresh.reason, fresh.detail) == (
        Reason.INCOMPATIBLE_RECORD,
        "the requested record cannot coexist with the A record 's1'",
    )


def test_type_changes_of_all_set_identifiers_are_one_change_set() -> None:
    made = plan((HELD_S1, HELD_S2), (A_S1, build_candidate("A", "2.2.2.2", resource=API, set_identifier=S2)))
    (change_set,) = made.sets
    assert [(change.key.set_identifier, change.key.type) for change in change_set.changes] == [
        (S1, "A"),
        (S1, "CNAME"),
        (S2, "A"),
        (S2, "CNAME"),
    ]


def test_stays_although_another_type_is_requested() -> None:
    made = plan((A_OF_WEB, AAAA_OF_OLD), (A,), find=find_waiting(OLD))
    assert list_decisions(made) == [("A", Action.KEEP, Reason.PUBLISHED), ("AAAA", Action.KEEP, Reason.NO_ADDRESS)]


@pytest.mark.parametrize("resource", [pytest.param(WEB, id="of-its-object"), pytest.param("", id="of-unknown-object")])
def test_not_replaced_by_a_record_of_another_type_that_exists_already(resource: str) -> None:
    unrequested = build_current("AAAA", "::1", resource=resource)
    assert list_changes(plan((A_OF_WEB, unrequested), (A,))) == [delete(unrequested)]
    assert list_changes(plan((A_OF_WEB, unrequested), (A,), find=find_waiting(resource))) == []


def test_address_and_new_record_of_the_other_type_are_in_one_change_set() -> None:
    (change_set,) = plan((A_OF_WEB,), (AAAA,), find=find_waiting(WEB)).sets
    assert list(change_set.changes) == [delete(A_OF_WEB, REPLACED), create(AAAA.desired)]


def test_address_is_not_replaced_by_a_type_without_addresses() -> None:
    made = plan((A_OF_WEB,), (build_candidate("TXT", '"x"'),), settings=WITH_TXT, find=find_waiting(WEB))
    assert [change.key.type for change in list_changes(made)] == ["TXT"]


def test_the_record_of_a_deleted_object_is_deleted_although_another_request_is_blocked() -> None:
    current = (build_current("A", "1.1.1.1", resource=OLD), build_current("TXT", '"x"', owner=None))
    made = plan(
        current, (build_candidate("AAAA", "::1", resource=API),), settings=with_managed_types("A", "AAAA", "TXT")
    )
    assert list_changes(made) == [delete(current[0])]
    assert find_decision(made, "AAAA").reason is Reason.FOREIGN_RECORD


def test_the_rejected_request_of_another_object_is_not_why_a_record_stays() -> None:
    requested = build_candidate("CNAME", "lb.test", resource=API), build_candidate("AAAA", "::1", resource=OLD)
    made = plan((A_OF_WEB, AAAA_OF_OLD), requested, find=find_waiting(WEB, reason=Reason.REQUESTED_BY_OTHER))
    assert find_decision(made, "A").reason is Reason.REQUESTED_BY_OTHER


def test_stays_if_the_cname_of_its_object_loses_to_an_aaaa() -> None:
    current = (A_OF_WEB, AAAA_OF_OLD)
    requested = build_candidate("CNAME", "lb.test", resource=WEB), build_candidate("AAAA", "::1", resource=OLD)
    made = plan(current, requested, find=find_waiting(WEB, reason=Reason.REQUESTED_BY_OTHER))
    assert list_decisions(made) == [
        ("A", Action.KEEP, Reason.INCOMPATIBLE_TYPE),
        ("AAAA", Action.KEEP, Reason.PUBLISHED),
        ("CNAME", Action.NONE, Reason.INCOMPATIBLE_TYPE),
    ]
    assert find_decision(made, "A").detail == "the requested CNAME record cannot replace it"
    assert list_changes(plan(current, requested[:1])) == [
        delete(A_OF_WEB, REPLACED),
        delete(AAAA_OF_OLD, REPLACED),
        create(requested[0].desired),
    ]


SINCE = {WEB: "2026-01-01T00:00:00Z", API: "2026-02-01T00:00:00Z"}
SIMPLE_OLDER = (
    build_candidate("A", "1.1.1.1", resource=WEB, created=SINCE[WEB]),
    build_candidate("A", "2.2.2.2", resource=API, created=SINCE[API], set_identifier="v1"),
)
ROUTED_OLDER = (
    build_candidate("A", "1.1.1.1", resource=API, created=SINCE[API]),
    build_candidate("A", "2.2.2.2", resource=WEB, created=SINCE[WEB], set_identifier="v1"),
)


SIMPLE_EXISTS = build_current("A", "9.9.9.9")
V0_EXISTS, V1_EXISTS = (build_current("A", "9.9.9.9", set_identifier=one) for one in ("v0", "v1"))


# simple and routed records


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param((), SIMPLE_OLDER, [create(SIMPLE_OLDER[0].desired)], id="oldest-requests-simple"),
        pytest.param((), ROUTED_OLDER, [create(ROUTED_OLDER[1].desired)], id="oldest-requests-routed"),
        pytest.param(
            (SIMPLE_EXISTS,), ROUTED_OLDER, [update(SIMPLE_EXISTS, ROUTED_OLDER[0].desired)], id="simple-record-exists"
        ),
        pytest.param(
            (V1_EXISTS,), SIMPLE_OLDER, [update(V1_EXISTS, SIMPLE_OLDER[1].desired)], id="routed-record-exists"
        ),
        pytest.param(
            (V0_EXISTS,),
            SIMPLE_OLDER,
            [delete(V0_EXISTS), create(SIMPLE_OLDER[1].desired)],
            id="another-set-identifier-exists",
        ),
        pytest.param(
            (build_current("A", "9.9.9.9", owner="other", set_identifier="v0"),),
            SIMPLE_OLDER,
            [create(SIMPLE_OLDER[1].desired)],
            id="a-foreign-set-identifier-exists",
        ),
    ],
)
def test_only_simple_or_routed_candidates_of_a_type_are_published(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[Change]
) -> None:
    made = plan(current, candidates)
    assert list_changes(made) == expected
    assert [one.action for one in made.decisions if one.reason is Reason.INCOMPATIBLE_RECORD] == [Action.NONE]


def test_simple_and_routed_records_of_different_types_coexist() -> None:
    simple, routed = build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1", resource=API, set_identifier="v1")
    assert list_changes(plan((), (simple, routed))) == [create(simple.desired), create(routed.desired)]
    current = build_current("A", "1.1.1.1"), build_current("AAAA", "::1", resource=API, set_identifier="v1")
    assert list_changes(plan(current, (simple, routed))) == []
    assert len(plan((), (simple, routed)).sets) == 2


def test_simple_cname_and_routed_records_of_other_types_do_not_coexist() -> None:
    simple, routed = (
        build_candidate("CNAME", "lb.test"),
        build_candidate("AAAA", "::1", resource=API, set_identifier="v1"),
    )
    assert list_changes(plan((), (simple, routed))) == [create(routed.desired)]
    assert list_changes(plan((build_current("CNAME", "lb.test"),), (simple, routed))) == []


WEIGHTED = build_candidate("A", "1.1.1.1", set_identifier="w", properties=WEIGHT, created="2026-01-01T00:00:00Z")
WEIGHTED_3 = build_candidate("A", "3.3.3.3", set_identifier="w", resource=API, properties=WEIGHT)
LATENT_2 = build_candidate("A", "2.2.2.2", set_identifier="w", resource=API, properties={"aws/region": "us-east-1"})
R_EXISTS = build_current("A", "1.1.1.1", set_identifier="r", properties=WEIGHT)
W_EXISTS = build_current("A", "2.2.2.2", set_identifier="w", resource=API, properties=WEIGHT)


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param((), (WEIGHTED, LATENT), [create(WEIGHTED.desired)], id="oldest-decides"),
        pytest.param(
            (build_current("A", "1.1.1.1", set_identifier="w", resource=API, properties=WEIGHT),),
            (build_candidate("A", "1.1.1.1", set_identifier="w", resource=API, properties=WEIGHT), LATENT),
            [],
            id="current-policy-stays",
        ),
        pytest.param(
            (R_EXISTS, W_EXISTS),
            (LATENT, WEIGHTED_3),
            [update(W_EXISTS, WEIGHTED_3.desired)],
            id="one-of-two-changes-its-policy",
        ),
        pytest.param(
            (R_EXISTS, W_EXISTS),
            (LATENT, LATENT_2),
            [update(R_EXISTS, LATENT.desired, "properties"), update(W_EXISTS, LATENT_2.desired, "properties")],
            id="both-change-their-policy",
        ),
        pytest.param(
            (R_EXISTS, W_EXISTS),
            (LATENT,),
            [update(R_EXISTS, LATENT.desired, "properties"), delete(W_EXISTS)],
            id="the-other-is-deleted",
        ),
    ],
)
def test_all_records_of_one_name_and_type_have_the_same_routing_policy(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[Change]
) -> None:
    made = plan(current, candidates)
    assert list_changes(made) == expected
    assert len(made.sets) <= 1
