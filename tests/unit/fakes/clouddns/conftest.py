"""A service of its own for each test, with one zone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.clouddns.probe import Clock, Probe
from tests.fakes.clouddns.server import CloudDns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fake(clock: Clock) -> Iterator[CloudDns]:
    with CloudDns(clock=clock) as fake:
        yield fake


@pytest.fixture
def probe(fake: CloudDns) -> Probe:
    return Probe(fake, fake.add_zone("example.com", name="main"))
