"""Provide each test with a fake Cloud DNS and an API that calls it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from providers.google.client import CloudDnsApi
from tests.clouddns import client
from tests.fakes.clouddns.server import CloudDns


@pytest.fixture
def fake() -> Iterator[CloudDns]:
    with CloudDns() as service:
        yield service


@pytest.fixture
def project(fake: CloudDns) -> CloudDnsApi:
    return client(fake)
