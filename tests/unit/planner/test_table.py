"""Rows, conflicts of type within one, and who wins each type (spec plan 2.2-2.4, 10.2, 11)."""

from __future__ import annotations

import pytest

from extdns.model.ownership import Owned
from extdns.planner.merge import Candidate
from extdns.planner.table import rows
from tests.unit.planner.scene import ALIAS, API, OLD, WEB, held, wanted


def winners(stands: tuple[Owned, ...], candidates: tuple[Candidate, ...]) -> dict[str, tuple[str, ...]]:
    """Targets of what wins each type in the one row there is."""
    (row,) = rows(stands, candidates)
    assert sorted(map(id, row.candidates)) == sorted(map(id, candidates))
    return {rtype: candidate.endpoint.targets for rtype, candidate in row.winners.items()}


LOW = wanted("A", "8.8.8.8", resource=API)
HIGH = wanted("A", "127.0.0.1", resource=WEB)


@pytest.mark.parametrize(
    ("stands", "candidates", "expected"),
    [
        pytest.param((), (HIGH, LOW), "8.8.8.8", id="2.4-smallest-creates"),
        pytest.param((held("A", "9.9.9.9", resource=WEB),), (HIGH, LOW), "127.0.0.1", id="2.4-incumbent-keeps"),
        pytest.param((held("A", "9.9.9.9", resource=OLD),), (HIGH, LOW), "8.8.8.8", id="2.4-incumbent-gone"),
        pytest.param(
            (held("A", "9.9.9.9", resource=WEB),),
            (HIGH, wanted("A", "8.8.8.8", resource=WEB)),
            "8.8.8.8",
            id="10.2-smaller-of-one-resource",
        ),
        pytest.param((held("A", "127.0.0.1"),), (HIGH, LOW), "8.8.8.8", id="10.2-held-without-resource"),
        pytest.param(
            (held("A", "127.0.0.1"),),
            (wanted("A", "127.0.0.1", label=""), LOW),
            "127.0.0.1",
            id="2.4-missing-label-reads-as-empty",
        ),
        pytest.param((), (HIGH, wanted("A", "1.1.1.1", "2.2.2.2", resource=API)), "127.0.0.1", id="2.4-fewer-targets"),
    ],
)
def test_one_candidate_wins_a_type(stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], expected: str) -> None:
    assert winners(stands, candidates) == {"A": (expected,)}


def test_among_equals_the_earlier_wins() -> None:
    first, second = wanted("A", "1.1.1.1", ttl_s=60, resource=WEB), wanted("A", "1.1.1.1", ttl_s=30, resource=API)
    (row,) = rows((), (first, second))
    assert row.winners["A"] is first
    assert row.outdone == (second,)


@pytest.mark.parametrize("other", ["A", "AAAA", "TXT", "MX"])
def test_a_cname_yields_to_any_other_type(other: str) -> None:
    cname, rest = wanted("CNAME", "lb.test"), wanted(other, "x", resource=API)
    (row,) = rows((held("CNAME", "lb.test", resource=WEB),), (cname, rest))  # 2.3
    assert row.losers == (cname,)
    assert row.winners == {other: rest}


def test_other_types_stand_side_by_side() -> None:
    together = (wanted("A", "1.1.1.1"), wanted("AAAA", "::1"), wanted("TXT", "x"))
    assert list(winners((), together)) == ["A", "AAAA", "TXT"]  # 2.3


def test_a_conflict_of_types_stays_within_its_set_identifier() -> None:
    blue, green = wanted("CNAME", "lb.test", set_identifier="blue"), wanted("A", "1.1.1.1", set_identifier="green")
    assert [row.losers for row in rows((), (blue, green))] == [(), ()]  # 2.3


PLAIN_A = wanted("A", "1.1.1.1", resource=API)
ALIAS_A = wanted("A", "lb.test", resource=WEB, properties=ALIAS)
ALIAS_AAAA = wanted("AAAA", "lb.test", resource=WEB, properties=ALIAS)
BOTH = (PLAIN_A, ALIAS_A, ALIAS_AAAA)


@pytest.mark.parametrize(
    ("stands", "expected"),
    [
        pytest.param((), {"A": ("1.1.1.1",)}, id="11-address-is-smaller"),
        pytest.param((held("A", "9.9.9.9", resource=API),), {"A": ("1.1.1.1",)}, id="11-incumbent-has-an-address"),
        pytest.param(
            (held("A", "x.test", resource=WEB),), {"A": ("lb.test",), "AAAA": ("lb.test",)}, id="11-incumbent-has-alias"
        ),
        pytest.param(
            (held("AAAA", "x.test", resource=WEB),),
            {"A": ("lb.test",), "AAAA": ("lb.test",)},
            id="11-incumbent-has-aaaa-only",
        ),
    ],
)
def test_one_claim_decides_between_addresses_and_an_alias(
    stands: tuple[Owned, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    assert winners(stands, BOTH) == expected


def test_the_kind_that_an_incumbent_has_stays_while_it_asks_for_both() -> None:
    many = wanted("A", "1.1.1.1", "2.2.2.2", resource=WEB)
    before = held("A", "1.1.1.1", "2.2.2.2", resource=WEB)
    assert winners((), (many, ALIAS_A)) == {"A": ("lb.test",)}
    assert winners((before,), (many, ALIAS_A)) == {"A": ("1.1.1.1", "2.2.2.2")}  # 11, or each pass undid the last


def test_rows_are_sorted_by_set_identifier() -> None:
    stands = (held("A", "1.1.1.1", set_identifier="z"), held("A", "1.1.1.1"))
    table = rows(stands, (wanted("A", "1.1.1.1", set_identifier="m"),))
    assert [row.set_identifier for row in table] == ["", "m", "z"]
