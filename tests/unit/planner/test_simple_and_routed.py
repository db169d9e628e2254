"""Names with simple and routed records, and the routing policy of each type.

See law 6; docs/design/architecture.md; docs/spec/plan.md 11.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action, Change
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from tests.builders import create, delete, update
from tests.unit.planner.name_plan import API, OLD, WEB, build_candidate, build_current, list_changes, plan

WEIGHT, REGION = {"aws/weight": "10"}, {"aws/region": "eu-central-1"}
LATENT = build_candidate("A", "1.1.1.1", set_identifier="r", properties=REGION)
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
def test_of_simple_and_routed_candidates_of_one_name_and_type_only_those_of_one_sort_are_published(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[Change]
) -> None:
    made = plan(current, candidates)
    assert list_changes(made) == expected
    assert [one.action for one in made.decisions if one.reason is Reason.INCOMPATIBLE_RECORD] == [Action.NONE]


def test_if_a_simple_record_wins_every_candidate_for_an_incompatible_routed_record_is_rejected() -> None:
    routed = [
        build_candidate("A", "2.2.2.2", resource=API, set_identifier="v1", created=SINCE[API]),
        build_candidate("A", "3.3.3.3", resource=OLD, set_identifier="v1", created=SINCE[API]),
        build_candidate("CNAME", "lb.test", resource=API, set_identifier="v1", created=SINCE[API]),
    ]
    made = plan((), (SIMPLE_OLDER[0], *routed))
    rejected = [one.desired for one in made.decisions if one.reason is Reason.INCOMPATIBLE_RECORD]
    assert sorted(map(repr, rejected)) == sorted(repr(candidate.desired) for candidate in routed)


def test_simple_and_routed_records_of_different_types_coexist() -> None:
    simple, routed = build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1", resource=API, set_identifier="v1")
    assert list_changes(plan((), (simple, routed))) == [create(simple.desired), create(routed.desired)]
    current = build_current("A", "1.1.1.1"), build_current("AAAA", "::1", resource=API, set_identifier="v1")
    assert list_changes(plan(current, (simple, routed))) == []
    assert len(plan((), (simple, routed)).sets) == 2


def test_a_simple_cname_and_routed_records_of_other_types_are_not_published_together() -> None:
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
