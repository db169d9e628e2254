"""Claims of one name become candidates (spec sources 1.5, 1.7, 3.9; spec plan 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.claim import Derivation, Wanted
from extdns.planner.merge import Candidate, candidates, in_order
from tests.unit.planner.scene import SETTINGS, claim, resources, wanted

A, B = "ingress/shop/a", "ingress/shop/b"
X, Y = "service/a/x", "service/a/y"
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


def facts(found: tuple[Candidate, ...]) -> list[tuple[int, str, str, list[str]]]:
    """TTL, targets, resource and askers of each candidate."""
    return [
        (one.endpoint.ttl_s, " ".join(one.endpoint.targets), one.endpoint.resource, resources(one.asked_by))
        for one in found
    ]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(
            (claim("A", "10.0.0.2", resource=A), claim("A", "10.0.0.1", "10.0.0.2", resource=B)),
            [(0, "10.0.0.1 10.0.0.2", A, [A, B])],
            id="1.5-targets-merge",
        ),
        pytest.param(
            (claim("A", "10.0.0.1", resource=A, ttl_s=60), claim("A", "10.0.0.2", resource=B, ttl_s=30)),
            [(60, "10.0.0.1", A, [A]), (30, "10.0.0.2", B, [B])],
            id="1.5-ttl-divides",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=A), claim("CNAME", "y.t", resource=B)),
            [(0, "x.t", A, [A]), (0, "y.t", B, [B])],
            id="1.5-cnames-stay-apart",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=A), claim("CNAME", "x.t", resource=B)),
            [(0, "x.t", A, [A, B])],
            id="1.5-one-cname-twice",
        ),
        pytest.param(
            (claim("CNAME", "x.t", "y.t", resource=A), claim("CNAME", "x.t", resource=B)),
            [(0, "x.t y.t", A, [A]), (0, "x.t", B, [B])],
            id="1.5-cname-gets-no-further-target",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A, set_identifier="v1"), claim("A", "1.1.1.2", resource=B)),
            [(0, "1.1.1.1", A, [A]), (0, "1.1.1.2", B, [B])],
            id="1.5-set-identifier-divides",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=X, ttl_s=60), claim("A", "1.1.1.2", resource=Y, ttl_s=30)),
            [(60, "1.1.1.1 1.1.1.2", X, [X, Y])],
            id="3.9-services-merge-whatever-their-ttl",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=X, ttl_s=60), claim("CNAME", "x.t", resource=Y, ttl_s=30)),
            [(60, "x.t", X, [X, Y])],
            id="3.9-one-cname-of-two-services",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=X), claim("CNAME", "y.t", resource=Y)),
            [(0, "x.t", X, [X]), (0, "y.t", Y, [Y])],
            id="3.9-cnames-are-never-combined",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.1", resource=X)),
            [(0, "1.1.1.1", X, [X, A])],
            id="1.7-earlier-source-leads",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.2", resource=X)),
            [(0, "1.1.1.2", X, [X]), (0, "1.1.1.1", A, [A])],
            id="1.7-sources-never-merge",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A, ttl_s=60), claim("A", "1.1.1.1", resource=B, ttl_s=30)),
            [(60, "1.1.1.1", A, [A, B])],
            id="1.7-ttl-is-no-part-of-identity",
        ),
    ],
)
def test_claims_merge(claims: tuple[Wanted, ...], expected: list[tuple[int, str, str, list[str]]]) -> None:
    assert facts(candidates(claims, SETTINGS)) == expected
    assert facts(candidates(reversed(claims), SETTINGS)) == expected


@pytest.mark.parametrize(
    ("first", "second", "leader"),
    [
        pytest.param((A, LATE), (B, EARLY), B, id="11-the-oldest-leads"),
        pytest.param((A, ""), (B, LATE), B, id="11-known-age-before-unknown"),
        pytest.param((A, EARLY), (B, EARLY), A, id="11-then-by-name"),
        pytest.param(("ingress/b/a", ""), ("ingress/a/b", ""), "ingress/a/b", id="11-then-by-namespace"),
        pytest.param((X, LATE), (Y, EARLY), X, id="3.9-of-services-the-smallest-resource"),
    ],
)
def test_after_a_merge_the_leader_gives_label_ttl_and_properties(
    first: tuple[str, str], second: tuple[str, str], leader: str
) -> None:
    claims = [
        claim("A", address, resource=resource, created=created, properties={"from": resource})
        for address, (resource, created) in zip(("1.1.1.1", "1.1.1.2"), (first, second), strict=True)
    ]
    (merged,) = candidates(claims, SETTINGS)
    assert merged.endpoint.targets == ("1.1.1.1", "1.1.1.2")
    assert merged.endpoint.resource == leader
    assert merged.endpoint.properties.get("from") == leader
    assert resources(merged.asked_by)[0] == leader


def derived(claim: Wanted, how: Derivation) -> Wanted:
    return replace(claim, provenance=replace(claim.provenance, derived=how))


def test_8_5_pointers_of_all_sources_are_one_with_the_smallest_ttl() -> None:
    claims = [
        derived(claim("PTR", target, resource=resource, label="", ttl_s=ttl_s), Derivation.POINTER)
        for target, resource, ttl_s in (("a.t", A, 300), ("b.t", X, 60))
    ]
    assert facts(candidates(claims, SETTINGS)) == [(60, "a.t b.t", "", [X, A])]


def test_8_5_an_unset_ttl_is_the_smallest() -> None:
    claims = [
        derived(claim("PTR", target, resource=resource, label="", ttl_s=ttl_s), Derivation.POINTER)
        for target, resource, ttl_s in (("a.t", A, 300), ("b.t", B, 0))
    ]
    assert facts(candidates(claims, replace(SETTINGS, min_ttl_s=120))) == [(120, "a.t b.t", "", [A, B])]


def test_8_3_embedded_addresses_stay_apart_from_those_that_are_asked_for() -> None:
    claims = (claim("A", "192.0.2.1"), derived(claim("A", "192.0.2.2"), Derivation.NAT64))
    assert sorted(one.endpoint.targets for one in candidates(claims, SETTINGS)) == [("192.0.2.1",), ("192.0.2.2",)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("unstructured", [(0, "1.1.1.1", A, [A]), (0, "1.1.1.2", X, [X])], id="6.4-kinds-stay-apart"),
        pytest.param("traefik-proxy", [(0, "1.1.1.1 1.1.1.2", A, [A, X])], id="7.4-kinds-merge"),
    ],
)
def test_objects_of_two_kinds_of_one_source(source: str, expected: list[tuple[int, str, str, list[str]]]) -> None:
    asked = [claim("A", "1.1.1.1", resource=A, created=EARLY), claim("A", "1.1.1.2", resource=X, created=LATE)]
    found = candidates((replace(one, provenance=replace(one.provenance, source=source)) for one in asked), SETTINGS)
    assert facts(found) == expected


def test_one_object_asking_twice_is_named_once() -> None:
    twice = (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.2", resource=A))
    assert facts(candidates(twice, SETTINGS)) == [(0, "1.1.1.1 1.1.1.2", A, [A])]


def test_the_last_touch_is_given_to_one_claim_and_to_a_merge() -> None:
    settings = replace(SETTINGS, min_ttl_s=120, provider="aws")
    foreign = {"aws/weight": "1", "scw/x": "1"}
    alone, other = (
        claim("A", "1.1.1.1", resource=A, properties=foreign),
        claim("A", "1.1.1.2", resource=B, properties=foreign),
    )
    for claims in ((alone,), (alone, other)):
        (found,) = candidates(claims, settings)
        assert found.endpoint.ttl_s == 120
        assert dict(found.endpoint.properties) == {"aws/weight": "1"}


def test_nobody_asking_is_no_candidate() -> None:
    assert candidates((), SETTINGS) == ()


def test_candidates_are_ordered_by_source_then_by_object() -> None:
    expected = [
        wanted("A", "9.9.9.9", resource=X),
        wanted("A", "8.8.8.8", resource=B, created=EARLY),
        wanted("A", "7.7.7.7", resource=A, created=LATE),
        wanted("AAAA", "::7", resource=A, created=LATE),
    ]
    assert in_order(reversed(expected), SETTINGS) == expected
    assert in_order(expected, replace(SETTINGS, source_order=("ingress",)))[-1] == expected[0]  # unlisted sources last
