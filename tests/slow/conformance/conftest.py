"""The conformance tests with real DNS servers behind the providers."""

from __future__ import annotations

import pytest

from tests.conformance.provider import GUARDED, SERVER_RIGS


@pytest.fixture(scope="session", params=SERVER_RIGS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session", params=[name for name in SERVER_RIGS if name in GUARDED])
def guarded_provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)
