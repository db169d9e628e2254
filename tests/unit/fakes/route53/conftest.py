"""A fake Route 53 with one zone, and a client, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.clocks import MovedClock
from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def fake(clock: MovedClock) -> Iterator[Route53]:
    with Route53(clock=clock.monotonic_s) as fake:
        yield fake


@pytest.fixture
def raw_client(fake: Route53) -> RawClient:
    return RawClient(fake, fake.add_zone("example.com", zone_id="ZEXAMPLE"))
