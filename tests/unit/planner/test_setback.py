"""What the service refuses is no failure where nothing would have come of it (spec plan 2.1, 2.3 to 2.5, 2.8)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.planner.merge import Candidate
from extdns.planner.plan import setback
from extdns.planner.policy import Policy
from tests.unit.planner.scene import API, SETTINGS, WEB, held, wanted

TWO = wanted("CNAME", "x.test", "y.test")
ONE = wanted("CNAME", "z.test", resource=API)


@pytest.mark.parametrize(
    ("candidate", "rivals", "stands", "expected"),
    [
        pytest.param(TWO, (), (), None, id="2.4-alone-it-fails"),
        pytest.param(TWO, (wanted("A", "192.0.2.1"),), (), Reason.TYPE_CONFLICT, id="2.3-an-address-beside-it"),
        pytest.param(TWO, (wanted("A", "192.0.2.1", set_identifier="v1"),), (), None, id="2.3-another-row"),
        pytest.param(TWO, (wanted("TXT", '"x"'),), (), None, id="2.1-an-unmanaged-rival-does-not-count"),
        pytest.param(TWO, (ONE,), (), Reason.CONFLICT_LOST, id="2.4-fewer-targets-win"),
        pytest.param(TWO, (ONE,), (held("CNAME", "x.test", resource=WEB),), None, id="2.4-the-record-is-its-own"),
        pytest.param(wanted("TXT", "bäd"), (), (), Reason.TYPE_UNMANAGED, id="2.1-its-type-is-not-managed"),
        pytest.param(TWO, (), (held("A", "192.0.2.1", owner=None),), Reason.FOREIGN_RECORD, id="2.5-a-manual-record"),
        pytest.param(TWO, (), (held("CNAME", "x.test", owner="b"),), Reason.OWNED_BY_OTHER, id="2.9-another-owner"),
        pytest.param(TWO, (), (held("A", "192.0.2.1"),), None, id="2.7-it-would-replace-a-record-of-ours"),
    ],
)
def test_what_is_refused_may_have_had_no_chance(
    candidate: Candidate, rivals: tuple[Candidate, ...], stands: tuple[Owned, ...], expected: Reason | None
) -> None:
    assert setback(candidate, rivals, stands, SETTINGS) is expected


def test_a_policy_that_would_not_have_let_it_be_written_leaves_no_failure() -> None:
    careful = replace(SETTINGS, policy=Policy.CREATE_ONLY)
    assert setback(TWO, (), (held("CNAME", "x.test"),), careful) is Reason.POLICY_KEEPS
    assert setback(TWO, (), (), careful) is None
