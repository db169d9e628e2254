"""A server and a client for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.apiserver.probe import Probe
from tests.fakes.apiserver.server import ApiServer


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture
def probe(server: ApiServer) -> Probe:
    return Probe(server)
