"""The conformance tests with real servers: DNS servers behind the providers, and the real Kubernetes API machinery."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import Rig
from tests.conformance.provider import GUARDED, SERVER_RIGS


@pytest.fixture(scope="session", params=SERVER_RIGS)
def provider(request: pytest.FixtureRequest) -> str:
    """Return the name of a provider's rig."""
    return str(request.param)


@pytest.fixture(scope="session", params=[name for name in SERVER_RIGS if name in GUARDED])
def guarded_provider(request: pytest.FixtureRequest) -> str:
    """Return the name of the rig of a provider in `GUARDED`."""
    return str(request.param)


@pytest.fixture
def api(api_machinery: ApiMachinery) -> Rig:
    """Return an API server that other tests share. The test must not stop it or change its kinds or history."""
    return Rig.with_new_namespace(api_machinery, api_machinery.raw_client)


@pytest.fixture
def own_api() -> Iterator[Rig]:
    """Return an API server that only this test uses."""
    with ApiMachinery() as machinery:
        yield Rig.with_new_namespace(machinery, machinery.raw_client)
