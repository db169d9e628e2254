"""A service of its own for each test, and its project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from providers.google.client import Client
from tests.clouddns import client
from tests.fakes.clouddns.server import CloudDns


@pytest.fixture
def fake() -> Iterator[CloudDns]:
    with CloudDns() as service:
        yield service


@pytest.fixture
def project(fake: CloudDns) -> Client:
    return client(fake)
