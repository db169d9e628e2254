"""What the service refuses is no failure where it would have lost in any case (spec plan 2.1, 2.3, 2.4)."""

from __future__ import annotations

import pytest

from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.planner.merge import Candidate
from extdns.planner.plan import setback
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
    ],
)
def test_what_is_refused_may_have_had_no_chance(
    candidate: Candidate, rivals: tuple[Candidate, ...], stands: tuple[Owned, ...], expected: Reason | None
) -> None:
    assert setback(candidate, rivals, stands, SETTINGS) is expected
