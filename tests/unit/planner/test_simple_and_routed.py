"""Names with simple and routed records, and the routing policy of each type.

See law 6; docs/design/architecture.md; docs/spec/plan.md 11.
"""

from __future__ import annotations

import pytest

from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from tests.unit.planner.scene import API, OLD, WEB, build_candidate, build_current, describe_changes, plan

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


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param((), SIMPLE_OLDER, ["create A: 1.1.1.1"], id="oldest-requests-simple"),
        pytest.param((), ROUTED_OLDER, ["create A v1: 2.2.2.2"], id="oldest-requests-routed"),
        pytest.param((build_current("A", "9.9.9.9"),), ROUTED_OLDER, ["update A: 1.1.1.1"], id="simple-record-exists"),
        pytest.param(
            (build_current("A", "9.9.9.9", set_identifier="v1"),),
            SIMPLE_OLDER,
            ["update A v1: 2.2.2.2"],
            id="routed-record-exists",
        ),
        pytest.param(
            (build_current("A", "9.9.9.9", set_identifier="v0"),),
            SIMPLE_OLDER,
            ["delete A v0", "create A v1: 2.2.2.2"],
            id="another-set-identifier-exists",
        ),
        pytest.param(
            (build_current("A", "9.9.9.9", owner="other", set_identifier="v0"),),
            SIMPLE_OLDER,
            ["create A v1: 2.2.2.2"],
            id="a-foreign-set-identifier-exists",
        ),
    ],
)
def test_claims_to_simple_and_routed_records_of_one_name_are_not_both_published(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[str]
) -> None:
    made = plan(current, candidates)
    assert describe_changes(made) == expected
    assert [one.action for one in made.decisions if one.reason is Reason.INCOMPATIBLE_RECORD] == ["none"]


def test_every_candidate_for_a_routed_record_is_rejected_if_the_simple_one_wins() -> None:
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
    assert describe_changes(plan((), (simple, routed))) == ["create A: 1.1.1.1", "create AAAA v1: ::1"]
    current = build_current("A", "1.1.1.1"), build_current("AAAA", "::1", resource=API, set_identifier="v1")
    assert describe_changes(plan(current, (simple, routed))) == []
    assert len(plan((), (simple, routed)).sets) == 2


def test_a_simple_cname_excludes_routed_records_of_every_type() -> None:
    simple, routed = (
        build_candidate("CNAME", "lb.test"),
        build_candidate("AAAA", "::1", resource=API, set_identifier="v1"),
    )
    assert describe_changes(plan((), (simple, routed))) == ["create AAAA v1: ::1"]
    assert describe_changes(plan((build_current("CNAME", "lb.test"),), (simple, routed))) == []


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param(
            (),
            (
                build_candidate("A", "1.1.1.1", set_identifier="w", properties=WEIGHT, created="2026-01-01T00:00:00Z"),
                LATENT,
            ),
            ["create A w: 1.1.1.1"],
            id="oldest-decides",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", set_identifier="w", resource=API, properties=WEIGHT),),
            (build_candidate("A", "1.1.1.1", set_identifier="w", resource=API, properties=WEIGHT), LATENT),
            [],
            id="current-policy-stays",
        ),
        pytest.param(
            (
                build_current("A", "1.1.1.1", set_identifier="r", properties=WEIGHT),
                build_current("A", "2.2.2.2", set_identifier="w", resource=API, properties=WEIGHT),
            ),
            (LATENT, build_candidate("A", "3.3.3.3", set_identifier="w", resource=API, properties=WEIGHT)),
            ["update A w: 3.3.3.3"],
            id="one-of-two-changes-its-policy",
        ),
        pytest.param(
            (
                build_current("A", "1.1.1.1", set_identifier="r", properties=WEIGHT),
                build_current("A", "2.2.2.2", set_identifier="w", resource=API, properties=WEIGHT),
            ),
            (
                LATENT,
                build_candidate(
                    "A", "2.2.2.2", set_identifier="w", resource=API, properties={"aws/region": "us-east-1"}
                ),
            ),
            ["update A r: 1.1.1.1", "update A w: 2.2.2.2"],
            id="both-change-their-policy",
        ),
        pytest.param(
            (
                build_current("A", "1.1.1.1", set_identifier="r", properties=WEIGHT),
                build_current("A", "2.2.2.2", set_identifier="w", resource=API, properties=WEIGHT),
            ),
            (LATENT,),
            ["update A r: 1.1.1.1", "delete A w"],
            id="the-other-is-deleted",
        ),
    ],
)
def test_all_records_of_one_name_and_type_get_the_same_routing_policy(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[str]
) -> None:
    made = plan(current, candidates)
    assert describe_changes(made) == expected
    assert len(made.sets) <= 1
