"""Read zones, pages and names from the fake Route 53."""

from __future__ import annotations

import re

import pytest

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone
from providers.aws.client import Route53Api
from providers.aws.provider import Route53Reader
from providers.aws.settings import AwsSettings, Route53ZoneFilter
from tests.fakes.route53.errors import build_throttling_fault
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import client


def reader(client: Route53Api, *, page_items: int = 300, **filters: object) -> Route53Reader:
    selection = Route53ZoneFilter(**filters)  # type: ignore[arg-type]  # whatever the test says
    return Route53Reader(AwsSettings(zone_filter=selection, page_items=page_items), {"": client})


def names(found: Route53Reader) -> list[str]:
    return [zone.name for zone in found.list_zones().zones]


def host(name: str, value: str = "192.0.2.1") -> dict[str, object]:
    return {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": [value]}


def test_listed_zones_have_an_id_an_account_and_whether_they_are_private(fake: Route53, account: Route53Api) -> None:
    public = fake.add_zone("example.org")
    private = fake.add_zone("example.org", private=True)
    assert set(reader(account).list_zones().zones) == {
        Zone(name=DnsName("example.org"), id=public),
        Zone(name=DnsName("example.org"), id=private, private=True),
    }
    assert [zone.id for zone in reader(account, visibility="private").list_zones().zones] == [private]
    assert [zone.id for zone in reader(account, ids=(public[2:],)).list_zones().zones] == [public]


def test_the_list_of_zones_also_names_the_zones_that_filters_exclude(fake: Route53, account: Route53Api) -> None:
    fake.add_zone("a.example", tags={"team": "a"})
    fake.add_zone("a.example")
    fake.add_zone("b.example")
    fake.add_zone("c.example", private=True)
    found = reader(account, tags=("team=a",), visibility="public").list_zones()
    assert [zone.name for zone in found.zones] == ["a.example"]
    assert found.excluded == ("a.example", "b.example", "c.example")


def test_tags_are_read_for_ten_zones_per_call_and_only_for_zones_that_pass_the_other_filters(
    fake: Route53, account: Route53Api
) -> None:
    for index in range(12):
        fake.add_zone(f"z{index}.example", tags={"team": str(index)})
    fake.add_zone("private.example", private=True, tags={"team": "3"})
    assert names(reader(account, tags=("team=3",), visibility="public")) == ["z3.example"]
    request = [call.action for call in fake.log.calls()]
    assert request[-3:] == ["ListHostedZones", "ListTagsForResources", "ListTagsForResources"]


def test_an_account_fails_if_its_zone_tags_cannot_be_read(fake: Route53, account: Route53Api) -> None:
    fake.add_zone("example.org")
    fake.access.deny("ListTagsForResource*")
    (failure,) = reader(account, tags=("team",)).list_zones().failed
    assert failure.permanent
    assert "failed to list tags for zones: route53:ListTagsForResources" in failure.message


def test_a_missing_permission_to_list_zones_is_reported_with_its_iam_action(fake: Route53, account: Route53Api) -> None:
    fake.access.deny("ListHostedZones")
    found = reader(account).list_zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert failure.message.startswith("route53:ListHostedZones: AccessDenied: User: arn:aws:iam::")
    assert "is not authorized to perform: route53:ListHostedZones" in failure.message
    assert failure.message.endswith(
        "; without it, give the ids of the zones in --zone-id-filter, which are read one by one"
    )


def test_zones_are_read_one_by_one_by_id_if_listing_is_forbidden(fake: Route53, account: Route53Api) -> None:
    mine, closed = fake.add_zone("example.org"), fake.add_zone("closed.example")
    fake.access.deny("ListHostedZones")
    fake.access.deny("GetHostedZone", zone_id=closed)
    found = reader(account, ids=(f"/hostedzone/{mine}", closed, "ZNONE")).list_zones()
    assert [zone.id for zone in found.zones] == [mine]
    (failure,) = found.failed
    assert "route53:GetHostedZone" in failure.message


@pytest.mark.parametrize("zone_id", ["ZWRONG0000", "FAKE", "z000000000001fake"], ids=["other", "end", "small-letters"])
def test_an_unknown_zone_id_is_a_failure_if_listing_is_forbidden(
    fake: Route53, account: Route53Api, zone_id: str
) -> None:
    fake.add_zone("example.org", zone_id="Z000000000001FAKE")
    fake.access.deny("ListHostedZones")
    found = reader(account, ids=(zone_id,)).list_zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert "is not authorized to perform: route53:ListHostedZones" in failure.message
    assert failure.message.endswith(f"needs complete ids, and no zone has the id {zone_id}")


def test_an_account_that_may_not_list_zones_is_no_failure_if_another_account_has_the_requested_zone(
    fake: Route53, account: Route53Api
) -> None:
    zone_id = fake.add_zone("example.org")
    with Route53() as other:
        other.add_zone("example.net")
        both = {"theirs": client(other), "ours": account}
        other.access.deny("ListHostedZones")
        found = Route53Reader(AwsSettings(zone_filter=Route53ZoneFilter(ids=(zone_id,))), both).list_zones()
    assert [zone.account for zone in found.zones] == ["ours"]
    assert not found.failed


def test_zones_of_other_accounts_are_listed_if_one_account_fails(fake: Route53, account: Route53Api) -> None:
    fake.add_zone("example.org")
    with Route53() as other:
        down = client(other, attempts=1)
    found = Route53Reader(AwsSettings(), {"ours": account, "theirs": down}).list_zones()
    assert [(zone.name, zone.account) for zone in found.zones] == [("example.org", "ours")]
    assert [(failure.account, failure.permanent) for failure in found.failed] == [("theirs", False)]


def test_a_zone_visible_to_two_accounts_belongs_to_the_first_of_them(fake: Route53, account: Route53Api) -> None:
    fake.add_zone("example.org")
    found = Route53Reader(AwsSettings(), {"a": account, "b": account}).list_zones()
    assert [zone.account for zone in found.zones] == ["a"]


def test_listing_zones_raises_a_retryable_error_if_all_accounts_are_unreachable(
    fake: Route53, account: Route53Api
) -> None:
    fake.kill()
    with pytest.raises(RetryableError, match="route53:ListHostedZones: EndpointConnectionError"):
        reader(account).list_zones()


def test_the_sdk_retries_a_failed_read_of_a_page(fake: Route53, account: Route53Api) -> None:
    zone_id = fake.add_zone("example.org")
    found = reader(account, ids=(zone_id,)).list_zones().zones[0]
    fake.faults.arm(Drop(), action="ListResourceRecordSets", times=1)
    assert len(reader(account).read_page(found, None).records) == 1


@pytest.mark.parametrize(
    ("code", "kind"), [("AccessDenied", ForbiddenError), ("Throttling", RetryableError)], ids=["right", "throttled"]
)
def test_the_error_about_a_page_that_cannot_be_read_contains_the_api_call_and_the_zone(
    fake: Route53, account: Route53Api, code: str, kind: type[ProviderError]
) -> None:
    zone_id = fake.add_zone("example.org")
    found = reader(account).list_zones().zones[0]
    fake.faults.arm(
        Refuse(403, code) if code == "AccessDenied" else build_throttling_fault(),
        action="ListResourceRecordSets",
        times=9,
    )
    with pytest.raises(kind, match=rf"route53:ListResourceRecordSets on zone example.org \({zone_id}\): {code}"):
        reader(account).read_page(found, None)


def test_names_close_together_in_route53_order_are_read_in_one_call(fake: Route53, account: Route53Api) -> None:
    zone_id = fake.add_zone("example.org", records=[host(f"n{index:03}.example.org") for index in range(100)])
    fake.add_zone("other.example")
    found = next(zone for zone in reader(account).list_zones().zones if zone.id == zone_id)
    before = len(fake.log.calls())
    desired = [DnsName(f"{label}.example.org") for label in ("n001", "n001a", "n050", "absent")]
    read = reader(account).read_names(found, desired)
    assert [record.name for record in read] == ["n001.example.org", "n050.example.org"]
    assert len(fake.log.calls()) - before == 1


def test_names_far_apart_in_route53_order_are_read_in_one_call_each(fake: Route53, account: Route53Api) -> None:
    fake.add_zone("example.org", records=[host(f"n{index:03}.example.org") for index in range(400)])
    found = reader(account).list_zones().zones[0]
    before = len(fake.log.calls())
    desired = [DnsName(f"n{index:03}.example.org") for index in (0, 200, 399)]
    assert {record.name for record in reader(account).read_names(found, desired)} == set(desired)
    assert len(fake.log.calls()) - before == 3


def test_a_name_with_more_record_sets_than_a_page_is_read_completely(fake: Route53, account: Route53Api) -> None:
    sets = [host("w.example.org") | {"SetIdentifier": f"s{index}", "Weight": 1} for index in range(50)]
    fake.add_zone("example.org", records=[*sets, host("a.example.org"), host("x.example.org")])
    found = reader(account).list_zones().zones[0]
    desired = [DnsName("w.example.org"), DnsName("x.example.org")]
    assert len(reader(account, page_items=7).read_names(found, desired)) == 51


@pytest.mark.parametrize("label", ["*", "!a", "{b"])
def test_names_with_special_characters_are_found_wherever_route53_sorts_them(
    fake: Route53, account: Route53Api, label: str
) -> None:
    records = [host(f"{one}.example.org") for one in ("1", "a", "z", label)]
    fake.add_zone("example.org", records=records)
    found = reader(account).list_zones().zones[0]
    desired = [DnsName(f"{one}.example.org") for one in ("1", "a", label, "z", "0", "zz")]
    for items in (1, 2, 300):
        read = reader(account, page_items=items).read_names(found, desired)
        assert sorted(record.name for record in read) == sorted(f"{one}.example.org" for one in ("1", "a", "z", label))


def test_reading_a_zone_of_an_unknown_account_is_an_error(account: Route53Api) -> None:
    with pytest.raises(RetryableError, match="belongs to account 'x', which is not configured"):
        reader(account).read_page(Zone(name=DnsName("example.org"), id="Z", account="x"), None)


def test_zones_on_several_pages_are_all_listed_with_the_number_of_calls(fake: Route53, account: Route53Api) -> None:
    for index in range(105):
        fake.add_zone(f"z{index}.example", tags={"team": "a"})
    before = len(fake.log.calls())
    assert reader(account, tags=("team",)).list_zones().calls == len(fake.log.calls()) - before == 2 + 11
    found = reader(account).list_zones()
    assert (len(found.zones), found.calls) == (105, 2)


# Select hosted zones (docs/spec/plan.md 4.2, 7.3)


NAME = DnsName("example.org")


@pytest.mark.parametrize(
    ("selection", "is_selected"),
    [
        pytest.param(Route53ZoneFilter(), True, id="no-filter"),
        pytest.param(Route53ZoneFilter(ids=("Z2ABC",)), True, id="bare-id"),
        pytest.param(Route53ZoneFilter(ids=("ZNOT", "/hostedzone/Z2ABC")), True, id="10.5-full-id"),
        pytest.param(Route53ZoneFilter(ids=("ABC",)), True, id="end-of-id"),
        pytest.param(Route53ZoneFilter(ids=("Z2AB",)), False, id="beginning-of-id"),
        pytest.param(Route53ZoneFilter(visibility="public"), True, id="public"),
        pytest.param(Route53ZoneFilter(visibility="private"), False, id="private"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(include=("example.org",))), True, id="domain"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(include=("sub.example.org",))), False, id="zone-above"),
        pytest.param(Route53ZoneFilter(domains=DomainFilter(exclude=("org",))), False, id="excluded"),
    ],
)
def test_a_zone_must_match_all_filters(selection: Route53ZoneFilter, is_selected: bool) -> None:
    assert selection.matches("Z2ABC", NAME, private=False) is is_selected


