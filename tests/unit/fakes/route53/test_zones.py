"""Hosted zones and their tags: API reference, ListHostedZones, ListHostedZonesByName, GetHostedZone, ListTagsFor…."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.probe import Probe, client
from tests.fakes.route53.server import Route53


@pytest.fixture(autouse=True)
def _zones(probe: Probe) -> None:
    fake = probe.fake
    fake.add_zone("example.net", zone_id="ZNET", tags={"team": "a", "env": ""})
    fake.add_zone(
        "example.com", zone_id="ZPRIVATE", private=True, vpcs=[("vpc-1", "eu-west-1"), ("vpc-2", "us-east-1")]
    )
    fake.add_zone("a.example.com", zone_id="ZSUB", comment="the lower one")


def test_a_zone_is_shown_with_what_it_is(probe: Probe) -> None:
    shown: dict[str, Any] = {zone["Id"]: zone for zone in probe.client.list_hosted_zones()["HostedZones"]}
    assert shown["/hostedzone/ZSUB"] == {
        "Id": "/hostedzone/ZSUB",
        "Name": "a.example.com.",
        "CallerReference": "ZSUB",
        "Config": {"Comment": "the lower one", "PrivateZone": False},
        "ResourceRecordSetCount": 2,
    }
    assert shown["/hostedzone/ZPRIVATE"]["Config"]["PrivateZone"]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_of_any_size_give_every_zone_once(probe: Probe, size: int) -> None:
    """«If IsTruncated is true, the value of NextMarker is the hosted zone ID of the first hosted zone …»."""
    paginator = probe.client.get_paginator("list_hosted_zones")
    pages = list(paginator.paginate(PaginationConfig={"PageSize": size}))
    assert [zone["Id"] for page in pages for zone in page["HostedZones"]] == [
        *("/hostedzone/ZEXAMPLE", "/hostedzone/ZNET", "/hostedzone/ZPRIVATE", "/hostedzone/ZSUB")
    ]
    assert max(len(page["HostedZones"]) for page in pages) <= size


def test_a_page_holds_100_at_most(fake: Route53, probe: Probe) -> None:
    """«Amazon Route 53 returns a maximum of 100 items in each response»."""
    for number in range(100):
        fake.add_zone(f"zone{number}.test")
    page = probe.client.list_hosted_zones(MaxItems="500")
    assert (len(page["HostedZones"]), page["IsTruncated"]) == (100, True)


def test_a_marker_that_is_no_zone_is_refused(probe: Probe) -> None:
    with pytest.raises(ClientError, match="InvalidInput"):
        probe.client.list_hosted_zones(Marker="ZGONE")


def test_private_zones_can_be_listed_alone(probe: Probe) -> None:
    found = probe.client.list_hosted_zones(HostedZoneType="PrivateHostedZone")["HostedZones"]
    assert [zone["Id"] for zone in found] == ["/hostedzone/ZPRIVATE"]


def test_zones_can_be_listed_by_name(probe: Probe) -> None:
    """«Sorts hosted zones by name with the labels reversed», from DNSName on."""
    found = probe.client.list_hosted_zones_by_name()["HostedZones"]
    assert [zone["Id"] for zone in found] == [
        *("/hostedzone/ZEXAMPLE", "/hostedzone/ZPRIVATE", "/hostedzone/ZSUB", "/hostedzone/ZNET")
    ]
    page = probe.client.list_hosted_zones_by_name(DNSName="example.com", MaxItems="1")
    assert [zone["Id"] for zone in page["HostedZones"]] == ["/hostedzone/ZEXAMPLE"]
    assert (page["NextDNSName"], page["NextHostedZoneId"]) == ("example.com.", "ZPRIVATE")
    page = probe.client.list_hosted_zones_by_name(DNSName="example.com.", HostedZoneId="ZPRIVATE", MaxItems="1")
    assert [zone["Id"] for zone in page["HostedZones"]] == ["/hostedzone/ZPRIVATE"]


def test_a_private_zone_has_vpcs_and_a_public_one_name_servers(probe: Probe) -> None:
    private = probe.client.get_hosted_zone(Id="/hostedzone/ZPRIVATE")
    assert private["VPCs"] == [
        {"VPCRegion": "eu-west-1", "VPCId": "vpc-1"},
        {"VPCRegion": "us-east-1", "VPCId": "vpc-2"},
    ]
    assert "DelegationSet" not in private
    public = probe.client.get_hosted_zone(Id="ZNET")
    assert len(public["DelegationSet"]["NameServers"]) == 4
    assert "VPCs" not in public


def test_a_zone_can_be_created(probe: Probe) -> None:
    made = probe.client.create_hosted_zone(Name="New.test", CallerReference="1")
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert made["HostedZone"]["Name"] == "new.test."
    assert made["Location"].endswith(made["HostedZone"]["Id"])
    again = Probe(probe.fake, made["HostedZone"]["Id"].removeprefix("/hostedzone/"))
    assert again.client.list_resource_record_sets(HostedZoneId=again.zone_id)["ResourceRecordSets"][0]["Type"] == "NS"
    with pytest.raises(ClientError, match="HostedZoneAlreadyExists"):
        probe.client.create_hosted_zone(Name="new.test", CallerReference="1")


def test_tags_are_told_of_one_zone_and_of_many(probe: Probe) -> None:
    tags = [{"Key": "team", "Value": "a"}, {"Key": "env", "Value": ""}]
    one = probe.client.list_tags_for_resource(ResourceType="hostedzone", ResourceId="ZNET")["ResourceTagSet"]
    assert one == {"ResourceType": "hostedzone", "ResourceId": "ZNET", "Tags": tags}
    many = probe.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=["ZSUB", "ZNET"])
    assert [(found.get("ResourceId"), found.get("Tags")) for found in many["ResourceTagSets"]] == [
        ("ZSUB", []),
        ("ZNET", tags),
    ]


def test_tags_of_ten_zones_at_most_are_told_at_once(fake: Route53, probe: Probe) -> None:
    """`ResourceIds`: 1 to 10 (API reference, ListTagsForResources); boto3 itself does not count."""
    ids = [fake.add_zone(f"zone{number}.test") for number in range(11)]
    probe.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=ids[:10])
    with pytest.raises(ClientError, match="InvalidInput"):
        probe.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=ids)


def test_tags_of_no_zone_are_refused(probe: Probe) -> None:
    with pytest.raises(ClientError, match="NoSuchHostedZone"):
        probe.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=["ZNET", "ZGONE"])


def test_each_account_sees_its_own_zones() -> None:
    """A zone of another account is no secret, but forbidden: «is not authorized to access this resource»."""
    with Route53(accounts={"AKIDOTHER": "222222222222"}) as fake:
        fake.add_zone("one.test", zone_id="ZONE")
        fake.add_zone("two.test", zone_id="ZTWO", account="222222222222")
        mine, other = client(fake.url), client(fake.url, access_key="AKIDOTHER")
        assert [zone["Id"] for zone in mine.list_hosted_zones()["HostedZones"]] == ["/hostedzone/ZONE"]
        assert [zone["Id"] for zone in other.list_hosted_zones()["HostedZones"]] == ["/hostedzone/ZTWO"]
        with pytest.raises(ClientError, match="AccessDenied"):
            mine.list_resource_record_sets(HostedZoneId="ZTWO")


def test_a_zone_that_was_removed_is_gone(fake: Route53, probe: Probe) -> None:
    fake.remove_zone("ZNET")
    with pytest.raises(ClientError, match="NoSuchHostedZone"):
        probe.client.get_hosted_zone(Id="ZNET")


def test_health_checks_exist_or_not(fake: Route53, probe: Probe) -> None:
    fake.api.health_checks.add("check")
    assert probe.client.get_health_check(HealthCheckId="check")["HealthCheck"]["Id"] == "check"
    with pytest.raises(ClientError, match="NoSuchHealthCheck"):
        probe.client.get_health_check(HealthCheckId="none")
