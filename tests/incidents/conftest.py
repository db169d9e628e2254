"""The whole program, over each of the services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.incidents.production import SERVICES, Production


@pytest.fixture(params=SERVICES)
def production(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Production]:
    """An empty cluster, and a zone that holds a record of somebody else."""
    with ApiServer() as server, SERVICES[request.param]() as dns:
        yield Production(tmp_path, server, dns, monkeypatch)
