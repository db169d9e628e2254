"""Rows of candidates with one set identifier, and the winner of each type (docs/spec/plan.md 2.2-2.4, 10.2, 11)."""

from __future__ import annotations

import pytest

from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate, build_rows
from tests.unit.planner.name_plan import ALIAS, API, OLD, WEB, build_candidate, build_current


def find_winning_targets(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...]
) -> dict[str, tuple[str, ...]]:
    """Return the targets of the winner of each type in the only row."""
    (row,) = build_rows(current, candidates)
    assert sorted(map(id, row.candidates)) == sorted(map(id, candidates))
    return {rtype: candidate.desired.targets for rtype, candidate in row.winners.items()}


LOW = build_candidate("A", "8.8.8.8", resource=API)
HIGH = build_candidate("A", "127.0.0.1", resource=WEB)


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param((), (HIGH, LOW), "8.8.8.8", id="2.4-smallest-creates"),
        pytest.param(
            (build_current("A", "9.9.9.9", resource=WEB),), (HIGH, LOW), "127.0.0.1", id="2.4-incumbent-keeps"
        ),
        pytest.param((build_current("A", "9.9.9.9", resource=OLD),), (HIGH, LOW), "8.8.8.8", id="2.4-incumbent-gone"),
        pytest.param(
            (build_current("A", "9.9.9.9", resource=WEB),),
            (HIGH, build_candidate("A", "8.8.8.8", resource=WEB)),
            "8.8.8.8",
            id="10.2-smaller-of-one-resource",
        ),
        pytest.param(
            (build_current("A", "127.0.0.1"),), (HIGH, LOW), "8.8.8.8", id="10.2-current-record-without-resource"
        ),
        pytest.param(
            (build_current("A", "127.0.0.1"),),
            (build_candidate("A", "127.0.0.1", label=""), LOW),
            "127.0.0.1",
            id="2.4-missing-label-reads-as-empty",
        ),
        pytest.param(
            (), (HIGH, build_candidate("A", "1.1.1.1", "2.2.2.2", resource=API)), "127.0.0.1", id="2.4-fewer-targets"
        ),
    ],
)
def test_the_candidate_of_the_object_with_the_current_record_wins_or_else_that_with_the_smallest_targets(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: str
) -> None:
    assert find_winning_targets(current, candidates) == {"A": (expected,)}


def test_the_earlier_of_two_candidates_with_equal_targets_wins() -> None:
    first, second = (
        build_candidate("A", "1.1.1.1", ttl_s=60, resource=WEB),
        build_candidate("A", "1.1.1.1", ttl_s=30, resource=API),
    )
    (row,) = build_rows((), (first, second))
    assert row.winners["A"] is first
    assert row.other_candidates == (second,)


@pytest.mark.parametrize("other", ["A", "AAAA", "TXT", "MX"])
def test_a_cname_candidate_loses_to_a_candidate_of_any_other_type(other: str) -> None:
    cname, rest = build_candidate("CNAME", "lb.test"), build_candidate(other, "x", resource=API)
    (row,) = build_rows((build_current("CNAME", "lb.test", resource=WEB),), (cname, rest))  # 2.3
    assert row.yielding_cnames == (cname,)
    assert row.winners == {other: rest}


def test_candidates_of_several_types_without_cname_all_win() -> None:
    together = (build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1"), build_candidate("TXT", "x"))
    assert list(find_winning_targets((), together)) == ["A", "AAAA", "TXT"]  # 2.3


def test_a_cname_candidate_does_not_lose_to_another_type_under_another_set_identifier() -> None:
    blue, green = (
        build_candidate("CNAME", "lb.test", set_identifier="blue"),
        build_candidate("A", "1.1.1.1", set_identifier="green"),
    )
    assert [row.yielding_cnames for row in build_rows((), (blue, green))] == [(), ()]  # 2.3


PLAIN_A = build_candidate("A", "1.1.1.1", resource=API)
PLAIN_AAAA = build_candidate("AAAA", "2001:db8::1", resource=API)
ALIAS_A = build_candidate("A", "lb.test", resource=WEB, properties=ALIAS)
ALIAS_AAAA = build_candidate("AAAA", "lb.test", resource=WEB, properties=ALIAS)


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param(
            (), (PLAIN_A, ALIAS_A, ALIAS_AAAA), {"A": "1.1.1.1", "AAAA": "lb.test"}, id="address-and-load-balancer"
        ),
        pytest.param(
            (), (PLAIN_AAAA, ALIAS_A, ALIAS_AAAA), {"A": "lb.test", "AAAA": "2001:db8::1"}, id="ipv6-and-load-balancer"
        ),
        pytest.param(
            (build_current("A", "9.9.9.9", resource=API),),
            (PLAIN_A, ALIAS_A, ALIAS_AAAA),
            {"A": "1.1.1.1", "AAAA": "lb.test"},
            id="incumbent-has-the-address",
        ),
        pytest.param(
            (build_current("A", "x.test", resource=WEB, properties=ALIAS),),
            (PLAIN_A, ALIAS_A, ALIAS_AAAA),
            {"A": "lb.test", "AAAA": "lb.test"},
            id="incumbent-has-the-alias",
        ),
        pytest.param(
            (build_current("AAAA", "x.test", resource=WEB, properties=ALIAS),),
            (PLAIN_A, ALIAS_A, ALIAS_AAAA),
            {"A": "1.1.1.1", "AAAA": "lb.test"},
            id="incumbent-has-the-aaaa-alone",
        ),
    ],
)
def test_a_and_aaaa_each_have_a_winning_candidate_that_may_be_addresses_or_an_alias(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: dict[str, str]
) -> None:
    assert find_winning_targets(current, candidates) == {rtype: (target,) for rtype, target in expected.items()}  # 11


def test_of_two_candidates_of_the_object_with_the_current_record_the_one_with_fewer_targets_wins() -> None:
    many = build_candidate("A", "1.1.1.1", "2.2.2.2", resource=WEB)
    for properties in ({}, ALIAS):
        before = build_current("A", "9.9.9.9", resource=WEB, properties=properties)
        assert find_winning_targets((before,), (many, ALIAS_A)) == {"A": ("lb.test",)}  # 2.4


def test_the_proposal_rows_of_a_name_are_sorted_by_set_identifier() -> None:
    current = (build_current("A", "1.1.1.1", set_identifier="z"), build_current("A", "1.1.1.1"))
    table = build_rows(current, (build_candidate("A", "1.1.1.1", set_identifier="m"),))
    assert [row.set_identifier for row in table] == ["", "m", "z"]
