"""Throttling: developer guide, "Quotas on API requests"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.buckets import DOCUMENTED, Rate
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


def test_changes_may_have_a_rate_of_their_own(tight: Probe) -> None:
    tight.fake.buckets.changes = Rate(per_s=1, burst=1)
    tight.create(simple("a.example.com"))
    assert tight.refusal(("CREATE", simple("b.example.com"))) == ("Throttling", "Rate exceeded")
    assert admitted(tight, 3) == 3


def test_the_documented_limit_counts_all_requests_of_an_account(fake: Route53, probe: Probe) -> None:
    """«All requests: Five requests per second per AWS account»."""
    fake.buckets.account = DOCUMENTED
    for _ in range(5):
        probe.client.list_hosted_zones()
    assert admitted(probe, 1) == 0
