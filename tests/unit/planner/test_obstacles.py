"""Obstacles: a refused record is no failure if it would not have been written anyway.

See docs/spec/plan.md 2.1, 2.3 to 2.5, 2.8.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.plan import find_obstacle
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Policy
from tests.unit.planner.name_plan import API, SETTINGS, WEB, build_candidate, build_current

TWO = build_candidate("CNAME", "x.test", "y.test")
ONE = build_candidate("CNAME", "z.test", resource=API)


@pytest.mark.parametrize(
    ("candidate", "rivals", "current", "expected"),
    [
        pytest.param(TWO, (), (), None, id="2.4-alone"),
        pytest.param(TWO, (build_candidate("A", "192.0.2.1"),), (), Reason.INCOMPATIBLE_TYPE, id="2.3-with-an-address"),
        pytest.param(
            TWO, (build_candidate("A", "192.0.2.1", set_identifier="v1"),), (), None, id="2.3-another-set-identifier"
        ),
        pytest.param(TWO, (build_candidate("TXT", '"x"'),), (), None, id="2.1-an-unmanaged-rival-does-not-count"),
        pytest.param(TWO, (ONE,), (), Reason.REQUESTED_BY_OTHER, id="2.4-fewer-targets-win"),
        pytest.param(
            TWO, (ONE,), (build_current("CNAME", "x.test", resource=WEB),), None, id="2.4-current-record-of-its-object"
        ),
        pytest.param(build_candidate("TXT", "bäd"), (), (), Reason.TYPE_UNMANAGED, id="2.1-its-type-is-not-managed"),
        pytest.param(
            TWO, (), (build_current("A", "192.0.2.1", owner=None),), Reason.FOREIGN_RECORD, id="2.5-a-manual-record"
        ),
        pytest.param(
            TWO, (), (build_current("CNAME", "x.test", owner="b"),), Reason.OWNED_BY_OTHER, id="2.9-another-owner"
        ),
        pytest.param(TWO, (), (build_current("A", "192.0.2.1"),), None, id="2.7-replaces-a-record-of-ours"),
    ],
)
def test_the_obstacle_of_a_refused_candidate_is_the_reason_why_it_would_not_have_been_written_anyway(
    candidate: Candidate, rivals: tuple[Candidate, ...], current: tuple[OwnedRecord, ...], expected: Reason | None
) -> None:
    assert find_obstacle(candidate, rivals, current, SETTINGS) is expected


def test_the_obstacle_of_a_refused_candidate_can_be_a_policy_flag_that_forbids_the_write() -> None:
    careful = replace(SETTINGS, policy=Policy.CREATE_ONLY)
    assert find_obstacle(TWO, (), (build_current("CNAME", "x.test"),), careful) is Reason.POLICY_KEEPS
    assert find_obstacle(TWO, (), (), careful) is None
