"""Candidates: merged claims, the winner of each type, and its differences from the current record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.model.claim import Derivation, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, OwnedRecord
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.planner.proposal import (
    Candidate,
    build_rows,
    build_size_key,
    finalize_desired,
    find_differences,
    merge_claims,
    sort_candidates,
)
from extdns.planner.settings import PlanSettings
from tests.unit.planner.name_plan import (
    ALIAS,
    API,
    ME,
    OLD,
    SETTINGS,
    WEB,
    build_candidate,
    build_current,
    claim,
    list_resources,
)

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
    return [
        Merged(one.desired.ttl_s, one.desired.targets, one.desired.resource, list_resources(one.requested_by))
        for one in merge_claims(tuple(claims), settings)
    ]


# merging (docs/spec/sources.md 1.5, 1.7, 3.9; docs/spec/plan.md 11)


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
def test_what_decides_which_claims_to_one_name_are_merged(
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
def test_merged_candidate_has_label_and_properties_of_the_deciding_claim(
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
    return replace(claim, provenance=replace(claim.provenance, derivation=how))


# docs/spec/sources.md 8.5
@pytest.mark.parametrize(
    ("other", "ttl_s", "expected_s"),
    [pytest.param(X, 60, 60, id="smallest"), pytest.param(B, 0, 120, id="min-ttl-if-one-has-none")],
)
def test_ptr_claims_of_all_sources_are_merged_with_the_smallest_ttl(other: str, ttl_s: int, expected_s: int) -> None:
    claims = [
        derive(claim("PTR", target, resource=resource, label="", ttl_s=ttl_s), Derivation.PTR)
        for target, resource, ttl_s in (("a.t", A, 300), ("b.t", other, ttl_s))
    ]
    by = [X, A] if other == X else [A, B]
    assert merge(claims, replace(SETTINGS, min_ttl_s=120)) == [
        merged("a.t", "b.t", by=by, ttl_s=expected_s, resource="")
    ]


# docs/spec/sources.md 8.3
def test_nat64_addresses_are_not_merged_with_requested_ones() -> None:
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
def test_two_kinds_of_one_source_are_merged_except_for_unstructured(source: str, expected: list[Merged]) -> None:
    claims = [claim("A", "1.1.1.1", resource=A, created=EARLY), claim("A", "1.1.1.2", resource=X, created=LATE)]
    found = (replace(one, provenance=replace(one.provenance, source=source)) for one in claims)
    assert merge(found) == expected


def test_object_with_two_merged_claims_is_listed_once() -> None:
    twice = (claim("A", "1.1.1.1", resource=A), claim("A", "1.1.1.2", resource=A))
    assert merge(twice) == [merged("1.1.1.1", "1.1.1.2", by=[A])]


def test_claims_get_min_ttl_and_lose_properties_of_other_providers() -> None:
    settings = replace(SETTINGS, min_ttl_s=120, properties=("aws/weight",))
    foreign = {"aws/weight": "1", "scw/x": "1"}
    alone, other = (
        claim("A", "1.1.1.1", resource=A, properties=foreign),
        claim("A", "1.1.1.2", resource=B, properties=foreign),
    )
    for claims in ((alone,), (alone, other)):
        (found,) = merge_claims(claims, settings)
        assert found.desired.ttl_s == 120
        assert dict(found.desired.properties) == {"aws/weight": "1"}


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


PLAIN = DesiredRecord(name=DnsName("a.test"), type="CNAME", targets=("x.test",))


# minimum TTL, properties and aliases (docs/spec/sources.md 8.6)


@pytest.mark.parametrize(
    ("ttl_s", "min_ttl_s", "expected"),
    [
        pytest.param(0, 300, 300, id="8.6-unset-takes-the-minimum"),
        pytest.param(60, 300, 60, id="8.6-a-smaller-ttl-is-not-raised"),
        pytest.param(0, 0, 0, id="8.6-no-minimum"),
    ],
)
def test_min_ttl_is_for_records_without_a_ttl_and_raises_none(ttl_s: int, min_ttl_s: int, expected: int) -> None:
    done = finalize_desired(replace(PLAIN, ttl_s=ttl_s), PlanSettings(owner="", min_ttl_s=min_ttl_s))
    assert done.ttl_s == expected


ALL = {
    "alias": "true",
    "aws/weight": "1",
    "azure/tags": "a=b",
    "coredns/group": "g",
    "external-dns.kubernetes.io/cloudflare-proxied": "true",
    "record-type": "ptr",
    "scw/priority": "1",
}


@pytest.mark.parametrize(
    ("honoured", "expected"),
    [
        pytest.param(("aws/weight", "alias"), {"alias", "aws/weight"}, id="names"),
        pytest.param(("scw/",), {"alias", "scw/priority"}, id="all with one prefix"),
        pytest.param((), {"alias"}, id="none, the provider refuses or drops those without prefix"),
    ],
)
def test_properties_of_other_providers_and_record_type_are_removed(
    honoured: tuple[str, ...], expected: set[str]
) -> None:
    endpoint = replace(PLAIN, properties=StringMap.from_items(ALL))
    done = finalize_desired(endpoint, PlanSettings(owner="", properties=honoured))
    assert {name for name, _ in done.properties} == expected


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        pytest.param(PLAIN, "true", id="8.6-cname"),
        pytest.param(
            replace(PLAIN, properties=StringMap.from_items({"alias": "false"})),
            "false",
            id="8.6-cname-with-alias-false",
        ),
        pytest.param(replace(PLAIN, type="A", targets=("192.0.2.1",)), "", id="8.6-other-type"),
    ],
)
def test_plain_cname_becomes_an_alias_with_prefer_alias(endpoint: DesiredRecord, expected: str) -> None:
    done = finalize_desired(endpoint, PlanSettings(owner="", properties=("aws/weight",), prefer_alias=True))
    assert done.properties.get("alias") == expected


@given(
    st.dictionaries(st.sampled_from(sorted(ALL)), st.text(max_size=3)).map(StringMap.from_items) | st.just(EMPTY_MAP),
    st.sampled_from(["A", "CNAME"]),
    st.integers(0, 100),
    st.sampled_from([(), ("aws/weight",), ("coredns/",)]),
    st.booleans(),
)
def test_finalizing_twice_is_finalizing_once(
    properties: StringMap, rtype: str, min_ttl_s: int, honoured: tuple[str, ...], prefer_alias: bool
) -> None:
    endpoint = replace(PLAIN, type=rtype, properties=properties)
    settings = PlanSettings(owner="", min_ttl_s=min_ttl_s, properties=honoured, prefer_alias=prefer_alias)
    once = finalize_desired(endpoint, settings)
    assert finalize_desired(once, settings) is once


def find_winning_targets(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...]
) -> dict[str, tuple[str, ...]]:
    """Return the targets of the winner of each type in the only row."""
    (row,) = build_rows(current, candidates)
    assert sorted(map(id, row.candidates)) == sorted(map(id, candidates))
    return {rtype: candidate.desired.targets for rtype, candidate in row.winners.items()}


LOW = build_candidate("A", "8.8.8.8", resource=API)
HIGH = build_candidate("A", "127.0.0.1", resource=WEB)


# rows and winners (docs/spec/plan.md 2.2-2.4, 10.2, 11)


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
def test_object_of_the_current_record_wins_or_else_the_smallest_targets(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: str
) -> None:
    assert find_winning_targets(current, candidates) == {"A": (expected,)}


def test_earlier_of_two_candidates_with_equal_targets_wins() -> None:
    first, second = (
        build_candidate("A", "1.1.1.1", ttl_s=60, resource=WEB),
        build_candidate("A", "1.1.1.1", ttl_s=30, resource=API),
    )
    (row,) = build_rows((), (first, second))
    assert row.winners["A"] is first
    assert row.other_candidates == (second,)


@pytest.mark.parametrize("other", ["A", "AAAA", "TXT", "MX"])
def test_cname_loses_to_a_candidate_of_any_other_type(other: str) -> None:
    cname, rest = build_candidate("CNAME", "lb.test"), build_candidate(other, "x", resource=API)
    (row,) = build_rows((build_current("CNAME", "lb.test", resource=WEB),), (cname, rest))  # 2.3
    assert row.yielding_cnames == (cname,)
    assert row.winners == {other: rest}


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
def test_a_and_aaaa_each_have_a_winner_of_addresses_or_an_alias(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: dict[str, str]
) -> None:
    assert find_winning_targets(current, candidates) == {rtype: (target,) for rtype, target in expected.items()}  # 11


def test_fewer_targets_win_among_candidates_of_the_current_object() -> None:
    many = build_candidate("A", "1.1.1.1", "2.2.2.2", resource=WEB)
    for properties in ({}, ALIAS):
        before = build_current("A", "9.9.9.9", resource=WEB, properties=properties)
        assert find_winning_targets((before,), (many, ALIAS_A)) == {"A": ("lb.test",)}  # 2.4


# differences (docs/spec/plan.md 0.2, 2.6, 10.2)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param([""], ["", ""], id="10.2-fewer"),
        pytest.param(["8.8.8.8"], ["8.8.8.8", "8.8.4.4"], id="10.2-fewer-addresses"),
        pytest.param(["10.10.10.10"], ["1-2-3-4.example.org"], id="10.2-address-before-host"),
        pytest.param(["ff::1"], ["1.1.1.1.example.org"], id="10.2-host-with-the-text-of-an-address"),
        pytest.param(["8.8.8.8"], ["127.0.0.1"], id="10.2-by-number"),
        pytest.param(["255.255.255.255"], ["::1"], id="0.2-ipv4-before-ipv6"),
        pytest.param(["::2"], ["::10"], id="0.2-ipv6-by-number"),
        pytest.param(["a.example.org"], ["b.example.org"], id="0.2-hosts-by-text"),
        pytest.param(["1.1.1.1", "2.2.2.2"], ["3.3.3.3", "1.1.1.1"], id="0.2-first-that-differs"),
    ],
)
def test_fewer_targets_sort_first_then_addresses(less: list[str], more: list[str]) -> None:
    assert build_size_key(less) < build_size_key(more)
    assert build_size_key(list(reversed(less))) == build_size_key(less)


ONE_ADDRESS = build_candidate("A", "1.1.1.1").desired


@pytest.mark.parametrize(
    ("current", "endpoint", "differences"),
    [
        pytest.param(build_current("A", "1.1.1.1"), ONE_ADDRESS, (), id="2.6-same"),
        pytest.param(
            build_current("A", "1.1.1.1"), build_candidate("A", "1.1.1.1", ttl_s=60).desired, ("ttl",), id="2.6-1-ttl"
        ),
        pytest.param(
            build_current("A", "1.1.1.1"), build_candidate("A", "1.1.1.1", ttl_s=1).desired, ("ttl",), id="2.6-1-least"
        ),
        pytest.param(build_current("A", "2.2.2.2"), ONE_ADDRESS, ("targets",), id="2.6-2-target"),
        pytest.param(build_current("A", "1.1.1.1", "2.2.2.2"), ONE_ADDRESS, ("targets",), id="2.6-2-one-target-less"),
        pytest.param(build_current("TXT", '"Same"'), build_candidate("TXT", '"sAME"').desired, (), id="2.6-2-any-case"),
        pytest.param(
            build_current("AAAA", "2001:DB8:0::1", "::2"),
            build_candidate("AAAA", "::2", "2001:db8::1").desired,
            (),
            id="2.6-2-spelling",
        ),
        pytest.param(
            build_current("AAAA", "::1", "::2"),
            build_candidate("AAAA", "::1", "::3").desired,
            ("targets",),
            id="0.2-every-pair",
        ),
        pytest.param(
            build_current("A", "1.1.1.1", properties={"custom": "1"}),
            build_candidate("A", "1.1.1.1", properties={"renamed": "1"}).desired,
            ("properties",),
            id="10.2-key-renamed",
        ),
        pytest.param(build_current("A", "1.1.1.1", resource="ingress/a/b"), ONE_ADDRESS, (), id="2.6-labels-never"),
        pytest.param(
            build_current("A", "1.1.1.1", owner="old", ours=True), ONE_ADDRESS, ("owner",), id="2.6-4-migration"
        ),
        pytest.param(build_current("A", "1.1.1.1", owner=None, ours=True), ONE_ADDRESS, (), id="3.1-noop-has-no-owner"),
        pytest.param(
            build_current("A", "1.1.1.1", has_current_format=False),
            ONE_ADDRESS,
            ("ownership record",),
            id="3.2.5-ownership-record-missing",
        ),
    ],
)
def test_differences_between_current_and_desired_record(
    current: OwnedRecord, endpoint: DesiredRecord, differences: tuple[str, ...]
) -> None:
    assert find_differences(current, endpoint, ME) == differences
