"""Zones, pages and names of the strict fake."""

from __future__ import annotations

from typing import Any

import pytest

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.google.client import Client
from providers.google.reader import CloudDnsReader, limits
from providers.google.selection import Selection
from providers.google.settings import GoogleSettings
from providers.google.wire import Limits
from tests.clouddns import client
from tests.fakes.clouddns.probe import rrset, weighted
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.faults import Drop, Refuse


def reader(project: Client, *, page_items: int = 1000, **filters: object) -> CloudDnsReader:
    selection = Selection(**filters)  # type: ignore[arg-type]  # whatever the test says
    return CloudDnsReader(GoogleSettings(selection=selection, page_items=page_items), project)


def ids(found: CloudDnsReader) -> list[str]:
    return [zone.id for zone in found.zones().zones]


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
        pytest.param({"ids": ("10002",)}, ["internal-2"], id="10.6-by-number"),
        pytest.param({"ids": ("internal-2",)}, ["internal-2"], id="10.6-by-name"),
        pytest.param({"ids": ("-2", "0003")}, ["public-1", "internal-2"], id="by-the-end-of-either"),
        pytest.param({"visibility": "public"}, ["public-1"], id="public"),
        pytest.param({"visibility": "private"}, ["internal-1", "internal-2"], id="private"),
        pytest.param({"domains": DomainFilter(include=("example.com",))}, ["public-1"], id="by-domain"),
    ],
)
def test_zones_pass_the_filters(zones: CloudDns, project: Client, filters: dict[str, Any], expected: list[str]) -> None:
    assert zones.url
    assert ids(reader(project, **filters)) == expected


def test_a_zone_is_known_by_the_name_its_owner_gave_it(zones: CloudDns, project: Client) -> None:
    assert zones.url
    found = reader(project, ids=("internal-1",)).zones()
    assert found.zones == (Zone(name=DnsName("example.org"), id="internal-1", private=True),)
    assert str(found.zones[0]) == "example.org (internal-1)"


def test_zones_on_several_pages_are_all_listed_and_the_calls_counted(zones: CloudDns, project: Client) -> None:
    zones.api.page_items = 1
    found = reader(project).zones()
    assert (len(found.zones), found.calls) == (3, 4)


def test_a_missing_right_is_a_permanent_failure_that_names_the_call(zones: CloudDns, project: Client) -> None:
    zones.denied.add("managedZones.list")
    found = reader(project).zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert failure.message.startswith("dns.managedZones.list: forbidden: Forbidden; ")
    assert "--zone-id-filter" in failure.message


def test_named_zones_are_got_one_by_one_where_listing_is_denied(zones: CloudDns, project: Client) -> None:
    zones.denied.add("managedZones.list")
    found = reader(project, ids=("internal-2", "10003", "nobodys")).zones()
    assert [zone.id for zone in found.zones] == ["public-1", "internal-2"]
    assert (found.failed, found.calls) == ((), 4)
    zones.denied.add("managedZones.get")
    assert [failure.permanent for failure in reader(project, ids=("internal-2",)).zones().failed] == [True]


@pytest.mark.parametrize("action", ["managedZones.list", "resourceRecordSets.list"])
def test_a_service_that_fails_is_asked_again_later(zones: CloudDns, project: Client, action: str) -> None:
    zones.faults.arm(Refuse(503, "backendError", "Backend Error"), action=action)
    found = reader(project)
    with pytest.raises(RetryableError, match="backendError: Backend Error"):
        (found.zones() if action == "managedZones.list" else found.page(Zone(name=DnsName("x"), id="public-1"), None))


def test_a_named_zone_that_does_not_answer_is_asked_for_again_later(zones: CloudDns, project: Client) -> None:
    zones.denied.add("managedZones.list")
    zones.faults.arm(Refuse(500, "internalError"), action="managedZones.get")
    with pytest.raises(RetryableError, match="zone internal-2"):
        reader(project, ids=("internal-2",)).zones()


def test_pages_leave_out_the_soa_and_hold_every_other_record_once(fake: CloudDns, project: Client) -> None:
    fake.add_zone("example.org", name="main", records=[rrset(f"n{number}.example.org.") for number in range(7)])
    found = reader(project, page_items=3)
    zone = found.zones().zones[0]
    records: list[Record] = []
    after = None
    while True:
        page = found.page(zone, after)
        records += page.records
        after = page.after
        if after is None:
            break
    assert [record.type for record in records] == ["NS"] + ["A"] * 7
    assert [call.query["maxResults"] for call in fake.log.calls("resourceRecordSets.list")] == ["3"] * 3


def test_names_are_looked_up_one_by_one_page_by_page(fake: CloudDns, project: Client) -> None:
    held = [rrset("w.example.org."), rrset("w.example.org.", "TXT", '"x"'), rrset("x.w.example.org.")]
    fake.add_zone("example.org", name="main", records=held)
    fake.api.page_items = 1
    found = reader(project)
    zone = found.zones().zones[0]
    fake.log.clear()
    records = found.names(zone, [DnsName("w.example.org"), DnsName("absent.example.org"), DnsName("w.example.org")])
    assert [(record.name, record.type) for record in records] == [("w.example.org", "A"), ("w.example.org", "TXT")]
    assert len(fake.log.calls()) == 3


def test_a_record_with_a_routing_policy_is_read_with_all_it_may_answer(fake: CloudDns, project: Client) -> None:
    fake.add_zone("example.org", name="main", records=[weighted("w.example.org.", (1, "192.0.2.2"), (2, "192.0.2.1"))])
    found = reader(project)
    (record,) = found.names(found.zones().zones[0], [DnsName("w.example.org")])
    assert record.targets == ("192.0.2.1", "192.0.2.2")
    assert record.properties.has("google/routing-policy")


def test_a_missing_right_to_read_a_zone_is_no_empty_zone(fake: CloudDns, project: Client) -> None:
    fake.add_zone("example.org", name="main")
    fake.denied.add("resourceRecordSets.list")
    found = reader(project)
    with pytest.raises(ForbiddenError, match=r"dns.resourceRecordSets.list on zone example.org \(main\): forbidden"):
        found.page(found.zones().zones[0], None)


def test_a_lost_answer_to_a_read_is_asked_for_once_more_at_once(fake: CloudDns, project: Client) -> None:
    fake.add_zone("example.org", name="main")
    found = reader(project)
    zone = found.zones().zones[0]
    fake.faults.arm(Drop(), action="resourceRecordSets.list")
    assert found.page(zone, None).records
    fake.faults.arm(Drop(), action="resourceRecordSets.list", times=2)
    with pytest.raises(ProviderError, match="ConnectionError"):
        found.page(zone, None)


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
def test_the_traits_state_what_the_project_may_do(
    fake: CloudDns, project: Client, quota: dict[str, int], flag: int, expected: tuple[int, int]
) -> None:
    fake.api.quota |= quota
    traits = CloudDnsReader(GoogleSettings(max_changes=flag), project, limits(project)).traits
    assert (traits.max_batch_writes, traits.max_batch_bytes) == expected
    assert (traits.atomic, traits.conditional, traits.ordered) == (True, True, False)


def test_limits_that_cannot_be_asked_for_are_the_usual_ones(fake: CloudDns, project: Client) -> None:
    fake.denied.add("projects.get")
    assert limits(project) == Limits()
    fake.kill()
    assert limits(client(fake)) == Limits()
