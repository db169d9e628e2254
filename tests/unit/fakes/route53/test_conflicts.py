"""Which records can coexist (developer guide, "Supported DNS record types"; API reference, ResourceRecordSet).

A test compares the full message only if the message of the real service is publicly known.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_simple

NAME = "www.example.com"
CNAME = build_simple(NAME, "CNAME", "target.test")
POLICIES: dict[str, dict[str, Any]] = {
    "Weight": {"Weight": 1},
    "Region": {"Region": "eu-west-1"},
    "Failover": {"Failover": "PRIMARY"},
    "GeoLocation": {"GeoLocation": {"CountryCode": "DE"}},
    "MultiValueAnswer": {"MultiValueAnswer": True},
    "GeoProximityLocation": {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "Bias": 0}},
    "CidrRoutingConfig": {"CidrRoutingConfig": {"CollectionId": "c", "LocationName": "*"}},
}


def routed(identifier: str, **policy: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    return build_simple(NAME, SetIdentifier=identifier, **policy)


def test_a_cname_at_the_apex_is_refused(raw_client: RawClient) -> None:
    """«The DNS protocol does not allow you to create a CNAME record for the top node of a DNS namespace»."""
    expected = "[RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.]"
    assert raw_client.refusal(("CREATE", CNAME | {"Name": "example.com"})) == ("InvalidChangeBatch", expected)


def test_a_cname_beside_records_of_other_types_is_refused(raw_client: RawClient) -> None:
    raw_client.create(build_simple(NAME, "TXT", '"x"'))
    assert raw_client.refusal(("UPSERT", CNAME))[1] == (
        "[RRSet of type CNAME with DNS name www.example.com. is not permitted "
        "as it conflicts with other records with the same DNS name in zone example.com.]"
    )


def test_a_record_of_another_type_beside_a_cname_is_refused(raw_client: RawClient) -> None:
    """«If you create a CNAME record for a subdomain, you cannot create any other records for that subdomain»."""
    raw_client.create(CNAME)
    assert raw_client.refusal(("CREATE", build_simple(NAME, "CAA", '0 issue "ca.test"')))[1] == (
        "[RRSet of type CAA with DNS name www.example.com. is not permitted because a conflicting "
        "RRSet of type  CNAME with the same DNS name already exists in zone example.com.]"
    )


def test_changes_of_a_batch_are_checked_in_the_order_of_the_batch(raw_client: RawClient) -> None:
    """Observed at the real service: octodns/octodns issue 507, cookpad/roadworker pull request 89."""
    raw_client.create(CNAME)
    assert "conflicting" in raw_client.refusal(("CREATE", build_simple(NAME)), ("DELETE", CNAME))[1]
    raw_client.change(("DELETE", CNAME), ("CREATE", build_simple(NAME)))


def test_a_name_outside_the_zone_is_refused(raw_client: RawClient) -> None:
    expected = "[RRSet with DNS name www.example.org. is not permitted in zone example.com.]"
    assert raw_client.refusal(("CREATE", build_simple("www.example.org"))) == ("InvalidChangeBatch", expected)
    assert "is not permitted in zone" in raw_client.refusal(("CREATE", build_simple("wwwexample.com")))[1]


def test_soa_and_ns_of_the_apex_can_be_updated_but_not_deleted(fake: Route53, raw_client: RawClient) -> None:
    """«You can't delete the NS or SOA record of the apex»: developer guide, "NS and SOA records"."""
    ns, soa = (dict(record) for record in fake.shown("ZEXAMPLE", own=True))
    assert raw_client.refusal(("DELETE", ns), ("DELETE", soa))[1] == (
        "[A HostedZone must contain exactly one SOA record., "
        "A HostedZone must contain at least one NS record for the zone itself.]"
    )
    raw_client.change(("UPSERT", ns | {"TTL": 60}), ("UPSERT", soa | {"TTL": 60}))


def test_an_ns_record_with_a_wildcard_name_is_refused(raw_client: RawClient) -> None:
    """«You can't use the * wildcard for resource records sets that have a type of NS»."""
    assert raw_client.refusal(("CREATE", build_simple("*.example.com", "NS", "ns.test")))[0] == "InvalidChangeBatch"


@pytest.mark.parametrize("policy", POLICIES)
def test_a_routing_policy_is_stored_unchanged(fake: Route53, raw_client: RawClient, policy: str) -> None:
    raw_client.create(routed("one", **POLICIES[policy]))
    (shown,) = fake.shown("ZEXAMPLE")
    assert shown[policy] == POLICIES[policy][policy]
    assert shown["SetIdentifier"] == "one"
    assert raw_client.client.list_resource_record_sets(HostedZoneId="ZEXAMPLE")["ResourceRecordSets"][-1] == shown


@pytest.mark.parametrize("policy", POLICIES)
def test_a_routed_record_beside_a_simple_one_is_refused(raw_client: RawClient, policy: str) -> None:
    """«You can't create non-latency resource record sets that have the same values for the Name and Type elements»."""
    raw_client.create(build_simple(NAME))
    message = raw_client.refusal(("UPSERT", routed("one", **POLICIES[policy])))[1]
    assert message.startswith(
        "[RRSet with DNS name www.example.com., type A, SetIdentifier one cannot be created as a non-"
    )
    assert message.endswith(" set exists with the same name and type.]")


