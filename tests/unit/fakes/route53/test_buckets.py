"""Throttling: developer guide, "Throttling for Amazon Route 53 API requests"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.buckets import Rate
from tests.fakes.route53.probe import Clock, Probe, client, simple
from tests.fakes.route53.server import Route53


@pytest.fixture
def tight(clock: Clock) -> Iterator[Probe]:
    with Route53(clock=clock, per_action=Rate(per_s=10, burst=3), accounts={"AKIDOTHER": "222222222222"}) as fake:
        yield Probe(fake, fake.add_zone("example.com", zone_id="ZEXAMPLE"))


def admitted(probe: Probe, count: int) -> int:
    probe.fake.log.clear()
    for _ in range(count):
        with suppress(ClientError):
            probe.listed()
    went_well = [call.worked for call in probe.fake.log.calls()]
    refused = {(call.status, call.code, call.message) for call in probe.fake.log.calls() if not call.worked}
    assert refused <= {(400, "Throttling", "Rate exceeded")}
    return sum(went_well)


def test_a_burst_is_let_through_and_then_the_rate(tight: Probe, clock: Clock) -> None:
    assert admitted(tight, 5) == 3
    clock.now_s += 0.2
    assert admitted(tight, 5) == 2
    clock.now_s += 60
    assert admitted(tight, 5) == 3


def test_each_action_has_a_bucket_of_its_own(tight: Probe) -> None:
    assert admitted(tight, 4) == 3
    tight.client.list_hosted_zones()
    tight.create(simple("a.example.com"))


def test_each_account_has_a_bucket_of_its_own(tight: Probe) -> None:
    assert admitted(tight, 4) == 3
    client(tight.fake.url, access_key="AKIDOTHER").list_hosted_zones()


def test_the_guide_limits_requests_of_an_account(fake: Route53, probe: Probe, clock: Clock) -> None:
    """«All Amazon Route 53 API actions combined (account level)»: 50 at once, 10 a second."""
    fake.buckets.follow_the_guide()
    for _ in range(25):
        probe.client.list_hosted_zones()
    assert admitted(probe, 30) == 25
    clock.now_s += 1
    assert admitted(probe, 11) == 10


def test_changes_have_a_bucket_of_their_own(fake: Route53, probe: Probe, clock: Clock) -> None:
    """«A maximum capacity of 1,500 changes (burst) and refills at 100 changes per second (sustained)»."""
    fake.buckets.follow_the_guide()
    records = [simple(f"n{number}.example.com") for number in range(1600)]
    probe.create(*records[:1000])
    probe.create(*records[1000:1500])
    assert probe.refusal(("CREATE", records[1500])) == ("Throttling", "Rate exceeded")
    assert probe.listed(), "reading goes on"
    clock.now_s += 1
    probe.create(*records[1500:1600])
    assert probe.refusal(("DELETE", records[0]))[0] == "Throttling"


def test_an_upsert_takes_two_tokens_and_a_refused_one_none(fake: Route53, probe: Probe) -> None:
    """«1 per CREATE, 1 per DELETE, 2 per UPSERT»."""
    fake.buckets.throughput = Rate(per_s=1, burst=5)
    record = simple("a.example.com")
    probe.change(("UPSERT", record))
    assert probe.refusal(("UPSERT", record), ("CREATE", simple("b.example.com")), ("CREATE", record))[0] == "Throttling"
    probe.change(("DELETE", record), ("CREATE", record), ("CREATE", simple("b.example.com")))
    assert probe.refusal(("DELETE", record))[0] == "Throttling"


def test_some_actions_have_other_limits(fake: Route53, probe: Probe) -> None:
    """`CreateHostedZone`: 40 at once, and two changes each."""
    fake.buckets.action = Rate(per_s=10, burst=50)
    for number in range(40):
        probe.client.create_hosted_zone(Name="new.test", CallerReference=str(number))
    with pytest.raises(ClientError, match="Throttling"):
        probe.client.create_hosted_zone(Name="new.test", CallerReference="more")
