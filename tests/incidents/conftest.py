"""Fixtures for the incident tests: the whole program with each DNS service, and a consistency check after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import answers, cluster_world
from tests.fakes.apiserver.server import ApiServer
from tests.incidents.production import SERVICES, Production


@pytest.fixture(autouse=True)
def check_consistency() -> Iterator[None]:
    """After a test, check that plan, explain, page, API, Events and metrics show the same decisions in each scene."""
    cluster_world.STARTED.clear()
    yield
    for world in cluster_world.STARTED:
        if not world.waiting and getattr(
            world, "calls_left", True
        ):  # otherwise the process was killed in the middle of a step
            answers.check(world.engine, world.config)
    cluster_world.STARTED.clear()


@pytest.fixture
def production(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Production]:
    """Create an empty cluster, and a zone that holds a foreign record, in Route 53 unless the test names a service."""
    with ApiServer() as server, SERVICES[getattr(request, "param", "route53")]() as dns:
        yield Production(tmp_path, server, dns, monkeypatch)
