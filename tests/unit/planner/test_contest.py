"""Which records a hostname contest is about."""

from __future__ import annotations

import pytest

from extdns.model.change import Blocked
from extdns.model.claim import ResolvedClaim
from extdns.model.reason import Reason
from extdns.planner.contest import Contender, Contest, ContestLoss
from extdns.planner.contest_results import ContestResults
from extdns.planner.desired import Desired
from tests.unit.planner.name_plan import API, WEB, build_candidate, build_current, claim

A = build_candidate("A", "1.1.1.1")
ALL, ADDRESSES = Contest(set_identifier="one"), Contest(set_identifier="one", types=frozenset({"A"}))


@pytest.mark.parametrize(
    ("contest", "set_identifier", "rtype", "expected"),
    [
        (ALL, "one", "A", True),
        (ALL, "two", "A", False),
        (ADDRESSES, "one", "A", True),
        (ADDRESSES, "one", "AAAA", False),
        (ADDRESSES, "two", "A", False),
    ],
)
def test_a_contest_is_about_the_types_of_one_set_identifier(
    contest: Contest, set_identifier: str, rtype: str, expected: bool
) -> None:
    assert contest.covers(set_identifier, rtype) is expected
    contender = Contender(claim=claim(rtype, "x", set_identifier=set_identifier), types=frozenset({rtype}))
    assert contender.is_about(contest) is expected


def test_a_claim_of_unknown_type_takes_part_in_contests_about_every_type() -> None:
    assert Contender(claim=claim("A", "x", set_identifier="one"), types=frozenset()).is_about(ADDRESSES)


LOSER, WINNER = claim("A", "1.1.1.1", set_identifier="one", resource=API), claim("A", "2.2.2.2", set_identifier="one")
ALL_REQUESTED, WON = Desired(of_managed_types=(build_candidate("A", "1.1.1.1", set_identifier="one"),)), Desired()
RESULTS = ContestResults(
    requested=ALL_REQUESTED,
    desired=WON,
    losses=(ContestLoss(contest=ADDRESSES, claim=LOSER, block=Blocked(reason=Reason.REQUESTED_BY_OTHER, detail="")),),
)


@pytest.mark.parametrize(
    ("rtype", "resource", "claims", "desired"),
    [
        pytest.param("A", WEB, [WINNER], WON, id="of-the-contest"),
        pytest.param("AAAA", WEB, [LOSER, WINNER], WON, id="of-another-type"),
        pytest.param("A", "", [LOSER, WINNER], ALL_REQUESTED, id="that-may-belong-to-any-namespace"),
    ],
)
def test_a_claim_that_lost_keeps_no_record_of_the_contest_unless_the_record_may_be_its_own(
    rtype: str, resource: str, claims: list[ResolvedClaim], desired: Desired
) -> None:
    owned = build_current(rtype, "x", resource=resource, set_identifier="one")
    assert [*RESULTS.select_requests([owned], [LOSER, WINNER])] == [(owned, claims, [*desired.of_managed_types])]
