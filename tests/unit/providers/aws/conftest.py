"""Provide each test with a fake Route 53 and an API that calls it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from providers.aws.client import Route53Api
from tests.fakes.route53.server import Route53
from tests.route53 import client


@pytest.fixture
def fake() -> Iterator[Route53]:
    with Route53() as service:
        yield service


@pytest.fixture
def account(fake: Route53) -> Route53Api:
    return client(fake)
