"""Hosted zones and tags (API reference: ListHostedZones, ListHostedZonesByName, GetHostedZone, ListTagsFor…)."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_client


@pytest.fixture(autouse=True)
def _zones(raw_client: RawClient) -> None:
    fake = raw_client.fake
    fake.add_zone("example.net", zone_id="ZNET", tags={"team": "a", "env": ""})
    fake.add_zone(
        "example.com", zone_id="ZPRIVATE", private=True, vpcs=[("vpc-1", "eu-west-1"), ("vpc-2", "us-east-1")]
    )
    fake.add_zone("a.example.com", zone_id="ZSUB", comment="the lower one")


def test_a_listed_zone_has_id_name_comment_visibility_and_record_count(raw_client: RawClient) -> None:
    shown: dict[str, Any] = {zone["Id"]: zone for zone in raw_client.client.list_hosted_zones()["HostedZones"]}
    assert shown["/hostedzone/ZSUB"] == {
        "Id": "/hostedzone/ZSUB",
        "Name": "a.example.com.",
        "CallerReference": "ZSUB",
        "Config": {"Comment": "the lower one", "PrivateZone": False},
        "ResourceRecordSetCount": 2,
    }
    assert shown["/hostedzone/ZPRIVATE"]["Config"]["PrivateZone"]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_of_any_size_contain_each_zone_once(raw_client: RawClient, size: int) -> None:
    """«If IsTruncated is true, the value of NextMarker is the hosted zone ID of the first hosted zone …»."""
    paginator = raw_client.client.get_paginator("list_hosted_zones")
    pages = list(paginator.paginate(PaginationConfig={"PageSize": size}))
    assert [zone["Id"] for page in pages for zone in page["HostedZones"]] == [
        *("/hostedzone/ZEXAMPLE", "/hostedzone/ZNET", "/hostedzone/ZPRIVATE", "/hostedzone/ZSUB")
    ]
    assert max(len(page["HostedZones"]) for page in pages) <= size


def test_a_page_has_at_most_100_zones(fake: Route53, raw_client: RawClient) -> None:
    """«Amazon Route 53 returns a maximum of 100 items in each response»."""
    for number in range(100):
        fake.add_zone(f"zone{number}.test")
    page = raw_client.client.list_hosted_zones(MaxItems="500")
    assert (len(page["HostedZones"]), page["IsTruncated"]) == (100, True)


def test_a_page_marker_of_an_unknown_zone_is_refused(raw_client: RawClient) -> None:
    with pytest.raises(ClientError, match="InvalidInput"):
        raw_client.client.list_hosted_zones(Marker="ZGONE")


def test_private_zones_can_be_listed_without_public_ones(raw_client: RawClient) -> None:
    found = raw_client.client.list_hosted_zones(HostedZoneType="PrivateHostedZone")["HostedZones"]
    assert [zone["Id"] for zone in found] == ["/hostedzone/ZPRIVATE"]


def test_zones_can_be_listed_in_the_order_of_their_names(raw_client: RawClient) -> None:
    """«Sorts hosted zones by name with the labels reversed», from DNSName on."""
    found = raw_client.client.list_hosted_zones_by_name()["HostedZones"]
    assert [zone["Id"] for zone in found] == [
        *("/hostedzone/ZEXAMPLE", "/hostedzone/ZPRIVATE", "/hostedzone/ZSUB", "/hostedzone/ZNET")
    ]
    page = raw_client.client.list_hosted_zones_by_name(DNSName="example.com", MaxItems="1")
    assert [zone["Id"] for zone in page["HostedZones"]] == ["/hostedzone/ZEXAMPLE"]
    assert (page["NextDNSName"], page["NextHostedZoneId"]) == ("example.com.", "ZPRIVATE")
    page = raw_client.client.list_hosted_zones_by_name(DNSName="example.com.", HostedZoneId="ZPRIVATE", MaxItems="1")
    assert [zone["Id"] for zone in page["HostedZones"]] == ["/hostedzone/ZPRIVATE"]


def test_a_private_zone_lists_its_vpcs_and_a_public_zone_lists_its_name_servers(raw_client: RawClient) -> None:
    private = raw_client.client.get_hosted_zone(Id="/hostedzone/ZPRIVATE")
    assert private["VPCs"] == [
        {"VPCRegion": "eu-west-1", "VPCId": "vpc-1"},
        {"VPCRegion": "us-east-1", "VPCId": "vpc-2"},
    ]
    assert "DelegationSet" not in private
    public = raw_client.client.get_hosted_zone(Id="ZNET")
    assert len(public["DelegationSet"]["NameServers"]) == 4
    assert "VPCs" not in public


def test_a_zone_is_created_once_for_a_caller_reference(raw_client: RawClient) -> None:
    made = raw_client.client.create_hosted_zone(Name="New.test", CallerReference="1")
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert made["HostedZone"]["Name"] == "new.test."
    assert made["Location"].endswith(made["HostedZone"]["Id"])
    again = RawClient(raw_client.fake, made["HostedZone"]["Id"].removeprefix("/hostedzone/"))
    assert again.client.list_resource_record_sets(HostedZoneId=again.zone_id)["ResourceRecordSets"][0]["Type"] == "NS"
    with pytest.raises(ClientError, match="HostedZoneAlreadyExists"):
        raw_client.client.create_hosted_zone(Name="new.test", CallerReference="1")


def test_tags_can_be_listed_for_one_zone_or_for_several(raw_client: RawClient) -> None:
    tags = [{"Key": "team", "Value": "a"}, {"Key": "env", "Value": ""}]
    one = raw_client.client.list_tags_for_resource(ResourceType="hostedzone", ResourceId="ZNET")["ResourceTagSet"]
    assert one == {"ResourceType": "hostedzone", "ResourceId": "ZNET", "Tags": tags}
    many = raw_client.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=["ZSUB", "ZNET"])
    assert [(found.get("ResourceId"), found.get("Tags")) for found in many["ResourceTagSets"]] == [
        ("ZSUB", []),
        ("ZNET", tags),
    ]


def test_tags_can_be_listed_for_at_most_ten_zones_per_call(fake: Route53, raw_client: RawClient) -> None:
    """`ResourceIds` has 1 to 10 entries (API reference, ListTagsForResources); boto3 does not check this."""
    ids = [fake.add_zone(f"zone{number}.test") for number in range(11)]
    raw_client.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=ids[:10])
    with pytest.raises(ClientError, match="InvalidInput"):
        raw_client.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=ids)


def test_listing_tags_of_an_unknown_zone_is_refused(raw_client: RawClient) -> None:
    with pytest.raises(ClientError, match="NoSuchHostedZone"):
        raw_client.client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=["ZNET", "ZGONE"])


def test_each_account_can_list_and_read_only_its_own_zones() -> None:
    """A request for a zone of another account gets «is not authorized to access this resource»."""
    with Route53(accounts={"AKIDOTHER": "222222222222"}) as fake:
        fake.add_zone("one.test", zone_id="ZONE")
        fake.add_zone("two.test", zone_id="ZTWO", account="222222222222")
        mine, other = build_client(fake.url), build_client(fake.url, access_key="AKIDOTHER")
        assert [zone["Id"] for zone in mine.list_hosted_zones()["HostedZones"]] == ["/hostedzone/ZONE"]
        assert [zone["Id"] for zone in other.list_hosted_zones()["HostedZones"]] == ["/hostedzone/ZTWO"]
        with pytest.raises(ClientError, match="AccessDenied"):
            mine.list_resource_record_sets(HostedZoneId="ZTWO")


def test_reading_a_removed_zone_is_refused(fake: Route53, raw_client: RawClient) -> None:
    fake.remove_zone("ZNET")
    with pytest.raises(ClientError, match="NoSuchHostedZone"):
        raw_client.client.get_hosted_zone(Id="ZNET")


def test_reading_an_unknown_health_check_is_refused(fake: Route53, raw_client: RawClient) -> None:
    fake.api.health_checks.add("check")
    assert raw_client.client.get_health_check(HealthCheckId="check")["HealthCheck"]["Id"] == "check"
    with pytest.raises(ClientError, match="NoSuchHealthCheck"):
        raw_client.client.get_health_check(HealthCheckId="none")
