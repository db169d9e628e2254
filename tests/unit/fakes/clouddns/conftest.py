"""A fake Cloud DNS with one zone, and a client, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.clocks import MovedClock
from tests.fakes.clouddns.raw_client import RawClient
from tests.fakes.clouddns.server import CloudDns


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def fake(clock: MovedClock) -> Iterator[CloudDns]:
    with CloudDns(clock=clock.monotonic_s) as fake:
        yield fake


@pytest.fixture
def raw_client(fake: CloudDns) -> RawClient:
    return RawClient(fake, fake.add_zone("example.com", name="main"))
