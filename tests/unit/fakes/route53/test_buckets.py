"""Rate limits (developer guide, "Throttling for Amazon Route 53 API requests")."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from botocore.exceptions import ClientError

from tests.fakes.clocks import MovedClock
from tests.fakes.route53.buckets import Rate
from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_client, build_simple


@pytest.fixture
def tight(clock: MovedClock) -> Iterator[RawClient]:
    with Route53(
        clock=clock.monotonic_s, per_action=Rate(per_s=10, burst=3), accounts={"AKIDOTHER": "222222222222"}
    ) as fake:
        yield RawClient(fake, fake.add_zone("example.com", zone_id="ZEXAMPLE"))


def admitted(raw_client: RawClient, count: int) -> int:
    raw_client.fake.log.clear()
    for _ in range(count):
        with suppress(ClientError):
            raw_client.listed()
    went_well = [call.worked for call in raw_client.fake.log.calls()]
    refused = {(call.status, call.code, call.message) for call in raw_client.fake.log.calls() if not call.worked}
    assert refused <= {(400, "Throttling", "Rate exceeded")}
    return sum(went_well)


def test_after_a_burst_calls_are_accepted_at_the_configured_rate(tight: RawClient, clock: MovedClock) -> None:
    assert admitted(tight, 5) == 3
    clock.now_s += 0.2
    assert admitted(tight, 5) == 2
    clock.now_s += 60
    assert admitted(tight, 5) == 3


def test_each_api_action_has_its_own_rate_limit(tight: RawClient) -> None:
    assert admitted(tight, 4) == 3
    tight.client.list_hosted_zones()
    tight.create(build_simple("a.example.com"))


def test_each_account_has_its_own_rate_limit(tight: RawClient) -> None:
    assert admitted(tight, 4) == 3
    build_client(tight.fake.url, access_key="AKIDOTHER").list_hosted_zones()


def test_a_test_can_enable_the_rate_limit_that_aws_documents_for_an_account(
    fake: Route53, raw_client: RawClient, clock: MovedClock
) -> None:
    """«All Amazon Route 53 API actions combined (account level)»: 50 at once, 10 a second."""
    fake.buckets.follow_the_guide()
    for _ in range(25):
        raw_client.client.list_hosted_zones()
    assert admitted(raw_client, 30) == 25
    clock.now_s += 1
    assert admitted(raw_client, 11) == 10


def test_changes_to_records_have_a_rate_limit_of_their_own(
    fake: Route53, raw_client: RawClient, clock: MovedClock
) -> None:
    """«A maximum capacity of 1,500 changes (burst) and refills at 100 changes per second (sustained)»."""
    fake.buckets.follow_the_guide()
    records = [build_simple(f"n{number}.example.com") for number in range(1600)]
    raw_client.create(*records[:1000])
    raw_client.create(*records[1000:1500])
    assert raw_client.refusal(("CREATE", records[1500])) == ("Throttling", "Rate exceeded")
    assert raw_client.listed(), "reading goes on"
    clock.now_s += 1
    raw_client.create(*records[1500:1600])
    assert raw_client.refusal(("DELETE", records[0]))[0] == "Throttling"


def test_an_upsert_counts_twice_in_the_rate_limit_and_a_throttled_batch_does_not_count(
    fake: Route53, raw_client: RawClient
) -> None:
    """«1 per CREATE, 1 per DELETE, 2 per UPSERT»."""
    fake.buckets.throughput = Rate(per_s=1, burst=5)
    record = build_simple("a.example.com")
    raw_client.change(("UPSERT", record))
    assert (
        raw_client.refusal(("UPSERT", record), ("CREATE", build_simple("b.example.com")), ("CREATE", record))[0]
        == "Throttling"
    )
    raw_client.change(("DELETE", record), ("CREATE", record), ("CREATE", build_simple("b.example.com")))
    assert raw_client.refusal(("DELETE", record))[0] == "Throttling"


def test_creating_zones_has_a_lower_rate_limit_than_other_calls(fake: Route53, raw_client: RawClient) -> None:
    """`CreateHostedZone` allows a burst of 40 calls; each call costs two changes."""
    fake.buckets.action = Rate(per_s=10, burst=50)
    for number in range(40):
        raw_client.client.create_hosted_zone(Name="new.test", CallerReference=str(number))
    with pytest.raises(ClientError, match="Throttling"):
        raw_client.client.create_hosted_zone(Name="new.test", CallerReference="more")
