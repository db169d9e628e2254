"""Read zones, pages and names from the fake Cloud DNS."""

from __future__ import annotations

from typing import Any

import pytest

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone
from providers.google.client import CloudDnsApi
from providers.google.provider import CloudDnsReader, read_limits
from providers.google.record_sets import ProjectLimits
from providers.google.settings import GoogleSettings
from tests.clouddns import client
from tests.fakes.clouddns.raw_client import rrset, weighted
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.faults import Drop, Refuse


def reader(project: CloudDnsApi, **settings: Any) -> CloudDnsReader:  # noqa: ANN401 - whatever the test says
    return CloudDnsReader(GoogleSettings(**settings), project)


def ids(found: CloudDnsReader) -> list[str]:
    return [zone.id for zone in found.list_zones().zones]


@pytest.fixture
def zones(fake: CloudDns) -> CloudDns:
    fake.add_zone("example.org", name="internal-1", number="10001", private=True)
    fake.add_zone("example.org", name="internal-2", number="10002", private=True)
    fake.add_zone("example.com", name="public-1", number="10003")
    fake.add_zone("peer.example.org", name="split", number="10004", private=True, peeringConfig={"targetNetwork": {}})
    return fake


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        pytest.param({}, ["public-1", "internal-1", "internal-2"], id="10.6-a-peering-zone-is-skipped"),
        pytest.param({"zone_ids": ("10002",)}, ["internal-2"], id="10.6-by-number"),
        pytest.param({"zone_ids": ("internal-2",)}, ["internal-2"], id="10.6-by-name"),
        pytest.param({"zone_ids": ("-2", "0003")}, ["public-1", "internal-2"], id="by-suffix-of-either"),
        pytest.param({"visibility": "public"}, ["public-1"], id="public"),
        pytest.param({"visibility": "private"}, ["internal-1", "internal-2"], id="private"),
        pytest.param({"domains": DomainFilter(include=("example.com",))}, ["public-1"], id="by-domain"),
    ],
)
def test_managed_zones_are_selected_by_the_filters(
    zones: CloudDns, project: CloudDnsApi, filters: dict[str, Any], expected: list[str]
) -> None:
    assert zones.url
    assert ids(reader(project, **filters)) == expected


def test_the_id_of_a_managed_zone_is_its_name(zones: CloudDns, project: CloudDnsApi) -> None:
    assert zones.url
    found = reader(project, zone_ids=("internal-1",)).list_zones()
    assert found.zones == (Zone(name=DnsName("example.org"), id="internal-1", private=True),)
    assert str(found.zones[0]) == "example.org (internal-1)"


def test_the_list_of_zones_also_names_the_zones_that_filters_exclude(zones: CloudDns, project: CloudDnsApi) -> None:
    assert zones.url
    assert reader(project, zone_ids=("internal-1",)).list_zones().excluded == (
        "example.com",
        "example.org",
        "peer.example.org",
    )


def test_managed_zones_on_several_pages_are_all_listed_and_each_call_is_counted(
    zones: CloudDns, project: CloudDnsApi
) -> None:
    zones.api.page_items = 1
    found = reader(project).list_zones()
    assert (len(found.zones), found.calls) == (3, 4)


def test_a_missing_permission_to_list_zones_is_a_permanent_failure_that_names_the_call(
    zones: CloudDns, project: CloudDnsApi
) -> None:
    zones.denied.add("managedZones.list")
    found = reader(project).list_zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert failure.message.startswith("dns.managedZones.list: forbidden: Forbidden; ")
    assert "--zone-id-filter" in failure.message


def test_zones_are_read_one_by_one_by_id_if_listing_is_forbidden(zones: CloudDns, project: CloudDnsApi) -> None:
    zones.denied.add("managedZones.list")
    found = reader(project, zone_ids=("internal-2", "10003", "nobodys")).list_zones()
    assert [zone.id for zone in found.zones] == ["public-1", "internal-2"]
    assert (found.failed, found.calls) == ((), 4)
    zones.denied.add("managedZones.get")
    assert [failure.permanent for failure in reader(project, zone_ids=("internal-2",)).list_zones().failed] == [True]


@pytest.mark.parametrize("action", ["managedZones.list", "resourceRecordSets.list"])
def test_a_failing_cloud_dns_makes_listing_zones_and_reading_pages_retryable(
    zones: CloudDns, project: CloudDnsApi, action: str
) -> None:
    zones.faults.arm(Refuse(503, "backendError", "Backend Error"), action=action)
    found = reader(project)
    with pytest.raises(RetryableError, match="backendError: Backend Error"):
        (
            found.list_zones()
            if action == "managedZones.list"
            else found.read_page(Zone(name=DnsName("x"), id="public-1"), None)
        )