def test_refusing_a_weighted_record_beside_a_simple_one_names_the_routing_policy(raw_client: RawClient) -> None:
    raw_client.create(build_simple(NAME))
    assert "as a non-weighted set exists" in raw_client.refusal(("CREATE", routed("one", Weight=1)))[1]


def test_a_simple_record_beside_a_routed_one_is_refused(raw_client: RawClient) -> None:
    raw_client.create(routed("one", Weight=1))
    assert raw_client.refusal(("UPSERT", build_simple(NAME)))[1] == (
        "[RRSet with DNS name www.example.com., type A cannot be created "
        "as other RRSets exist with the same name and type.]"
    )


def test_two_kinds_of_routing_policy_at_one_name_and_type_are_refused(raw_client: RawClient) -> None:
    raw_client.create(routed("one", Region="eu-west-1"))
    assert "as a non-weighted set exists" in raw_client.refusal(("CREATE", routed("two", Weight=1)))[1]
    raw_client.create(build_simple(NAME, "TXT", '"x"', SetIdentifier="two", Weight=1))


def test_an_upsert_can_change_the_kind_of_routing_policy_of_a_single_record(raw_client: RawClient) -> None:
    raw_client.create(routed("one", Region="eu-west-1"))
    raw_client.change(("UPSERT", routed("one", Weight=1)))


def test_two_latency_records_with_the_same_region_are_refused(raw_client: RawClient) -> None:
    """«You can only create one latency resource record set for each Amazon EC2 Region»."""
    raw_client.create(routed("one", Region="eu-west-1"))
    assert raw_client.refusal(("CREATE", routed("two", Region="eu-west-1")))[1] == (
        "[RRSet with DNS name www.example.com., type A, SetIdentifier two, and Region Name=eu-west-1 "
        "cannot be created because a latency RRSet with the same name, type and region already exists.]"
    )
    raw_client.create(routed("two", Region="eu-west-2"))


@pytest.mark.parametrize("policy", ["Failover", "GeoLocation", "GeoProximityLocation"])
def test_two_routed_records_with_the_same_location_or_failover_role_are_refused(
    raw_client: RawClient, policy: str
) -> None:
    """«You can't create two geolocation resource record sets that specify the same geographic location»."""
    raw_client.create(routed("one", **POLICIES[policy]))
    assert raw_client.refusal(("CREATE", routed("two", **POLICIES[policy])))[0] == "InvalidChangeBatch"


def test_weighted_and_multivalue_records_may_have_equal_policies(raw_client: RawClient) -> None:
    raw_client.create(routed("one", Weight=1), routed("two", Weight=1))
    raw_client.create(build_simple(NAME, "AAAA", "2001:db8::1", SetIdentifier="one", MultiValueAnswer=True))
    raw_client.create(build_simple(NAME, "AAAA", "2001:db8::2", SetIdentifier="two", MultiValueAnswer=True))


def test_weighted_records_with_different_ttls_are_refused(raw_client: RawClient) -> None:
    """«All … in a group of weighted resource record sets must have the same value for TTL»."""
    one, two = routed("one", Weight=1), routed("two", Weight=1)
    raw_client.create(one)
    assert raw_client.refusal(("CREATE", two | {"TTL": 60}))[1] == (
        "[RRSet with DNS name www.example.com. and type A, SetIdentifier two "
        "cannot be created as weighted sets must contain the same TTL.]"
    )
    raw_client.create(two)
    raw_client.change(("UPSERT", one | {"TTL": 60}), ("UPSERT", two | {"TTL": 60}))


def test_more_than_100_weighted_records_are_refused(raw_client: RawClient) -> None:
    """«You can create a maximum of 100 weighted resource record sets that have the same … Name and Type»."""
    raw_client.create(*(routed(f"set-{number}", Weight=1) for number in range(100)))
    expected = "[Exceeded limit on number of weighted RRSets for www.example.com., type A in this zone.]"
    assert raw_client.refusal(("CREATE", routed("more", Weight=1))) == ("InvalidChangeBatch", expected)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(build_simple(NAME, "NS", "ns.test", SetIdentifier="one", Weight=1), id="weighted-ns"),
        pytest.param(
            build_simple(NAME, "CNAME", "a.test", SetIdentifier="one", MultiValueAnswer=True), id="multivalue-cname"
        ),
    ],
)
def test_a_routing_policy_on_an_unsupported_record_type_is_refused(
    raw_client: RawClient, record: dict[str, Any]
) -> None:
    """«Valid values for multivalue answer resource record sets: A | AAAA | MX | …»."""
    assert raw_client.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_protected_record_sets_cannot_be_changed(fake: Route53, raw_client: RawClient) -> None:
    """Protection covers a name and type, also without a record (developer guide, "Protecting records from changes")."""
    raw_client.create(build_simple(NAME))
    fake.protect("ZEXAMPLE", NAME, "A", "ask the owner")
    fake.protect("ZEXAMPLE", "new.example.com", "A")
    for item in (
        ("DELETE", build_simple(NAME)),
        ("UPSERT", build_simple(NAME)),
        ("CREATE", build_simple("new.example.com")),
    ):
        assert raw_client.refusal(item)[0] == "InvalidChangeBatch"
    assert "ask the owner" in raw_client.refusal(("DELETE", build_simple(NAME)))[1]
    raw_client.create(build_simple(NAME, "TXT", '"x"'))
