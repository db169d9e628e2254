"""Zones, pages and names of the strict fake."""

from __future__ import annotations

import pytest

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.name import DnsName
from extdns.model.zone import Zone
from providers.aws.client import Client
from providers.aws.reader import Route53Reader
from providers.aws.selection import Selection
from providers.aws.settings import AwsSettings
from tests.fakes.route53.errors import throttle
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import client


def reader(client: Client, *, page_items: int = 300, **filters: object) -> Route53Reader:
    selection = Selection(**filters)  # type: ignore[arg-type]  # whatever the test says
    return Route53Reader(AwsSettings(selection=selection, page_items=page_items), {"": client})


def names(found: Route53Reader) -> list[str]:
    return [zone.name for zone in found.zones().zones]


def host(name: str, value: str = "192.0.2.1") -> dict[str, object]:
    return {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": [value]}


def test_zones_are_listed_with_what_tells_them_apart(fake: Route53, account: Client) -> None:
    public = fake.add_zone("example.org")
    private = fake.add_zone("example.org", private=True)
    assert set(reader(account).zones().zones) == {
        Zone(name=DnsName("example.org"), id=public),
        Zone(name=DnsName("example.org"), id=private, private=True),
    }
    assert [zone.id for zone in reader(account, visibility="private").zones().zones] == [private]
    assert [zone.id for zone in reader(account, ids=(public[2:],)).zones().zones] == [public]


def test_more_zones_than_a_page_holds_are_all_listed(fake: Route53, account: Client) -> None:
    for index in range(105):
        fake.add_zone(f"z{index}.example")
    assert len(reader(account).zones().zones) == 105


def test_tags_are_asked_for_in_tens_and_only_of_zones_that_pass(fake: Route53, account: Client) -> None:
    for index in range(12):
        fake.add_zone(f"z{index}.example", tags={"team": str(index)})
    fake.add_zone("private.example", private=True, tags={"team": "3"})
    assert names(reader(account, tags=("team=3",), visibility="public")) == ["z3.example"]
    asked = [call.action for call in fake.log.calls()]
    assert asked[-3:] == ["ListHostedZones", "ListTagsForResources", "ListTagsForResources"]


def test_tags_that_cannot_be_read_are_a_failure_of_the_account(fake: Route53, account: Client) -> None:
    fake.add_zone("example.org")
    fake.access.deny("ListTagsForResource*")
    (failure,) = reader(account, tags=("team",)).zones().failed
    assert failure.permanent
    assert "failed to list tags for zones: route53:ListTagsForResources" in failure.message


def test_a_missing_right_names_the_call_and_the_action(fake: Route53, account: Client) -> None:
    fake.access.deny("ListHostedZones")
    found = reader(account).zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert failure.message.startswith("route53:ListHostedZones: AccessDenied: User: arn:aws:iam::")
    assert "is not authorized to perform: route53:ListHostedZones" in failure.message
    assert failure.message.endswith(
        "; zones that --zone-id-filter names are asked for one by one, and this right is not needed"
    )


def test_named_zones_are_got_one_by_one_where_listing_is_denied(fake: Route53, account: Client) -> None:
    mine, closed = fake.add_zone("example.org"), fake.add_zone("closed.example")
    fake.access.deny("ListHostedZones")
    fake.access.deny("GetHostedZone", zone_id=closed)
    found = reader(account, ids=(f"/hostedzone/{mine}", closed, "ZNONE")).zones()
    assert [zone.id for zone in found.zones] == [mine]
    (failure,) = found.failed
    assert "route53:GetHostedZone" in failure.message


@pytest.mark.parametrize("zone_id", ["ZWRONG0000", "FAKE", "z000000000001fake"], ids=["other", "end", "small-letters"])
def test_where_listing_is_denied_an_id_that_no_zone_has_is_a_failure(
    fake: Route53, account: Client, zone_id: str
) -> None:
    fake.add_zone("example.org", zone_id="Z000000000001FAKE")
    fake.access.deny("ListHostedZones")
    found = reader(account, ids=(zone_id,)).zones()
    (failure,) = found.failed
    assert (found.zones, failure.permanent) == ((), True)
    assert "is not authorized to perform: route53:ListHostedZones" in failure.message
    assert failure.message.endswith(f"takes whole ids alone, and no zone is {zone_id}")


def test_the_zone_of_another_account_is_no_failure_where_listing_is_denied(fake: Route53, account: Client) -> None:
    zone_id = fake.add_zone("example.org")
    with Route53() as other:
        other.add_zone("example.net")
        both = {"theirs": client(other), "ours": account}
        other.access.deny("ListHostedZones")
        found = Route53Reader(AwsSettings(selection=Selection(ids=(zone_id,))), both).zones()
    assert [zone.account for zone in found.zones] == ["ours"]
    assert not found.failed


def test_of_several_accounts_one_that_fails_keeps_no_other_from_being_read(fake: Route53, account: Client) -> None:
    fake.add_zone("example.org")
    with Route53() as other:
        down = client(other, attempts=1)
    found = Route53Reader(AwsSettings(), {"ours": account, "theirs": down}).zones()
    assert [(zone.name, zone.account) for zone in found.zones] == [("example.org", "ours")]
    assert [(failure.account, failure.permanent) for failure in found.failed] == [("theirs", False)]


def test_a_zone_that_two_accounts_see_is_the_first_ones(fake: Route53, account: Client) -> None:
    fake.add_zone("example.org")
    found = Route53Reader(AwsSettings(), {"a": account, "b": account}).zones()
    assert [zone.account for zone in found.zones] == ["a"]


def test_no_answer_at_all_is_an_error_that_may_pass(fake: Route53, account: Client) -> None:
    fake.kill()
    with pytest.raises(RetryableError, match="route53:ListHostedZones: EndpointConnectionError"):
        reader(account).zones()


def test_reads_are_tried_again_by_the_sdk(fake: Route53, account: Client) -> None:
    zone_id = fake.add_zone("example.org")
    found = reader(account, ids=(zone_id,)).zones().zones[0]
    fake.faults.arm(Drop(), action="ListResourceRecordSets", times=1)
    assert len(reader(account).page(found, None).records) == 1


@pytest.mark.parametrize(
    ("code", "kind"), [("AccessDenied", ForbiddenError), ("Throttling", RetryableError)], ids=["right", "throttled"]
)
def test_a_page_that_cannot_be_read_names_call_and_zone(
    fake: Route53, account: Client, code: str, kind: type[ProviderError]
) -> None:
    zone_id = fake.add_zone("example.org")
    found = reader(account).zones().zones[0]
    fake.faults.arm(
        Refuse(403, code) if code == "AccessDenied" else throttle(), action="ListResourceRecordSets", times=9
    )
    with pytest.raises(kind, match=rf"route53:ListResourceRecordSets on zone example.org \({zone_id}\): {code}"):
        reader(account).page(found, None)


def test_an_answer_that_is_no_page_is_an_error_of_ours(fake: Route53, account: Client) -> None:
    fake.add_zone("example.org")
    found = reader(account).zones().zones[0]
    fake.faults.arm(Refuse(503, "ServiceUnavailable"), action="ListResourceRecordSets", times=9)
    with pytest.raises(RetryableError, match="ServiceUnavailable"):
        reader(account).page(found, None)


def test_names_that_lie_together_share_a_call_and_absent_ones_need_none_of_their_own(
    fake: Route53, account: Client
) -> None:
    zone_id = fake.add_zone("example.org", records=[host(f"n{index:03}.example.org") for index in range(100)])
    fake.add_zone("other.example")
    found = next(zone for zone in reader(account).zones().zones if zone.id == zone_id)
    before = len(fake.log.calls())
    wanted = [DnsName(f"{label}.example.org") for label in ("n001", "n001a", "n050", "absent")]
    read = reader(account).names(found, wanted)
    assert [record.name for record in read] == ["n001.example.org", "n050.example.org"]
    assert len(fake.log.calls()) - before == 1


def test_names_far_apart_are_asked_for_one_by_one(fake: Route53, account: Client) -> None:
    fake.add_zone("example.org", records=[host(f"n{index:03}.example.org") for index in range(400)])
    found = reader(account).zones().zones[0]
    before = len(fake.log.calls())
    wanted = [DnsName(f"n{index:03}.example.org") for index in (0, 200, 399)]
    assert {record.name for record in reader(account).names(found, wanted)} == set(wanted)
    assert len(fake.log.calls()) - before == 3


def test_a_name_with_more_sets_than_a_page_is_read_whole(fake: Route53, account: Client) -> None:
    sets = [host("w.example.org") | {"SetIdentifier": f"s{index}", "Weight": 1} for index in range(50)]
    fake.add_zone("example.org", records=[*sets, host("a.example.org"), host("x.example.org")])
    found = reader(account).zones().zones[0]
    wanted = [DnsName("w.example.org"), DnsName("x.example.org")]
    assert len(reader(account, page_items=7).names(found, wanted)) == 51


@pytest.mark.parametrize("label", ["*", "!a", "{b"])
def test_names_with_odd_characters_are_found_wherever_they_are_sorted(
    fake: Route53, account: Client, label: str
) -> None:
    records = [host(f"{one}.example.org") for one in ("1", "a", "z", label)]
    fake.add_zone("example.org", records=records)
    found = reader(account).zones().zones[0]
    wanted = [DnsName(f"{one}.example.org") for one in ("1", "a", label, "z", "0", "zz")]
    for items in (1, 2, 300):
        read = reader(account, page_items=items).names(found, wanted)
        assert sorted(record.name for record in read) == sorted(f"{one}.example.org" for one in ("1", "a", "z", label))


def test_a_zone_of_an_account_that_is_not_configured_is_an_error(account: Client) -> None:
    with pytest.raises(RetryableError, match="no account 'x' is configured"):
        reader(account).page(Zone(name=DnsName("example.org"), id="Z", account="x"), None)


def test_a_list_of_zones_tells_how_many_calls_it_took(fake: Route53, account: Client) -> None:
    for index in range(105):
        fake.add_zone(f"z{index}.example", tags={"team": "a"})
    before = len(fake.log.calls())
    assert reader(account, tags=("team",)).zones().calls == len(fake.log.calls()) - before == 2 + 11
    assert reader(account).zones().calls == 2
