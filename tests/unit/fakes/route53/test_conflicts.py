"""What may stand beside what: developer guide, "Supported DNS record types"; API reference, ResourceRecordSet.

Messages are the service's where they are public; those of which only the code is known are not compared whole.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.route53.probe import Probe, simple
from tests.fakes.route53.server import Route53

NAME = "www.example.com"
CNAME = simple(NAME, "CNAME", "target.test")
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
    return simple(NAME, SetIdentifier=identifier, **policy)


def test_a_cname_may_not_stand_at_the_apex(probe: Probe) -> None:
    """«The DNS protocol does not allow you to create a CNAME record for the top node of a DNS namespace»."""
    expected = "[RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.]"
    assert probe.refusal(("CREATE", CNAME | {"Name": "example.com"})) == ("InvalidChangeBatch", expected)


def test_a_cname_may_not_join_others(probe: Probe) -> None:
    probe.create(simple(NAME, "TXT", '"x"'))
    assert probe.refusal(("UPSERT", CNAME))[1] == (
        "[RRSet of type CNAME with DNS name www.example.com. is not permitted "
        "as it conflicts with other records with the same DNS name in zone example.com.]"
    )


def test_nothing_may_join_a_cname(probe: Probe) -> None:
    """«If you create a CNAME record for a subdomain, you cannot create any other records for that subdomain»."""
    probe.create(CNAME)
    assert probe.refusal(("CREATE", simple(NAME, "CAA", '0 issue "ca.test"')))[1] == (
        "[RRSet of type CAA with DNS name www.example.com. is not permitted because a conflicting "
        "RRSet of type  CNAME with the same DNS name already exists in zone example.com.]"
    )


def test_changes_count_in_their_order(probe: Probe) -> None:
    """Seen of the service: octodns/octodns issue 507, cookpad/roadworker pull request 89."""
    probe.create(CNAME)
    assert "conflicting" in probe.refusal(("CREATE", simple(NAME)), ("DELETE", CNAME))[1]
    probe.change(("DELETE", CNAME), ("CREATE", simple(NAME)))


def test_a_name_outside_the_zone_is_refused(probe: Probe) -> None:
    expected = "[RRSet with DNS name www.example.org. is not permitted in zone example.com.]"
    assert probe.refusal(("CREATE", simple("www.example.org"))) == ("InvalidChangeBatch", expected)
    assert "is not permitted in zone" in probe.refusal(("CREATE", simple("wwwexample.com")))[1]


def test_soa_and_ns_of_the_zone_stay(fake: Route53, probe: Probe) -> None:
    """«You can't delete the NS or SOA record of the apex»: developer guide, "NS and SOA records"."""
    ns, soa = (dict(record) for record in fake.shown("ZEXAMPLE", own=True))
    assert probe.refusal(("DELETE", ns), ("DELETE", soa))[1] == (
        "[A HostedZone must contain exactly one SOA record., "
        "A HostedZone must contain at least one NS record for the zone itself.]"
    )
    probe.change(("UPSERT", ns | {"TTL": 60}), ("UPSERT", soa | {"TTL": 60}))


def test_ns_may_not_be_a_wildcard(probe: Probe) -> None:
    """«You can't use the * wildcard for resource records sets that have a type of NS»."""
    assert probe.refusal(("CREATE", simple("*.example.com", "NS", "ns.test")))[0] == "InvalidChangeBatch"


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_are_kept_as_they_are_given(fake: Route53, probe: Probe, policy: str) -> None:
    probe.create(routed("one", **POLICIES[policy]))
    (shown,) = fake.shown("ZEXAMPLE")
    assert shown[policy] == POLICIES[policy][policy]
    assert shown["SetIdentifier"] == "one"
    assert probe.client.list_resource_record_sets(HostedZoneId="ZEXAMPLE")["ResourceRecordSets"][-1] == shown


@pytest.mark.parametrize("policy", POLICIES)
def test_routed_may_not_join_simple(probe: Probe, policy: str) -> None:
    """«You can't create non-latency resource record sets that have the same values for the Name and Type elements»."""
    probe.create(simple(NAME))
    message = probe.refusal(("UPSERT", routed("one", **POLICIES[policy])))[1]
    assert message.startswith(
        "[RRSet with DNS name www.example.com., type A, SetIdentifier one cannot be created as a non-"
    )
    assert message.endswith(" set exists with the same name and type.]")


def test_weighted_beside_simple_is_named_so(probe: Probe) -> None:
    probe.create(simple(NAME))
    assert "as a non-weighted set exists" in probe.refusal(("CREATE", routed("one", Weight=1)))[1]


