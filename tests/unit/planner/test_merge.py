"""Merging of the claims of one name into candidates (docs/spec/sources.md 1.5, 1.7, 3.9; docs/spec/plan.md 11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from extdns.model.claim import Derivation, ResolvedClaim
from extdns.planner.proposal import merge_claims, sort_candidates
from extdns.planner.settings import PlanSettings
from tests.unit.planner.name_plan import SETTINGS, build_candidate, claim, list_resources

A, B = "ingress/shop/a", "ingress/shop/b"
X, Y = "service/a/x", "service/a/y"
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


class Merged(NamedTuple):
    """What the tests compare of a candidate."""

    ttl_s: int
    targets: tuple[str, ...]
    resource: str
    requested_by: list[str]


def merged(*targets: str, by: list[str], ttl_s: int = 0, resource: str | None = None) -> Merged:
    """Build the expected result of a merge; its resource is the first of the requesting objects *by* if not given."""
    return Merged(ttl_s, targets, by[0] if resource is None else resource, by)


def merge(claims: Iterable[ResolvedClaim], settings: PlanSettings = SETTINGS) -> list[Merged]:
    """Merge *claims*. Return the candidates in order."""
    return [
        Merged(one.desired.ttl_s, one.desired.targets, one.desired.resource, list_resources(one.requested_by))
        for one in merge_claims(tuple(claims), settings)
    ]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(
            (claim("A", "10.0.0.2", resource=A), claim("A", "10.0.0.1", "10.0.0.2", resource=B)),
            [merged("10.0.0.1", "10.0.0.2", by=[A, B])],
            id="1.5-targets-merge",
        ),
        pytest.param(
            (claim("A", "10.0.0.1", resource=A, ttl_s=60), claim("A", "10.0.0.2", resource=B, ttl_s=30)),
            [merged("10.0.0.1", by=[A], ttl_s=60), merged("10.0.0.2", by=[B], ttl_s=30)],
            id="1.5-different-ttls-are-not-merged",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=A), claim("CNAME", "y.t", resource=B)),
            [merged("x.t", by=[A]), merged("y.t", by=[B])],
            id="1.5-different-cnames-are-not-merged",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=A), claim("CNAME", "x.t", resource=B)),
            [merged("x.t", by=[A, B])],
            id="1.5-one-cname-twice",
        ),
        pytest.param(
            (claim("CNAME", "x.t", "y.t", resource=A), claim("CNAME", "x.t", resource=B)),
            [merged("x.t", "y.t", by=[A]), merged("x.t", by=[B])],
            id="1.5-cname-gets-no-further-target",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A, set_identifier="v1"), claim("A", "1.1.1.2", resource=B)),
            [merged("1.1.1.1", by=[A]), merged("1.1.1.2", by=[B])],
            id="1.5-different-set-identifiers-are-not-merged",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=X, ttl_s=60), claim("A", "1.1.1.2", resource=Y, ttl_s=30)),
            [merged("1.1.1.1", "1.1.1.2", by=[X, Y], ttl_s=60)],
            id="3.9-services-merge-whatever-their-ttl",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=X, ttl_s=60), claim("CNAME", "x.t", resource=Y, ttl_s=30)),
            [merged("x.t", by=[X, Y], ttl_s=60)],
            id="3.9-one-cname-of-two-services",
        ),
        pytest.param(
            (claim("CNAME", "x.t", resource=X), claim("CNAME", "y.t", resource=Y)),
            [merged("x.t", by=[X]), merged("y.t", by=[Y])],
            id="3.9-cnames-are-never-combined",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.1", resource=X)),
            [merged("1.1.1.1", by=[X, A])],
            id="1.7-earlier-source-leads",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.2", resource=X)),
            [merged("1.1.1.2", by=[X]), merged("1.1.1.1", by=[A])],
            id="1.7-sources-never-merge",
        ),
        pytest.param(
            (claim("A", "1.1.1.1", resource=A, ttl_s=60), claim("A", "1.1.1.1", resource=B, ttl_s=30)),
            [merged("1.1.1.1", by=[A, B], ttl_s=60)],
            id="1.7-ttl-is-no-part-of-identity",
        ),
    ],
)
def test_source_type_set_identifier_ttl_and_cname_target_decide_which_claims_to_one_name_are_merged(
    claims: tuple[ResolvedClaim, ...], expected: list[Merged]
) -> None:
    assert merge(claims) == expected
    assert merge(reversed(claims)) == expected


@pytest.mark.parametrize(
    ("first", "second", "leader"),
    [
        pytest.param((A, LATE), (B, EARLY), B, id="11-the-oldest-leads"),
        pytest.param((A, ""), (B, LATE), B, id="11-known-age-before-unknown"),
        pytest.param((A, EARLY), (B, EARLY), A, id="11-then-by-name"),
        pytest.param(("ingress/b/a", ""), ("ingress/a/b", ""), "ingress/a/b", id="11-then-by-namespace"),
        pytest.param((X, LATE), (Y, EARLY), X, id="3.9-smallest-resource-of-services"),
    ],
)
def test_a_merged_candidate_has_the_label_and_properties_of_the_deciding_claim(
    first: tuple[str, str], second: tuple[str, str], leader: str
) -> None:
    claims = [
        claim("A", address, resource=resource, created=created, properties={"from": resource})
        for address, (resource, created) in zip(("1.1.1.1", "1.1.1.2"), (first, second), strict=True)
    ]
    (merged,) = merge_claims(claims, SETTINGS)
    assert merged.desired.targets == ("1.1.1.1", "1.1.1.2")
    assert merged.desired.resource == leader
    assert merged.desired.properties.get("from") == leader
    assert list_resources(merged.requested_by)[0] == leader


def derive(claim: ResolvedClaim, how: Derivation) -> ResolvedClaim:
    """Return the claim with its derivation set to *how*."""
    return replace(claim, provenance=replace(claim.provenance, derivation=how))


# docs/spec/sources.md 8.5
def test_ptr_claims_of_all_sources_are_merged_with_the_smallest_ttl() -> None:
    claims = [
        derive(claim("PTR", target, resource=resource, label="", ttl_s=ttl_s), Derivation.PTR)
        for target, resource, ttl_s in (("a.t", A, 300), ("b.t", X, 60))
    ]
    assert merge(claims) == [merged("a.t", "b.t", by=[X, A], ttl_s=60, resource="")]


# docs/spec/sources.md 8.5
def test_a_merged_ptr_record_has_the_ttl_of_min_ttl_if_one_of_its_claims_has_none() -> None:
    claims = [
        derive(claim("PTR", target, resource=resource, label="", ttl_s=ttl_s), Derivation.PTR)
        for target, resource, ttl_s in (("a.t", A, 300), ("b.t", B, 0))
    ]
    assert merge(claims, replace(SETTINGS, min_ttl_s=120)) == [merged("a.t", "b.t", by=[A, B], ttl_s=120, resource="")]


# docs/spec/sources.md 8.3
def test_addresses_derived_by_nat64_are_not_merged_with_requested_addresses() -> None:
    claims = (claim("A", "192.0.2.1"), derive(claim("A", "192.0.2.2"), Derivation.NAT64))
    assert sorted(one.desired.targets for one in merge_claims(claims, SETTINGS)) == [("192.0.2.1",), ("192.0.2.2",)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "unstructured", [merged("1.1.1.1", by=[A]), merged("1.1.1.2", by=[X])], id="6.4-kinds-are-not-merged"
        ),
        pytest.param("traefik-proxy", [merged("1.1.1.1", "1.1.1.2", by=[A, X])], id="7.4-kinds-merge"),
    ],
)
def test_claims_of_two_kinds_of_one_source_are_merged_except_for_the_source_unstructured(
    source: str, expected: list[Merged]
) -> None:
    claims = [claim("A", "1.1.1.1", resource=A, created=EARLY), claim("A", "1.1.1.2", resource=X, created=LATE)]
    found = (replace(one, provenance=replace(one.provenance, source=source)) for one in claims)
    assert merge(found) == expected


def test_an_object_with_two_merged_claims_is_listed_once_as_requester() -> None:
    twice = (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.2", resource=A))
    assert merge(twice) == [merged("1.1.1.1", "1.1.1.2", by=[A])]


def test_single_and_merged_claims_get_the_ttl_of_min_ttl_and_lose_the_properties_of_other_providers() -> None:
    settings = replace(SETTINGS, min_ttl_s=120, provider="aws")
    foreign = {"aws/weight": "1", "scw/x": "1"}
    alone, other = (
        claim("A", "1.1.1.1", resource=A, properties=foreign),
        claim("A", "1.1.1.2", resource=B, properties=foreign),
    )
    for claims in ((alone,), (alone, other)):
        (found,) = merge_claims(claims, settings)
        assert found.desired.ttl_s == 120
        assert dict(found.desired.properties) == {"aws/weight": "1"}


def test_no_claims_give_no_candidate() -> None:
    assert merge_claims((), SETTINGS) == ()


def test_candidates_are_ordered_by_source_then_by_object() -> None:
    expected = [
        build_candidate("A", "9.9.9.9", resource=X),
        build_candidate("A", "8.8.8.8", resource=B, created=EARLY),
        build_candidate("A", "7.7.7.7", resource=A, created=LATE),
        build_candidate("AAAA", "::7", resource=A, created=LATE),
    ]
    assert sort_candidates(reversed(expected), SETTINGS) == expected
    assert (
        sort_candidates(expected, replace(SETTINGS, source_order=("ingress",)))[-1] == expected[0]
    )  # unlisted sources last
