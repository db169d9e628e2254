"""Which providers the conformance tests here use; `tests/slow/conformance` uses real servers."""

from __future__ import annotations

import pytest

from tests.conformance.provider import GUARDED, RIGS


@pytest.fixture(scope="session", params=RIGS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session", params=[name for name in RIGS if name in GUARDED])
def guarded_provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)
