"""Helm, and a DNS service, for tests of the program in a real cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.route53.server import Route53
from tests.slow.chart.conftest import helm

__all__ = ["helm"]


@pytest.fixture
def dns() -> Iterator[Route53]:
    with Route53() as running:
        yield running
