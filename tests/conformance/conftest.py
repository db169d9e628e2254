"""Fixtures with the API servers of the conformance tests. Each test runs with the fake and with the real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.programs import Programs
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import Rig
from tests.fakes.apiserver.raw_client import RawClient
from tests.fakes.apiserver.server import ApiServer

SERVERS = ("fake", "machinery")


@pytest.fixture(params=SERVERS)
def api(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """Return an API server that other tests share. The test must not stop it or change its kinds or history."""
    if request.param == "fake":
        with ApiServer(kinds=KINDS) as server:
            yield Rig.with_new_namespace(server, RawClient(server))
    else:
        machinery: ApiMachinery = request.getfixturevalue("api_machinery")
        yield Rig.with_new_namespace(machinery, machinery.raw_client)


@pytest.fixture(params=SERVERS)
def own_api(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """Return an API server that only this test uses."""
    if request.param == "fake":
        with ApiServer(kinds=KINDS) as server:
            yield Rig.with_new_namespace(server, RawClient(server))
    else:
        programs: Programs = request.getfixturevalue("api_programs")
        with ApiMachinery(programs) as machinery:
            yield Rig.with_new_namespace(machinery, machinery.raw_client)
