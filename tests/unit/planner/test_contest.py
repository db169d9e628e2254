"""Which records a hostname contest is about."""

from __future__ import annotations

import pytest

from extdns.planner.contest import Contender, Contest
from tests.unit.planner.name_plan import claim

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
