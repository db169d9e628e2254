"""A service of its own for each test, and its account."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from providers.aws.client import Client
from tests.fakes.route53.server import Route53
from tests.route53 import client


@pytest.fixture
def fake() -> Iterator[Route53]:
    with Route53() as service:
        yield service


@pytest.fixture
def account(fake: Route53) -> Client:
    return client(fake)
