"""A server and a client for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.apiserver.raw_client import RawClient
from tests.fakes.apiserver.server import ApiServer


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture
def raw_client(server: ApiServer) -> RawClient:
    return RawClient(server)
