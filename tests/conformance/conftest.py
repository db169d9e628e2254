"""Which providers and which API server the conformance tests here use; `tests/slow/conformance` uses real servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.apiserver import Rig
from tests.conformance.provider import GUARDED, RIGS
from tests.fakes.apiserver.kinds import NAMESPACE
from tests.fakes.apiserver.raw_client import RawClient
from tests.fakes.apiserver.server import ApiServer
from tests.kubernetes.kinds import THING


@pytest.fixture(scope="session", params=RIGS)
def provider(request: pytest.FixtureRequest) -> str:
    """Return the name of a provider's rig."""
    return str(request.param)


@pytest.fixture(scope="session", params=[name for name in RIGS if name in GUARDED])
def guarded_provider(request: pytest.FixtureRequest) -> str:
    """Return the name of the rig of a provider in `GUARDED`."""
    return str(request.param)


@pytest.fixture
def api() -> Iterator[Rig]:
    """Return an API server that other tests may share. The test must not stop it or change its kinds or history."""
    with ApiServer(kinds=[NAMESPACE, THING]) as server:
        yield Rig.with_new_namespace(server, RawClient(server))


@pytest.fixture
def own_api(api: Rig) -> Rig:
    """Return an API server that only this test uses."""
    return api