def test_simple_may_not_join_routed(probe: Probe) -> None:
    probe.create(routed("one", Weight=1))
    assert probe.refusal(("UPSERT", simple(NAME)))[1] == (
        "[RRSet with DNS name www.example.com., type A cannot be created "
        "as other RRSets exist with the same name and type.]"
    )


def test_two_policies_may_not_share_a_name_and_type(probe: Probe) -> None:
    probe.create(routed("one", Region="eu-west-1"))
    assert "as a non-weighted set exists" in probe.refusal(("CREATE", routed("two", Weight=1)))[1]
    probe.create(simple(NAME, "TXT", '"x"', SetIdentifier="two", Weight=1))


def test_one_set_may_change_its_policy(probe: Probe) -> None:
    probe.create(routed("one", Region="eu-west-1"))
    probe.change(("UPSERT", routed("one", Weight=1)))


def test_two_may_not_have_one_region(probe: Probe) -> None:
    """«You can only create one latency resource record set for each Amazon EC2 Region»."""
    probe.create(routed("one", Region="eu-west-1"))
    assert probe.refusal(("CREATE", routed("two", Region="eu-west-1")))[1] == (
        "[RRSet with DNS name www.example.com., type A, SetIdentifier two, and Region Name=eu-west-1 "
        "cannot be created because a latency RRSet with the same name, type and region already exists.]"
    )
    probe.create(routed("two", Region="eu-west-2"))


@pytest.mark.parametrize("policy", ["Failover", "GeoLocation", "GeoProximityLocation"])
def test_two_may_not_say_the_same(probe: Probe, policy: str) -> None:
    """«You can't create two geolocation resource record sets that specify the same geographic location»."""
    probe.create(routed("one", **POLICIES[policy]))
    assert probe.refusal(("CREATE", routed("two", **POLICIES[policy])))[0] == "InvalidChangeBatch"


def test_two_may_have_one_weight_and_any_number_many_values(probe: Probe) -> None:
    probe.create(routed("one", Weight=1), routed("two", Weight=1))
    probe.create(simple(NAME, "AAAA", "2001:db8::1", SetIdentifier="one", MultiValueAnswer=True))
    probe.create(simple(NAME, "AAAA", "2001:db8::2", SetIdentifier="two", MultiValueAnswer=True))


def test_weighted_sets_have_one_ttl(probe: Probe) -> None:
    """«All … in a group of weighted resource record sets must have the same value for TTL»."""
    one, two = routed("one", Weight=1), routed("two", Weight=1)
    probe.create(one)
    assert probe.refusal(("CREATE", two | {"TTL": 60}))[1] == (
        "[RRSet with DNS name www.example.com. and type A, SetIdentifier two "
        "cannot be created as weighted sets must contain the same TTL.]"
    )
    probe.create(two)
    probe.change(("UPSERT", one | {"TTL": 60}), ("UPSERT", two | {"TTL": 60}))


def test_weighted_sets_are_limited(probe: Probe) -> None:
    """«You can create a maximum of 100 weighted resource record sets that have the same … Name and Type»."""
    probe.create(*(routed(f"set-{number}", Weight=1) for number in range(100)))
    expected = "[Exceeded limit on number of weighted RRSets for www.example.com., type A in this zone.]"
    assert probe.refusal(("CREATE", routed("more", Weight=1))) == ("InvalidChangeBatch", expected)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(simple(NAME, "NS", "ns.test", SetIdentifier="one", Weight=1), id="weighted-ns"),
        pytest.param(
            simple(NAME, "CNAME", "a.test", SetIdentifier="one", MultiValueAnswer=True), id="multivalue-cname"
        ),
    ],
)
def test_some_types_have_no_such_policy(probe: Probe, record: dict[str, Any]) -> None:
    """«Valid values for multivalue answer resource record sets: A | AAAA | MX | …»."""
    assert probe.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_protected_record_sets_cannot_be_changed(fake: Route53, probe: Probe) -> None:
    """Developer guide, "Protecting records from changes": of that name and type, there or not, whatever the set."""
    probe.create(simple(NAME))
    fake.protect("ZEXAMPLE", NAME, "A", "ask the owner")
    fake.protect("ZEXAMPLE", "new.example.com", "A")
    for item in (("DELETE", simple(NAME)), ("UPSERT", simple(NAME)), ("CREATE", simple("new.example.com"))):
        assert probe.refusal(item)[0] == "InvalidChangeBatch"
    assert "ask the owner" in probe.refusal(("DELETE", simple(NAME)))[1]
    probe.create(simple(NAME, "TXT", '"x"'))
