"""PTR claims derived from the merged claims of one name (docs/spec/sources.md 8.5)."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.claim import Derivation, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.value import EMPTY_MAP
from extdns.planner.ptr_claims import derive_ptr_claims
from extdns.planner.settings import PlanSettings
from tests.unit.planner.name_plan import SETTINGS, claim

A, B = "service/shop/a", "service/shop/b"
OTHER: Final = "service/other/b"
OLD, NEW = "ingress/shop/old", "ingress/shop/new"
SOME: Final = replace(SETTINGS, managed_types=frozenset({rrtype.A, rrtype.AAAA, rrtype.PTR}))
ALL: Final = replace(SOME, creates_ptr=True)
V6: Final = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
SEVEN, EIGHT = "7.2.0.192.in-addr.arpa", "8.2.0.192.in-addr.arpa"


def request(
    rtype: str,
    *targets: str,
    resource: str = A,
    ttl_s: int = 300,
    name: str = "a.t",
    record_type: str | None = None,
    created: str = "",
) -> ResolvedClaim:
    """Build the claim of the object *resource*, with the property `record-type` unless *record_type* is None."""
    properties = {} if record_type is None else {"record-type": record_type}
    made = claim(rtype, *targets, resource=resource, ttl_s=ttl_s, properties=properties, created=created)
    return replace(made, desired=replace(made.desired, name=DnsName(name)))


def list_reverse_claims(found: tuple[ResolvedClaim, ...]) -> list[tuple[str, int, str]]:
    """Return reverse name, TTL and resource of each PTR claim, sorted."""
    return sorted((one.name, one.desired.ttl_s, one.provenance.ref.key.resource) for one in found)


# docs/spec/sources.md 8.5
@pytest.mark.parametrize(
    ("settings", "made", "reverse_names"),
    [
        pytest.param(ALL, request("A", "192.0.2.7", "192.0.2.8"), [SEVEN, EIGHT], id="one-for-each-address"),
        pytest.param(ALL, request("AAAA", "2001:db8::1"), [V6], id="nibbles"),
        pytest.param(ALL, request("AAAA", "::ffff:192.0.2.7"), [SEVEN], id="mapped-is-ipv4"),
        pytest.param(ALL, request("CNAME", "lb.t"), [], id="addresses-only"),
        pytest.param(ALL, request("A", "192.0.2.7", name="*.a.t"), [], id="no-wildcards"),
        pytest.param(ALL, request("A", "lb.t"), [], id="hosts-are-skipped"),
        pytest.param(SOME, request("A", "192.0.2.7"), [], id="off"),
        pytest.param(SOME, request("A", "192.0.2.7", record_type="PTR"), [SEVEN], id="the-property-enables"),
        pytest.param(ALL, request("A", "192.0.2.7", record_type="none"), [], id="any-other-value-disables"),
        pytest.param(ALL, request("A", "192.0.2.7", record_type=""), [], id="an-empty-value-disables"),
        pytest.param(
            replace(SETTINGS, creates_ptr=True), request("A", "192.0.2.7", record_type="ptr"), [], id="not-managed"
        ),
    ],
)
def test_each_address_claim_gives_a_ptr_claim_if_enabled(
    settings: PlanSettings, made: ResolvedClaim, reverse_names: list[str]
) -> None:
    found = derive_ptr_claims((made,), settings)
    assert [one.name for one in found] == reverse_names
    for one in found:
        assert one.provenance == replace(made.provenance, derivation=Derivation.PTR)
        endpoint = one.desired
        assert (endpoint.type, endpoint.targets, endpoint.ttl_s) == ("PTR", ("a.t",), 300)
        assert (endpoint.resource, endpoint.properties, endpoint.set_identifier) == (A, EMPTY_MAP, "")
    compat = derive_ptr_claims((made,), replace(settings, compat=True))
    assert [one.desired.labels for one in compat] == [EMPTY_MAP] * len(found)  # as external-dns


# docs/spec/sources.md 8.5
@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(
            (request("A", "192.0.2.7", record_type="ptr"), request("A", "192.0.2.8", resource=B, record_type="none")),
            [(SEVEN, 300, A), (EIGHT, 300, B)],
            id="3.9-the-first-service-enables",
        ),
        pytest.param(
            (request("A", "192.0.2.7"), request("A", "192.0.2.8", resource=B, record_type="ptr")),
            [],
            id="3.9-the-first-service-disables",
        ),
        pytest.param(
            (request("A", "192.0.2.7", record_type="ptr"), request("A", "192.0.2.8", resource=B, ttl_s=60)),
            [(SEVEN, 300, A), (EIGHT, 300, B)],
            id="3.9-ttl-of-the-first-service",
        ),
        pytest.param(
            (
                request("A", "192.0.2.7", resource=NEW, created="2026-02-01T00:00:00Z"),
                request("A", "192.0.2.8", resource=OLD, created="2026-01-01T00:00:00Z", record_type="ptr"),
            ),
            [(SEVEN, 300, NEW), (EIGHT, 300, OLD)],
            id="1.5-the-oldest-ingress-enables",
        ),
        pytest.param(
            (
                request("A", "192.0.2.7", resource=NEW, record_type="none"),
                request("A", "192.0.2.8", resource=OLD, ttl_s=60, record_type="ptr"),
            ),
            [(EIGHT, 60, OLD)],
            id="1.5-ingresses-with-other-ttls-are-not-merged",
        ),
        pytest.param(
            (request("A", "192.0.2.7", resource=OLD, record_type="ptr"), request("A", "192.0.2.7", ttl_s=60)),
            [],
            id="1.7-the-first-of-equal-records-disables",
        ),
        pytest.param(
            (request("A", "192.0.2.7", resource=OLD), request("A", "192.0.2.7", ttl_s=60, record_type="ptr")),
            [(SEVEN, 60, OLD), (SEVEN, 60, A)],
            id="1.7-the-first-of-equal-records-enables",
        ),
        pytest.param(
            (request("A", "192.0.2.7", record_type="ptr"), request("AAAA", "2001:db8::1", resource=B)),
            [(SEVEN, 300, A)],
            id="types-are-not-merged",
        ),
        pytest.param(
            (request("A", "192.0.2.8", resource=OTHER, record_type="ptr"), request("A", "192.0.2.7")),
            [(EIGHT, 300, OTHER)],
            id="namespaces-are-not-merged",
        ),
    ],
)
def test_deciding_claim_decides_for_all_addresses_of_a_merged_record(
    claims: tuple[ResolvedClaim, ...], expected: list[tuple[str, int, str]]
) -> None:
    assert list_reverse_claims(derive_ptr_claims(claims, SOME)) == expected
    assert list_reverse_claims(derive_ptr_claims(tuple(reversed(claims)), SOME)) == expected


# docs/spec/sources.md 8.5
def test_claims_are_merged_first_with_merged_namespaces() -> None:
    claims = (request("A", "192.0.2.8", resource=OTHER, record_type="ptr"), request("A", "192.0.2.7", ttl_s=60))
    found = derive_ptr_claims(claims, replace(SOME, merges_namespaces=True))
    assert list_reverse_claims(found) == [(SEVEN, 300, A), (EIGHT, 300, OTHER)]