def test_a_failing_cloud_dns_makes_reading_a_zone_by_its_id_retryable(zones: CloudDns, project: CloudDnsApi) -> None:
    zones.denied.add("managedZones.list")
    zones.faults.arm(Refuse(500, "internalError"), action="managedZones.get")
    with pytest.raises(RetryableError, match="zone internal-2"):
        reader(project, zone_ids=("internal-2",)).list_zones()


def test_pages_of_a_zone_contain_each_record_once_and_not_the_soa(fake: CloudDns, project: CloudDnsApi) -> None:
    fake.add_zone("example.org", name="main", records=[rrset(f"n{number}.example.org.") for number in range(7)])
    found = reader(project, page_items=3)
    zone = found.list_zones().zones[0]
    records: list[Record] = []
    after = None
    while True:
        page = found.read_page(zone, after)
        records += page.records
        after = page.after
        if after is None:
            break
    assert [record.type for record in records] == ["NS"] + ["A"] * 7
    assert [call.query["maxResults"] for call in fake.log.calls("resourceRecordSets.list")] == ["3"] * 3


def test_each_name_is_read_with_its_own_calls_for_all_pages(fake: CloudDns, project: CloudDnsApi) -> None:
    held = [rrset("w.example.org."), rrset("w.example.org.", "TXT", '"x"'), rrset("x.w.example.org.")]
    fake.add_zone("example.org", name="main", records=held)
    fake.api.page_items = 1
    found = reader(project)
    zone = found.list_zones().zones[0]
    fake.log.clear()
    records = found.read_names(
        zone, [DnsName("w.example.org"), DnsName("absent.example.org"), DnsName("w.example.org")]
    )
    assert [(record.name, record.type) for record in records] == [("w.example.org", "A"), ("w.example.org", "TXT")]
    assert len(fake.log.calls()) == 3


def test_a_record_with_a_routing_policy_has_all_targets_of_the_policy(fake: CloudDns, project: CloudDnsApi) -> None:
    fake.add_zone("example.org", name="main", records=[weighted("w.example.org.", (1, "192.0.2.2"), (2, "192.0.2.1"))])
    found = reader(project)
    (record,) = found.read_names(found.list_zones().zones[0], [DnsName("w.example.org")])
    assert record.targets == ("192.0.2.1", "192.0.2.2")
    assert record.properties.has("google/routing-policy")


def test_a_zone_without_permission_to_read_is_an_error_and_does_not_count_as_empty(
    fake: CloudDns, project: CloudDnsApi
) -> None:
    fake.add_zone("example.org", name="main")
    fake.denied.add("resourceRecordSets.list")
    found = reader(project)
    with pytest.raises(ForbiddenError, match=r"dns.resourceRecordSets.list on zone example.org \(main\): forbidden"):
        found.read_page(found.list_zones().zones[0], None)


def test_a_read_whose_connection_breaks_is_tried_once_more(fake: CloudDns, project: CloudDnsApi) -> None:
    fake.add_zone("example.org", name="main")
    found = reader(project)
    zone = found.list_zones().zones[0]
    fake.faults.arm(Drop(), action="resourceRecordSets.list")
    assert found.read_page(zone, None).records
    fake.faults.arm(Drop(), action="resourceRecordSets.list", times=2)
    with pytest.raises(ProviderError, match="ConnectionError"):
        found.read_page(zone, None)


@pytest.mark.parametrize(
    ("quota", "flag", "expected"),
    [
        pytest.param({}, 1000, (1000, 100_000), id="usual"),
        pytest.param({}, 0, (1000, 100_000), id="no-limit-of-ours"),
        pytest.param({}, 11, (11, 100_000), id="ours"),
        pytest.param({"rrsetAdditionsPerChange": 300, "totalRrdataSizePerChange": 7}, 1000, (300, 7), id="theirs"),
        pytest.param({"rrsetDeletionsPerChange": 200}, 0, (200, 100_000), id="deletions"),
        pytest.param({"rrsetAdditionsPerChange": 3000, "rrsetDeletionsPerChange": 3000}, 0, (3000, 100_000), id="more"),
    ],
)
def test_capabilities_state_the_limits_of_the_google_project(
    fake: CloudDns, project: CloudDnsApi, quota: dict[str, int], flag: int, expected: tuple[int, int]
) -> None:
    fake.api.quota |= quota
    reported = CloudDnsReader(GoogleSettings(max_changes=flag), project, read_limits(project)).capabilities
    assert (reported.max_batch_writes, reported.max_batch_size) == expected
    assert (reported.atomic, reported.conditional) == (True, True)


def test_the_limits_that_google_documents_apply_if_the_quota_cannot_be_read(
    fake: CloudDns, project: CloudDnsApi
) -> None:
    fake.denied.add("projects.get")
    assert read_limits(project) == ProjectLimits()
    fake.kill()
    assert read_limits(client(fake)) == ProjectLimits()
