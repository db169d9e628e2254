"""Policies, and their effect on changes of type.

See docs/spec/plan.md 2.8; docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action, Change
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.comparison import allows
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Policy
from tests.builders import create, delete, update
from tests.unit.planner.name_plan import build_candidate, build_current, find_decision, list_changes, plan, with_policy

HELD = build_current("A", "1.1.1.1")
CNAME_EXISTS = build_current("CNAME", "lb.test")
CANDIDATE = build_candidate("A", "2.2.2.2")
CREATE, UPDATE, DELETE = create(CANDIDATE.desired), update(HELD, CANDIDATE.desired), delete(HELD)


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        pytest.param(Policy.SYNC, [CREATE, UPDATE, DELETE], id="2.8-sync"),
        pytest.param(Policy.UPSERT_ONLY, [CREATE, UPDATE], id="2.8-upsert-only"),
        pytest.param(Policy.CREATE_ONLY, [CREATE], id="2.8-create-only"),
    ],
)
def test_each_value_of_the_policy_flag_allows_its_own_kinds_of_changes(policy: Policy, allowed: list[Change]) -> None:
    assert [change for change in (CREATE, UPDATE, DELETE) if allows(policy, change)] == allowed


A, AAAA = build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1")
ROUTED = build_candidate("A", "1.1.1.1", set_identifier="v1")
CNAME = build_candidate("CNAME", "lb.test")


@pytest.mark.parametrize(
    ("policy", "current", "candidates", "expected", "reason"),
    [
        pytest.param("upsert-only", CNAME_EXISTS, (A,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-cname-kept-so-no-a"),
        pytest.param("upsert-only", HELD, (CNAME,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-a-kept-so-no-cname"),
        pytest.param("create-only", HELD, (CNAME,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-create-only-no-cname"),
        pytest.param("upsert-only", HELD, (ROUTED,), [], Reason.POLICY_KEEPS_TYPE, id="6-simple-kept-so-no-routed"),
        pytest.param(
            "upsert-only", HELD, (AAAA,), [create(AAAA.desired)], Reason.REQUESTED, id="6-type-that-can-coexist"
        ),
        pytest.param("create-only", HELD, (A, AAAA), [create(AAAA.desired)], Reason.REQUESTED, id="2.8-further-type"),
        pytest.param("create-only", HELD, (CANDIDATE,), [], Reason.POLICY_KEEPS, id="2.8-create-only-no-update"),
        pytest.param("upsert-only", HELD, (CANDIDATE,), [UPDATE], Reason.CHANGED, id="2.8-upsert-updates"),
        pytest.param(
            "sync",
            CNAME_EXISTS,
            (A,),
            [create(A.desired), delete(CNAME_EXISTS, Evidence.REPLACED)],
            Reason.REQUESTED,
            id="2.8-sync",
        ),
    ],
)
def test_a_change_of_type_is_planned_only_if_the_policy_flag_allows_all_its_creates_and_deletes(
    policy: str, current: OwnedRecord, candidates: tuple[Candidate, ...], expected: list[Change], reason: Reason
) -> None:
    made = plan((current,), candidates, settings=with_policy(policy))
    last = candidates[-1].desired
    assert list_changes(made) == expected
    assert find_decision(made, last.type, last.set_identifier).reason is reason


def test_the_decision_about_a_record_that_the_policy_flag_keeps_names_the_flag() -> None:
    made = plan((HELD,), (), settings=with_policy("upsert-only"))
    (decision,) = made.decisions
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.POLICY_KEEPS)
    assert decision.detail == "--policy=upsert-only"
