"""A fake API server, and live clusters with three Services that read from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.kube.live.cluster import LiveCluster
from tests.clusters import SHORT_TIMEOUT_S, live_cluster, service
from tests.fakes.apiserver.server import ApiServer


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    server.put_all(map(service, ("web", "api", "job")))
    made = live_cluster(server, tmp_path)
    yield made
    made.close()


@pytest.fixture
def impatient_cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    server.put_all(map(service, ("web", "api", "job")))
    made = live_cluster(server, tmp_path, timeout_s=SHORT_TIMEOUT_S)
    yield made
    made.close()
