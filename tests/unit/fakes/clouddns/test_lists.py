"""Lists in pages, and paths that do not exist (discovery document, `list` methods)."""

from __future__ import annotations

import pytest

from tests.fakes.clouddns.raw_client import RawClient, rrset
from tests.fakes.clouddns.server import CloudDns


def test_pages_contain_each_record_set_once_even_if_one_is_deleted_in_between(
    fake: CloudDns, raw_client: RawClient
) -> None:
    fake.put("main", *(rrset(f"{label}.example.com.") for label in ("a", "b", "c", "d")))
    first, token = raw_client.listed(maxResults=2)
    assert first == ["a.example.com. A", "b.example.com. A"]
    fake.delete("main", "b.example.com.", "A")
    second, token = raw_client.listed(maxResults=2, pageToken=token)
    assert second == ["c.example.com. A", "d.example.com. A"]
    assert raw_client.listed(maxResults=2, pageToken=token) == (["example.com. NS", "example.com. SOA"], "")


def test_a_page_has_100_record_sets_by_default_and_at_most_1000(fake: CloudDns, raw_client: RawClient) -> None:
    fake.put("main", *(rrset(f"n{number:04}.example.com.") for number in range(1100)))
    assert len(raw_client.listed()[0]) == 100
    assert len(raw_client.listed(maxResults=5000)[0]) == 1000


def test_record_sets_can_be_listed_by_name_and_by_name_with_type(fake: CloudDns, raw_client: RawClient) -> None:
    fake.put("main", rrset("a.example.com."), rrset("a.example.com.", "TXT", '"x"'), rrset("b.example.com."))
    assert raw_client.listed(name="a.example.com.")[0] == ["a.example.com. A", "a.example.com. TXT"]
    assert raw_client.listed(name="a.example.com.", type="TXT")[0] == ["a.example.com. TXT"]
    assert raw_client.http("GET", "/managedZones/main/rrsets?type=TXT")[0] == 400


def test_zones_are_listed_by_project_and_read_by_name_or_number(fake: CloudDns, raw_client: RawClient) -> None:
    fake.add_zone("example.net", name="inside", number="20002", private=True, peeringConfig={})
    fake.add_zone("example.org", project="other")
    fake.api.page_items = 1
    _, first = raw_client.http("GET", "/managedZones")
    _, second = raw_client.http("GET", f"/managedZones?pageToken={first['nextPageToken']}")
    zones = [*first["managedZones"], *second["managedZones"]]
    assert [(zone["name"], zone["visibility"]) for zone in zones] == [("inside", "private"), ("main", "public")]
    assert "peeringConfig" in zones[0]
    assert "nextPageToken" not in second
    assert raw_client.http("GET", "/managedZones/20002")[1]["name"] == "inside"
    assert [
        zone["name"] for zone in raw_client.http("GET", "/managedZones?dnsName=example.com.")[1]["managedZones"]
    ] == ["main"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/managedZones/gone/rrsets", "The 'parameters.managedZone' resource named 'gone' does not exist."),
        ("/managedZones/main/changes/9", "The 'parameters.changeId' resource named '9' does not exist."),
        ("/responsePolicies", "Not Found"),
    ],
)
def test_a_missing_zone_change_or_path_gets_a_404(raw_client: RawClient, path: str, message: str) -> None:
    status, detail = raw_client.http("GET", path)
    assert (status, detail["error"]["message"], detail["error"]["errors"][0]["reason"]) == (404, message, "notFound")


def test_an_unknown_project_gets_a_404(raw_client: RawClient) -> None:
    assert raw_client.http("GET", "", project="nobodys")[0] == 404


@pytest.mark.parametrize("query", ["maxResults=0", "maxResults=x", "pageToken=!"])
def test_an_invalid_list_parameter_is_refused(raw_client: RawClient, query: str) -> None:
    assert raw_client.http("GET", f"/managedZones/main/rrsets?{query}")[0] == 400
