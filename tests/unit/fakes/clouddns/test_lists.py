"""Lists in pages, and what is not there (discovery document, `list` methods)."""

from __future__ import annotations

import pytest

from tests.fakes.clouddns.probe import Probe, rrset
from tests.fakes.clouddns.server import CloudDns


def test_pages_hold_everything_once_even_if_something_goes_meanwhile(fake: CloudDns, probe: Probe) -> None:
    fake.put("main", *(rrset(f"{label}.example.com.") for label in ("a", "b", "c", "d")))
    first, token = probe.listed(maxResults=2)
    assert first == ["a.example.com. A", "b.example.com. A"]
    fake.delete("main", "b.example.com.", "A")
    second, token = probe.listed(maxResults=2, pageToken=token)
    assert second == ["c.example.com. A", "d.example.com. A"]
    assert probe.listed(maxResults=2, pageToken=token) == (["example.com. NS", "example.com. SOA"], "")


def test_a_page_holds_a_hundred_unless_more_are_asked_for(fake: CloudDns, probe: Probe) -> None:
    fake.put("main", *(rrset(f"n{number:04}.example.com.") for number in range(1100)))
    assert len(probe.listed()[0]) == 100
    assert len(probe.listed(maxResults=5000)[0]) == 1000


def test_names_and_types_choose(fake: CloudDns, probe: Probe) -> None:
    fake.put("main", rrset("a.example.com."), rrset("a.example.com.", "TXT", '"x"'), rrset("b.example.com."))
    assert probe.listed(name="a.example.com.")[0] == ["a.example.com. A", "a.example.com. TXT"]
    assert probe.listed(name="a.example.com.", type="TXT")[0] == ["a.example.com. TXT"]
    assert probe.http("GET", "/managedZones/main/rrsets?type=TXT")[0] == 400


def test_zones_are_listed_by_project_and_found_by_name_or_number(fake: CloudDns, probe: Probe) -> None:
    fake.add_zone("example.net", name="inside", number="20002", private=True, peeringConfig={})
    fake.add_zone("example.org", project="other")
    fake.api.page_items = 1
    _, first = probe.http("GET", "/managedZones")
    _, second = probe.http("GET", f"/managedZones?pageToken={first['nextPageToken']}")
    zones = [*first["managedZones"], *second["managedZones"]]
    assert [(zone["name"], zone["visibility"]) for zone in zones] == [("inside", "private"), ("main", "public")]
    assert "peeringConfig" in zones[0]
    assert "nextPageToken" not in second
    assert probe.http("GET", "/managedZones/20002")[1]["name"] == "inside"
    assert [zone["name"] for zone in probe.http("GET", "/managedZones?dnsName=example.com.")[1]["managedZones"]] == [
        "main"
    ]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/managedZones/gone/rrsets", "The 'parameters.managedZone' resource named 'gone' does not exist."),
        ("/managedZones/main/changes/9", "The 'parameters.changeId' resource named '9' does not exist."),
        ("/responsePolicies", "Not Found"),
    ],
)
def test_what_is_not_there_is_not_found(probe: Probe, path: str, message: str) -> None:
    status, said = probe.http("GET", path)
    assert (status, said["error"]["message"], said["error"]["errors"][0]["reason"]) == (404, message, "notFound")


def test_another_project_is_not_found(probe: Probe) -> None:
    assert probe.http("GET", "", project="nobodys")[0] == 404


@pytest.mark.parametrize("query", ["maxResults=0", "maxResults=x", "pageToken=!"])
def test_wrong_parameters_are_refused(probe: Probe, query: str) -> None:
    assert probe.http("GET", f"/managedZones/main/rrsets?{query}")[0] == 400