@pytest.mark.parametrize(
    ("domains", "is_selected"),
    [
        pytest.param(DomainFilter(include=("x.example.org",)), True, id="above-a-domain"),
        pytest.param(DomainFilter(include=(".x.example.org",)), False, id="leading-dot-matches-no-parent"),
        pytest.param(DomainFilter(include=("notexample.org",)), False, id="whole-labels"),
        pytest.param(DomainFilter(include=("x.example.org",), exclude=("example.org",)), False, id="excluded"),
        pytest.param(DomainFilter(include_pattern=re.compile("net")), True, id="pattern-does-not-exclude-parents"),
    ],
)
def test_the_match_parent_flag_also_selects_zones_above_a_filtered_domain(
    domains: DomainFilter, is_selected: bool
) -> None:
    assert Route53ZoneFilter(domains=domains, match_parent=True).matches("Z", NAME, private=False) is is_selected


@pytest.mark.parametrize(
    ("tags", "is_selected"),
    [
        pytest.param((), True, id="none"),
        pytest.param(("team",), True, id="key"),
        pytest.param(("zone=3",), True, id="10.5-key-and-value"),
        pytest.param((" zone = 3 ",), True, id="trimmed"),
        pytest.param(("zone=3", "team=b"), False, id="all-must-fit"),
        pytest.param(("other",), False, id="absent"),
        pytest.param(("zone=",), True, id="4.2-without-a-value-any-will-do"),
        pytest.param(("other=",), False, id="4.2-without-a-value-the-key-must-be-there"),
        pytest.param(("", "=x"), True, id="empty-key-is-ignored"),
        pytest.param(("sum=a=b",), True, id="value-may-contain-equals-sign"),
    ],
)
def test_a_zone_must_have_all_tags_of_the_filter(tags: tuple[str, ...], is_selected: bool) -> None:
    assert Route53ZoneFilter(tags=tags).matches_tags({"zone": "3", "team": "a", "sum": "a=b"}) is is_selected
