"""The servers that the conformance suite of the Kubernetes API asks, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.programs import Programs
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import Rig
from tests.fakes.apiserver.probe import Probe
from tests.fakes.apiserver.server import ApiServer

SERVERS = ("fake", "machinery")


@pytest.fixture(params=SERVERS)
def api(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """A server whose life, kinds and history the test leaves alone."""
    if request.param == "fake":
        with ApiServer(kinds=KINDS) as server:
            yield Rig.of(server, Probe(server))
    else:
        machinery: ApiMachinery = request.getfixturevalue("api_machinery")
        yield Rig.of(machinery, machinery.probe)


@pytest.fixture(params=SERVERS)
def own_api(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """A server of the test's own."""
    if request.param == "fake":
        with ApiServer(kinds=KINDS) as server:
            yield Rig.of(server, Probe(server))
    else:
        programs: Programs = request.getfixturevalue("api_programs")
        with ApiMachinery(programs) as machinery:
            yield Rig.of(machinery, machinery.probe)
