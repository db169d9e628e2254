"""Pages of record sets (API reference, ListResourceRecordSets)."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_simple, find_message


@pytest.fixture(autouse=True)
def _records(fake: Route53, raw_client: RawClient) -> None:
    fake.put(
        raw_client.zone_id,
        build_simple("a.example.com"),
        build_simple("a.example.com", "TXT", '"a"'),
        build_simple("b.example.com", SetIdentifier="one", Weight=1),
        build_simple("b.example.com", SetIdentifier="two", Weight=2),
        build_simple("b.example.com", "TXT", '"b"'),
        build_simple("c.example.com"),
    )


def pages(raw_client: RawClient, size: int) -> list[list[tuple[str, str, str]]]:
    paginator = raw_client.client.get_paginator("list_resource_record_sets")
    found = paginator.paginate(HostedZoneId=raw_client.zone_id, PaginationConfig={"PageSize": size})
    return [
        [(one["Name"], one["Type"], one.get("SetIdentifier", "")) for one in page["ResourceRecordSets"]]
        for page in found
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 300])
def test_pages_of_any_size_contain_each_record_set_once_and_in_order(raw_client: RawClient, size: int) -> None:
    """The next page starts at NextRecordName, NextRecordType and NextRecordIdentifier."""
    found = pages(raw_client, size)
    assert max(map(len, found)) <= size
    assert [one for page in found for one in page] == [
        ("example.com.", "NS", ""),
        ("example.com.", "SOA", ""),
        ("a.example.com.", "A", ""),
        ("a.example.com.", "TXT", ""),
        ("b.example.com.", "A", "one"),
        ("b.example.com.", "A", "two"),
        ("b.example.com.", "TXT", ""),
        ("c.example.com.", "A", ""),
    ]


def test_a_truncated_page_names_the_next_record_set(raw_client: RawClient) -> None:
    page = raw_client.client.list_resource_record_sets(HostedZoneId=raw_client.zone_id, MaxItems="5")
    assert page["IsTruncated"]
    assert page["MaxItems"] == "5"
    following = page["NextRecordName"], page["NextRecordType"], page["NextRecordIdentifier"]
    assert following == ("b.example.com.", "A", "two")


def test_the_last_page_names_no_next_record_set(raw_client: RawClient) -> None:
    page = raw_client.client.list_resource_record_sets(HostedZoneId=raw_client.zone_id)
    assert not page["IsTruncated"]
    assert "NextRecordName" not in page


def test_a_page_has_at_most_300_record_sets(fake: Route53) -> None:
    """«Returns up to 300 resource record sets at a time»; a larger MaxItems is no error."""
    big = RawClient(
        fake, fake.add_zone("big.test", records=(build_simple(f"n{number}.big.test") for number in range(700)))
    )
    assert [len(page) for page in pages(big, 1000)] == [300, 300, 102]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        pytest.param({"StartRecordName": "b.example.com"}, "b.example.com. A", id="a-name-that-exists"),
        pytest.param({"StartRecordName": "B.EXAMPLE.com."}, "b.example.com. A", id="in-other-spelling"),
        pytest.param({"StartRecordName": "aa.example.com"}, "b.example.com. A", id="a-name-that-does-not-exist"),
        pytest.param(
            {"StartRecordName": "a.example.com", "StartRecordType": "MX"}, "a.example.com. TXT", id="the-next-type"
        ),
        pytest.param(
            {"StartRecordName": "a.example.com", "StartRecordType": "TXT"}, "a.example.com. TXT", id="that-type"
        ),
        pytest.param({"StartRecordName": "c.example.com", "StartRecordType": "TXT"}, None, id="after-the-last-type"),
    ],
)
def test_a_list_starts_at_or_after_the_given_name_and_type(
    raw_client: RawClient, query: dict[str, Any], first: str | None
) -> None:
    assert next(iter(raw_client.listed(**query)), None) == first


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            {"StartRecordType": "A"}, id="«Specifying type without specifying name returns an InvalidInput error»"
        ),
        pytest.param({"StartRecordName": "a.example.com", "StartRecordIdentifier": "x"}, id="identifier-without-type"),
        pytest.param({"MaxItems": "many"}, id="no-number"),
        pytest.param({"MaxItems": "0"}, id="zero"),
    ],
)
def test_an_invalid_list_parameter_is_refused(raw_client: RawClient, query: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match="InvalidInput"):
        raw_client.listed(**query)


def test_listing_an_unknown_zone_is_refused(fake: Route53) -> None:
    with pytest.raises(ClientError) as caught:
        RawClient(fake, "ZNONE").listed()
    assert find_message(caught.value) == ("NoSuchHostedZone", "No hosted zone found with ID: ZNONE")
    assert fake.log.calls()[-1].status == 404


def test_a_pending_change_is_listed_at_once(fake: Route53, raw_client: RawClient) -> None:
    """«This action returns the most current version of the records. This includes records that are PENDING»."""
    fake.api.propagation_s = 60
    raw_client.create(build_simple("new.example.com"))
    assert "new.example.com. A" in raw_client.listed()
